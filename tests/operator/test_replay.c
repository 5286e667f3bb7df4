/* The story of tests/data/recordings: final statuses to the byte, in whatever way the streams came. */
#include "base/mem.h"
#include "harness.h"
#include "random.h"
#include "replay.h"

#include <stdlib.h>
#include <time.h>

#define STORY "tests/data/recordings/story.jsonl.gz"
#define JOBS 3

static const char *const names[JOBS] = {"train-a", "train-b", "train-c"};
static const char *const sources[JOBS] = {"PodLog", "PodLog", "None"};

static struct model *new_model(void) {
    struct model_options options = {0};
    return model_new(&options);
}

/* The JobGoodputs are created when the recording begins, whenever the model observes them. */
static void apply_all(struct model *m, const struct replay *r) {
    for (int i = 0; i < JOBS; i++)
        replay_jobgoodput(m, "train", names[i], sources[i], "", r->events[0].at_ms);
}

struct finals {
    char *status[JOBS];
};

#define SETTLED_MS 61000 /* after the end was seen: logs that nobody could read are given up, the numbers are final */

static struct finals finals_of(struct model *m, const struct replay *r) {
    struct finals f;
    for (int i = 0; i < JOBS; i++) {
        free(replay_status(m, "train", names[i], r->last_ms, NULL));
        f.status[i] = replay_status(m, "train", names[i], r->last_ms + SETTLED_MS, NULL);
    }
    return f;
}

static void finals_done(struct finals *f) {
    for (int i = 0; i < JOBS; i++)
        free(f->status[i]);
}

static bool check_same(const struct finals *a, const struct finals *b, const char *how, unsigned long seed) {
    for (int i = 0; i < JOBS; i++) {
        size_t at = 0;
        while (a->status[i][at] && a->status[i][at] == b->status[i][at])
            at++;
        if (a->status[i][at] == b->status[i][at])
            continue;
        size_t from = at > 100 ? at - 100 : 0;
        harness_fail(__FILE__, __LINE__, "%s %lu: %s differs at byte %zu:\n  %.180s\nexpected\n  %.180s", how, seed,
                     names[i], at, b->status[i] + from, a->status[i] + from);
        return false;
    }
    return true;
}

/* All at once, the JobGoodputs before event number `at`. */
static struct finals run(const struct replay *r, size_t at) {
    struct model *m = new_model();
    for (size_t i = 0; i < r->count; i++) {
        if (i == at)
            apply_all(m, r);
        replay_feed(m, &r->events[i]);
    }
    if (at >= r->count)
        apply_all(m, r);
    struct finals f = finals_of(m, r);
    model_free(m);
    return f;
}

static int64_t badput_sum(const char *status) {
    int64_t sum = 0;
    const char *at = strstr(status, "\"badput\":["), *end = at ? strchr(at, ']') : NULL;
    while (at && (at = strstr(at, "\"milliseconds\":")) != NULL && at < end) {
        sum += strtoll(at + strlen("\"milliseconds\":"), NULL, 10);
        at++;
    }
    return sum;
}

static void check_sum(const char *status, const char *name, size_t event) {
    int64_t wall_ms = status_int(status, "time.wallMilliseconds"),
            productive_ms = status_int(status, "time.productiveMilliseconds");
    if (wall_ms < 0)
        return;
    int64_t sum = badput_sum(status) + (productive_ms > 0 ? productive_ms : 0);
    if (sum != wall_ms)
        harness_fail(__FILE__, __LINE__, "%s after event %zu: the parts are %" PRId64 ", the whole is %" PRId64, name,
                     event, sum, wall_ms);
    if (status_int(status, "time.availableMilliseconds") > wall_ms)
        harness_fail(__FILE__, __LINE__, "%s after event %zu: A > W", name, event);
}

TEST(story_ends_with_the_golden_statuses) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct finals f = run(&r, 0);
    for (int i = 0; i < JOBS; i++) {
        char path[128];
        size_t size;
        snprintf(path, sizeof path, "tests/data/replay/story-%s.json", names[i]);
        if (getenv("WRITE_GOLDEN")) {
            FILE *out = fopen(path, "w");
            REQUIRE(out != NULL);
            fprintf(out, "%s\n", f.status[i]);
            fclose(out);
        }
        char *golden = harness_read_file(path, &size);
        if (golden == NULL) /* and said so */
            continue;
        if (size > 0 && golden[size - 1] == '\n')
            golden[size - 1] = '\0';
        CHECK_TEXT(f.status[i], golden);
        free(golden);
    }
    finals_done(&f);
    replay_done(&r);
}

