/* whatif: what runtime goodput to expect from a job's own figures, and from the same job with other ones. Where the
 * figures come from, how they are drawn; the formulas are formulas/'s. */
#ifndef CLI_WHATIF_H
#define CLI_WHATIF_H

#include "cli/cli.h"
#include "formulas/figures.h"

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

/* The figures that a JobGoodput tells. */
void whatif_measure(const json_t *job, struct whatif *w);
void whatif_done(struct whatif *w);

void whatif_draw(const struct whatif *w, const struct text_style *style, struct buf *out);
json_t *whatif_json(const struct whatif *w); /* caller owns */
/* Goodput over the checkpoint interval as an SVG file that needs nothing else. */
void whatif_svg(const struct whatif *w, struct buf *out);

/* The curve that is drawn: expected job goodput (runtime, where rescheduling is not known) at an interval; its ends. */
double whatif_goodput(const struct figures *f, double interval_s);
double whatif_best(const struct figures *f); /* the best interval */
void whatif_range(const struct whatif *w, double *from_s, double *to_s);

#endif
