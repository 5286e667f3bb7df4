/* test-sim [-k SIGHT] [LIVES [FIRST-SEED]]: so many random lives, each seen in one of the ways below (or in that one),
 * and the table. test-sim [-k SIGHT] -v SEED: one life, told; with SIM_WRITES=1 all that was written in it,
 * with SIM_STATUS=1 the status that the controller ends with, and both if killed ones end with another. */
#include "base/mem.h"
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORGET_AFTER_MS 30000 /* of ten minutes: a life is that much shorter as well */
#define UNSEEN_PERCENT 1 /* of the lives that were not seen whole, at most so many may be told wrongly */

enum kind { PROMPT, LATE, WITHOUT_EVENTS, KILLED, WITH_GAP, LATE_START, KIND_COUNT };
static const char *const kinds[] = {"prompt", "late and reordered", "without events",
                                    "killed", "watch gap, relist",  "started late"};

static int64_t pick(uint64_t *rng, int64_t low, int64_t high) {
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int64_t)((*rng >> 33) % (uint64_t)(high - low + 1));
}

static struct sim_sight choose_sight(const struct sim_life *l, enum kind kind) {
    uint64_t rng = l->seed * 77 + 5;
    struct sim_sight s = {.begin_ms = INT64_MIN, .rng = rng, .evaluates_often = l->seed % 3 == 0, .forget_after_ms = FORGET_AFTER_MS};
    for (int r = 0; r < RESOURCE_COUNT; r++)
        s.lag_ms[r] = kind == LATE && pick(&rng, 0, 1) == 0 ? 900 : 100;
    s.loses_events = kind == WITHOUT_EVENTS;
    if (kind == WITH_GAP) {
        s.gap_from_ms = pick(&rng, l->start_ms, l->end_ms);
        s.gap_to_ms = s.gap_from_ms + pick(&rng, 1000, pick(&rng, 0, 1) ? 20000 : 300000);
    }
    if (kind == LATE_START)
        s.begin_ms = pick(&rng, l->start_ms + 1000, l->end_ms);
    return s;
}

/* A controller that was killed ends with the same status as one that never was, and that remembers all pods. */
static bool is_same_after_kill(const struct sim_life *l, struct sim_sight sight, bool is_loud) {
    CLEANUP_FREE char *expected = NULL, *got = NULL;
    uint64_t rng = l->seed * 91 + 3;
    int64_t from_ms = sight.begin_ms > l->start_ms ? sight.begin_ms : l->start_ms;
    for (int k = 0; k < SIM_KILLS && from_ms < l->end_ms; k++)
        from_ms = sight.killed_ms[k] = pick(&rng, from_ms, l->end_ms);
    sight.evaluates_often = true;
    model_free(sim_watch(l, sight, &got));
    sight.survives = true;
    sight.forget_after_ms = INT64_MAX / 2; /* never */
    model_free(sim_watch(l, sight, &expected));
    size_t at = 0;
    while (expected[at] && expected[at] == got[at])
        at++;
    if (expected[at] == got[at])
        return true;
    size_t from = at > 80 ? at - 80 : 0;
    if (is_loud)
        printf("killed at %.1f, %.1f, %.1f: differs at byte %zu:\n  %.200s\nexpected\n  %.200s\n",
               (double)(sight.killed_ms[0] - l->start_ms) / 1000, (double)(sight.killed_ms[1] - l->start_ms) / 1000,
               (double)(sight.killed_ms[2] - l->start_ms) / 1000, at, got + from, expected + from);
    if (is_loud && getenv("SIM_STATUS"))
        printf("%s\n%s\n", got, expected);
    return false;
}

static bool one(struct score *score, uint64_t seed, int kind, bool is_loud) {
    struct sim_life l;
    sim_run(&l, seed);
    if (kind < 0)
        kind = (int)(seed % KIND_COUNT);
    struct sim_sight sight = choose_sight(&l, (enum kind)kind);
    l.truth.is_unknowable |= sight.loses_events && l.shape.has_quota_trouble; /* only Events tell of it */
    l.truth.is_unknowable |= l.shape.is_elastic && kind >= WITH_GAP; /* no object tells the size that it had before */
    CLEANUP_FREE char *status = NULL;
    struct model *m = sim_watch(&l, sight, &status);
    bool is_same = is_same_after_kill(&l, sight, is_loud);
    if (is_loud && sight.gap_to_ms > 0)
        printf("gap from %.1f to %.1f\n", (double)(sight.gap_from_ms - l.start_ms) / 1000,
               (double)(sight.gap_to_ms - l.start_ms) / 1000);
    if (is_loud && sight.begin_ms > 0)
        printf("started at %.1f\n", (double)(sight.begin_ms - l.start_ms) / 1000);
    bool is_good = judge_life(score, &l, m, status, &sight, is_loud);
    if (is_loud && getenv("SIM_WRITES"))
        for (size_t i = 0; i < l.write_count; i++)
            printf("%9.3f %d %d %s\n", (double)(l.writes[i].at_ms - l.start_ms) / 1000, (int)l.writes[i].resource,
                   (int)l.writes[i].what, l.writes[i].json);
    if (is_loud && getenv("SIM_STATUS"))
        printf("%s\n", status);
    model_free(m);
    sim_done(&l);
    return is_good && is_same;
}

static int many(uint64_t lives, uint64_t first, int kind) {
    struct score score = {0};
    uint64_t seen[KIND_COUNT] = {0}, bad[KIND_COUNT] = {0};
    int told = 0;
    for (uint64_t seed = first; seed < first + lives; seed++) {
        int k = kind < 0 ? (int)(seed % KIND_COUNT) : kind;
        bool is_good = one(&score, seed, k, false);
        seen[k]++;
        bad[k] += !is_good;
        if (!is_good && told++ < 20)
            printf("%s%" PRIu64, told == 1 ? "bad seeds: " : " ", seed);
    }
    printf("%s", told ? "\n" : "");
    judge_print(&score);
    for (int k = 0; k < KIND_COUNT; k++)
        if (seen[k] > 0)
            printf("  %-20s %" PRIu64 " lives, %" PRIu64 " out of tolerance\n", kinds[k], seen[k], bad[k]);
    bool is_good = bad[PROMPT] + bad[LATE] + bad[WITHOUT_EVENTS] + bad[KILLED] == 0;
    for (int k = WITH_GAP; k < KIND_COUNT; k++) /* that little is not told apart yet */
        is_good &= bad[k] * 100 <= seen[k] * UNSEEN_PERCENT;
    judge_done(&score);
    return !is_good;
}

int main(int argc, char **argv) {
    int option, kind = -1;
    bool is_loud = false;
    while ((option = getopt(argc, argv, "k:v")) >= 0) {
        if (option == 'k')
            kind = (int)strtol(optarg, NULL, 10) % KIND_COUNT;
        else if (option == 'v')
            is_loud = true;
        else
            return 2;
    }
    uint64_t first = optind + 1 < argc ? strtoull(argv[optind + 1], NULL, 10) : 1;
    if (!is_loud)
        return many(optind < argc ? strtoull(argv[optind], NULL, 10) : 500, first, kind);
    struct score score = {0};
    bool is_good = one(&score, optind < argc ? strtoull(argv[optind], NULL, 10) : 1, kind, true);
    judge_done(&score);
    return !is_good;
}
