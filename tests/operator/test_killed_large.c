/* A job whose pods have no room in a checkpoint: killed at any moment, and watched again after a gap, its bounds hold
 * the truth, which is the run that was never killed. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "random.h"
#include "replay.h"
#include "status_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END 300
#define SLOTS 12736 /* 50,944 chips */
#define MANY_SLOTS 5000
#define MAX_CHECKPOINT 32512

/* A sanitizer makes it ten times as slow: it sees every third gap, and of the largest job none. */
#ifdef __SANITIZE_ADDRESS__
enum { GAP_STEP = 3 };
#else
enum { GAP_STEP = 1 };
#endif

struct life { /* of one pod; -1: never */
    int slot, created, bound, started, finished, deleted;
    int lag; /* so much later its end is observed */
};

struct world {
    struct life *lives;
    size_t count;
    int slots;
};

static struct life *add(struct world *w, int slot, int created, int bound, int started) {
    w->lives[w->count] = (struct life){slot, created, bound, started, -1, -1, 0};
    return &w->lives[w->count++];
}

/* Starts within a minute. Three pods fail at 200, and are replaced by 212. */
static struct world world_new(int slots) {
    struct world w = {.slots = slots};
    w.lives = mem_alloc(((size_t)slots + 16) * sizeof *w.lives);
    for (int i = 0; i < slots; i++) {
        int created = 1 + i * 20 / slots, bound = created + 1 + i * 7 % 13;
        struct life *life = add(&w, i, created, bound, bound + 2 + i * 31 % 17);
        if (i >= 7 && i < 10) {
            life->finished = 200;
            life->deleted = 202;
        }
    }
    for (int i = 7; i < 10; i++)
        add(&w, i, 210, 212, 214);
    return w;
}

/* The pod of that slot is deleted then, and another one is created within the same second. */
static void replace(struct world *w, int slot, int at) {
    w->lives[slot].deleted = at;
    add(w, slot, at, at + 1, at + 3);
}

static void observe_life(struct model *m, const struct life *life, int as_of, enum observed what, double at) {
    char name[48];
    snprintf(name, sizeof name, "js-slice-0-%d-%d", life->slot, life->created);
    struct fake_pod p = fake_pod(name, life->slot, life->created);
    p.node = "n";
    p.bound = life->bound <= as_of ? life->bound : -1;
    p.started = life->started <= as_of ? life->started : -1;
    p.ready = life->started <= as_of ? life->started : 0;
    p.finished = life->finished >= 0 && life->finished + life->lag <= as_of ? life->finished : -1;
    p.exit_code = p.finished >= 0 ? 1 : 0;
    p.phase = p.finished >= 0 ? "Failed" : p.started >= 0 ? "Running" : "Pending";
    p.asked_to_go = life->deleted >= 0 && life->deleted <= as_of && life->finished < 0 ? life->deleted : -1;
    fake_observe_pod(m, &p, what, at);
}

/* Every pod fails at 200, and is replaced by 230: more pods than fit one by one. */
static struct world restarted_world_new(void) {
    struct world w = {.slots = MANY_SLOTS};
    w.lives = mem_alloc((size_t)MANY_SLOTS * 2 * sizeof *w.lives);
    for (int i = 0; i < MANY_SLOTS; i++) {
        struct life *life = add(&w, i, 1 + i % 3, 5 + i % 7, 12 + i % 11);
        life->finished = 200;
        life->deleted = 203 + i % 3;
    }
    for (int i = 0; i < MANY_SLOTS; i++)
        add(&w, i, 207 + i % 4, 212 + i % 9, 222 + i % 5);
    return w;
}

/* All that happens in the seconds [from, to). */
static void watch(struct model *m, const struct world *w, int from, int to) {
    for (int s = from; s < to; s++) {
        if (s == 0) {
            fake_observe_jobset(m, w->slots, "", "", 0.1);
            fake_observe_node(m, "n", "True", 0, "", "", 0.1);
            replay_watermarks(m, fake_ms(0.2));
        }
        for (size_t i = 0; i < w->count; i++) {
            const struct life *life = &w->lives[i];
            if (life->created == s || life->bound == s || life->started == s ||
                (life->finished >= 0 && life->finished + life->lag == s))
                observe_life(m, life, s, OBSERVED_PRESENT, s + 0.5);
            if (life->deleted == s)
                observe_life(m, life, s, OBSERVED_DELETED, s + 0.6);
        }
    }
}

static void list(struct model *m, const struct world *w, int before) {
    double at = before - 0.1;
    fake_observe_jobset(m, w->slots, "", "", at);
    fake_observe_node(m, "n", "True", 0, "", "", at);
    for (size_t i = 0; i < w->count; i++)
        if (w->lives[i].created < before && (w->lives[i].deleted < 0 || w->lives[i].deleted >= before))
            observe_life(m, &w->lives[i], before - 1, OBSERVED_PRESENT, at);
    replay_watermarks(m, fake_ms(at));
}