/* Worked out by hand from the recording's marks and condition times, and by a second-by-second program that shares no
 * code with this one. Seconds after train-a's creation (02:00:33): its slots are all bound in [1,7) [12,17) [22,27)
 * [46,51) [56,61), all containers run in [2,7) [13,17) [23,27) [47,51) [58,61). */
TEST(story_train_a_by_hand) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct finals f = run(&r, 0);
    const char *s = f.status[0];
    CHECK_TEXT(status_text(s, "phase"), "Completed");
    CHECK_INT(status_int(s, "time.wallMilliseconds"), 61000);      /* 02:00:33 created, 02:01:34 Completed */
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 26000); /* 6 + 5 + 5 + 5 + 5 */
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), -1);   /* no step was read: absent, not 0 */
    CHECK_INT(status_int(s, "goodputPPM.runtime"), -1);
    CHECK_INT(status_int(s, "goodputPPM.scheduling"), 426230);                    /* 26 / 61 */
    CHECK_INT(status_int(s, "badput[bucket=QueueWait].milliseconds"), -1);        /* quota in the second of creation */
    CHECK_INT(status_int(s, "badput[bucket=PreemptedWait].milliseconds"), 18000); /* 02:01:00 evicted, :18 admitted */
    CHECK_INT(status_int(s, "badput[bucket=Binding].milliseconds"), 1000);        /* :33 to :34 */
    CHECK_INT(status_int(s, "badput[bucket=Rescheduling].milliseconds"), 16000);  /* 40-45, 50-55, 18-19, 24-29 */
    CHECK_INT(status_int(s, "badput[bucket=ContainerStart].milliseconds"), 6000); /* 1 + 1 + 1 + 1 + 2 */
    CHECK_INT(status_int(s, "badput[bucket=Unattributed].milliseconds"), 20000);  /* 5 + 4 + 4 + 4 + 3: no log */
    CHECK_INT(status_int(s, "otherDefinitions[name=RunningOverTotal].numeratorMilliseconds"), 43000); /* 27 (Kueue's own
                                accumulatedPastExecutionTimeSeconds) + 16 */
    CHECK_INT(status_int(s, "interruptions.total"), 4); /* marks 3, 4, 5, 7 */
    CHECK_INT(status_int(s, "interruptions.excluded"), 1);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=ApplicationError].count"), 1);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=Eviction].count"), 1);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=KueuePreemption].count"), 1);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=NodeMaintenance].count"), 1); /* taint maintenance:NoExecute */
    CHECK_TEXT(status_text(s, "executions[number=1].evidence"),
               "Pod train-a-slice-1-2-q26t2: container train terminated with exit 134 (Error) on node gke-tpu-02");
    CHECK_TEXT(status_text(s, "executions[number=1].nodePool"), "tpu-slice-0");
    CHECK_TEXT(status_text(s, "executions[number=2].cause"), "Eviction"); /* of 8pkhf, mark 4 */
    CHECK_TEXT(status_text(s, "executions[number=2].end"), "2026-11-21T02:00:50.000Z");
    CHECK_INT(status_int(s, "executions[number=3].waitMilliseconds"), 18000);
    CHECK_INT(status_int(s, "executions[number=3].rescheduleMilliseconds"), 1000);
    CHECK_TEXT(status_text(s, "executions[number=4].node"), "gke-tpu-00"); /* mark 7 */
    CHECK_INT(status_int(s, "target.chips"), 32);
    CHECK_TEXT(status_text(s, "conditions[type=Finished].reason"), "Succeeded");
    finals_done(&f);
    replay_done(&r);
}

/* train-b, from 02:01:00: all bound in [1,7) [11,17), running in [2,7) [13,17). train-c, from 02:01:34: all bound in
 * [8,12), running in [9,12). */
