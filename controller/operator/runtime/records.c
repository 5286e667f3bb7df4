#include "operator/runtime/records.h"
#include "operator/runtime/watched.h"

#include "base/clock.h"
#include "base/jmembers.h"
#include "base/jsonlog.h"
#include "base/jwrite.h"
#include "base/map.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_US INT64_C(30000000)
#define CONFLICT_US INT64_C(1000000)        /* its status was just written */
#define LONGEST_WAIT_US INT64_C(3600000000) /* clocks may be set meanwhile */

enum { KEY_SIZE = 520, MAX_IN_FLIGHT = 8 };

struct request { /* of a job or a record; one at a time */
    struct runtime_records *owner;
    const char *namespace_, *name; /* of the JobGoodput, for the log */
    struct kube_call *call;
    int64_t not_before_us;
};

struct job { /* one that gets a JobGoodput */
    enum target_kind kind;
    char *namespace_, *name;
    struct record_wish wish;
    struct request request;
};

struct record { /* a JobGoodput */
    char *namespace_, *name;
    char *target;   /* key_of_job() */
    int64_t due_ms; /* its deletion; TIME_UNKNOWN */
    int64_t end_ms; /* of its job, if it was made here and is over; TIME_UNKNOWN */
    bool is_surplus;
    char uid[64], version[64];
    struct request request;
};

struct runtime_records {
    struct kube_client *client;
    struct loop *loop;
    enum records_mode mode;
    struct records_defaults defaults;
    bool is_active, has_new_end;
    int in_flight;
    struct map jobs;    /* key_of_job() */
    struct map records; /* "ns/name" */
    struct map targets; /* key_of_job() -> how many JobGoodputs are for it */
    struct loop_timer *timer;
};

/* ---- reading ---- */

bool runtime_records_read_jobgoodput(struct slice object, struct records_seen *seen) {
    typedef struct records_seen jobgoodput;
    static const struct jmember labels[] = {JMEMBER(jobgoodput, managed_by, "app.kubernetes.io/managed-by")};
    static const struct jmember metadata[] = {JMEMBER(jobgoodput, uid, "uid"), JMEMBER_OBJECT("labels", labels),
                                              JMEMBER(jobgoodput, version, "resourceVersion")};
    static const struct jmember target[] = {JMEMBER(jobgoodput, kind, "kind"), JMEMBER(jobgoodput, target, "name")};
    static const struct jmember spec[] = {JMEMBER_OBJECT("targetRef", target),
                                          JMEMBER(jobgoodput, ttl_s, "ttlSecondsAfterFinished")};
    static const struct jmember time[] = {JMEMBER_TIME(jobgoodput, end_ms, "end")};
    static const struct jmember status[] = {JMEMBER(jobgoodput, phase, "phase"), JMEMBER_OBJECT("time", time)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata), JMEMBER_OBJECT("spec", spec),
                                          JMEMBER_OBJECT("status", status)};
    *seen = (struct records_seen){.ttl_s = -1, .end_ms = TIME_UNKNOWN};
    return jmembers_parse(object, JMEMBERS(rows), seen);
}

static bool is_over(const struct records_seen *seen) {
    static const char *const over[] = {"Completed", "Failed", "Deleted"};
    for (size_t i = 0; i < ARRAY_SIZE(over); i++)
        if (strcmp(seen->phase, over[i]) == 0)
            return true;
    return false;
}

int64_t runtime_records_due_ms(const struct records_seen *seen) {
    if (!is_over(seen) || seen->uid[0] == '\0' || seen->ttl_s < 0 || seen->ttl_s > 315360000 ||
        seen->end_ms == TIME_UNKNOWN)
        return TIME_UNKNOWN;
    return seen->end_ms + seen->ttl_s * 1000;
}

/* ---- what there is ---- */

static void job_free(void *value) {
    struct job *j = value;
    kube_call_cancel(j->request.call);
    free(j->namespace_);
    free(j->name);
    free(j);
}

static void record_free(void *value) {
    struct record *r = value;
    kube_call_cancel(r->request.call);
    free(r->namespace_);
    free(r->name);
    free(r->target);
    free(r);
}

static void work(void *context);

struct runtime_records *runtime_records_new(struct kube_client *client, enum records_mode mode,
                                            const struct records_defaults *defaults) {
    struct runtime_records *records = mem_new(struct runtime_records);
    records->client = client;
    records->loop = kube_client_loop(client);
    records->mode = mode;
    records->defaults = *defaults;
    records->timer = loop_timer_new(records->loop, work, records);
    map_init(&records->jobs, job_free);
    map_init(&records->records, record_free);
    map_init(&records->targets, NULL);
    return records;
}

