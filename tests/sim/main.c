/* test-sim [-k SIGHT] [LIVES [FIRST-SEED]]: runs LIVES random lives, each observed in one of the ways below (or in that
 * one), and prints the table and a digest of all final statuses: a change without effect leaves the digest as it is.
 * test-sim [-k SIGHT] -v SEED: prints one life; with SIM_WRITES=1 all that was written in it, with SIM_STATUS=1 the
 * status that the controller ends with, and both if killed ones end with another. SIM_RECORDS=DIR: writes each life's
 * ledger, span by span, and its status as DIR/SEED.jsonl. SIM_ARCHIVE=DIR: archives them there, each as of a cluster
 * that is named by its seed. */
#include "archive_keep.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "fake_objects.h"
#include "judge.h"
#include "operator/job/job.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"
#include "operator/status/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FINAL_MS 600000       /* after the end, when everything about it is known */
#define FORGET_AFTER_MS 30000 /* of ten minutes: a life is that much shorter as well */

enum kind { PROMPT, LATE, WITHOUT_EVENTS, KILLED, WITH_GAP, LATE_START, KILLED_BLIND, KIND_COUNT };
static const char *const kinds[] = {
    "prompt",       "late and reordered",  "without events", "killed", "watch gap, relist",
    "started late", "killed, blind 1-30 s"};
_Static_assert(KIND_COUNT == SIGHT_KINDS, "a table of bounds for each");

static int64_t pick(uint64_t *rng, int64_t low, int64_t high) {
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (int64_t)((*rng >> 33) % (uint64_t)(high - low + 1));
}

/* One or several, while it lives. */
static void add_gaps(struct sim_sight *s, uint64_t *rng, const struct sim_life *l, bool is_kill) {
    int64_t from_ms = s->gap_count > 0 ? s->gaps[0].to_ms : l->start_ms;
    for (int64_t left = pick(rng, 1, SIM_GAPS - s->gap_count); left > 0 && from_ms + 2000 < l->end_ms; left--) {
        struct sim_gap gap = {.from_ms = pick(rng, from_ms + 1000, l->end_ms), .is_kill = is_kill};
        gap.to_ms = gap.from_ms + pick(rng, 1000, is_kill ? 30000 : pick(rng, 0, 1) ? 20000 : 300000);
        s->gaps[s->gap_count++] = gap;
        from_ms = gap.to_ms;
    }
}

static struct sim_sight choose_sight(const struct sim_life *l, enum kind kind) {
    uint64_t rng = l->seed * 77 + 5;
    struct sim_sight s = {.rng = rng, .evaluates_often = l->seed % 3 == 0, .forget_after_ms = FORGET_AFTER_MS};
    for (int r = 0; r < RESOURCE_COUNT; r++)
        s.lag_ms[r] = kind == LATE && pick(&rng, 0, 1) == 0 ? 900 : 100;
    s.loses_events = kind == WITHOUT_EVENTS;
    if (kind == LATE_START)
        s.gaps[s.gap_count++] = (struct sim_gap){INT64_MIN, pick(&rng, l->start_ms + 1000, l->end_ms), false};
    if (kind == WITH_GAP || kind == KILLED_BLIND || (kind == LATE_START && pick(&rng, 0, 1)))
        add_gaps(&s, &rng, l, kind == KILLED_BLIND);
    return s;
}

static bool is_equal(const char *expected, const char *got, bool is_loud, const char *how) {
    size_t at = 0;
    while (expected[at] && expected[at] == got[at])
        at++;
    if (expected[at] == got[at])
        return true;
    size_t from = at > 80 ? at - 80 : 0;
    if (is_loud)
        printf("%s: differs at byte %zu:\n  %.200s\nexpected\n  %.200s\n", how, at, got + from, expected + from);
    if (is_loud && getenv("SIM_STATUS"))
        printf("%s\n%s\n", got, expected);
    return false;
}

/* A controller that was killed ends with the same status as one that never was, and that remembers all pods. */
static bool is_same_after_kill(const struct sim_life *l, struct sim_sight sight, bool is_loud) {
    CLEANUP_FREE char *expected = NULL, *got = NULL;
    uint64_t rng = l->seed * 91 + 3;
    bool is_late = sight.gap_count > 0 && sight.gaps[0].from_ms == INT64_MIN;
    int64_t from_ms = is_late ? sight.gaps[0].to_ms : l->start_ms;
    for (int k = 0; k < SIM_KILLS && from_ms < l->end_ms; k++)
        from_ms = sight.killed_ms[k] = pick(&rng, from_ms, l->end_ms);
    sight.evaluates_often = true;
    model_free(sim_watch(l, sight, &got));
    sight.survives = true;
    sight.forget_after_ms = INT64_MAX / 2; /* never */
    model_free(sim_watch(l, sight, &expected));
    CLEANUP_FREE char *how = mem_format("killed at %.1f, %.1f, %.1f", (double)(sight.killed_ms[0] - l->start_ms) / 1000,
                                        (double)(sight.killed_ms[1] - l->start_ms) / 1000,
                                        (double)(sight.killed_ms[2] - l->start_ms) / 1000);
    return is_equal(expected, got, is_loud, how);
}

