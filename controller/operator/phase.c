#include "operator/facts.h"
#include "operator/view.h"

static void set(struct view *v, const char *phase, int64_t since_ms) {
    v->phase = phase;
    v->phase_since_ms = since_ms;
}

static int64_t max_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void set_end(struct view *v) {
    const struct target *t = v->target;
    set(v,
        t->outcome == OUTCOME_SUCCEEDED ? "Completed"
        : t->outcome == OUTCOME_FAILED  ? "Failed"
                                        : "Deleted",
        v->through_ms);
}

/* When the first pod of a required slot that is still unschedulable became so; TIME_OPEN if none is. */
static int64_t unschedulable_since(const struct view *v) {
    int64_t since_ms = TIME_OPEN;
    for (size_t i = 0; i < v->target->pod_count; i++) {
        const struct pod *p = v->target->pods[i];
        if (p->unschedulable_ms != TIME_UNKNOWN && p->bound_ms == TIME_UNKNOWN && p->unschedulable_ms < since_ms &&
            fact_pod_lost_ms(p) == TIME_OPEN && job_slot(v->job, p) >= 0)
            since_ms = p->unschedulable_ms;
    }
    return since_ms;
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

/* Without steps to go by (no log, or none that can be read), containers that run are taken for training. */
static bool set_training(struct view *v, const struct ledger_execution *e) {
    const struct ledger_result *r = &v->result;
    bool is_available = r->slots_required > 0 && r->slots_available >= r->slots_required;
    bool has_step = e && e->first_step_ms != TIME_UNKNOWN;
    bool is_blind = v->log == LOG_NONE || v->log == LOG_TROUBLE;
    if (!is_available || !(has_step || (is_blind && r->slots_running >= r->slots_required)))
        return false;
    int64_t since_ms = v->target->created_ms;
    if (has_step)
        since_ms = e->first_step_ms;
    else if (e && e->available_ms != TIME_UNKNOWN && e->available_ms != TIME_OPEN)
        since_ms = e->available_ms + max_of(e->image_pull_ms, 0) + max_of(e->container_start_ms, 0);
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
    int64_t since_ms = unschedulable_since(v);
    if (v->job->hold_now.kind == BUCKET_PROVISIONING)
        since_ms = v->job->hold_now.from_ms;
    if (since_ms != TIME_OPEN)
        set(v, "Provisioning", max_of(since_ms, over_ms));
    else
        set(v, "Starting", over_ms);
}
