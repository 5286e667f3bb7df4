/* The controller is killed around the end of a target: what was published of it stays, whatever the next controller
 * still finds of it. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "recordings.h"
#include "status_check.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__ /* ten times as slow */
#define KILL_EVERY 4
#else
#define KILL_EVERY 1
#endif
#define STEPS 20 /* of 2 s, from 1000 on */

/* A trainer that took all of its steps by 1040. */
static struct model *trained(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    fake_observe_trainer(m, "", "");
    replay_watermarks(m, fake_ms(996));
    fake_log_steps(m, "try1", 0, STEPS - 1, 2, 1002);
    return m;
}

static struct model *successor(const char *left) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    CLEANUP_FREE char *more = replay_left(left);
    replay_jobgoodput(m, "ns", "js", "PodLog", more, fake_ms(0));
    return m;
}

/* Nothing of it is left when the next controller lists. */
TEST(a_target_that_is_deleted_unobserved_with_its_pods_keeps_its_steps) {
    static const int gaps[] = {1, 3, 10, 60};
    for (int g = 0; g < 4; g++) {
        struct model *m = trained();
        CLEANUP_FREE char *left = fake_status(m, 1041);
        model_free(m);
        CHECK_INT(status_int(left, "steps.retained"), STEPS);
        struct model *next = successor(left);
        CLEANUP_FREE char *found = fake_status(next, 1041 + gaps[g]);
        CHECK_INT(status_int(found, "steps.retained"), STEPS);
        CHECK_INT(status_int(found, "time.productiveMilliseconds"), status_int(left, "time.productiveMilliseconds"));
        CHECK(status_int(found, "time.availableMilliseconds") >= status_int(left, "time.availableMilliseconds"));
        CHECK_INT(status_int(found, "time.wallMilliseconds"), 1041000 + gaps[g] * 1000);
        model_free(next);
    }
}

/* ---- the spec changes while no controller runs ---- */

/* stepLog: what follows its source. */
static struct model *successor_of_spec(const char *left, const char *step_log, const char *more_spec) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    CLEANUP_FREE char *members = mem_format("\"source\":\"PodLog\",\"format\":\"Auto\"%s", step_log);
    struct fake_jobgoodput g = {.generation = 2, .step_log = members, .more = more_spec, .status = left};
    fake_observe_jobgoodput(m, &g, 0);
    return m;
}

static int64_t retained_with(const char *left, const char *step_log, const char *more_spec) {
    struct model *next = successor_of_spec(left, step_log, more_spec);
    CLEANUP_FREE char *found = fake_status(next, 1044);
    model_free(next);
    return status_int(found, "steps.retained");
}

TEST(a_spec_that_names_the_same_log_keeps_its_steps) {
    struct model *m = trained();
    CLEANUP_FREE char *left = fake_status(m, 1041);
    model_free(m);
    CHECK_INT(retained_with(left, "", ""), STEPS);
    CHECK_INT(retained_with(left, "", ",\"totalSteps\":100"), STEPS);
    CHECK_INT(retained_with(left, "", ",\"windowSeconds\":[600],\"idealStepMilliseconds\":1900"), STEPS);
    CHECK_INT(retained_with(left, "", ",\"hangAfterSeconds\":60,\"cost\":{\"pricePerChipHour\":\"1.50\"}"), STEPS);
    CHECK_INT(retained_with(left, ",\"podLog\":{\"container\":\"another\"}", ""), -1);
}

/* ---- between a target and its successor ---- */

static const struct recording *recreated(void) {
    for (int i = 0; i < RECORDING_COUNT; i++)
        if (strcmp(recordings[i].name, "x-a-again") == 0)
            return &recordings[i];
    return NULL;
}