static char *status_before(struct model *m, int second) {
    char why[STATUS_WHY];
    replay_watermarks(m, fake_ms(second - 0.1));
    char *status = replay_status(m, "ns", "js", fake_ms(second - 0.1), NULL);
    if (!status_check_text(status, strlen(status), why))
        harness_fail(__FILE__, __LINE__, "before %d: %s", second, why);
    return status;
}

/* Killed before each of these seconds, with nothing watched for so long. Heap. */
static char *killed(const struct world *w, const int *kills, int count, int gap) {
    struct model *m = fake_successor(NULL);
    int from = 0;
    for (int i = 0; i < count; i++) {
        watch(m, w, from, kills[i]);
        CLEANUP_FREE char *left = status_before(m, kills[i]);
        const char *checkpoint = strstr(left, ",\"checkpoint\":\"");
        model_free(m);
        CHECK(checkpoint != NULL && strlen(checkpoint) <= MAX_CHECKPOINT + strlen(",\"checkpoint\":\"\"}"));
        m = fake_successor(left);
        from = kills[i] + gap;
        list(m, w, from);
        free(status_before(m, from));
    }
    watch(m, w, from, END);
    char *status = status_before(m, END);
    model_free(m);
    return status;
}

static int64_t badput(const char *status, const char *bucket) {
    char path[80];
    snprintf(path, sizeof path, "badput[bucket=%s].milliseconds", bucket);
    int64_t ms = status_int(status, path);
    return ms > 0 ? ms : 0;
}

static void judge(const char *truth, const char *found, int kill, int gap, const char *what) {
    int64_t true_ms = status_int(truth, "time.availableMilliseconds"),
            ms = status_int(found, "time.availableMilliseconds");
    int64_t unobserved = badput(found, "Unobserved"), slack = gap > 0 ? 1000 : 0;
    CHECK_INT(status_int(found, "time.wallMilliseconds"), status_int(truth, "time.wallMilliseconds"));
    if (ms > true_ms + slack || true_ms > ms + unobserved + slack || unobserved > gap * 1000 + slack)
        harness_fail(__FILE__, __LINE__,
                     "%s, killed before %d for %d s: A %" PRId64 ", Unobserved %" PRId64 ", in truth %" PRId64, what,
                     kill, gap, ms, unobserved, true_ms);
    int64_t interruptions = status_int(found, "interruptions.total");
    if (interruptions != status_int(truth, "interruptions.total"))
        harness_fail(__FILE__, __LINE__, "%s, killed before %d for %d s: %" PRId64 " interruptions, in truth %" PRId64,
                     what, kill, gap, interruptions, status_int(truth, "interruptions.total"));
}

/* Nothing changes in the gap: nothing differs. */
static void check_quiet(int slots, const int *kills, int count, const int *gaps, int gap_count) {
    struct world w = world_new(slots);
    CLEANUP_FREE char *truth = killed(&w, NULL, 0, 0);
    CHECK_INT(status_int(truth, "interruptions.total"), 1);
    for (int i = 0; i < count; i++)
        for (int g = 0; g < gap_count; g += GAP_STEP) {
            CLEANUP_FREE char *found = killed(&w, &kills[i], 1, gaps[g]);
            judge(truth, found, kills[i], gaps[g], "quiet");
            if (kills[i] + gaps[g] > 200 || kills[i] < 60)
                continue;
            CHECK_INT(status_int(found, "time.availableMilliseconds"), status_int(truth, "time.availableMilliseconds"));
            CHECK_INT(badput(found, "Unobserved"), 0);
            CHECK_INT(badput(found, "Binding"), badput(truth, "Binding"));
            CHECK_INT(badput(found, "ContainerStart"), badput(truth, "ContainerStart"));
            CHECK_TEXT(status_text(found, "acceleratorHours.allocated"),
                       status_text(truth, "acceleratorHours.allocated"));
        }
    free(w.lives);
}

/* A pod is replaced in the gap. */
static void check_replaced(int slots, const int *kills, int count, const int *gaps, int gap_count) {
    for (int i = 0; i < count; i++)
        for (int g = 0; g < gap_count; g += GAP_STEP) {
            struct world w = world_new(slots);
            replace(&w, 4321, kills[i] + 1);
            CLEANUP_FREE char *truth = killed(&w, NULL, 0, 0);
            CLEANUP_FREE char *found = killed(&w, &kills[i], 1, gaps[g]);
            judge(truth, found, kills[i], gaps[g], "replaced");
            free(w.lives);
        }
}

TEST(a_job_of_5000_pods_is_within_its_bounds_wherever_it_is_killed) {
    static const int kills[] = {30, 100, 201, 230}, gaps[] = {0, 3, 60};
    check_quiet(MANY_SLOTS, kills, 4, gaps, 3);
}

TEST(a_job_of_5000_pods_is_within_its_bounds_if_a_pod_is_replaced_meanwhile) {
    static const int kills[] = {100, 230}, gaps[] = {3, 60};
    check_replaced(MANY_SLOTS, kills, 2, gaps, 2);
}

#ifndef __SANITIZE_ADDRESS__
TEST(a_job_of_12736_pods_is_within_its_bounds_wherever_it_is_killed) {
    static const int kills[] = {205, 100}, gap = 60;
    check_quiet(SLOTS, kills, 1, &gap, 1);
    check_replaced(SLOTS, &kills[1], 1, &gap, 1);
}
#endif

