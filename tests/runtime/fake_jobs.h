/* fake_jobs: jobs for cadence.h, whose evaluations are made up, with a fake clock. */
#ifndef RUNTIME_FAKE_JOBS_H
#define RUNTIME_FAKE_JOBS_H

#include "operator/runtime/cadence.h"

#define S INT64_C(1000000)

extern const struct cadence_options fake_options;

/* A job whose status is made of a key and a counter; every write succeeds after `reply_us`. */
struct fake_job {
    struct cadence_job job; /* first */
    uint64_t key, hash, printed;
    bool has_new_steps, is_ending, is_final;
    int64_t awaits_ms; /* 0: nothing */
    int evaluations, writes;
    int64_t written_us[4096];
};

/* Does all that is due at now_us; returns the number of writes. */
int fake_turn(struct cadence *c, int64_t now_us);
/* Goes from wake-up to wake-up until `until_us`; returns the number of wake-ups. */
int fake_run(struct cadence *c, int64_t *now_us, int64_t until_us);

#endif
