#include "ledger/sweep_interruptions.h"

#include "base/bisect.h"
#include "base/minmax.h"

/* A real sum never comes near the limit (200 years of 32 million chips); hostile facts may. */
void sweep_add_chips(int64_t *sum, int64_t chips, int64_t ms) {
    const int64_t max = INT64_C(1) << 57;
    if (chips > 0)
        *sum = chips > max / ms ? max : min_of(max, *sum + chips * ms);
}

static bool starts_run(const struct training *t, int64_t from_ms, int64_t before_ms) {
    size_t place = BISECT(i, t->run_count, t->runs[i].begin_ms < from_ms);
    return place < t->run_count && t->runs[place].begin_ms < before_ms;
}

/* The interruption that a failure detected from t on led to; -1. It may open later, unless training starts again before
 * it does: then the failure was that of the last one. */
static int detected_at(const struct sweep *s, int64_t t) {
    const struct interruptions *list = s->interruptions;
    int i = s->at.interruption;
    bool is_over = i < 0 || t >= list->items[i].until_ms;
    if (!is_over || i + 1 >= (int)list->count || starts_run(s->training, t, list->items[i + 1].at_ms))
        return i;
    return i + 1;
}

static bool is_detection(const struct verdict *v) {
    return v->account == BUCKET_NODE_FAILURE_DETECTION || v->account == BUCKET_PROCESS_FAILURE_DETECTION;
}

/* The time of the newest interruption that this span adds to. Time may count in two interruptions: work that was
 * lost before a first step was done. */
static enum ledger_recovery part_of(const struct sweep *s, const struct verdict *v, int64_t t) {
    if (s->at.interruption < 0 || v->account == BUCKET_UNOBSERVED)
        return RECOVERY_NONE;
    const struct recovery *r = &s->recoveries[s->at.interruption];
    bool is_wait = v->account == BUCKET_SUSPENDED || v->account == BUCKET_PREEMPTED_WAIT ||
                   v->account == BUCKET_QUEUE_WAIT || v->account == BUCKET_NOT_SUBMITTED;
    if (t < s->interruptions->items[s->at.interruption].until_ms && !v->is_available)
        return is_wait ? RECOVERY_WAIT : RECOVERY_RESCHEDULE;
    return v->is_available && r->first_step_ms == TIME_UNKNOWN ? RECOVERY_RESUME : RECOVERY_NONE;
}

/* The interruption that caused the loss, at most one: the one that lost the work, that was being detected, whose hang
 * started, that is open or not yet recovered from, or whose restart compiles again. -1: none. */
static int caused_by(const struct sweep *s, const struct verdict *v, int64_t t, bool is_part) {
    const struct interruptions *list = s->interruptions;
    const int next = s->at.interruption + 1;
    if (v->account == BUCKET_PRODUCTIVE || v->account == BUCKET_UNOBSERVED)
        return -1;
    if (v->account == BUCKET_WASTED_PROGRESS && v->lost_to >= 0)
        return v->lost_to;
    if (is_detection(v))
        return detected_at(s, t);
    if (next < (int)list->count && list->items[next].quiet_ms > 0 && t >= list->items[next].quiet_from_ms)
        return next;
    return is_part || v->account == BUCKET_PROGRAM_STARTUP ? s->at.interruption : -1;
}

static void add_part(struct recovery *r, enum ledger_recovery part, int64_t ms) {
    if (part == RECOVERY_WAIT)
        r->wait_ms += ms;
    else if (part == RECOVERY_RESCHEDULE)
        r->tre_ms += ms;
    else if (part == RECOVERY_RESUME)
        r->trm_ms += ms;
}

struct sweep_cost sweep_book_interruptions(struct sweep *s, const struct verdict *v, int64_t t, int64_t ms,
                                           int64_t chips) {
    if (v->account == BUCKET_WASTED_PROGRESS && v->lost_to >= 0) {
        s->recoveries[v->lost_to].tch_ms += ms;
        s->recoveries[v->lost_to].is_assumed |= v->is_assumed;
    }
    if (is_detection(v) && detected_at(s, t) >= 0)
        s->recoveries[detected_at(s, t)].detect_ms += ms;
    struct sweep_cost cost = {.recovery = part_of(s, v, t)};
    if (cost.recovery != RECOVERY_NONE)
        add_part(&s->recoveries[s->at.interruption], cost.recovery, ms);
    cost.interruption = caused_by(s, v, t, cost.recovery != RECOVERY_NONE);
    if (cost.interruption < 0)
        return cost;
    struct recovery *r = &s->recoveries[cost.interruption];
    struct account *a = &s->sums.accounts[v->account];
    a->interrupted_ms += ms;
    r->cost_ms += ms;
    sweep_add_chips(&a->interrupted_chip_ms, chips, ms);
    sweep_add_chips(&r->chip_ms, chips, ms);
    return cost;
}
