/* compare: the rows of a comparison of two jobs, from their ledgers' spans: step time, goodput, what a start takes,
 * buckets, interruptions. Whether a row differs is the rule of formulas/difference.h. Time is cut into
 * DIFFERENCE_BLOCKS blocks of equal length, steps into as many of equal number, and each execution is a block of what
 * it takes to start. */
#ifndef FORMULAS_COMPARE_H
#define FORMULAS_COMPARE_H

#include "formulas/difference.h"

#include <stdint.h>

struct compare_span {
    int64_t from_ms, to_ms; /* a correction of earlier time counts at to_ms: from_ms = to_ms */
    int64_t ms;
    const char *bucket; /* borrowed */
    bool is_scheduling;
    int64_t count, execution; /* as in the ledger's lines; execution 0: none */
    int64_t steps;            /* that ended in it; 0: not known */
};

struct compare_step { /* its end, from a log */
    int64_t at_ms, step;
};

struct compare_job { /* spans and steps in time order */
    struct compare_span *spans;
    size_t span_count, span_capacity;
    struct compare_step *steps; /* none: spans say how long steps take */
    size_t step_count, step_capacity;
    int64_t *interruptions_ms; /* when; those that MTBI counts */
    size_t interruption_count, interruption_capacity;
    double program; /* program goodput; NAN: not known */
    bool is_of_log; /* alone: when machines were there is not known */
};

enum compare_unit { COMPARE_MS, COMPARE_SHARE, COMPARE_PER_DAY };
enum compare_verdict { COMPARE_TOO_FEW, COMPARE_WITHIN_CHANCE, COMPARE_BETTER, COMPARE_WORSE };

#define COMPARE_NAME_SIZE 96
#define COMPARE_MAX_ROWS 96

struct compare_row {
    char name[COMPARE_NAME_SIZE];
    enum compare_unit unit;
    bool is_more_better;
    struct difference_estimate a, b;
    struct difference_interval change; /* b - a; known unless the verdict is COMPARE_TOO_FEW */
    enum compare_verdict verdict;
};

struct compare_table {
    struct compare_row rows[COMPARE_MAX_ROWS]; /* rows that are 0 on both sides are left out */
    size_t count;
    size_t tested; /* have a verdict by the rule */
    double chance; /* of each of them: DIFFERENCE_CHANCE / tested */
};

void compare_jobs(const struct compare_job *a, const struct compare_job *b, struct compare_table *out);

/* What job goodput gained as the buckets of a list ("CheckpointSave,WastedProgress") took another share of the
 * productive time: P/(W - x) - P/W of side A, where x/P is the change of that share, from A to B. */
struct compare_gain {
    double value;                      /* of 1 */
    struct difference_interval around; /* if has_spread */
    bool has_spread;
};
/* buckets "*": all that is not productive, which is the change of job goodput itself. */
struct compare_gain compare_gain(const struct compare_job *a, const struct compare_job *b, const char *buckets,
                                 double chance);
const char *compare_verdict_name(enum compare_verdict verdict);
void compare_job_done(struct compare_job *job);

#endif
