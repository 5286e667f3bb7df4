#include "ledger/sigterm.h"

#include "ledger/evaluate.h"
#include "ledger/rollback.h"

#include "base/bisect.h"
#include "base/minmax.h"

/* Whether a SIGTERM at that time belongs to this interruption. */
static bool is_of_interruption(const struct sweep *s, ptrdiff_t i, int64_t at_ms) {
    if (i < 0)
        return false;
    const struct interruption *x = &s->interruptions->items[i];
    int64_t after = i > 0 ? x[-1].until_ms - 1 : s->start_ms, first = s->recoveries[i].first_step_ms;
    return at_ms >= x->lost_ms - 60000 && at_ms <= x->at_ms + 600000 && at_ms > after &&
           (first == TIME_UNKNOWN || at_ms < first);
}

static ptrdiff_t interruption_of(const struct sweep *s, int64_t at_ms) {
    const struct interruption *items = s->interruptions->items; /* the last one with a loss up to 60 s later */
    ptrdiff_t last = (ptrdiff_t)BISECT(i, s->interruptions->count, items[i].lost_ms - 60000 <= at_ms) - 1;
    return is_of_interruption(s, last, at_ms) ? last : is_of_interruption(s, last - 1, at_ms) ? last - 1 : -1;
}

/* Whether the log shows a save after SIGTERM. That time is in whole seconds, so the order within the second is unknown.
 * A log that never reports checkpoints does not prove that there was none. */
static enum ledger_saved saved_when_signaled(const struct sweep *s, const struct process *p) {
    bool any_final = training_any_final(s->training);
    int64_t saved_ms = any_final ? p->saves.last_ms[1] : max_of(p->saves.last_ms[0], p->saves.last_ms[1]);
    if (p->given.signaled_ms == TIME_UNKNOWN || p->is_thinned || saved_ms > s->through_ms)
        return SAVED_UNKNOWN;
    if (saved_ms >= p->given.signaled_ms + 1000)
        return SAVED_YES;
    bool is_known = p->given.is_read_to_end && !p->given.is_lost && s->training->reported.has_checkpoints;
    return is_known && saved_ms < p->given.signaled_ms ? SAVED_NO : SAVED_UNKNOWN;
}

ptrdiff_t sigterm_find_saved(const struct sweep *s, const struct view *v, enum ledger_saved *ret_saved) {
    const struct process *p = v->process;
    bool is_reported =
        p->saves.sigterm_ms != TIME_UNKNOWN && p->saves.sigterm_ms <= s->through_ms; /* reported by the log itself */
    enum ledger_saved saved = is_reported ? SAVED_YES : saved_when_signaled(s, p);
    if (saved == SAVED_UNKNOWN)
        return -1;
    *ret_saved = saved;
    return interruption_of(s, is_reported ? p->saves.sigterm_ms : p->given.signaled_ms);
}
