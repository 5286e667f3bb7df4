/* Reads the figures of a job from its status; a missing one stays unknown. */
#include "cli/whatif/measure.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/render/pick.h"

#include <math.h>
#include <string.h>

static double seconds_at(const json_t *object, const char *path) {
    int64_t ms = pick_int(object, path, -1);
    return ms < 0 ? NAN : (double)ms / 1000;
}

static const json_t *bucket_of(const json_t *status, const char *name) {
    size_t i;
    json_t *item;
    json_array_foreach(pick(status, "badput"), i, item) {
        if (strcmp(pick_text(item, "bucket"), name) == 0 && strcmp(pick_text(item, "family"), "Runtime") == 0)
            return item;
    }
    return NULL;
}

static double score(const json_t *status, const char *path) {
    int64_t ppm = pick_int(status, path, -1);
    return ppm < 0 ? NAN : (double)ppm / 1e6;
}

/* Actions of Kueue and of users are not failures: MTBI excludes them as well. */
static bool is_failure(const char *cause) {
    return *cause != '\0' && strncmp(cause, "Kueue", 5) != 0 && strcmp(cause, "UserSuspend") != 0;
}

static void measure_recovery(const json_t *status, struct whatif *w) {
    double reschedule_s = 0, resume_s = 0;
    int rescheduled = 0, resumed = 0;
    size_t i;
    json_t *e;
    json_array_foreach(pick(status, "executions"), i, e) {
        if (!is_failure(pick_text(e, "cause")))
            continue;
        if (pick_has(e, "rescheduleMilliseconds"))
            reschedule_s += seconds_at(e, "rescheduleMilliseconds"), rescheduled++;
        if (pick_has(e, "resumeMilliseconds"))
            resume_s += seconds_at(e, "resumeMilliseconds"), resumed++;
    }
    if (rescheduled > 0)
        w->now.reschedule_s = reschedule_s / rescheduled;
    if (resumed > 0) {
        w->now.resume_s = resume_s / resumed;
        return;
    }
    /* No interruption yet: the first start is the best estimate. */
    const json_t *first = json_array_get(pick(status, "executions"), 0);
    int64_t from_ms = pick_time_ms(first, "availableAt"), to_ms = pick_time_ms(first, "firstStepAt");
    if (from_ms != TIME_UNKNOWN && to_ms != TIME_UNKNOWN && to_ms >= from_ms) {
        w->now.resume_s = (double)(to_ms - from_ms) / 1000;
        w->is_first_start = true;
    }
}

/* The average time of a bucket per start of the job. */
static double per_start(const json_t *status, const char *name) {
    const json_t *bucket = bucket_of(status, name);
    double starts = (double)pick_int(status, "interruptions.total", 0) + 1;
    return bucket ? seconds_at(bucket, "milliseconds") / starts : NAN;
}

void whatif_measure(const json_t *job, struct whatif *w) {
    const json_t *status = pick(job, "status"), *saves = bucket_of(status, "CheckpointSave");
    const char *namespace_ = pick_text(job, "metadata.namespace");
    w->title = mem_format("%s%s%s", namespace_, *namespace_ ? "/" : "", pick_text(job, "metadata.name"));
    w->now = figures_unknown();
    int64_t count = saves ? pick_int(saves, "count", 0) : 0;
    if (count > 0) {
        w->now.save_s = seconds_at(saves, "milliseconds") / (double)count;
        w->now.interval_s = seconds_at(status, "time.productiveMilliseconds") / (double)count;
    }
    if (pick_has(status, "forecast.persistMilliseconds"))
        w->now.persist_lag_s = seconds_at(status, "forecast.persistMilliseconds");
    w->now.image_pull_s = per_start(status, "ImagePull");
    w->now.compile_s = per_start(status, "ProgramStartup");
    if (pick_has(status, "steps.idealMilliseconds"))
        w->now.step_s = seconds_at(status, "steps.idealMilliseconds");
    if (pick_has(status, "steps.meanMilliseconds"))
        w->mean_step_s = seconds_at(status, "steps.meanMilliseconds");
    w->steps_done = (double)(pick_int(status, "steps.last", -1) + 1);
    if (pick_int(status, "target.chips", 0) > 0)
        w->now.chips = (double)pick_int(status, "target.chips", 0);
    measure_recovery(status, w);
    w->uptime_s = seconds_at(status, "time.availableMilliseconds");
    w->failures = pick_int(status, "interruptions.total", 0) - pick_int(status, "interruptions.excluded", 0);
    if (pick_int(status, "availability.required", 0) > 0 && w->uptime_s > 0)
        w->now.mtbf = forecast_mtbf(w->failures, w->uptime_s);
    w->measured_runtime = score(status, "goodputPPM.runtime");
    w->measured_job = score(status, "goodputPPM.job");
}
