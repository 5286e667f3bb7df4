/* expect: a job's figures as they are and as they could be, and the goodput to expect from each; the formulas are
 * formulas/'s. */
#ifndef CLI_WHATIF_EXPECT_H
#define CLI_WHATIF_EXPECT_H

#include "formulas/figures.h"

#include <stdbool.h>
#include <stdint.h>

struct whatif {
    char *title; /* "research/llama3-70b"; NULL: from numbers alone */
    struct figures now, then;
    bool has_now;                          /* false: only `then`, from numbers alone */
    bool is_best;                          /* nothing was asked to change: `then` has the best interval */
    double measured_runtime, measured_job; /* fractions, NAN: not known */
    double uptime_s;
    int64_t failures;
    bool is_first_start; /* resume_s is the start of the first execution: nothing was interrupted yet */
    struct figures_change change;
    double steps_done, mean_step_s; /* as measured; 0: not known */
    double steps_left, work_s;      /* 0: nobody told how many there are; work_s: of productive time */
};

struct whatif_finish {
    double mean_s, deviation_s;
};
/* How long the steps that are left take, with all that comes between (forecast_finish); NAN if they are not known. */
struct whatif_finish whatif_finish(const struct whatif *w, const struct figures *f);

void whatif_done(struct whatif *w);

/* The curve that is drawn: expected job goodput (runtime, where rescheduling is not known) at an interval; its ends. */
double whatif_goodput(const struct figures *f, double interval_s);
double whatif_best(const struct figures *f); /* the best interval */
void whatif_range(const struct whatif *w, double *from_s, double *to_s);

#endif
