#include "ledger/sweep_listed.h"

#include <string.h>

int64_t sweep_older_count(const struct sweep *s) {
    return s->settled != NULL ? s->settled->older.count : 0;
}

void sweep_fill_interruption(struct ledger_interruption *to, const struct sweep *s, size_t i) {
    const struct interruption *x = &s->interruptions->items[i];
    const struct recovery *r = &s->recoveries[i];
    bool is_over = i + 1 < s->interruptions->count || s->at_end;
    *to = (struct ledger_interruption){.number = (int)(sweep_older_count(s) + (int64_t)i) + 1,
                                       .at_ms = x->at_ms,
                                       .until_ms = x->until_ms,
                                       .cause = CAUSE_UNKNOWN};
    if (x->cause != NULL) {
        to->cause = x->cause->cause;
        memcpy(to->reason, x->cause->reason, sizeof to->reason);
        memcpy(to->evidence, x->cause->evidence, sizeof to->evidence);
        memcpy(to->node, x->cause->node, sizeof to->node);
        memcpy(to->node_pool, x->cause->node_pool, sizeof to->node_pool);
    }
    to->is_settled = r->first_step_ms != TIME_UNKNOWN || is_over;
    bool is_lost_known = to->is_settled || r->is_assumed;
    to->lost_steps = is_lost_known ? r->lost_steps : RECORD_NONE;
    to->tch_ms = is_lost_known ? r->tch_ms : RECORD_NONE;
    bool is_back = x->until_ms != TIME_OPEN || is_over;
    to->tre_ms = is_back ? r->tre_ms : RECORD_NONE;
    to->wait_ms = is_back ? r->wait_ms : RECORD_NONE;
    to->trm_ms = to->is_settled ? r->trm_ms : RECORD_NONE;
    struct ledger_blame blame = ledger_blame_of(s->ledger, to->number, x->cause);
    to->owner = blame.owner;
    to->class_ = blame.class_;
    to->cost_ms = r->cost_ms;
    to->chip_ms = r->chip_ms;
    to->quiet_ms = x->quiet_ms;
    to->detect_ms = r->detect_ms;
    to->catch_up_ms = r->new_progress_ms != TIME_UNKNOWN ? r->new_progress_ms - r->first_step_ms : RECORD_NONE;
}
