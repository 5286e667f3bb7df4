#include "bounds.h"
#include "ledger/evaluate.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LEADS_TO_MS 30000 /* from a failed container to the restart that it leads to */

static const char *const names[] = {
#define X(id, name) name,
    BOUNDS_VIOLATIONS(X)
#undef X
};

static int64_t max_lag_ms(const struct sim_sight *sight) {
    int64_t max_ms = 0;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        max_ms = max_of(max_ms, sight->lag_ms[r]);
    return max_ms;
}

bool bounds_is_end_hidden(const struct sim_life *l, const struct sim_sight *sight) {
    bool is_hidden = false;
    for (int g = 0; g < sight->gap_count; g++)
        is_hidden |= l->is_deleted && l->end_ms >= sight->gaps[g].from_ms && l->end_ms < sight->gaps[g].to_ms;
    return is_hidden;
}

int64_t bounds_unwatched_ms(const struct sim_life *l, const struct sim_sight *sight) {
    int64_t ms = 0, end_ms = bounds_is_end_hidden(l, sight) ? INT64_MAX : l->end_ms;
    for (int g = 0; g < sight->gap_count; g++)
        ms += max_of(0, min_of(sight->gaps[g].to_ms, end_ms) - max_of(sight->gaps[g].from_ms, l->start_ms));
    return ms;
}

static bool is_near_gap(const struct sim_sight *sight, int64_t from_ms, int64_t to_ms, int64_t slack_ms) {
    for (int g = 0; g < sight->gap_count; g++)
        if (to_ms >= max_of(sight->gaps[g].from_ms, slack_ms) - slack_ms && from_ms <= sight->gaps[g].to_ms + slack_ms)
            return true;
    return false;
}

/* Inside the same gap: there its time may be another. */
static bool is_same_gap(const struct sim_sight *sight, int64_t a_ms, int64_t b_ms, int64_t slack_ms) {
    for (int g = 0; g < sight->gap_count; g++) {
        int64_t from_ms = max_of(sight->gaps[g].from_ms, slack_ms) - slack_ms, to_ms = sight->gaps[g].to_ms + slack_ms;
        if (a_ms >= from_ms && a_ms <= to_ms && b_ms >= from_ms && b_ms <= to_ms)
            return true;
    }
    return false;
}

/* A part of it was not watched: any time of it may be the first that is known. */
static bool is_partly_hidden(const struct truth_interruption *t, const struct sim_sight *sight, int64_t at_ms,
                             int64_t slack_ms) {
    int64_t until_ms = t->until_ms == NOT_YET ? NOT_YET - slack_ms : t->until_ms;
    return at_ms >= t->at_ms - slack_ms && at_ms <= until_ms + slack_ms &&
           is_near_gap(sight, t->at_ms, until_ms, slack_ms);
}

/* What is found lost inside a gap or after it may have been lost before all slots were available for the first time:
 * then the interruption is the one that the loss led to. */
static bool may_lead_to(const struct truth_interruption *t, const struct sim_sight *sight, int64_t at_ms,
                        int64_t slack_ms) {
    return at_ms < t->at_ms && t->at_ms - at_ms < LEADS_TO_MS && is_near_gap(sight, INT64_MIN, at_ms, slack_ms);
}

/* A node that died before a gap left no object that showed it, so that all slots seemed available again meanwhile: two
 * interruptions are what is proved of that one. */
static bool may_be_parted(const struct truth *t, size_t count, const struct sim_sight *sight, int64_t at_ms,
                          int64_t slack_ms) {
    for (size_t k = 0; k < count && t->hidden_ms > 0; k++)
        if (is_partly_hidden(&t->interruptions[k], sight, at_ms, slack_ms))
            return true;
    return false;
}

/* Each interruption that is counted is one of the truth's, which stands for one only. */
static void match(const struct sim_life *l, const struct ledger_result *r, const struct sim_sight *sight,
                  bool found[BOUNDS_COUNT]) {
    const struct truth *t = &l->truth;
    int64_t slack_ms = RESOLUTION_MS + max_lag_ms(sight);
    size_t count = t->count + t->has_final;
    CLEANUP_FREE bool *is_used = mem_alloc(count + 1);
    for (int i = 0; i < r->interruption_count; i++) {
        int64_t at_ms = r->interruptions[i].at_ms;
        size_t best = count;
        for (size_t k = 0; k < count; k++) {
            const struct truth_interruption *x = &t->interruptions[k];
            bool is_near = llabs(at_ms - x->at_ms) <= slack_ms;
            bool may_be = is_same_gap(sight, at_ms, x->at_ms, slack_ms) ||
                          is_partly_hidden(x, sight, at_ms, slack_ms) || may_lead_to(x, sight, at_ms, slack_ms);
            if (!is_used[k] && (is_near || (best == count && may_be)))
                best = k;
            if (best == k && is_near)
                break;
        }
        found[BOUNDS_TWICE] |= best == count && !may_be_parted(t, count, sight, at_ms, slack_ms);
        is_used[best] = true;
    }
    for (size_t k = 0; k < t->count; k++) {
        const struct truth_interruption *x = &t->interruptions[k];
        bool is_open = x->until_ms == NOT_YET; /* at the end, perhaps on a silent node: nothing shows it */
        found[BOUNDS_MISSED] |= !is_used[k] && !(is_open && t->ends_silent) &&
                                !is_near_gap(sight, x->at_ms, is_open ? x->at_ms : x->until_ms, slack_ms);
    }
}

/* How much more may seem available than was: the target ended inside a gap, and its pods outlived it; a node died
 * before a gap in which its pod was lost, and no object had shown it yet. */
