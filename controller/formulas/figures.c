#include "formulas/figures.h"

#include <math.h>

struct figures figures_unknown(void) {
    return (struct figures){
        .interval_s = NAN,
        .save_s = NAN,
        .persist_lag_s = NAN,
        .reschedule_s = NAN,
        .resume_s = NAN,
        .image_pull_s = NAN,
        .compile_s = NAN,
        .mtbf = {.mean_s = NAN, .low_s = NAN, .high_s = NAN},
        .step_s = NAN,
        .chips = NAN,
    };
}

/* Not below 0; unknown (NAN) if either is, which fmax() would turn into 0. */
static double less(double from_s, double saved_s) {
    double left_s = from_s - saved_s;
    return left_s < 0 ? 0 : left_s;
}

void figures_apply(struct figures *f, const struct figures_change *change) {
    if (change->image_pull_s > 0) {
        f->resume_s = less(f->resume_s, f->image_pull_s - change->image_pull_s);
        f->image_pull_s = change->image_pull_s;
    }
    if (change->caches_compile) {
        f->resume_s = less(f->resume_s, f->compile_s);
        f->compile_s = 0;
    }
    if (change->spares > 0) {
        /* A spare is free when fewer than all of them stand in for nodes that are away. */
        double free = forecast_poisson(change->spares - 1, change->repair_s / f->mtbf.mean_s);
        f->reschedule_s =
            free * (change->swap_s < f->reschedule_s ? change->swap_s : f->reschedule_s) + (1 - free) * f->reschedule_s;
    }
}

struct forecast figures_forecast(const struct figures *f, double interval_s, bool is_job) {
    return (struct forecast){.interval_s = interval_s,
                             .save_s = f->save_s,
                             .recover_s = f->resume_s + (is_job ? f->reschedule_s : 0),
                             .persist_lag_s = isnan(f->persist_lag_s) ? 0 : f->persist_lag_s,
                             .mtbf_s = f->mtbf.mean_s};
}

struct figures_goodput figures_expect(const struct figures *f, double interval_s) {
    struct forecast runtime = figures_forecast(f, interval_s, false), job = figures_forecast(f, interval_s, true);
    return (struct figures_goodput){forecast_exact(&runtime), forecast_exact(&job)};
}
