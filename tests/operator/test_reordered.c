/* Every recording with its streams in another order among each other, and with events delivered twice: the same final
 * status, byte for byte, also when the cluster gave its objects other UIDs, and when its JobSet is older than 0.9.
 * REPLAY_SEED=n repeats a run. */
#include "base/mem.h"
#include "fake_objects.h"
#include "harness.h"
#include "random.h"
#include "recordings.h"

#include <stdlib.h>
#include <time.h>

#define ORDERS 9 /* of each recording */
#define SETTLED_MS 61000

/* Bursts of one stream, then of another; within a stream the order stays. is_doubled: some events come twice. */
static void deliver(struct model *m, const struct replay *r, uint64_t seed, bool is_doubled) {
    struct replay_shuffle shuffle = {.replay = r, .seed = &seed};
    for (const struct replay_event *e; (e = replay_shuffled(&shuffle)) != NULL;) {
        replay_feed(m, e);
        if (is_doubled && random_next(&seed) % 4 == 0)
            replay_feed(m, e);
    }
}

/* A checkpoint holds objects in the order of their arrival. */
static void strip(char *status, const char *from) {
    char *at = strstr(status, from);
    if (at)
        *at = '\0';
}

static void take_statuses(const struct recording *rec, const struct replay *r, struct model *m,
                          char *statuses[RECORDED_JOBS]) {
    replay_watermarks_of(m, r, r->last_ms);
    for (int i = 0; i < recording_job_count(rec); i++) {
        statuses[i] = replay_status(m, rec->namespace_, rec->jobs[i].name, r->last_ms + SETTLED_MS, NULL);
        strip(statuses[i], ",\"checkpoint\":\"");
    }
    model_free(m);
}

static bool check_same(const struct recording *rec, char *const expected[], char *const got[], const char *how,
                       uint64_t seed) {
    for (int i = 0; i < recording_job_count(rec); i++) {
        size_t at = 0;
        while (expected[i][at] && expected[i][at] == got[i][at])
            at++;
        size_t from = at > 100 ? at - 100 : 0;
        if (expected[i][at] == got[i][at])
            continue;
        harness_fail(__FILE__, __LINE__,
                     "%s/%s %s, REPLAY_SEED=%" PRIu64 ", differs at byte %zu:\n  %.180s\nexpected\n  %.180s", rec->name,
                     rec->jobs[i].name, how, seed, at, got[i] + from, expected[i] + from);
        return false;
    }
    return true;
}

/* It watches from the start: everything was listed then. */
static struct model *begin(const struct recording *rec, const struct replay *r) {
    struct model *m = recording_model(rec, NULL, r->events[0].at_ms);
    replay_watermarks_of(m, r, r->events[0].at_ms);
    return m;
}

/* One stream whole, then the next: the streams in the order of their numbers in `order`. */
static void deliver_whole(struct model *m, const struct replay *r, const int order[RESOURCE_COUNT]) {
    for (int n = 0; n < RESOURCE_COUNT; n++)
        for (size_t i = 0; i < r->count; i++)
            if (r->events[i].stream == order[n])
                replay_feed(m, &r->events[i]);
}

static void shuffle(int order[RESOURCE_COUNT], uint64_t *seed) {
    for (int n = 0; n < RESOURCE_COUNT; n++)
        order[n] = n;
    for (int n = RESOURCE_COUNT - 1; n > 0; n--) {
        int k = (int)(random_next(seed) % (uint64_t)(n + 1)), kept = order[n];
        order[n] = order[k];
        order[k] = kept;
    }
}

static void deliver_other_uids(struct model *m, const struct replay *r) {
    for (size_t i = 0; i < r->count; i++) {
        struct replay_event e = r->events[i];
        CLEANUP_FREE char *uid = fake_other_uid(e.uid);
        CLEANUP_FREE char *object = fake_other_uids(e.object);
        e.uid = slice_of(uid);
        e.object = slice_of(object);
        replay_feed(m, &e);
    }
}

static void check_other_uids(const struct recording *rec, const struct replay *r, char *const statuses[]) {
    char *expected[RECORDED_JOBS] = {NULL}, *got[RECORDED_JOBS] = {NULL};
    struct model *m = begin(rec, r);
    deliver_other_uids(m, r);
    take_statuses(rec, r, m, got);
    for (int i = 0; i < recording_job_count(rec); i++)
        expected[i] = fake_other_uids(slice_of(statuses[i]));
    check_same(rec, expected, got, "with other UIDs", 0);
    for (int i = 0; i < RECORDED_JOBS; i++) {
        free(expected[i]);
        free(got[i]);
    }
}

static bool check_orders(const struct recording *rec, const struct replay *r, char *const expected[], uint64_t seed) {
    bool is_same = true;
    for (uint64_t n = 0; n < ORDERS && is_same; n++) {
        char *got[RECORDED_JOBS] = {NULL};
        static const char *const ways[] = {"reordered", "doubled", "whole streams"};
        struct model *m = begin(rec, r);
        int order[RESOURCE_COUNT];
        uint64_t state = seed + n;
        shuffle(order, &state);
        if (n % 3 == 2)
            deliver_whole(m, r, order);
        else
            deliver(m, r, seed + n, n % 3 == 1);
        take_statuses(rec, r, m, got);
        is_same = check_same(rec, expected, got, ways[n % 3], seed);
        for (int i = 0; i < RECORDED_JOBS; i++)
            free(got[i]);
    }
    return is_same;
}

/* JobSet before 0.9 writes its UID into no label. */
static void hide_uid_labels(struct replay *r) {
    static const char label[] = "jobset.sigs.k8s.io/jobset-uid";
    for (char *at = r->bytes; (at = memmem(at, (size_t)(r->bytes + r->size_bytes - at), label, strlen(label))) != NULL;)
        memcpy(at, "example.com/without-a-meaning-", strlen(label));
}

static void check_recording(const struct recording *rec, uint64_t seed) {
    struct replay r;
    char *expected[RECORDED_JOBS] = {NULL};
    REQUIRE(replay_load(&r, rec->path, "workloads"));
    r.is_watched[RESOURCE_NODE] &= !rec->lacks_nodes;
    struct model *whole = begin(rec, &r);
    for (size_t i = 0; i < r.count; i++)
        replay_feed(whole, &r.events[i]);
    take_statuses(rec, &r, whole, expected);
    check_other_uids(rec, &r, expected);
    bool is_same = check_orders(rec, &r, expected, seed);
    hide_uid_labels(&r);
    if (is_same)
        check_orders(rec, &r, expected, seed + ORDERS);
    for (int i = 0; i < RECORDED_JOBS; i++)
        free(expected[i]);
    replay_done(&r);
}

TEST(a_recording_reordered_or_doubled_ends_the_same) {
    const char *given = getenv("REPLAY_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("REPLAY_SEED=%" PRIu64 "\n", seed);
    for (int i = 0; i < RECORDING_COUNT; i++)
        if (recordings[i].logs == NULL)
            check_recording(&recordings[i], seed);
}
