#include "kube/recorder.h"

#include "base/jsonlog.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <string.h>

enum { NOTE_MAX_BYTES = 1024, MAX_WAITING = 1024, MAX_UNDER_WAY = 8 };
#define PACE_US INT64_C(50000)

struct pending_event { /* waits in order, then is under way */
    struct kube_recorder *recorder;
    struct kube_call *call; /* NULL: waits */
    char *namespace_, *name;
    struct buf body;
    struct pending_event *next;
};

struct kube_recorder {
    struct kube_client *client;
    struct loop *loop;
    struct loop_timer *timer;
    char *component;
    struct pending_event *first;
    int waiting, under_way;
    int64_t next_us; /* monotonic: not before */
};

static void pending_event_free(struct pending_event *t) {
    MEM_UNLINK(t->recorder->first, t);
    if (t->call != NULL)
        t->recorder->under_way--;
    else
        t->recorder->waiting--;
    free(t->namespace_);
    free(t->name);
    buf_done(&t->body);
    free(t);
}

static void pump(void *context);

static void sent(void *context, int status, struct slice body, const struct error *err) {
    struct pending_event *t = context;
    struct kube_recorder *r = t->recorder;
    (void)body;
    if (err != NULL)
        jsonlog(JSONLOG_DEBUG, "event not written", "namespace", LOG_S(t->namespace_), "name", LOG_S(t->name),
                "http_status", LOG_I(status), "error", LOG_S(error_text(err)), NULL);
    pending_event_free(t);
    pump(r);
}

static void send_request(struct pending_event *t) {
    struct kube_recorder *r = t->recorder;
    char namespace_[768], name[1024];
    if (!kube_escape(namespace_, sizeof namespace_, t->namespace_) || !kube_escape(name, sizeof name, t->name)) {
        pending_event_free(t);
        return;
    }
    CLEANUP_FREE char *path =
        mem_format("/api/v1/namespaces/%s/events/%s?fieldManager=goodput-controller&force=true", namespace_, name);
    struct kube_request request = {.method = "PATCH",
                                   .path = path,
                                   .body = buf_slice(&t->body),
                                   .content_type = "application/apply-patch+yaml",
                                   .may_retry = true};
    r->waiting--;
    r->under_way++;
    t->call = kube_call(r->client, &request, sent, t);
}

static void pump(void *context) {
    struct kube_recorder *r = context;
    while (r->waiting > 0 && r->under_way < MAX_UNDER_WAY) {
        int64_t now_us = loop_now(r->loop).us;
        if (now_us < r->next_us) {
            loop_timer_set(r->timer, r->next_us - now_us);
            return;
        }
        struct pending_event *t = r->first;
        while (t->call != NULL)
            t = t->next;
        r->next_us = now_us + PACE_US;
        send_request(t);
    }
}

static void write_reference(struct jwrite *w, const struct kube_object_reference *o) {
    const struct {
        const char *key, *value;
    } members[] = {{"apiVersion", o->api_version},
                   {"kind", o->kind},
                   {"namespace", o->namespace_},
                   {"name", o->name},
                   {"uid", o->uid}};
    jwrite_object(w);
    for (size_t i = 0; i < ARRAY_SIZE(members); i++)
        if (members[i].value != NULL && members[i].value[0] != '\0')
            jwrite_member_text(w, members[i].key, members[i].value);
    jwrite_object_end(w);
}

static void write_event(const struct kube_recorder *r, const struct kube_object_reference *o,
                        const struct kube_happening *h, struct pending_event *t) {
    char first[RFC3339_SIZE], last[RFC3339_SIZE], cut[NOTE_MAX_BYTES + 1];
    rfc3339_format_s(first, h->first_ms);
    rfc3339_format_s(last, h->last_ms);
    slice_copy(cut, sizeof cut, slice_of(h->note));
    struct jwrite w;
    jwrite_init(&w, &t->body);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "v1");
    jwrite_member_text(&w, "kind", "Event");
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "name", t->name);
    jwrite_member_text(&w, "namespace", t->namespace_);
    jwrite_object_end(&w);
    jwrite_key(&w, "involvedObject");
    write_reference(&w, o);
    jwrite_member_text(&w, "type", h->type);
    jwrite_member_text(&w, "reason", h->reason);
    jwrite_member_text(&w, "message", cut);
    jwrite_member_object(&w, "source");
    jwrite_member_text(&w, "component", r->component);
    jwrite_object_end(&w);
    jwrite_member_text(&w, "reportingComponent", r->component);
    jwrite_member_text(&w, "firstTimestamp", first);
    jwrite_member_text(&w, "lastTimestamp", last);
    jwrite_member_int(&w, "count", 1);
    jwrite_object_end(&w);
}

/* The one of that name that still waits, or a new one at the end; NULL if too many wait. */
static struct pending_event *place(struct kube_recorder *r, const char *namespace_, const char *name) {
    struct pending_event **end = &r->first;
    for (; *end != NULL; end = &(*end)->next)
        if ((*end)->call == NULL && strcmp((*end)->name, name) == 0 && strcmp((*end)->namespace_, namespace_) == 0)
            return *end;
    if (r->waiting >= MAX_WAITING)
        return NULL;
    struct pending_event *t = mem_new(struct pending_event);
    *t = (struct pending_event){.recorder = r, .namespace_ = mem_strdup(namespace_), .name = mem_strdup(name)};
    buf_init(&t->body, 16 << 10);
    *end = t;
    r->waiting++;
    return t;
}

void kube_recorder_record(struct kube_recorder *r, const struct kube_object_reference *o,
                          const struct kube_happening *h) {
    const char *namespace_ = o->namespace_ != NULL && o->namespace_[0] != '\0' ? o->namespace_ : "default";
    CLEANUP_FREE char *name = mem_format("%.180s.%s", o->name, h->id);
    struct pending_event *t = place(r, namespace_, name);
    if (t == NULL)
        return;
    buf_clear(&t->body);
    write_event(r, o, h, t);
    pump(r);
}

struct kube_recorder *kube_recorder_new(struct kube_client *client, const char *component) {
    struct kube_recorder *r = mem_new(struct kube_recorder);
    r->client = client;
    r->loop = kube_client_loop(client);
    r->component = mem_strdup(component);
    r->timer = loop_timer_new(r->loop, pump, r);
    return r;
}

void kube_recorder_free(struct kube_recorder *recorder) {
    if (recorder == NULL)
        return;
    while (recorder->first != NULL) {
        kube_call_cancel(recorder->first->call);
        pending_event_free(recorder->first);
    }
    loop_timer_free(recorder->timer);
    free(recorder->component);
    free(recorder);
}
