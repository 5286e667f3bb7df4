/* What others call scheduling goodput, so that numbers can be compared: all pods Ready (GKE), Running / (Finished -
 * Created) (Kueue's discussion: admitted time, as in status.accumulatedPastExecutionTimeSeconds). */
#include "base/minmax.h"
#include "operator/facts/facts.h"
#include "operator/job/job.h"
#include "operator/status/view.h"

#include <string.h>

/* How many pods are required then, and until when. */
static int64_t required_at(const struct model_job *job, int64_t at_ms, int64_t *until_ms) {
    const struct target *t = job->target;
    int64_t required = 0;
    for (int k = 0; k < t->job_count; k++) {
        required += job_requires(job, k) ? job_pods_at(&t->jobs[k], at_ms) : 0;
        for (int s = 0; s < t->jobs[k].size_count; s++)
            if (t->jobs[k].sizes[s].at_ms > at_ms)
                *until_ms = min_of(*until_ms, t->jobs[k].sizes[s].at_ms);
    }
    return required;
}

/* Time in which as many required pods were Ready, or had succeeded, as were required then. */
static int64_t all_ready_ms(const struct view *v) {
    const struct ready_line *line = &v->job->ready_line;
    int64_t ready = 0, sum_ms = 0, required = 0, same_until_ms = INT64_MIN;
    for (size_t i = 0; i < line->count && line->items[i].at_ms < v->through_ms; i++) {
        int64_t at_ms = max_of(line->items[i].at_ms, v->result.start_ms), next_ms = v->through_ms;
        if (i + 1 < line->count)
            next_ms = min_of(next_ms, line->items[i + 1].at_ms);
        ready += line->items[i].by;
        while (at_ms < next_ms) {
            if (at_ms >= same_until_ms) {
                same_until_ms = TIME_OPEN;
                required = required_at(v->job, at_ms, &same_until_ms);
            }
            int64_t until_ms = min_of(same_until_ms, next_ms);
            sum_ms += required > 0 && ready >= required ? until_ms - at_ms : 0;
            at_ms = until_ms;
        }
    }
    return sum_ms;
}

static int64_t admitted_ms(const struct view *v) {
    int64_t sum_ms = 0;
    if (v->target->workloads == NULL)
        return RECORD_NONE;
    for (const struct workload *w = v->target->workloads; w; w = w->next_in_target)
        for (int i = 0; i < w->admitted.count; i++) {
            int64_t from_ms = w->admitted.items[i].at_ms, to_ms = v->through_ms;
            if (i + 1 < w->admitted.count)
                to_ms = w->admitted.items[i + 1].at_ms;
            if (w->finished_ms != TIME_UNKNOWN && w->finished_ms < to_ms)
                to_ms = w->finished_ms;
            to_ms = to_ms < v->through_ms ? to_ms : v->through_ms;
            sum_ms += w->admitted.items[i].is_true && to_ms > from_ms ? to_ms - from_ms : 0;
        }
    return sum_ms < v->result.wall_ms ? sum_ms : v->result.wall_ms;
}

void view_definitions(struct view *v) {
    v->ready_ms = all_ready_ms(v);
    v->admitted_ms = admitted_ms(v);
}
