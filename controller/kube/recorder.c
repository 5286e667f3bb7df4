#include "kube/recorder.h"

#include "base/jwrite.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <string.h>

enum { NOTE_MAX_BYTES = 1024, BURST = 25, MAX_REMEMBERED = 1024, MAX_UNDER_WAY = 32 };
#define TOKEN_US INT64_C(300000000)  /* then one in five minutes, as client-go's EventSourceObjectSpamFilter */
#define SERIES_US INT64_C(360000000) /* repeats within six minutes are one series, as client-go's tools/events */

struct series {
    char *namespace_, *name;
    int64_t count, last_us; /* monotonic */
    bool is_written;        /* the first one is known to the server */
};

struct bucket {
    int64_t tokens, last_us;
};

struct sending {
    struct kube_recorder *recorder;
    struct kube_call *call;
    char *series_key;
    struct sending *next;
};

struct kube_recorder {
    struct kube_client *client;
    struct loop *loop;
    char *controller, *instance;
    struct map series;  /* by what makes two events the same */
    struct map buckets; /* by uid of the object */
    struct sending *sending;
    int under_way;
    int64_t number; /* makes names differ within one microsecond */
};

static void series_free(void *value) {
    struct series *s = value;
    free(s->namespace_);
    free(s->name);
    free(s);
}

static bool take_token(struct kube_recorder *r, const char *uid, int64_t now_us) {
    struct bucket *b = map_get(&r->buckets, slice_of(uid));
    if (b == NULL) {
        if (r->buckets.count >= MAX_REMEMBERED) {
            map_done(&r->buckets);
            map_init(&r->buckets, free);
        }
        b = mem_new(struct bucket);
        *b = (struct bucket){.tokens = BURST, .last_us = now_us};
        map_put(&r->buckets, slice_of(uid), b);
    }
    int64_t earned = (now_us - b->last_us) / TOKEN_US;
    b->tokens = b->tokens + earned > BURST ? BURST : b->tokens + earned;
    b->last_us += earned * TOKEN_US;
    if (b->tokens == 0)
        return false;
    b->tokens--;
    return true;
}

static void write_reference(struct jwrite *w, const struct kube_object_reference *o) {
    const struct {
        const char *key, *value;
    } members[] = {{"apiVersion", o->api_version},
                   {"kind", o->kind},
                   {"namespace", o->namespace_},
                   {"name", o->name},
                   {"uid", o->uid},
                   {"resourceVersion", o->resource_version}};
    jwrite_object(w);
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        if (members[i].value != NULL && members[i].value[0] != '\0')
            jwrite_member_text(w, members[i].key, members[i].value);
    jwrite_object_end(w);
}

static void write_event(struct kube_recorder *r, const struct kube_object_reference *o, const struct series *s,
                        const char *type, const char *reason, const char *action, const char *note, struct buf *out) {
    char now[RFC3339_SIZE], cut[NOTE_MAX_BYTES + 1];
    rfc3339_format(now, loop_wall(r->loop).us * 1000, 6);
    slice_copy(cut, sizeof cut, slice_of(note));
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "events.k8s.io/v1");
    jwrite_member_text(&w, "kind", "Event");
    jwrite_key(&w, "metadata");
    jwrite_object(&w);
    jwrite_member_text(&w, "name", s->name);
    jwrite_member_text(&w, "namespace", s->namespace_);
    jwrite_object_end(&w);
    jwrite_member_text(&w, "eventTime", now);
    jwrite_member_text(&w, "reportingController", r->controller);
    jwrite_member_text(&w, "reportingInstance", r->instance);
    jwrite_member_text(&w, "action", action != NULL && action[0] != '\0' ? action : reason);
    jwrite_member_text(&w, "reason", reason);
    jwrite_key(&w, "regarding");
    write_reference(&w, o);
    jwrite_member_text(&w, "note", cut);
    jwrite_member_text(&w, "type", type);
    jwrite_object_end(&w);
}

static void write_series(struct kube_recorder *r, const struct series *s, struct buf *out) {
    char now[RFC3339_SIZE];
    rfc3339_format(now, loop_wall(r->loop).us * 1000, 6);
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_key(&w, "series");
    jwrite_object(&w);
    jwrite_member_int(&w, "count", s->count);
    jwrite_member_text(&w, "lastObservedTime", now);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}