/* What the next controller lists after the gap, and all that follows; heap: its final status. */
static char *continued(const struct recording *rec, const struct replay *r, const size_t *next_of_object, char *left,
                       size_t before, int64_t at_ms) {
    struct model *m = recording_model(rec, &left, r->events[0].at_ms);
    size_t after = before;
    while (after < r->count && r->events[after].at_ms <= at_ms)
        after++;
    for (size_t i = 0; i < after; i++) {
        struct replay_event e = r->events[i];
        e.at_ms = at_ms;
        if (next_of_object[i] >= after && e.what == OBSERVED_PRESENT)
            replay_feed(m, &e);
    }
    replay_watermarks_of(m, r, at_ms);
    free(replay_status(m, rec->namespace_, rec->jobs[0].name, at_ms, NULL));
    for (; after < r->count; after++)
        replay_feed(m, &r->events[after]);
    replay_watermarks_of(m, r, r->last_ms + 60000);
    char *status = replay_status(m, rec->namespace_, rec->jobs[0].name, r->last_ms + 61000, NULL);
    model_free(m);
    return status;
}

/* Of the earlier target: nothing that was published is lost, and nothing is invented. */
static void judge_previous(const char *truth, const char *left, const char *found, size_t cut, int64_t gap_ms) {
    char path[160], uid[80], why[STATUS_WHY];
    if (!status_check_text(found, strlen(found), why))
        harness_fail(__FILE__, __LINE__, "killed after event %zu for %" PRId64 " ms: %s", cut, gap_ms, why);
    const char *at = strstr(truth, "\"previous\":[{\"uid\":\"");
    snprintf(uid, sizeof uid, "%.36s", at + strlen("\"previous\":[{\"uid\":\""));
    if (status_int(left, "time.wallMilliseconds") < 0) /* it was not seen before the gap */
        return;
    bool was_current = strcmp(status_text(left, "target.uid"), uid) == 0;
    snprintf(path, sizeof path,
             was_current ? "time.availableMilliseconds" : "previous[uid=%s].time.availableMilliseconds", uid);
    int64_t published_ms = status_int(left, path);
    snprintf(path, sizeof path, "previous[uid=%s].time.availableMilliseconds", uid);
    int64_t true_ms = status_int(truth, path), ms = status_int(found, path);
    snprintf(path, sizeof path, "previous[uid=%s].time.wallMilliseconds", uid);
    int64_t true_wall_ms = status_int(truth, path), wall_ms = status_int(found, path);
    if (ms < published_ms || ms > true_ms + 1000 || wall_ms < true_wall_ms - 1000 || wall_ms > true_wall_ms + 1000)
        harness_fail(__FILE__, __LINE__,
                     "killed after event %zu for %" PRId64 " ms: previous A %" PRId64 " of %" PRId64
                     ", published %" PRId64 ", in truth %" PRId64 " of %" PRId64,
                     cut, gap_ms, ms, wall_ms, published_ms, true_ms, true_wall_ms);
}

TEST(an_earlier_target_keeps_what_was_published_wherever_it_is_killed) {
    static const int64_t gaps_ms[] = {0, 1000, 3000, 10000, 60000};
    const struct recording *rec = recreated();
    struct replay r;
    REQUIRE(rec != NULL && replay_load(&r, rec->path, "workloads"));
    size_t *next_of_object = recording_next_of_object(&r);
    struct model *whole = recording_model(rec, NULL, r.events[0].at_ms);
    for (size_t i = 0; i < r.count; i++)
        replay_feed(whole, &r.events[i]);
    replay_watermarks_of(whole, &r, r.last_ms + 60000);
    CLEANUP_FREE char *truth = replay_status(whole, rec->namespace_, rec->jobs[0].name, r.last_ms + 61000, NULL);
    model_free(whole);
    struct model *m = recording_model(rec, NULL, r.events[0].at_ms);
    for (size_t i = 0; i + 1 < r.count; i++) {
        replay_feed(m, &r.events[i]);
        if (r.events[i].at_ms == r.events[i + 1].at_ms) /* one list */
            continue;
        replay_watermarks_of(m, &r, r.events[i].at_ms);
        if (i % KILL_EVERY != 0)
            continue;
        CLEANUP_FREE char *left = replay_status(m, rec->namespace_, rec->jobs[0].name, r.events[i].at_ms, NULL);
        for (int g = 0; g < 5; g++) {
            CLEANUP_FREE char *found = continued(rec, &r, next_of_object, left, i + 1, r.events[i].at_ms + gaps_ms[g]);
            judge_previous(truth, left, found, i, gaps_ms[g]);
        }
    }
    model_free(m);
    free(next_of_object);
    replay_done(&r);
}

