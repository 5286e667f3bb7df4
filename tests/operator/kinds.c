#include "kinds.h"

#include "base/mem.h"
#include "harness.h"
#include "replay.h"

#include "ledger/buckets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PODS = 4 };

/* ---- JobSet, with which the others are compared ---- */

static char *jobset_object(const struct kind_state *s) {
    CLEANUP_FREE char *meta =
        mem_format("%s,\"managedFields\":[{\"manager\":\"m\",\"time\":%s}]",
                   s->is_queued ? ",\"labels\":{\"kueue.x-k8s.io/queue-name\":\"q\"}" : "", fake_time(s->written));
    CLEANUP_FREE char *restarting =
        s->restarted ? mem_format("%s,", fake_condition("RestartingJobSet", "True", "R", s->restarted))
                     : mem_strdup("");
    CLEANUP_FREE char *status =
        mem_format("\"restarts\":%d,\"conditions\":[%s%s]", s->restarts, restarting,
                   s->ended ? fake_condition(s->has_failed ? "Failed" : "Completed", "True", "End", s->ended)
                            : fake_condition("Suspended", s->is_suspended ? "True" : "False", "S", s->written));
    struct fake_jobset set = {.pods = PODS, .more_meta = meta, .status = status};
    set.more_spec = s->is_suspended ? ",\"suspend\":true" : ",\"suspend\":false";
    return fake_jobset_json(&set);
}

static char *jobset_pod(int index, int attempt) {
    return mem_format(
        "\"labels\":{\"jobset.sigs.k8s.io/jobset-uid\":\"uid-js\",\"jobset.sigs.k8s.io/jobset-name\":\"js\","
        "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\","
        "\"jobset.sigs.k8s.io/restart-attempt\":\"%d\",\"batch.kubernetes.io/job-completion-index\":\"%d\"}",
        attempt, index);
}

const struct kind_shape jobset_shape = {"jobset.x-k8s.io", "JobSet", RESOURCE_JOBSET, jobset_object, jobset_pod, NULL};

/* ---- observations ---- */

void kind_observe_jobgoodput(struct model *m, const struct kind_shape *shape, const char *more_spec, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"goodput-of-js\",\"generation\":1,"
        "\"creationTimestamp\":%s},\"spec\":{\"targetRef\":{\"apiGroup\":\"%s\",\"kind\":\"%s\",\"name\":\"js\"},"
        "\"stepLog\":{\"source\":\"None\"}%s}}",
        fake_time(0), shape->api_group, shape->kind, more_spec);
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, "js", "goodput-of-js", json, at);
}

struct model *kind_model(const struct kind_shape *shape) {
    struct model *m = model_new(&(struct model_options){0});
    kind_observe_jobgoodput(m, shape, "", 0);
    fake_observe_node(m, "n0", "True", 0, "", "", 0);
    return m;
}

void kind_observe(struct model *m, const struct kind_shape *shape, const struct kind_state *state, double at) {
    CLEANUP_FREE char *json = shape->object(state);
    fake_observe(m, shape->resource, OBSERVED_PRESENT, "js", "uid-js", json, at);
}

void kind_observe_pod(struct model *m, const struct kind_shape *shape, const struct fake_pod *pod, int attempt,
                      enum observed what, double at) {
    CLEANUP_FREE char *json = fake_pod_json(pod), *part = shape->pod(pod->index, attempt),
                      *uid = mem_format("uid-%s", pod->name);
    char *labels = strstr(json, "\"labels\":{"), *rest = strstr(labels, "}}") + 1;
    CLEANUP_FREE char *changed = mem_format("%.*s%s%s", (int)(labels - json), json, part, rest);
    fake_observe(m, RESOURCE_POD, what, pod->name, uid, changed, at);
}

