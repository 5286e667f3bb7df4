#include "operator/runtime/records.h"
#include "operator/store/kinds.h"

#include "base/clock.h"
#include "base/jmembers.h"
#include "base/jsonlog.h"
#include "base/jwrite.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define RETRY_US INT64_C(30000000)
#define CONFLICT_US INT64_C(1000000)        /* its status was just written */
#define LONGEST_WAIT_US INT64_C(3600000000) /* clocks may be set meanwhile */

enum { KEY_SIZE = 520, MAX_IN_FLIGHT = 8 };

struct record { /* a JobSet, or a JobGoodput, or both, of one namespace and name */
    struct runtime_records *owner;
    char *namespace_, *name;
    bool has_jobset, is_required, has_jobgoodput;
    struct records_wish wish;
    char *target;   /* the JobSet that the JobGoodput is for; NULL: another kind */
    int64_t due_ms; /* deletion of the JobGoodput; TIME_UNKNOWN */
    char uid[64], version[64];
    int64_t not_before_us;
    struct kube_call *call;
};

struct runtime_records {
    struct kube_client *client;
    struct loop *loop;
    enum records_mode mode;
    struct records_defaults defaults;
    bool is_active;
    int in_flight;
    struct map map;
    struct map targets; /* "ns/name" of a JobSet -> how many JobGoodputs are for it */
    struct loop_timer *timer;
};

/* ---- reading ---- */

bool runtime_records_read_jobset(struct slice object, struct records_wish *wish) {
    struct words {
        char enabled[16], deleted[32], state[32], log_format[sizeof wish->log_format];
    } words = {0};
    static const struct jmember annotations[] = {JMEMBER(struct words, enabled, RECORDS_ANNOTATION),
                                                 JMEMBER(struct words, log_format, RECORDS_FORMAT_ANNOTATION)};
    static const struct jmember metadata[] = {JMEMBER_OBJECT("annotations", annotations),
                                              JMEMBER(struct words, deleted, "deletionTimestamp")};
    static const struct jmember status[] = {JMEMBER(struct words, state, "terminalState")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata), JMEMBER_OBJECT("status", status)};
    bool is_whole = jmembers_parse(object, JMEMBERS(rows), &words);
    *wish = (struct records_wish){.is_enabled = strcmp(words.enabled, "true") == 0,
                                  .is_disabled = strcmp(words.enabled, "false") == 0,
                                  .is_finished = words.deleted[0] != '\0' || words.state[0] != '\0'};
    memcpy(wish->log_format, words.log_format, sizeof wish->log_format);
    return is_whole;
}

/* A JobSet that is over gets none: its pods and their logs are deleted, or will be. */
bool runtime_records_is_required(const struct records_wish *wish, enum records_mode mode) {
    if (mode == RECORDS_OFF || wish->is_finished || wish->is_disabled)
        return false;
    return mode == RECORDS_ALL || wish->is_enabled;
}