void runtime_records_free(struct runtime_records *records) {
    if (records == NULL)
        return;
    loop_defer_cancel(records->loop, work, records);
    loop_timer_free(records->timer);
    map_done(&records->jobs);
    map_done(&records->records);
    map_done(&records->targets);
    free(records);
}

static struct slice key_of(char space[static KEY_SIZE], const char *namespace_, const char *name) {
    snprintf(space, KEY_SIZE, "%s/%s", namespace_, name);
    return slice_of(space);
}

static struct slice key_of_job(char space[static KEY_SIZE], enum target_kind kind, const char *namespace_,
                               const char *name) {
    snprintf(space, KEY_SIZE, "%s %s/%s", kind_name(kind), namespace_, name);
    return slice_of(space);
}

/* The call for it is canceled with it. */
static void forget(struct map *map, struct slice key, struct request *request) {
    if (request->call != NULL)
        request->owner->in_flight--;
    map_remove(map, key);
}

static bool is_of_job(enum resource resource, enum target_kind *kind) {
    *kind = TARGET_JOB;
    return resource == RESOURCE_JOB || kind_shown_by(resource, kind) != NULL;
}

static bool is_made_in(const struct runtime_records *records, const char *namespace_) {
    struct slice rest = slice_of(records->defaults.namespaces), one;
    for (bool is_first = true; watched_take_namespace(&rest, is_first, &one); is_first = false)
        if (one.size_bytes == 0 || slice_is(one, namespace_))
            return true;
    return false;
}

void runtime_records_job(struct runtime_records *records, enum resource resource, const char *namespace_,
                         const char *name, struct slice object) {
    enum target_kind kind;
    struct record_wish wish;
    char space[KEY_SIZE];
    if (records->mode == RECORDS_OFF || !is_of_job(resource, &kind))
        return;
    struct slice key = key_of_job(space, kind, namespace_, name);
    struct job *j = map_get(&records->jobs, key);
    bool is_granted = object.size_bytes > 0 && is_made_in(records, namespace_) &&
                      record_wish_has_labels(object, records->defaults.labels) &&
                      record_wish_read(kind, object, &wish) && record_wish_is_granted(&wish, records->mode);
    if (!is_granted) {
        if (j != NULL)
            forget(&records->jobs, key, &j->request);
        return;
    }
    if (j == NULL) {
        j = mem_new(struct job);
        *j = (struct job){.kind = kind, .namespace_ = mem_strdup(namespace_), .name = mem_strdup(name)};
        j->request = (struct request){.owner = records, .namespace_ = j->namespace_, .name = j->name};
        map_put(&records->jobs, key, j);
    }
    j->wish = wish;
    loop_defer(records->loop, work, records);
}

static void count_target(struct runtime_records *records, const struct record *r, int by) {
    struct slice key = slice_of(r->target);
    uintptr_t count = (uintptr_t)map_get(&records->targets, key) + (uintptr_t)by;
    if (count == 0)
        map_remove(&records->targets, key);
    else
        map_put(&records->targets, key, (void *)count);
}

/* A TrainJob's is for the JobSet of its name. */
static char *target_of(const char *namespace_, const struct records_seen *seen) {
    char space[KEY_SIZE];
    enum target_kind kind;
    if (!kind_find(slice_of(seen->kind), &kind))
        return mem_strdup("");
    key_of_job(space, kind_row(kind)->measured, namespace_, seen->target);
    return mem_strdup(space);
}

void runtime_records_jobgoodput(struct runtime_records *records, const char *namespace_, const char *name,
                                struct slice object) {
    char space[KEY_SIZE];
    struct records_seen seen;
    struct slice key = key_of(space, namespace_, name);
    struct record *r = map_get(&records->records, key);
    bool is_there = object.size_bytes > 0 && runtime_records_read_jobgoodput(object, &seen);
    if (r != NULL)
        count_target(records, r, -1);
    if (r != NULL && !is_there)
        forget(&records->records, key, &r->request);
    if (is_there && r == NULL) {
        r = mem_new(struct record);
        *r = (struct record){.end_ms = TIME_UNKNOWN};
        r->namespace_ = mem_strdup(namespace_);
        r->name = mem_strdup(name);
        r->request = (struct request){.owner = records, .namespace_ = r->namespace_, .name = r->name};
        map_put(&records->records, key, r);
    }
    if (is_there) {
        bool is_counted = is_over(&seen) && strcmp(seen.managed_by, RECORDS_MANAGER) == 0;
        int64_t end_ms = is_counted ? seen.end_ms : TIME_UNKNOWN;
        records->has_new_end = records->has_new_end || end_ms != r->end_ms;
        r->end_ms = end_ms;
        r->due_ms = runtime_records_due_ms(&seen);
        memcpy(r->uid, seen.uid, sizeof r->uid);
        memcpy(r->version, seen.version, sizeof r->version);
        free(r->target);
        r->target = target_of(namespace_, &seen);
        count_target(records, r, 1);
    }
    loop_defer(records->loop, work, records);
}