static int64_t unprovable_ms(const struct sim_life *l, const struct sim_sight *sight) {
    int64_t ms = sight->gap_count > 0 ? l->truth.hidden_ms : 0;
    for (int g = 0; g < sight->gap_count && bounds_is_end_hidden(l, sight); g++)
        if (l->end_ms >= sight->gaps[g].from_ms && l->end_ms < sight->gaps[g].to_ms)
            ms += sight->gaps[g].to_ms - l->end_ms;
    return ms;
}

static int64_t unobserved_ms(const struct ledger_result *r) {
    int64_t ms = 0;
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == BUCKET_UNOBSERVED)
            ms += r->buckets[i].ms;
    return ms;
}

static void say(const struct sim_life *l, const struct ledger_result *r, const struct sim_sight *sight,
                const bool found[BOUNDS_COUNT]) {
    const struct truth *t = &l->truth;
    for (int v = 0; v < BOUNDS_COUNT; v++)
        if (found[v])
            printf("  [%s]", names[v]);
    printf("  A %" PRId64 " Unobserved %" PRId64 " W %" PRId64 ", in truth A %" PRId64 " W %" PRId64
           "; not watched %" PRId64 ", silent %" PRId64 "\n",
           r->available_ms, unobserved_ms(r), r->wall_ms, t->available_ms, l->end_ms - l->start_ms,
           bounds_unwatched_ms(l, sight), t->silent_ms);
    for (size_t k = 0; k < t->count + t->has_final; k++)
        printf("  true:    %" PRId64 "-%" PRId64 " %s\n", t->interruptions[k].at_ms - l->start_ms,
               t->interruptions[k].until_ms - l->start_ms, cause_name(t->interruptions[k].cause));
    for (int i = 0; i < r->interruption_count; i++)
        printf("  counted: %" PRId64 " %s: %s\n", r->interruptions[i].at_ms - l->start_ms,
               cause_name(r->interruptions[i].cause), r->interruptions[i].evidence);
}

static void keep(struct bounds_score *s, const bool found[BOUNDS_COUNT], int64_t unwatched_ms, int64_t ms) {
    bool is_any = false;
    for (int v = 0; v < BOUNDS_COUNT; v++) {
        s->violations[v] += found[v];
        is_any |= found[v];
    }
    s->lives++;
    s->violating += is_any;
    s->unwatched_ms += unwatched_ms;
    s->unobserved_ms += ms;
    if (unwatched_ms == 0)
        return;
    MEM_GROW(s->shares_ppm, s->count, s->capacity);
    s->shares_ppm[s->count++] = ms * 1000000 / unwatched_ms;
}

bool bounds_judge(struct bounds_score *s, const struct sim_life *l, const struct ledger_result *r,
                  const struct sim_sight *sight, bool is_loud) {
    const struct truth *t = &l->truth;
    bool found[BOUNDS_COUNT] = {false}, is_good = true;
    int64_t tolerance_ms = RESOLUTION_MS * (1 + (int64_t)t->count + t->growths) + max_lag_ms(sight), sum_ms = 0;
    int64_t unwatched_ms = bounds_unwatched_ms(l, sight), unobserved = unobserved_ms(r);
    for (int i = 0; i < r->bucket_count; i++)
        sum_ms += r->buckets[i].ms;
    found[BOUNDS_WALL] = !bounds_is_end_hidden(l, sight) &&
                         llabs(l->end_ms - l->start_ms - r->wall_ms) > RESOLUTION_MS + max_lag_ms(sight);
    found[BOUNDS_SUM] = sum_ms != r->wall_ms;
    found[BOUNDS_LOWER] = r->available_ms > t->available_ms + unprovable_ms(l, sight) + tolerance_ms;
    found[BOUNDS_UPPER] = t->available_ms > r->available_ms + unobserved + tolerance_ms;
    found[BOUNDS_WIDE] = unobserved > unwatched_ms + t->silent_ms + tolerance_ms;
    if (!t->is_ambiguous)
        match(l, r, sight, found);
    for (int v = 0; v < BOUNDS_COUNT; v++)
        is_good &= !found[v];
    if (!is_good && is_loud)
        say(l, r, sight, found);
    keep(s, found, unwatched_ms, unobserved);
    return is_good;
}

/* ---- the table ---- */

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void bounds_print_header(void) {
    printf("\n%-20s %7s %7s", "bounds", "lives", "broken");
    for (int v = 0; v < BOUNDS_COUNT; v++)
        printf(" %9s", names[v]);
    printf(" | %12s %12s | Unobserved / not watched: %6s %6s %6s %6s\n", "not watched", "Unobserved", "p10", "p50",
           "p90", "max");
}

void bounds_print(const char *name, struct bounds_score *s) {
    printf("%-20s %7" PRId64 " %7" PRId64, name, s->lives, s->violating);
    for (int v = 0; v < BOUNDS_COUNT; v++)
        printf(" %9" PRId64, s->violations[v]);
    printf(" | %10" PRId64 " s %10" PRId64 " s |", s->unwatched_ms / 1000, s->unobserved_ms / 1000);
    if (s->count > 0) {
        static const size_t percents[] = {10, 50, 90, 100};
        qsort(s->shares_ppm, s->count, sizeof *s->shares_ppm, compare);
        printf("%25s", "");
        for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
            printf(" %5.1f%%", (double)s->shares_ppm[(s->count - 1) * percents[i] / 100] / 10000);
    }
    printf("\n");
}

void bounds_done(struct bounds_score *s) {
    free(s->shares_ppm);
}
