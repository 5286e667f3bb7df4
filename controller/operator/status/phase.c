#include "ledger/evaluate.h"
#include "operator/job/job.h"
#include "operator/status/view.h"

#include "base/minmax.h"

#define DOUBT_MS                                                                                                       \
    300000 /* so long a log without steps may still be that of a trainer that starts (MaxText: 800 lines) */

static void set(struct view *v, const char *phase, int64_t since_ms) {
    v->phase = phase;
    v->phase_since_ms = since_ms;
}

static void set_end(struct view *v) {
    const struct target *t = v->target;
    set(v,
        t->outcome == OUTCOME_SUCCEEDED ? "Completed"
        : t->outcome == OUTCOME_FAILED  ? "Failed"
                                        : "Deleted",
        v->through_ms);
}

/* True while the target itself waits: suspended, in the queue, for capacity that is being made. */
static bool set_wait(struct view *v) {
    const struct ledger_hold *h = &v->job->hold_now;
    if (h->kind == BUCKET_SUSPENDED)
        set(v, "Suspended", h->from_ms);
    else if (h->kind == BUCKET_PREEMPTED_WAIT || h->kind == BUCKET_QUEUE_WAIT)
        set(v, "Queued", h->from_ms);
    else
        return false;
    return true;
}

static bool is_available(const struct view *v) {
    return v->result.slots_required > 0 && v->result.slots_available >= v->result.slots_required;
}

/* Without steps to go by (no log, or none that can be read), containers that run are taken for training. A step never
 * is unseen, so there is no way back from Training within an execution but by a loss. */
static bool set_training(struct view *v, const struct ledger_execution *e) {
    int64_t since_ms = v->target->created_ms;
    bool has_step = e && e->first_step_ms != TIME_UNKNOWN;
    if (has_step)
        since_ms = e->first_step_ms;
    else if (e && e->available_ms != TIME_UNKNOWN && e->available_ms != TIME_OPEN)
        since_ms = e->available_ms + max_of(e->image_pull_ms, 0) + max_of(e->container_start_ms, 0);
    bool is_blind =
        v->log == LOG_NONE || v->log == LOG_TROUBLE || (v->log == LOG_DOUBT && v->through_ms - since_ms >= DOUBT_MS);
    if (!is_available(v) || !(has_step || (is_blind && v->result.slots_running >= v->result.slots_required)))
        return false;
    set(v, "Training", since_ms);
    return true;
}

void view_phase(struct view *v) {
    if (v->target == NULL) {
        set(v, "Pending", v->job->created_ms);
        return;
    }
    if (v->has_ended) {
        set_end(v);
        return;
    }
    const struct ledger_result *r = &v->result;
    const struct ledger_execution *e = r->execution_count > 0 ? &r->executions[r->execution_count - 1] : NULL;
    if (set_wait(v) || set_training(v, e))
        return;
    int64_t over_ms = max_of(v->job->holds_over_ms, v->target->created_ms);
    if (r->interruption_count > 0) {
        set(v, "Recovering", max_of(r->interruptions[r->interruption_count - 1].at_ms, over_ms));
        return;
    }
    if (!is_available(v)) /* from admission until all slots are bound */
        set(v, "Provisioning", over_ms);
    else
        set(v, "Starting", e && e->available_ms != TIME_UNKNOWN ? max_of(e->available_ms, over_ms) : over_ms);
}
