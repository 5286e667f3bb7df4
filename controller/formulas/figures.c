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

/* ---- measured from a ledger ---- */

static const struct ledger_bucket *bucket_of(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return &r->buckets[i];
    return NULL;
}

/* Interruptions but those by people and Kueue. */
static int64_t count_failures(const struct ledger_result *r) {
    int64_t failures = r->older.counted;
    for (int i = 0; i < r->interruption_count; i++)
        failures += !cause_is_excluded(r->interruptions[i].cause);
    return failures;
}

bool figures_is_first_start(const struct ledger_result *r) {
    for (int i = 0; i < r->interruption_count; i++)
        if (!cause_is_excluded(r->interruptions[i].cause) && r->interruptions[i].trm_ms != RECORD_NONE)
            return false;
    return true;
}

/* Means over the failures; before any the first start shows how long it takes to resume. */
static void measure_recovery(const struct ledger_result *r, struct figures *f) {
    double reschedule_s = 0, resume_s = 0;
    int rescheduled = 0, resumed = 0;
    for (int i = 0; i < r->interruption_count; i++) {
        const struct ledger_interruption *x = &r->interruptions[i];
        if (cause_is_excluded(x->cause))
            continue;
        if (x->tre_ms != RECORD_NONE)
            reschedule_s += (double)x->tre_ms / 1e3, rescheduled++;
        if (x->trm_ms != RECORD_NONE)
            resume_s += (double)x->trm_ms / 1e3, resumed++;
    }
    if (rescheduled > 0)
        f->reschedule_s = reschedule_s / rescheduled;
    if (resumed > 0)
        f->resume_s = resume_s / resumed;
    const struct ledger_execution *first = r->execution_count > 0 ? &r->executions[0] : NULL;
    bool is_known = first != NULL && first->number == 1 && first->available_ms != TIME_UNKNOWN &&
                    first->first_step_ms != TIME_UNKNOWN && first->first_step_ms >= first->available_ms;
    if (figures_is_first_start(r) && is_known)
        f->resume_s = (double)(first->first_step_ms - first->available_ms) / 1e3;
}

struct figures figures_measure(const struct ledger_result *r) {
    struct figures f = figures_unknown();
    if (!r->has_steps || r->productive_ms <= 0)
        return f;
    const struct ledger_bucket *saves = bucket_of(r, BUCKET_CHECKPOINT_SAVE);
    if (saves != NULL && saves->count > 0) {
        f.interval_s = (double)r->productive_ms / 1e3 / (double)saves->count;
        f.save_s = (double)saves->ms / 1e3 / (double)saves->count;
        if (r->durable_saves > 0 && r->durable_saves >= saves->count / 2)
            f.persist_lag_s = fmax(0, (double)r->durable_ms / 1e3 / (double)r->durable_saves - f.save_s);
    }
    measure_recovery(r, &f);
    if (r->retained_steps > 0)
        f.step_s = (double)r->productive_ms / 1e3 / (double)r->retained_steps;
    if (r->slots_required > 0)
        f.mtbf = forecast_mtbf(count_failures(r), (double)r->available_ms / 1e3);
    if (r->chips > 0)
        f.chips = (double)r->chips;
    return f;
}