/* A pod fails at 95, which is observed at 110 only: after the checkpoint had it hold its slot until 100. */
TEST(a_loss_of_before_the_checkpoint_is_taken_back_from_its_sums) {
    struct world w = world_new(MANY_SLOTS);
    w.lives[99].finished = 95;
    w.lives[99].lag = 15;
    w.lives[99].deleted = 112;
    add(&w, 99, 113, 115, 116);
    CLEANUP_FREE char *truth = killed(&w, NULL, 0, 0);
    for (int gap = 0; gap <= 10; gap += 5) {
        static const int kill = 100;
        CLEANUP_FREE char *found = killed(&w, &kill, 1, gap);
        CHECK_INT(status_int(found, "time.availableMilliseconds"), status_int(truth, "time.availableMilliseconds"));
        judge(truth, found, kill, gap, "observed late");
    }
    free(w.lives);
}

/* What a checkpoint settled is settled again by the next one. */
TEST(a_large_job_may_be_killed_again_and_again) {
    static const int kills[] = {15, 40, 90, 150, 206, 250};
    struct world w = world_new(MANY_SLOTS);
    replace(&w, 17, 91);
    CLEANUP_FREE char *truth = killed(&w, NULL, 0, 0);
    CLEANUP_FREE char *found = killed(&w, kills, ARRAY_SIZE(kills), 3);
    judge(truth, found, 15, 3 * (int)ARRAY_SIZE(kills), "again and again");
    free(w.lives);
}

TEST(a_large_job_is_within_its_bounds_if_all_of_its_pods_fail) {
    static const int kills[] = {150, 201, 204, 209, 216}, gaps[] = {0, 3, 60};
    struct world w = restarted_world_new();
    CLEANUP_FREE char *truth = killed(&w, NULL, 0, 0);
    for (int i = 0; i < 5; i++) {
        CLEANUP_FREE char *found = killed(&w, &kills[i], 1, gaps[i % 3]);
        judge(truth, found, kills[i], gaps[i % 3], "all fail");
        bool is_reported =
            strstr(found, "of pods from before another controller took over only sums are known") != NULL;
        CHECK_INT(is_reported, kills[i] == 201 || kills[i] == 204);
    }
    free(w.lives);
}

/* ---- so long a history that not even its numbers have room; too long for a sanitizer ---- */

#ifndef __SANITIZE_ADDRESS__
#define GENERATIONS 12000
#define GENERATION 40 /* seconds */

static struct fake_pod pod_of(int generation) {
    static char name[32];
    int at = 10 + generation * GENERATION;
    snprintf(name, sizeof name, "p-%d", generation);
    uint64_t seed = (uint64_t)generation, random = random_next(&seed);
    struct fake_pod p = fake_started(name, 0, at, at + (int)(random % 5), at + 5 + (int)(random / 8 % 8));
    p.node = "n";
    return p;
}

static void observe_generations(struct model *m, int from, int to) {
    for (int i = from; i < to; i++) {
        struct fake_pod p = pod_of(i);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, p.started + 0.5);
        if (i + 1 == GENERATIONS)
            return;
        p.finished = p.created + 15 + i * 7919 % 20;
        p.phase = "Failed";
        p.exit_code = 1;
        fake_observe_pod(m, &p, OBSERVED_DELETED, p.created + GENERATION - 0.5);
        if (i % 2000 == 0)
            free(replay_status(m, "ns", "js", fake_ms(p.created + GENERATION - 0.4), NULL));
    }
}

TEST(where_not_even_numbers_have_room_the_time_before_is_unobserved) {
    int end = 10 + GENERATIONS * GENERATION, last = end - GENERATION;
    struct model *m = fake_successor(NULL);
    fake_observe_jobset(m, 1, "", "", 0.1);
    fake_observe_node(m, "n", "True", 0, "", "", 0.1);
    replay_watermarks(m, fake_ms(0.2));
    observe_generations(m, 0, GENERATIONS);
    CLEANUP_FREE char *left = status_before(m, end);
    struct model *next = fake_successor(left);
    fake_observe_jobset(next, 1, "", "", end + 5);
    fake_observe_node(next, "n", "True", 0, "", "", end + 5);
    struct fake_pod p = pod_of(GENERATIONS - 1);
    fake_observe_pod(next, &p, OBSERVED_PRESENT, end + 5);
    CLEANUP_FREE char *truth = status_before(m, end + 20), *found = status_before(next, end + 20);
    int64_t true_ms = status_int(truth, "time.availableMilliseconds"),
            ms = status_int(found, "time.availableMilliseconds");
    CHECK_INT(status_int(found, "time.wallMilliseconds"), status_int(truth, "time.wallMilliseconds"));
    CHECK(ms <= true_ms && ms >= 20000 && true_ms <= ms + badput(found, "Unobserved"));
    CHECK(badput(found, "Unobserved") <= (int64_t)last * 1000);
    CHECK(strstr(found, "before another controller took over is Unobserved") != NULL);
    model_free(m);
    model_free(next);
}
#endif
