/* status.forecast: what to expect from the job's own figures (formulas/forecast.h), and when it will be done. What is
 * not known is left out: without a rate of failures no score is expected, without a save there is nothing at all. */
#include "operator/status/forecast.h"
#include "base/mem.h"
#include "formulas/figures.h"
#include "ledger/evaluate.h"

#include <math.h>
#include <stdio.h>

static void write_seconds(struct jwrite *w, const char *key, double seconds) {
    if (seconds >= 0 && seconds < 1e12)
        jwrite_member_int(w, key, llround(seconds));
}

static void write_share(struct jwrite *w, const char *key, double share) {
    char text[32];
    if (!(share > -10 && share < 10))
        return;
    snprintf(text, sizeof text, "%.2f%%", share * 100);
    jwrite_member_text(w, key, text);
}

static bool has_rate(const struct figures *f) {
    return f->mtbf.mean_s > 0;
}

static void write_expected(struct jwrite *w, const struct figures *f) {
    struct forecast runtime = figures_forecast(f, f->interval_s, false);
    double best_s = forecast_best_s(&runtime), low_s, high_s;
    write_share(w, "runtime", forecast_exact(&runtime));
    write_share(w, "runtimeFirstOrder", forecast_first_order(&runtime));
    jwrite_member_bool(w, "firstOrderIsValid", forecast_is_first_order_valid(&runtime));
    if (!isnan(f->reschedule_s))
        write_share(w, "job", figures_expect(f, f->interval_s).job);
    write_seconds(w, "bestIntervalSeconds", best_s);
    if (f->step_s > 0)
        jwrite_member_int(w, "bestIntervalSteps", llround(fmax(1, round(best_s / f->step_s))));
    forecast_flat_zone(&runtime, 0.1, &low_s, &high_s);
    write_seconds(w, "bestFromSeconds", low_s);
    write_seconds(w, "bestToSeconds", high_s);
    write_seconds(w, "youngSeconds", forecast_young_s(f->save_s, f->mtbf.mean_s));
    write_seconds(w, "dalySeconds", forecast_daly_s(f->save_s, f->mtbf.mean_s));
    runtime.interval_s = best_s;
    write_share(w, "bestRuntime", forecast_exact(&runtime));
}

/* What is not known and was assumed. */
static void write_assumptions(struct jwrite *w, const struct view *v, const struct figures *f) {
    const struct {
        bool is_so;
        const char *words;
    } rows[] = {
        {isnan(f->persist_lag_s), "A save is durable as soon as it stops blocking: the log does not report when."},
        {!has_rate(f),
         "No failure interrupts the rest: fewer than three so far give no rate, so no goodput is forecast."},
        {figures_is_first_start(&v->result), "To resume takes as long as the first start: nothing has resumed yet."},
        {isnan(f->reschedule_s), "To reschedule takes no time: nothing was rescheduled yet."},
    };
    bool any = false;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].is_so && !any) {
            jwrite_member_array(w, "assumptions");
            any = true;
        }
        if (rows[i].is_so)
            jwrite_text(w, rows[i].words);
    }
    if (any)
        jwrite_array_end(w);
}

/* The rest of the steps at the mean step, with failures at the rate of those before; without one, as if none came. */
static void write_rest(struct jwrite *w, const struct view *v, const struct figures *f) {
    const struct ledger_result *r = &v->result;
    int64_t total = v->total_steps;
    char at[RFC3339_SIZE];
    double mean_s, deviation_s;
    if (total == 0 || v->has_ended || r->last_step == RECORD_NONE || !(f->step_s > 0))
        return;
    int64_t left = total > r->last_step + 1 ? total - r->last_step - 1 : 0;
    struct figures all = *f;
    all.reschedule_s = isnan(all.reschedule_s) ? 0 : all.reschedule_s; /* as write_assumptions says */
    all.mtbf.mean_s = has_rate(f) ? f->mtbf.mean_s : INFINITY;
    struct forecast job = figures_forecast(&all, f->interval_s, true);
    forecast_finish(&job, (double)left * f->step_s, &mean_s, &deviation_s);
    if (!(mean_s >= 0 && mean_s < 1e10))
        return;
    jwrite_member_int(w, "remainingSteps", left);
    write_seconds(w, "remainingSeconds", mean_s);
    if (has_rate(f))
        write_seconds(w, "remainingDeviationSeconds", deviation_s);
    jwrite_member_text(w, "finishAt", rfc3339_format_s(at, v->through_ms + llround(mean_s * 1e3)));
}

void view_write_forecast(struct jwrite *w, const struct view *v) {
    struct figures f = figures_measure(&v->result);
    if (!(f.interval_s > 0) || !(f.save_s > 0) || isnan(f.mtbf.low_s) || isnan(f.resume_s))
        return;
    jwrite_member_object(w, "forecast");
    write_seconds(w, "intervalSeconds", f.interval_s);
    jwrite_member_int(w, "saveMilliseconds", llround(f.save_s * 1e3));
    if (!isnan(f.persist_lag_s))
        jwrite_member_int(w, "persistMilliseconds", llround(f.persist_lag_s * 1e3));
    if (has_rate(&f))
        write_expected(w, &f);
    write_seconds(w, "rescheduleSeconds", f.reschedule_s);
    write_seconds(w, "resumeSeconds", f.resume_s);
    write_seconds(w, "meanTimeBetweenFailuresSeconds", f.mtbf.mean_s);
    write_seconds(w, "meanTimeLowSeconds", f.mtbf.low_s);
    write_seconds(w, "meanTimeHighSeconds", f.mtbf.high_s);
    write_assumptions(w, v, &f);
    write_rest(w, v, &f);
    jwrite_object_end(w);
}