bool runtime_records_read_jobgoodput(struct slice object, struct records_seen *seen) {
    typedef struct records_seen jobgoodput;
    static const struct jmember metadata[] = {JMEMBER(jobgoodput, uid, "uid"),
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

int64_t runtime_records_due_ms(const struct records_seen *seen) {
    static const char *const over[] = {"Completed", "Failed", "Deleted"};
    bool is_over = false;
    for (size_t i = 0; i < ARRAY_SIZE(over); i++)
        is_over = is_over || strcmp(seen->phase, over[i]) == 0;
    if (!is_over || seen->uid[0] == '\0' || seen->ttl_s < 0 || seen->ttl_s > 315360000 || seen->end_ms == TIME_UNKNOWN)
        return TIME_UNKNOWN;
    return seen->end_ms + seen->ttl_s * 1000;
}

/* ---- what there is ---- */

static void record_free(void *value) {
    struct record *r = value;
    kube_call_cancel(r->call);
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
    map_init(&records->map, record_free);
    map_init(&records->targets, NULL);
    return records;
}

void runtime_records_free(struct runtime_records *records) {
    if (records == NULL)
        return;
    loop_defer_cancel(records->loop, work, records);
    loop_timer_free(records->timer);
    map_done(&records->map);
    map_done(&records->targets);
    free(records);
}

static struct slice key_of(char space[static KEY_SIZE], const char *namespace_, const char *name) {
    snprintf(space, KEY_SIZE, "%s/%s", namespace_, name);
    return slice_of(space);
}

static struct record *record_of(struct runtime_records *records, const char *namespace_, const char *name) {
    char space[KEY_SIZE];
    struct record *r = map_get(&records->map, key_of(space, namespace_, name));
    if (r != NULL)
        return r;
    r = mem_new(struct record);
    *r = (struct record){.owner = records, .due_ms = TIME_UNKNOWN};
    r->namespace_ = mem_strdup(namespace_);
    r->name = mem_strdup(name);
    map_put(&records->map, key_of(space, namespace_, name), r);
    return r;
}

static void drop_if_empty(struct runtime_records *records, struct record *r) {
    char space[KEY_SIZE];
    if (r->has_jobset || r->has_jobgoodput || r->call != NULL)
        return;
    map_remove(&records->map, key_of(space, r->namespace_, r->name));
}

void runtime_records_jobset(struct runtime_records *records, const char *namespace_, const char *name,
                            struct slice object) {
    if (records->mode == RECORDS_OFF)
        return;
    struct record *r = record_of(records, namespace_, name);
    r->has_jobset = object.size_bytes > 0 && runtime_records_read_jobset(object, &r->wish);
    r->is_required = r->has_jobset && runtime_records_is_required(&r->wish, records->mode);
    drop_if_empty(records, r);
    loop_defer(records->loop, work, records);
}

static void count_target(const struct record *r, int by) {
    char space[KEY_SIZE];
    struct map *targets = &r->owner->targets;
    if (r->target == NULL)
        return;
    struct slice key = key_of(space, r->namespace_, r->target);
    uintptr_t count = (uintptr_t)map_get(targets, key) + (uintptr_t)by;
    if (count == 0)
        map_remove(targets, key);
    else
        map_put(targets, key, (void *)count);
}

/* Also that of a TrainJob, which measures the JobSet of its name. */
static bool is_of_jobset(const char *kind) {
    enum target_kind found;
    return kind_find(slice_of(kind), &found) && kind_row(found)->measured == TARGET_JOBSET;
}

void runtime_records_jobgoodput(struct runtime_records *records, const char *namespace_, const char *name,
                                struct slice object) {
    struct record *r = record_of(records, namespace_, name);
    struct records_seen seen;
    r->has_jobgoodput = object.size_bytes > 0 && runtime_records_read_jobgoodput(object, &seen);
    r->due_ms = r->has_jobgoodput ? runtime_records_due_ms(&seen) : TIME_UNKNOWN;
    if (r->has_jobgoodput) {
        memcpy(r->uid, seen.uid, sizeof r->uid);
        memcpy(r->version, seen.version, sizeof r->version);
    }
    count_target(r, -1);
    free(r->target);
    r->target = r->has_jobgoodput && is_of_jobset(seen.kind) ? mem_strdup(seen.target) : NULL;
    count_target(r, 1);
    drop_if_empty(records, r);
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
    struct record *r = context;
    struct runtime_records *records = r->owner;
    (void)body;
    r->call = NULL;
    records->in_flight--;
    /* The watch is faster if it went well. */
    r->not_before_us = loop_now(records->loop).us + (status == 409 ? CONFLICT_US : RETRY_US);
    /* 404 and 409: what was to be done has been done, or the object has changed, as the watch will say. */
    if (err != NULL && status != 404 && status != 409)
        jsonlog(JSONLOG_WARNING, "JobGoodput neither made nor deleted", "namespace", LOG_S(r->namespace_), "name",
                LOG_S(r->name), "http_status", LOG_I(status), "error", LOG_S(error_text(err)), NULL);
    drop_if_empty(records, r);
    loop_defer(records->loop, work, records);
}

static void send_request(struct record *r, const char *method, const char *path, const struct buf *body) {
    struct kube_request request = {.method = method, .path = path, .body = buf_slice(body)};
    r->owner->in_flight++;
    r->call = kube_call(r->owner->client, &request, on_done, r);
}

static void write_jobgoodput(const struct record *r, struct buf *body) {
    const struct records_defaults *defaults = &r->owner->defaults;
    CLEANUP_FREE char *windows = mem_format("[%s]", defaults->windows);
    struct jwrite w;
    jwrite_init(&w, body);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "goodput.dev/v1alpha1");
    jwrite_member_text(&w, "kind", "JobGoodput");
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "namespace", r->namespace_);
    jwrite_member_text(&w, "name", r->name);
    jwrite_member_object(&w, "labels");
    jwrite_member_text(&w, "app.kubernetes.io/managed-by", "goodput-controller");
    jwrite_object_end(&w);
    jwrite_object_end(&w);
    jwrite_member_object(&w, "spec");
    jwrite_member_object(&w, "targetRef");
    jwrite_member_text(&w, "apiGroup", "jobset.x-k8s.io");
    jwrite_member_text(&w, "kind", "JobSet");
    jwrite_member_text(&w, "name", r->name);
    jwrite_object_end(&w);
    jwrite_member_object(&w, "stepLog");
    jwrite_member_text(&w, "source", "PodLog");
    jwrite_member_text(&w, "format", r->wish.log_format[0] != '\0' ? r->wish.log_format : defaults->log_format);
    jwrite_object_end(&w);
    jwrite_key(&w, "windowSeconds");
    jwrite_raw(&w, slice_of(windows));
    jwrite_member_int(&w, "ttlSecondsAfterFinished", defaults->ttl_s);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}

