/* pairs: random jobs for comparisons, as ledgers and logs show them: what the rule of formulas/difference.h does not
 * assume. Steps spread lognormally and remember the steps before them; they drift, swing slowly, and have slow patches
 * of any length. Saves, stalls and starts have lengths of heavy tails; interruptions come in bursts and lose work. */
#ifndef TESTS_FORMULAS_PAIRS_H
#define TESTS_FORMULAS_PAIRS_H

#include "formulas/compare.h"

struct pairs_shape { /* what two jobs of a pair have in common */
    double step_ms, spread, memory, drift, swing;
    double patches, patch_factor; /* in a job; how slow at most */
    double interruptions, start_ms, start_spread, save_ms, stall_chance;
    int64_t steps, save_every;
};

struct pairs_shape pairs_shape(uint64_t *seed);
/* slower: 1.02 for steps that take 2 % longer. */
struct compare_job pairs_job(const struct pairs_shape *shape, double slower, uint64_t *seed);

struct pairs_tally {
    int pairs, alarms, found; /* pairs; equals with any row called different; regressions of step time found */
    int contrary;             /* regressions whose step time is called better */
    int64_t rows_tested;
    char alarm_rows[8][COMPARE_NAME_SIZE]; /* the first of those that alarmed */
};

/* Compares each job with its equal, and with one whose steps take 2 % longer. */
struct pairs_tally pairs_run(int pairs, uint64_t seed);

#endif