static void observe_workload(struct model *m, const struct kind_shape *shape, bool is_admitted, int since, double at) {
    const char *state = is_admitted ? "True" : "False";
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"wl\",\"uid\":\"uid-wl\",\"creationTimestamp\":%s,"
                   "\"ownerReferences\":[{\"kind\":\"%s\",\"name\":\"js\",\"uid\":\"uid-js\",\"controller\":true}]},"
                   "\"spec\":{\"queueName\":\"q\"},\"status\":{\"conditions\":[%s,%s]}}",
                   fake_time(0), shape->kind, fake_condition("QuotaReserved", state, "Q", since),
                   fake_condition("Admitted", state, "A", since));
    fake_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, "wl", "uid-wl", json, at);
}

static struct fake_pod pod_of(char name[static 32], int index, int attempt, int created) {
    snprintf(name, 32, "a%d-%d", attempt, index);
    return fake_started(name, index, created, created + 1, created + 3);
}

static void start_attempt(struct model *m, const struct kind_shape *shape, int attempt, int at) {
    char name[32];
    if (shape->attempt)
        shape->attempt(m, attempt, at - 1, 0);
    for (int i = 0; i < PODS; i++) {
        struct fake_pod p = pod_of(name, i, attempt, at), made = fake_pod(name, i, at);
        kind_observe_pod(m, shape, &made, attempt, OBSERVED_PRESENT, at + 0.5);
        kind_observe_pod(m, shape, &p, attempt, OBSERVED_PRESENT, at + 3.5);
    }
}

/* The pod `failed`, -1: none, failed by itself before. */
static void end_attempt(struct model *m, const struct kind_shape *shape, int attempt, int created, int failed, int at) {
    char name[32];
    if (shape->attempt)
        shape->attempt(m, attempt, created - 1, at);
    for (int i = 0; i < PODS; i++) {
        struct fake_pod p = pod_of(name, i, attempt, created);
        p.asked_to_go = at;
        if (i == failed) {
            p.finished = at - 1;
            p.exit_code = 1;
            p.phase = "Failed";
        }
        kind_observe_pod(m, shape, &p, attempt, OBSERVED_PRESENT, at + 0.5);
        kind_observe_pod(m, shape, &p, attempt, OBSERVED_DELETED, at + 2);
    }
}

/* At 200 a person deletes the pod of index 2; the next one runs at 205. */
static struct fake_pod lose_one(struct model *m, const struct kind_shape *shape, int created) {
    char name[32];
    struct fake_pod lost = pod_of(name, 2, 0, created);
    lost.asked_to_go = 200;
    kind_observe_pod(m, shape, &lost, 0, OBSERVED_PRESENT, 200.5);
    kind_observe_pod(m, shape, &lost, 0, OBSERVED_DELETED, 201);
    struct fake_pod next = fake_started("again", 2, 202, 203, 205);
    kind_observe_pod(m, shape, &next, 0, OBSERVED_PRESENT, 205.5);
    return next;
}

static char *finish(struct model *m, double at) {
    free(fake_status(m, at));
    char *s = fake_status(m, at + 61);
    model_free(m);
    return s;
}

char *kind_queued_life(const struct kind_shape *shape) {
    struct model *m = kind_model(shape);
    struct kind_state s = {.is_queued = true, .is_suspended = true};
    char name[32];
    kind_observe(m, shape, &s, 0.2);
    observe_workload(m, shape, false, 0, 0.4);
    observe_workload(m, shape, true, 60, 60.2);
    s.is_suspended = false;
    s.written = 61;
    kind_observe(m, shape, &s, 61.2);
    start_attempt(m, shape, 0, 62);

    struct fake_pod next = lose_one(m, shape, 62);

    struct fake_pod failed = pod_of(name, 1, 0, 62);
    failed.finished = 400;
    failed.exit_code = 1;
    failed.phase = "Failed";
    kind_observe_pod(m, shape, &failed, 0, OBSERVED_PRESENT, 400.5);
    s.restarts = 1;
    s.restarted = s.written = 401;
    kind_observe(m, shape, &s, 401.2);
    next.asked_to_go = 401;
    kind_observe_pod(m, shape, &next, 0, OBSERVED_PRESENT, 401.5);
    kind_observe_pod(m, shape, &next, 0, OBSERVED_DELETED, 403);
    end_attempt(m, shape, 0, 62, 1, 401);
    start_attempt(m, shape, 1, 405);

    s.ended = s.written = 1000;
    kind_observe(m, shape, &s, 1000.2);
    return finish(m, 1003);
}