void runtime_records_set_active(struct runtime_records *records, bool is_active) {
    if (records->is_active == is_active)
        return;
    records->is_active = is_active;
    loop_defer(records->loop, work, records);
}

/* ---- requests ---- */

static void on_done(void *context, int status, struct slice body, const struct error *err) {
    struct request *q = context;
    struct runtime_records *records = q->owner;
    (void)body;
    q->call = NULL;
    records->in_flight--;
    /* The watch is faster if it went well. */
    q->not_before_us = loop_now(records->loop).us + (status == 409 ? CONFLICT_US : RETRY_US);
    /* 404 and 409: what was to be done has been done, or the object has changed, as the watch will say. */
    if (err != NULL && status != 404 && status != 409)
        jsonlog(JSONLOG_WARNING, "JobGoodput neither made nor deleted", "namespace", LOG_S(q->namespace_), "name",
                LOG_S(q->name), "http_status", LOG_I(status), "error", LOG_S(error_text(err)), NULL);
    loop_defer(records->loop, work, records);
}

static void send_request(struct request *q, const char *method, const char *path, const struct buf *body) {
    struct kube_request request = {.method = method, .path = path, .body = buf_slice(body)};
    q->owner->in_flight++;
    q->call = kube_call(q->owner->client, &request, on_done, q);
}

/* NAME, or NAME.KIND where another job's has that. No JobSet's name has a dot. */
static char *record_name(const struct runtime_records *records, const struct job *j) {
    char space[KEY_SIZE];
    if (map_get(&records->records, key_of(space, j->namespace_, j->name)) == NULL)
        return mem_strdup(j->name);
    char *name = mem_format("%s.%s", j->name, kind_name(j->kind));
    for (char *c = name + strlen(j->name); *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    return name;
}

static void write_jobgoodput(const struct job *j, const char *name, struct buf *body) {
    const struct records_defaults *defaults = &j->request.owner->defaults;
    const char *version = kind_row(j->kind)->api_version;
    CLEANUP_FREE char *group = mem_format("%.*s", (int)strcspn(version, "/"), version);
    CLEANUP_FREE char *windows = mem_format("[%s]", defaults->windows);
    struct jwrite w;
    jwrite_init(&w, body);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "goodput.dev/v1alpha1");
    jwrite_member_text(&w, "kind", "JobGoodput");
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "namespace", j->namespace_);
    jwrite_member_text(&w, "name", name);
    jwrite_member_object(&w, "labels");
    jwrite_member_text(&w, "app.kubernetes.io/managed-by", RECORDS_MANAGER);
    if (j->wish.run[0] != '\0')
        jwrite_member_text(&w, RECORDS_RUN_LABEL, j->wish.run);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
    jwrite_member_object(&w, "spec");
    jwrite_member_object(&w, "targetRef");
    jwrite_member_text(&w, "apiGroup", group);
    jwrite_member_text(&w, "kind", kind_name(j->kind));
    jwrite_member_text(&w, "name", j->name);
    jwrite_object_end(&w);
    jwrite_member_object(&w, "stepLog");
    jwrite_member_text(&w, "source", "PodLog");
    jwrite_member_text(&w, "format", j->wish.log_format[0] != '\0' ? j->wish.log_format : defaults->log_format);
    jwrite_object_end(&w);
    jwrite_key(&w, "windowSeconds");
    jwrite_raw(&w, slice_of(windows));
    jwrite_member_int(&w, "ttlSecondsAfterFinished", defaults->ttl_s);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}

static void create(struct job *j) {
    char namespace_[KEY_SIZE];
    if (!kube_escape(namespace_, sizeof namespace_, j->namespace_))
        return;
    CLEANUP_BUF struct buf body;
    CLEANUP_FREE char *name = record_name(j->request.owner, j);
    CLEANUP_FREE char *path =
        mem_format("/apis/goodput.dev/v1alpha1/namespaces/%s/jobgoodputs?fieldManager=goodput-controller", namespace_);
    buf_init(&body, 8192);
    write_jobgoodput(j, name, &body);
    jsonlog(JSONLOG_INFO, "JobGoodput made", "namespace", LOG_S(j->namespace_), "name", LOG_S(name), "kind",
            LOG_S(kind_name(j->kind)), NULL);
    send_request(&j->request, "POST", path, &body);
}