/* UIDs are random: the same cluster with others has the same status. */
static bool is_same_with_other_uids(const struct sim_life *l, struct sim_sight sight, const char *status,
                                    bool is_loud) {
    CLEANUP_FREE char *got = NULL;
    CLEANUP_FREE char *expected = fake_other_uids(slice_of(status));
    sight.has_other_uids = true;
    model_free(sim_watch(l, sight, &got));
    return is_equal(expected, got, is_loud, "with other UIDs");
}

/* FNV-1a, whatever the product hashes with: a change of that leaves the digest as it is. */
static uint64_t digest_of(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* With SIM_RECORDS=DIR: what tests/recompute computes the status from. */
static void write_records(const struct sim_life *l, struct model *m) {
    const char *dir = getenv("SIM_RECORDS");
    CLEANUP_BUF struct buf out;
    buf_init(&out, RECORDS_MAX_BYTES);
    if (dir == NULL || !model_job_ledger(model_job_find(m, "ns", "js"), l->end_ms + 20000, &out) ||
        strstr(buf_text(&out), "\"record\":\"span\"") == NULL) /* managed elsewhere: no numbers */
        return;
    CLEANUP_FREE char *path = mem_format("%s/%" PRIu64 ".jsonl", dir, l->seed);
    FILE *f = fopen(path, "w");
    if (f == NULL || fwrite(out.data, 1, out.size_bytes, f) != out.size_bytes || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

/* With SIM_ARCHIVE=DIR: once the status is final. */
static void write_archive(const struct sim_life *l, struct model *m) {
    const char *dir = getenv("SIM_ARCHIVE");
    struct model_job *job = model_job_find(m, "ns", "js");
    CLEANUP_FREE char *cluster = mem_format("%" PRIu64, l->seed);
    CLEANUP_BUF struct buf out;
    int64_t at_ms = l->end_ms + FINAL_MS;
    buf_init(&out, 1 << 20);
    if (dir == NULL)
        return;
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, r, at_ms, false);
    model_job_status(job, at_ms, &out, NULL);
    if (archive_keep(job, dir, cluster) < 0 || (job->target != NULL && archive_keep_complete(job, dir, cluster) < 0))
        exit(1);
}

static bool one(struct score *score, uint64_t seed, int kind, bool is_loud) {
    struct sim_life l;
    sim_run(&l, seed);
    if (kind < 0)
        kind = (int)(seed % KIND_COUNT);
    struct sim_sight sight = choose_sight(&l, (enum kind)kind);
    l.truth.is_unknowable |= sight.loses_events && l.shape.has_quota_trouble; /* only Events show it */
    l.truth.is_unknowable |= l.shape.is_elastic && kind >= WITH_GAP; /* no object shows the size that it had before */
    CLEANUP_FREE char *status = NULL;
    struct model *m = sim_watch(&l, sight, &status);
    write_records(&l, m);
    bool is_same = kind == KILLED_BLIND || is_same_after_kill(&l, sight, is_loud);
    for (int g = 0; g < sight.gap_count && is_loud; g++)
        printf("%s from %.1f to %.1f\n", sight.gaps[g].is_kill ? "killed, blind" : "not watched",
               (double)(max_of(sight.gaps[g].from_ms, l.start_ms) - l.start_ms) / 1000,
               (double)(sight.gaps[g].to_ms - l.start_ms) / 1000);
    is_same &= is_same_with_other_uids(&l, sight, status, is_loud);
    bool is_good = judge_life(score, &l, m, status, &sight, kind, is_loud);
    if (is_loud && getenv("SIM_WRITES"))
        for (size_t i = 0; i < l.write_count; i++)
            printf("%9.3f %d %d %s\n", (double)(l.writes[i].at_ms - l.start_ms) / 1000, (int)l.writes[i].resource,
                   (int)l.writes[i].what, l.writes[i].json);
    if (is_loud && getenv("SIM_STATUS"))
        printf("%s\n", status);
    write_archive(&l, m);
    score->digest = score->digest * UINT64_C(1099511628211) ^ digest_of(status);
    model_free(m);
    sim_done(&l);
    return is_good && is_same;
}

static int many(uint64_t lives, uint64_t first, int kind) {
    struct score score = {0};
    uint64_t seen[KIND_COUNT] = {0}, bad[KIND_COUNT] = {0};
    int printed = 0;
    for (uint64_t seed = first; seed < first + lives; seed++) {
        int k = kind < 0 ? (int)(seed % KIND_COUNT) : kind;
        bool is_good = one(&score, seed, k, false);
        seen[k]++;
        bad[k] += !is_good;
        if (!is_good && printed++ < 20)
            printf("%s%" PRIu64, printed == 1 ? "bad seeds: " : " ", seed);
    }
    printf("%s", printed ? "\n" : "");
    judge_print(&score);
    bounds_print_header();
    for (int k = 0; k < KIND_COUNT; k++)
        if (score.bounds[k].lives > 0)
            bounds_print(kinds[k], &score.bounds[k]);
    printf("\n");
    for (int k = 0; k < KIND_COUNT; k++)
        if (seen[k] > 0)
            printf("  %-20s %" PRIu64 " lives, %" PRIu64 " out of tolerance\n", kinds[k], seen[k], bad[k]);
    printf("  digest of the final statuses: %016" PRIx64 "\n", score.digest);
    uint64_t all_bad = 0;
    for (int k = 0; k < KIND_COUNT; k++)
        all_bad += bad[k];
    judge_done(&score);
    return all_bad > 0;
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