char *kind_suspended_life(const struct kind_shape *shape) {
    struct model *m = kind_model(shape);
    struct kind_state s = {.written = 0};
    kind_observe(m, shape, &s, 0.2);
    start_attempt(m, shape, 0, 2);
    s.is_suspended = true;
    s.written = 300;
    kind_observe(m, shape, &s, 300.2);
    end_attempt(m, shape, 0, 2, -1, 301);
    s.is_suspended = false;
    s.written = 500;
    kind_observe(m, shape, &s, 500.2);
    start_attempt(m, shape, 1, 502);
    s.has_failed = true;
    s.ended = s.written = 900;
    kind_observe(m, shape, &s, 900.2);
    return finish(m, 903);
}

/* Nothing but the pods shows the restart; the object is deleted in the end, and its pods with it. */
char *kind_plain_life(const struct kind_shape *shape) {
    struct model *m = kind_model(shape);
    struct kind_state s = {.written = 0};
    char name[32];
    kind_observe(m, shape, &s, 0.2);
    start_attempt(m, shape, 0, 2);
    struct fake_pod next = lose_one(m, shape, 2);
    struct fake_pod failed = pod_of(name, 1, 0, 2);
    failed.finished = 400;
    failed.exit_code = 1;
    failed.phase = "Failed";
    kind_observe_pod(m, shape, &failed, 0, OBSERVED_PRESENT, 400.5);
    next.asked_to_go = 401;
    kind_observe_pod(m, shape, &next, 0, OBSERVED_PRESENT, 401.5);
    kind_observe_pod(m, shape, &next, 0, OBSERVED_DELETED, 403);
    end_attempt(m, shape, 0, 2, 1, 401);
    start_attempt(m, shape, 1, 405);
    CLEANUP_FREE char *json = shape->object(&s);
    fake_observe(m, shape->resource, OBSERVED_DELETED, "js", "uid-js", json, 900);
    end_attempt(m, shape, 1, 405, -1, 900);
    return finish(m, 903);
}

/* ---- the same ---- */

static void check_near(const char *status, const char *expected, const char *path, int64_t within) {
    int64_t is = status_int(status, path), should = status_int(expected, path);
    if (is < should - within || is > should + within)
        harness_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", path, (long long)is, (long long)should);
}

static void check_text(const char *status, const char *expected, const char *path) {
    CLEANUP_FREE char *should = mem_strdup(status_text(expected, path));
    if (strcmp(status_text(status, path), should) != 0)
        harness_fail(__FILE__, __LINE__, "%s is \"%s\", expected \"%s\"", path, status_text(status, path), should);
}

void kind_check_same(const char *status, const char *expected) {
    char path[128];
    check_text(status, expected, "phase");
    check_text(status, expected, "conditions[type=Finished].reason");
    check_text(status, expected, "conditions[type=Ready].reason");
    check_near(status, expected, "time.wallMilliseconds", 1000);
    check_near(status, expected, "time.availableMilliseconds", 1000);
    check_near(status, expected, "interruptions.total", 0);
    check_near(status, expected, "interruptions.excluded", 0);
    check_near(status, expected, "availability.required", 0);
    for (int b = 0; b < BUCKET_COUNT; b++) {
        snprintf(path, sizeof path, "badput[bucket=%s].milliseconds", bucket_name((enum bucket)b));
        check_near(status, expected, path, 1000);
    }
    for (int i = 1; i <= 4; i++) {
        snprintf(path, sizeof path, "executions[number=%d].cause", i);
        check_text(status, expected, path);
        snprintf(path, sizeof path, "executions[number=%d].rescheduleMilliseconds", i);
        check_near(status, expected, path, 1000);
    }
}