TEST(story_train_b_and_train_c_by_hand) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct finals f = run(&r, 0);
    const char *b = f.status[1], *c = f.status[2];
    CHECK_INT(status_int(b, "time.wallMilliseconds"), 17000);
    CHECK_INT(status_int(b, "time.availableMilliseconds"), 12000);
    CHECK_INT(status_int(b, "badput[bucket=Rescheduling].milliseconds"), 4000);   /* :07 to :11 */
    CHECK_INT(status_int(b, "badput[bucket=ContainerStart].milliseconds"), 3000); /* 1 + 2 */
    CHECK_INT(status_int(b, "interruptions.total"), 1);
    CHECK_TEXT(status_text(b, "executions[number=1].cause"), "OutOfMemory"); /* mark 5b: exit 137, OOMKilled */
    CHECK_TEXT(status_text(c, "phase"), "Failed");
    CHECK_INT(status_int(c, "time.wallMilliseconds"), 15000);
    CHECK_INT(status_int(c, "time.availableMilliseconds"), 4000);
    CHECK_INT(status_int(c, "badput[bucket=QueueWait].milliseconds"), 1000);    /* created :34, QuotaReserved :35 */
    CHECK_INT(status_int(c, "badput[bucket=Provisioning].milliseconds"), 6000); /* Unschedulable :35 to :41 */
    CHECK_INT(status_int(c, "badput[bucket=Binding].milliseconds"), 1000);      /* :41 to :42 */
    CHECK_INT(status_int(c, "interruptions.total"), 0);                         /* the failure was the job's own end */
    CHECK_INT(status_int(c, "badput[bucket=Unattributed].milliseconds"), 3000);
    CHECK(strncmp(status_text(c, "conditions[type=Finished].message"), "ReachedMaxRestarts", 18) == 0);
    CHECK_TEXT(status_text(c, "conditions[type=StepLogAttached].status"), ""); /* source None */
    finals_done(&f);
    replay_done(&r);
}

TEST(story_either_version_of_workloads_ends_the_same) {
    struct replay r, old;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    REQUIRE(replay_load(&old, STORY, "workloads.v1beta1"));
    struct finals f = run(&r, 0), g = run(&old, 0);
    check_same(&f, &g, "v1beta1", 0);
    finals_done(&f);
    finals_done(&g);
    replay_done(&r);
    replay_done(&old);
}

TEST(story_event_by_event_adds_up_and_ends_the_same) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct finals whole = run(&r, 0);
    struct model *m = new_model();
    apply_all(m, &r);
    for (size_t i = 0; i < r.count; i++) {
        replay_feed(m, &r.events[i]);
        while (model_next_dirty(m))
            continue;
        for (int k = 0; k < JOBS; k++) {
            char *s = replay_status(m, "train", names[k], r.events[i].at_ms, NULL);
            check_sum(s, names[k], i);
            free(s);
        }
    }
    struct finals f = finals_of(m, &r);
    check_same(&whole, &f, "event by event", 0);
    model_free(m);
    finals_done(&whole);
    finals_done(&f);
    replay_done(&r);
}

TEST(story_whenever_the_jobgoodput_comes) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct finals first = run(&r, 0);
    size_t places[] = {1, r.count / 4, r.count / 2, 3 * r.count / 4, r.count};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        struct finals f = run(&r, places[i]);
        check_same(&first, &f, "JobGoodput before event", places[i]);
        finals_done(&f);
    }
    finals_done(&first);
    replay_done(&r);
}

/* Streams in a random order that keeps each one's own; now and then a status is asked for in between. */
static struct finals run_interleaved(const struct replay *r, uint64_t seed) {
    size_t at = random_next(&seed) % (r->count + 1);
    struct model *m = new_model();
    struct replay_shuffle shuffle = {.replay = r, .seed = &seed};
    for (const struct replay_event *e; (e = replay_shuffled(&shuffle)) != NULL;) {
        if (shuffle.handed_on == at + 1)
            apply_all(m, r);
        replay_feed(m, e);
        if (model_job_count(m) > 0 && random_next(&seed) % 50 == 0)
            free(replay_status(m, "train", names[random_next(&seed) % JOBS], r->last_ms, NULL));
    }
    if (at == r->count)
        apply_all(m, r);
    struct finals f = finals_of(m, r);
    model_free(m);
    return f;
}

TEST(story_interleaved_at_random_ends_the_same) {
    struct replay r;
    REQUIRE(replay_load(&r, STORY, "workloads"));
    struct finals whole = run(&r, 0);
    const char *given = getenv("REPLAY_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("interleavings from REPLAY_SEED=%" PRIu64 "\n", seed);
    for (int i = 0; i < 60; i++) {
        struct finals f = run_interleaved(&r, seed + (uint64_t)i);
        bool same = check_same(&whole, &f, "interleaved", (unsigned long)(seed + (uint64_t)i));
        finals_done(&f);
        if (!same)
            break;
    }
    finals_done(&whole);
    replay_done(&r);
}
