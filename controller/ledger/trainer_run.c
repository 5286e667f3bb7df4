#include "ledger/trainer_run.h"

bool trainer_run_restarts(const struct trainer_run *run, const struct record *r) {
    bool is_start = r->kind == RECORD_JOB_START ||
                    (!run->is_elastic && (r->kind == RECORD_INIT_START || r->kind == RECORD_PREPARATION_START));
    return is_start && run->has_steps && r->at_ms > run->last_ms;
}

void trainer_run_note(struct trainer_run *run, const struct record *r) {
    if (run->last_ms == TIME_UNKNOWN || r->at_ms > run->last_ms)
        run->last_ms = r->at_ms;
    run->is_elastic |= r->kind == RECORD_ELASTIC_REINIT_START || r->kind == RECORD_ELASTIC_SLICES;
    run->has_steps |= r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END;
}
