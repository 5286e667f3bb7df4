/* expect: a job's present and changed figures, and the goodput to expect with each; the formulas are in formulas/. */
#ifndef CLI_WHATIF_EXPECT_H
#define CLI_WHATIF_EXPECT_H

#include "formulas/figures.h"

#include <stdbool.h>
#include <stdint.h>

struct whatif {
    char *title; /* "research/llama3-70b"; NULL: from given figures */
    struct figures now, then;
    bool has_now;                          /* false: only `then`, from given figures */
    bool is_best;                          /* no change was given: `then` has the best interval */
    double measured_runtime, measured_job; /* fractions, NAN: not known */
    double uptime_s;
    int64_t failures;
    bool is_first_start; /* no interruption yet: resume_s is from the start of the first execution */
    struct figures_change change;
    double steps_done, mean_step_s; /* as measured; 0: not known */
    double steps_left, work_s;      /* 0: the total is unknown; work_s: their productive time */
};

struct whatif_finish {
    double mean_s, deviation_s;
};
/* The time for the remaining steps, with interruptions (forecast_finish); NAN if unknown. */
struct whatif_finish whatif_finish(const struct whatif *w, const struct figures *f);

void whatif_done(struct whatif *w);

/* The curve: expected job goodput (runtime goodput if rescheduling is unknown) at an interval. */
double whatif_goodput(const struct figures *f, double interval_s);
double whatif_best(const struct figures *f); /* the best interval */
void whatif_range(const struct whatif *w, double *from_s, double *to_s);

#endif