static void create(struct record *r) {
    char namespace_[KEY_SIZE];
    if (!kube_escape(namespace_, sizeof namespace_, r->namespace_))
        return;
    CLEANUP_BUF struct buf body;
    CLEANUP_FREE char *path =
        mem_format("/apis/goodput.dev/v1alpha1/namespaces/%s/jobgoodputs?fieldManager=goodput-controller", namespace_);
    buf_init(&body, 8192);
    write_jobgoodput(r, &body);
    jsonlog(JSONLOG_INFO, "JobGoodput made", "namespace", LOG_S(r->namespace_), "name", LOG_S(r->name), NULL);
    send_request(r, "POST", path, &body);
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
    jsonlog(JSONLOG_INFO, "JobGoodput deleted: its ttlSecondsAfterFinished is over", "namespace", LOG_S(r->namespace_),
            "name", LOG_S(r->name), NULL);
    send_request(r, "DELETE", path, &body);
}

/* A JobGoodput of another name may be there for it already. */
static bool is_measured(const struct runtime_records *records, const struct record *jobset) {
    char space[KEY_SIZE];
    return map_get(&records->targets, key_of(space, jobset->namespace_, jobset->name)) != NULL;
}

/* Does what is due with one record; how long until there is more, in us. */
static int64_t attend(struct runtime_records *records, struct record *r, int64_t now_us, int64_t now_ms) {
    bool is_missing = r->is_required && !r->has_jobgoodput && !is_measured(records, r);
    if (r->call != NULL || (!is_missing && r->due_ms == TIME_UNKNOWN))
        return LONGEST_WAIT_US;
    int64_t wait_us = is_missing || r->due_ms <= now_ms ? 0 : (r->due_ms - now_ms) * 1000;
    if (r->not_before_us > now_us + wait_us)
        wait_us = r->not_before_us - now_us;
    if (wait_us > 0 || records->in_flight >= MAX_IN_FLIGHT)
        return wait_us > 0 ? wait_us : LONGEST_WAIT_US; /* an answer brings the next turn */
    if (is_missing)
        create(r);
    else
        delete_record(r);
    return LONGEST_WAIT_US;
}

static void work(void *context) {
    struct runtime_records *records = context;
    int64_t wait_us = LONGEST_WAIT_US;
    if (!records->is_active)
        return;
    for (size_t i = 0; i < records->map.count; i++) {
        int64_t us =
            attend(records, map_at(&records->map, i), loop_now(records->loop).us, wall_ms(loop_wall(records->loop)));
        wait_us = us < wait_us ? us : wait_us;
    }
    loop_timer_set(records->timer, wait_us);
}
