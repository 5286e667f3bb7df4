/* trainer_run: whether a record shows that the training program was restarted within the same log: by an elastic agent
 * (torchrun) or a loop in the container, or by the next attempt where one log covers all attempts. */
#ifndef LEDGER_TRAINER_RUN_H
#define LEDGER_TRAINER_RUN_H

#include "ledger/record.h"

struct trainer_run { /* all-zero but for last_ms, TIME_UNKNOWN, before the first record */
    bool has_steps, is_elastic;
    int64_t last_ms; /* the newest time of its records */
};

/* A job start after steps does; so does an initialization, where the job start is missing or the format has none,
 * except in an elastic job, which reinitializes in the same process. Records that are not newer are repeats. */
bool trainer_run_restarts(const struct trainer_run *run, const struct record *r);
void trainer_run_note(struct trainer_run *run, const struct record *r);

#endif
