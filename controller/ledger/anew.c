#include "ledger/anew.h"

bool anew_begins(const struct anew *a, const struct record *r) {
    bool begins = r->kind == RECORD_JOB_START ||
                  (!a->is_elastic && (r->kind == RECORD_INIT_START || r->kind == RECORD_PREPARATION_START));
    return begins && a->has_steps && r->at_ms > a->last_ms;
}

void anew_note(struct anew *a, const struct record *r) {
    if (a->last_ms == TIME_UNKNOWN || r->at_ms > a->last_ms)
        a->last_ms = r->at_ms;
    a->is_elastic |= r->kind == RECORD_ELASTIC_REINIT_START || r->kind == RECORD_ELASTIC_SLICES;
    a->has_steps |= r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END;
}
