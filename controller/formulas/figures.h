/* figures: what one job was measured to take, as the forecast wants it, and what a change to the job would make of it.
 * Times in seconds. NAN is "not known": a forecast from it is NAN as well, never a guess; but for the persist lag,
 * which is then taken as 0, and whoever shows the forecast says so. Pure. */
#ifndef FORMULAS_FIGURES_H
#define FORMULAS_FIGURES_H

#include "formulas/forecast.h"
#include "ledger/evaluate.h"

struct figures {
    double interval_s, save_s;      /* useful time between saves; training blocked by one */
    double persist_lag_s;           /* a save is durable that long after it stopped to block */
    double reschedule_s, resume_s;  /* per interruption: until all slots are there; from there to the first step */
    double image_pull_s, compile_s; /* what of resume_s these take on average */
    struct forecast_mtbf mtbf;
    double step_s, chips;
};

/* Nothing known. */
struct figures figures_unknown(void);

/* Measured from a ledger: useful time and blocking part per save, means over the failures, the rate with
 * its interval; before any failure the first start shows how long it takes to resume. The persist lag is that of the
 * saves whose lines say when they were durable, if that is at least half of them. */
struct figures figures_measure(const struct ledger_result *result);
/* Whether resume_s is that of the first start, as nothing has resumed after a failure yet. */
bool figures_is_first_start(const struct ledger_result *result);

struct figures_change {
    double image_pull_s; /* how long a pull takes; 0: as it is */
    bool caches_compile; /* a restart compiles nothing: the most that a persistent compilation cache can bring */
    int64_t spares;      /* hot spares; 0: as it is */
    double swap_s;       /* time to reschedule onto a spare that is free */
    double repair_s;     /* how long a failed node is away: until then it takes up a spare */
};

void figures_apply(struct figures *f, const struct figures_change *change);

/* The expected goodput by the exact model at this interval, as fractions: runtime (resuming alone counts) and job
 * (rescheduling too; without waits for quota). */
struct figures_goodput {
    double runtime, job;
};
struct figures_goodput figures_expect(const struct figures *f, double interval_s);
/* The same figures as the forecast of the whole (job: with rescheduling) takes them. */
struct forecast figures_forecast(const struct figures *f, double interval_s, bool is_job);

#endif