static void sending_free(struct sending *s) {
    for (struct sending **p = &s->recorder->sending; *p != NULL; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            break;
        }
    s->recorder->under_way--;
    free(s->series_key);
    free(s);
}

/* A failed write is dropped. If the event of a series is not there (never came, or expired), the next one starts anew.
 */
static void sent(void *context, int status, struct slice body, const struct error *err) {
    (void)status, (void)body;
    struct sending *s = context;
    struct kube_recorder *r = s->recorder;
    struct series *series = map_get(&r->series, slice_of(s->series_key));
    if (series != NULL && err == NULL)
        series->is_written = true;
    else if (series != NULL)
        map_remove(&r->series, slice_of(s->series_key));
    sending_free(s);
}

static void send_request(struct kube_recorder *r, const struct kube_request *request, const char *key) {
    struct sending *s = mem_new(struct sending);
    *s = (struct sending){.recorder = r, .series_key = mem_strdup(key), .next = r->sending};
    r->sending = s;
    r->under_way++;
    s->call = kube_call(r->client, request, sent, s);
}

static struct series *new_series(struct kube_recorder *r, const struct kube_object_reference *o, const char *key) {
    if (r->series.count >= MAX_REMEMBERED) {
        map_done(&r->series);
        map_init(&r->series, series_free);
    }
    struct series *s = mem_new(struct series);
    const char *namespace_ = o->namespace_ != NULL && o->namespace_[0] != '\0' ? o->namespace_ : "default";
    *s = (struct series){.namespace_ = mem_strdup(namespace_), .count = 1};
    s->name = mem_format("%.200s.%llx%04llx", o->name, (unsigned long long)loop_wall(r->loop).us,
                         (unsigned long long)(r->number++ & 0xffff));
    map_put(&r->series, slice_of(key), s);
    return s;
}

void kube_recorder_event(struct kube_recorder *r, const struct kube_object_reference *o, const char *type,
                         const char *reason, const char *action, const char *note) {
    int64_t now_us = loop_now(r->loop).us;
    char *key CLEANUP_FREE = mem_format("%s|%s|%s|%s|%s|%s", o->uid != NULL ? o->uid : "", o->name, type, reason,
                                        action != NULL ? action : "", note);
    struct series *s = map_get(&r->series, slice_of(key));
    bool is_repeat = s != NULL && now_us - s->last_us < SERIES_US;
    if (is_repeat) {
        s->count++;
        s->last_us = now_us;
    }
    if (!take_token(r, o->uid != NULL ? o->uid : o->name, now_us) || r->under_way >= MAX_UNDER_WAY ||
        (is_repeat && !s->is_written))
        return;
    struct buf body CLEANUP_BUF = {0};
    buf_init(&body, 16 << 10);
    if (!is_repeat) {
        s = new_series(r, o, key);
        s->last_us = now_us;
        write_event(r, o, s, type, reason, action, note, &body);
    } else
        write_series(r, s, &body);
    char *path CLEANUP_FREE = mem_format("/apis/events.k8s.io/v1/namespaces/%s/events%s%s", s->namespace_,
                                         is_repeat ? "/" : "", is_repeat ? s->name : "");
    struct kube_request request = {.method = is_repeat ? "PATCH" : "POST",
                                   .path = path,
                                   .body = buf_slice(&body),
                                   .content_type = is_repeat ? "application/merge-patch+json" : NULL};
    send_request(r, &request, key);
}

struct kube_recorder *kube_recorder_new(struct kube_client *client, const char *controller, const char *instance) {
    struct kube_recorder *r = mem_new(struct kube_recorder);
    r->client = client;
    r->loop = kube_client_loop(client);
    r->controller = mem_strdup(controller);
    r->instance = mem_strdup(instance);
    map_init(&r->series, series_free);
    map_init(&r->buckets, free);
    return r;
}

void kube_recorder_free(struct kube_recorder *recorder) {
    if (recorder == NULL)
        return;
    while (recorder->sending != NULL) {
        kube_call_cancel(recorder->sending->call);
        sending_free(recorder->sending);
    }
    map_done(&recorder->series);
    map_done(&recorder->buckets);
    free(recorder->controller);
    free(recorder->instance);
    free(recorder);
}
