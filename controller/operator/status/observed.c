/* How far the numbers reach: the earlier of the objects' and the settled step records' watermark; after hangAfter
 * without records it follows the clock; at the end, the end. */
#include "operator/status/observed.h"
#include "base/minmax.h"
#include "ledger/evaluate.h"
#include "ledger/slots.h"
#include "operator/facts/facts.h"
#include "operator/job/forbidden.h"
#include "operator/job/job.h"
#include "operator/store/unwatched.h"

#define AHEAD_MS 60000           /* how far the API server's clock may be ahead of ours */
#define MIN_HANG_AFTER_MS 300000 /* as in ledger/: learnt from the ideal step, at least this */

/* What may not be read any more is known as far as it was read, by this controller or by one before it. */
static int64_t known_for(const struct model_job *job, enum resource resource, int64_t now_ms) {
    const struct forbidden *f = job_blocked_by(job, resource);
    if (f == NULL)
        return store_known_ms(job->store, resource, now_ms);
    return min_of(now_ms, max_of(f->through_ms, job->observation.through_ms));
}

static const enum resource needed[] = {RESOURCE_JOBSET, RESOURCE_JOB, RESOURCE_POD, RESOURCE_NODE, RESOURCE_WORKLOAD};

int64_t view_known_ms(const struct store *store, int64_t now_ms) {
    int64_t min_ms = now_ms;
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
        min_ms = min_of(min_ms, store_known_ms(store, needed[i], now_ms));
    return min_ms;
}

int64_t view_objects_known(const struct model_job *job, int64_t now_ms) {
    int64_t min_ms = now_ms;
    for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
        min_ms = min_of(min_ms, known_for(job, needed[i], now_ms));
    for (int r = 0; r < RESOURCE_COUNT; r++)
        if (kind_is_of(job->spec.target_kind, (enum resource)r))
            min_ms = min_of(min_ms, known_for(job, (enum resource)r, now_ms));
    return min_ms;
}

static int64_t settled_ms(const struct model_job *job, int64_t through_ms) {
    struct ledger_result r;
    if (job->log.process_count == 0)
        return through_ms;
    ledger_evaluate(job->ledger, through_ms, &r);
    int64_t hang_after_ms = job->spec.options.hang_after_ms;
    if (hang_after_ms == 0)
        hang_after_ms = 10 * r.ideal_step_ms > MIN_HANG_AFTER_MS ? 10 * r.ideal_step_ms : MIN_HANG_AFTER_MS;
    const struct ledger_execution *e = r.execution_count > 0 ? &r.executions[r.execution_count - 1] : NULL;
    bool is_training = e && e->first_step_ms != TIME_UNKNOWN && r.slots_available >= r.slots_required &&
                       r.last_record_ms != TIME_UNKNOWN && r.last_record_ms >= e->first_step_ms;
    int64_t settled = is_training && through_ms - r.last_record_ms < hang_after_ms ? r.last_record_ms : through_ms;
    ledger_result_done(&r);
    return settled;
}

int64_t view_observed_through(const struct model_job *job, int64_t now_ms) {
    int64_t end_ms = job_end_ms(job), through_ms = view_objects_known(job, now_ms);
    if (through_ms >= end_ms)
        return end_ms;
    int64_t settled = settled_ms(job, through_ms);
    if (settled < through_ms)
        through_ms = settled;
    if (job->observation.through_ms != TIME_UNKNOWN && through_ms < job->observation.through_ms)
        through_ms = job->observation.through_ms;
    if (through_ms < job->target->created_ms)
        through_ms = job->target->created_ms;
    return through_ms;
}

/* A watch that is cut, or that was resumed less than a moment ago, holds back all numbers. What the job is forbidden to
 * read is not awaited: that it may be read again marks the job by itself. */
int64_t view_awaits_ms(const struct model_job *job, int64_t now_ms) {
    int64_t known_ms = view_known_ms(job->store, now_ms), awaits_ms = TIME_UNKNOWN;
    int64_t needed_ms[] = {job->observation.newest_ms, ledger_last_change_ms(job->ledger)};
    for (size_t i = 0; i < ARRAY_SIZE(needed_ms); i++)
        if (needed_ms[i] >= known_ms && needed_ms[i] <= now_ms + AHEAD_MS)
            awaits_ms = max_of(awaits_ms, needed_ms[i] + 1); /* what is at the end of a span is not in it */
    return awaits_ms;
}