/* A final status has no checkpoint. What nobody can have measured is left out. */
TEST(the_successor_of_a_final_status_keeps_all_earlier_targets) {
    static const char left[] =
        "{\"phase\":\"Completed\",\"target\":{\"uid\":\"b\"},\"conditions\":[{\"type\":\"Finished\",\"status\":"
        "\"True\"}],"
        "\"time\":{\"start\":\"2026-11-20T03:00:00Z\",\"end\":\"2026-11-20T04:00:00Z\",\"wallMilliseconds\":3600000,"
        "\"availableMilliseconds\":3000000},\"previous\":[{\"uid\":\"a\",\"time\":{\"start\":\"2026-11-20T01:00:00Z\","
        "\"end\":\"2026-11-20T02:00:00Z\",\"wallMilliseconds\":3600000,\"availableMilliseconds\":2000000,"
        "\"productiveMilliseconds\":1000000}},"
        "{\"uid\":\"c\",\"time\":{\"wallMilliseconds\":-2,\"availableMilliseconds\":7}},{\"uid\":\"d\"},7]}";
    struct model *m = successor(left);
    fake_observe_jobset(m, 1, "", "", 0.5);
    CLEANUP_FREE char *found = fake_status(m, 10);
    CHECK_TEXT(status_text(found, "target.uid"), "uid-js");
    CHECK_INT(status_int(found, "previous[uid=b].time.availableMilliseconds"), 3000000);
    CHECK_INT(status_int(found, "previous[uid=a].time.availableMilliseconds"), 2000000);
    CHECK_TEXT(status_text(found, "previous[uid=a].goodput.runtime"), "50.00%");
    CHECK(strstr(found, "\"uid\":\"c\"") == NULL && strstr(found, "\"uid\":\"d\"") == NULL);
    model_free(m);
}

/* ---- late input ---- */

static void observe_successor(struct model *m) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.uid = "uid-js2", .created = 1030}, 1030.1);
}

/* The target is deleted at 1029 and created again; of its steps those from `late` on are read after that. */
static char *read_late(int late, double again) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    fake_observe_trainer(m, "", "");
    replay_watermarks(m, fake_ms(996));
    fake_log_steps(m, "try1", 0, late - 1, 2, 1002);
    fake_observe_jobset_deleted(m, 1, 1029, 1029.2);
    observe_successor(m);
    free(fake_status(m, 1031));
    CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 1); /* its pod terminates */
    free(fake_status(m, again));
    fake_log_steps(m, "try1", late, 13 - 1, 2, 1002 + 2 * late);
    char *status = fake_status(m, again + 1);
    model_free(m);
    return status;
}

TEST(steps_that_are_read_after_the_successor_is_observed_count_for_the_earlier_target) {
    CLEANUP_FREE char *in_order = read_late(13, 1032), *late = read_late(5, 1032), *too_late = read_late(5, 1700);
    CHECK_TEXT(status_text(late, "target.uid"), "uid-js2");
    CHECK_INT(status_int(in_order, "previous[uid=uid-js].time.productiveMilliseconds"), 26000);
    CHECK_INT(status_int(late, "previous[uid=uid-js].time.productiveMilliseconds"), 26000);
    CHECK_INT(status_int(too_late, "previous[uid=uid-js].time.productiveMilliseconds"), 10000);
}
