/* comparison: the two sides of a comparison (formulas/compare.h), each read from the lines of one or several ledgers,
 * and the JSON that the command, the page and the report show. */
#ifndef EXPORT_COMPARISON_H
#define EXPORT_COMPARISON_H

#include "base/error.h"
#include "base/jwrite.h"
#include "formulas/compare.h"

#define COMPARISON_MAX_ADVICE 16

struct comparison_advice { /* of the newest status in the lines */
    char kind[40];
    double gain_points; /* of job goodput, as predicted */
};

struct comparison_side {
    const char *name; /* borrowed */
    struct compare_job job;
    char **buckets; /* the names that spans point to */
    size_t bucket_count, bucket_capacity;
    size_t ledgers;
    int64_t executions;       /* of the ledgers so far */
    int64_t untimed;          /* interruptions without a time, which are not compared */
    int64_t complete_from_ms; /* of the time before it only sums are known, which are not compared; TIME_UNKNOWN */
    struct comparison_advice advice[COMPARISON_MAX_ADVICE];
    size_t advice_count;
};

/* Between the end of a ledger and the start of the next. */
enum comparison_gap {
    COMPARISON_JOINED,       /* other jobs: the next starts where the one before ended */
    COMPARISON_NOT_SUBMITTED /* targets of a run: the time between them counts */
};

void comparison_init(struct comparison_side *side, const char *name);
void comparison_done(struct comparison_side *side);
/* Adds the ledger in these lines. -ENODATA: it has no span. */
int comparison_take(struct comparison_side *side, struct slice lines, enum comparison_gap gap, struct error **err);

struct comparison_gain { /* what came of one advice of side A, in points of job goodput */
    const struct comparison_advice *predicted;
    struct compare_gain obtained;
    bool is_known;         /* obtained; else only the step time shows it */
    bool is_advised_still; /* by side B */
};
/* At most COMPARISON_MAX_ADVICE; advice that this version does not know is left out. Returns how many. */
size_t comparison_gains(const struct comparison_side sides[2], double chance, struct comparison_gain *out);

/* {"a": {...}, "b": {...}, "rows": [...], "advice": [...]} */
void comparison_write(const struct comparison_side sides[2], const struct compare_table *table, struct jwrite *w);

#endif
