/* judge: holds what the model says of a life against the truth, and keeps the score over many lives. */
#ifndef SIM_JUDGE_H
#define SIM_JUDGE_H

#include "bounds.h"
#include "sim.h"

#define RESOLUTION_MS 1000 /* of the stamps: so far may each span be off */

#define SIGHT_KINDS 7

struct tally { /* of one bucket, or of one number */
    int64_t lives, out_of_tolerance, max_error_ms;
    int64_t *errors; /* one for each life that has it */
    size_t count, capacity;
};

struct score {
    uint64_t digest; /* of all final statuses */
    int64_t lives, bad_lives, bad_sums, miscounted, ambiguous, unknowable, elsewhere;
    struct tally buckets[BUCKET_COUNT], wall, available, reschedule, wait, at;
    struct bounds_score bounds[SIGHT_KINDS];
    int64_t causes[CAUSE_COUNT + 1][CAUSE_COUNT + 1]; /* truth by ledger; CAUSE_COUNT: none */
};

/* True if all is within tolerance; says what is not if is_loud. kind: in whose table of bounds it counts. */
bool judge_life(struct score *s, const struct sim_life *l, struct model *m, const char *status,
                const struct sim_sight *sight, int kind, bool is_loud);
void judge_print(struct score *s); /* the table */
void judge_done(struct score *s);

#endif