/* The very record that was over: one of the same name that came since stays. */
static void delete_record(struct record *r) {
    char namespace_[KEY_SIZE], name[KEY_SIZE];
    struct jwrite w;
    if (!kube_escape(namespace_, sizeof namespace_, r->namespace_) || !kube_escape(name, sizeof name, r->name))
        return;
    CLEANUP_BUF struct buf body;
    CLEANUP_FREE char *path = mem_format("/apis/goodput.dev/v1alpha1/namespaces/%s/jobgoodputs/%s", namespace_, name);
    buf_init(&body, 1024);
    jwrite_init(&w, &body);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "v1");
    jwrite_member_text(&w, "kind", "DeleteOptions");
    jwrite_member_object(&w, "preconditions");
    jwrite_member_text(&w, "uid", r->uid);
    jwrite_member_text(&w, "resourceVersion", r->version);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
    const char *why = r->is_surplus ? "JobGoodput deleted: newer ones of its namespace are kept"
                                    : "JobGoodput deleted: its ttlSecondsAfterFinished is over";
    jsonlog(JSONLOG_INFO, why, "namespace", LOG_S(r->namespace_), "name", LOG_S(r->name), NULL);
    send_request(&r->request, "DELETE", path, &body);
}

/* In us: how long until it may be sent, 0: now. */
static int64_t wait_of(const struct request *q, int64_t due_us, int64_t now_us) {
    int64_t wait_us = q->not_before_us > now_us ? q->not_before_us - now_us : 0;
    wait_us = due_us > wait_us ? due_us : wait_us;
    bool is_held = q->call != NULL || (wait_us == 0 && q->owner->in_flight >= MAX_IN_FLIGHT);
    return is_held ? LONGEST_WAIT_US : wait_us; /* an answer brings the next turn */
}

static int64_t make_missing(struct runtime_records *records, int64_t now_us) {
    int64_t next_us = LONGEST_WAIT_US;
    for (size_t i = 0; i < records->jobs.count; i++) {
        struct job *j = map_at(&records->jobs, i);
        char space[KEY_SIZE];
        if (map_get(&records->targets, key_of_job(space, j->kind, j->namespace_, j->name)) != NULL)
            continue; /* measured, perhaps by one of another name */
        int64_t us = wait_of(&j->request, 0, now_us);
        if (us == 0)
            create(j);
        else
            next_us = us < next_us ? us : next_us;
    }
    return next_us;
}

static int newest_first(const void *a, const void *b) {
    const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;
    int order = strcmp(x->namespace_, y->namespace_);
    return order != 0 ? order : (x->end_ms < y->end_ms) - (x->end_ms > y->end_ms);
}

static void mark_surplus(struct runtime_records *records) {
    if (records->defaults.keep == 0 || !records->has_new_end)
        return;
    records->has_new_end = false;
    CLEANUP_FREE struct record **over = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < records->records.count; i++) {
        struct record *r = map_at(&records->records, i);
        r->is_surplus = false;
        if (r->end_ms == TIME_UNKNOWN)
            continue;
        MEM_GROW(over, count, capacity);
        over[count++] = r;
    }
    if (count > 0)
        qsort(over, count, sizeof *over, newest_first);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (strcmp(over[i]->namespace_, over[first]->namespace_) != 0)
            first = i;
        over[i]->is_surplus = i - first >= (size_t)records->defaults.keep;
    }
}

static int64_t delete_due(struct runtime_records *records, int64_t now_us, int64_t now_ms) {
    int64_t next_us = LONGEST_WAIT_US;
    for (size_t i = 0; i < records->records.count; i++) {
        struct record *r = map_at(&records->records, i);
        if (r->due_ms == TIME_UNKNOWN && !r->is_surplus)
            continue;
        int64_t us = wait_of(&r->request, r->is_surplus ? 0 : (r->due_ms - now_ms) * 1000, now_us);
        if (us == 0)
            delete_record(r);
        else
            next_us = us < next_us ? us : next_us;
    }
    return next_us;
}

static void work(void *context) {
    struct runtime_records *records = context;
    if (!records->is_active)
        return;
    int64_t now_us = loop_now(records->loop).us;
    mark_surplus(records);
    int64_t make_us = make_missing(records, now_us);
    int64_t delete_us = delete_due(records, now_us, wall_ms(loop_wall(records->loop)));
    loop_timer_set(records->timer, make_us < delete_us ? make_us : delete_us);
}
