#include "cli/whatif/expect.h"

#include <math.h>
#include <stdlib.h>

void whatif_done(struct whatif *w) {
    free(w->title);
}

double whatif_goodput(const struct figures *f, double interval_s) {
    struct figures_goodput g = figures_expect(f, interval_s);
    return isnan(g.job) ? g.runtime : g.job;
}

double whatif_best(const struct figures *f) {
    struct forecast at = figures_forecast(f, f->interval_s, false);
    return forecast_best_s(&at);
}

/* The interesting part of the curve: around the best interval and every marked one. */
void whatif_range(const struct whatif *w, double *from_s, double *to_s) {
    double best_s = whatif_best(&w->then);
    *from_s = fmin(best_s, w->then.interval_s);
    *to_s = fmax(best_s, w->then.interval_s);
    if (w->has_now) {
        *from_s = fmin(*from_s, w->now.interval_s);
        *to_s = fmax(*to_s, w->now.interval_s);
    }
    *from_s /= 5;
    *to_s *= 5;
}

struct whatif_finish whatif_finish(const struct whatif *w, const struct figures *f) {
    struct whatif_finish finish = {NAN, NAN};
    struct forecast at = figures_forecast(f, f->interval_s, !isnan(f->reschedule_s));
    if (w->work_s > 0)
        forecast_finish(&at, w->work_s, &finish.mean_s, &finish.deviation_s);
    return finish;
}
