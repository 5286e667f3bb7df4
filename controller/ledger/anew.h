/* anew: whether a record tells that the training program was started anew in the same log: by an elastic agent
 * (torchrun), or by a loop around it, in one container; or by the next attempt, where one log goes on over them all. */
#ifndef LEDGER_ANEW_H
#define LEDGER_ANEW_H

#include "ledger/record.h"

struct anew { /* what the present run of it said so far; all-zero but for last_ms, TIME_UNKNOWN, before it said anything
               */
    bool has_steps, is_elastic;
    int64_t last_ms; /* the newest time of its records */
};

/* A job start after steps; also an initialisation, where the job start was lost or the format has none, but not that of
 * an elastic job, which goes on in the same process. What is not later than what was said is said again. */
bool anew_begins(const struct anew *a, const struct record *r);
void anew_note(struct anew *a, const struct record *r);

#endif
