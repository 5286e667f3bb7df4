#include "operator/status/phase.h"

#include "base/hash.h"
#include "base/minmax.h"
#include "ledger/evaluate.h"
#include "operator/facts/facts.h"
#include "operator/facts/loss.h"
#include "operator/facts/refusal.h"
#include "operator/facts/silence.h"
#include "operator/job/job.h"
#include "operator/job/required.h"
#include "operator/store/pod.h"

#include <stdio.h>
#include <string.h>

#define DOUBT_MS                                                                                                       \
    300000 /* so long a log without steps may still be that of a trainer that starts (MaxText: 800 lines) */

static void set(struct view *v, const char *phase, int64_t since_ms) {
    v->phase = phase;
    v->phase_since_ms = since_ms;
}

static void set_end(struct view *v) {
    const struct target *t = v->target;
    set(v,
        t->end.outcome == OUTCOME_SUCCEEDED ? "Completed"
        : t->end.outcome == OUTCOME_FAILED  ? "Failed"
                                            : "Deleted",
        v->through_ms);
}

static bool is_available(const struct view *v) {
    return v->result.slots_required > 0 && v->result.slots_available >= v->result.slots_required;
}

/* True while the target itself waits: suspended, in the queue, for capacity that is being made. A Workload that
 * waits for quota to replace one that is admitted (Kueue's workload slices) holds back nothing that is there. */
static bool set_wait(struct view *v) {
    const struct ledger_hold *h = v->job->facts.hold;
    if (h == NULL)
        return false;
    if (h->kind == BUCKET_SUSPENDED)
        set(v, "Suspended", h->from_ms);
    else if (h->kind == BUCKET_PREEMPTED_WAIT || (h->kind == BUCKET_QUEUE_WAIT && !is_available(v)))
        set(v, "Queued", h->from_ms);
    else
        return false;
    return true;
}

/* Without steps to go by (no log, or none that can be read), containers that run are taken for training. A step
 * stays observed, so within an execution only a loss ends Training. */
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
    int64_t over_ms = max_of(v->job->facts.hold_end_ms, v->target->created_ms);
    if (r->interruption_count > 0) {
        set(v, "Recovering", max_of(r->interruptions[r->interruption_count - 1].at_ms, over_ms));
        return;
    }
    if (!is_available(v)) /* from admission until all slots are bound */
        set(v, "Provisioning", over_ms);
    else
        set(v, "Starting", e && e->available_ms != TIME_UNKNOWN ? max_of(e->available_ms, over_ms) : over_ms);
}

/* ---- what the target waits for ---- */

static void format_age(char out[static 32], int64_t ms) {
    int64_t s = ms > 0 ? ms / 1000 : 0;
    if (s < 120)
        snprintf(out, 32, "%llds", (long long)s);
    else if (s < 7200)
        snprintf(out, 32, "%lldm", (long long)(s / 60));
    else if (s < 172800)
        snprintf(out, 32, "%lldh", (long long)(s / 3600));
    else
        snprintf(out, 32, "%lldd", (long long)(s / 86400));
}

/* Numbers in the words (of nodes, of quota that is missing) move without another reason. */
static void note_reason(struct view *v, const char *kind, const char *words) {
    static const char digits[] = "0123456789";
    v->waiting_hash = hash_local(0, slice_of(kind));
    for (const char *c = words ? words : ""; *c != '\0'; c += strspn(c, digits)) {
        size_t size = strcspn(c, digits);
        v->waiting_hash = hash_local(v->waiting_hash, (struct slice){c, size});
        c += size;
    }
}

/* Why this pod does not count as available; false if it does. A new pod that is not bound yet changes no reason. */
static bool why(struct view *v, const struct pod *p, char *out, size_t size) {
    char age[32];
    const struct pod_trouble *t = pod_trouble(p);
    if (p->bound_ms == TIME_UNKNOWN && t->unschedulable_ms != TIME_UNKNOWN) {
        note_reason(v, "Unschedulable", t->unschedulable_message);
        format_age(age, v->through_ms - t->unschedulable_ms);
        snprintf(out, size, "Unschedulable for %s: %s", age, t->unschedulable_message ? t->unschedulable_message : "");
    } else if (p->bound_ms == TIME_UNKNOWN && t->gated_from_ms != TIME_UNKNOWN && t->gated_to_ms == TIME_UNKNOWN) {
        note_reason(v, "SchedulingGated", NULL);
        format_age(age, v->through_ms - t->gated_from_ms);
        snprintf(out, size, "pod %s held by a scheduling gate for %s", p->name, age);
    } else if (p->bound_ms == TIME_UNKNOWN) {
        format_age(age, v->through_ms - p->created_ms);
        snprintf(out, size, "pod %s not yet bound for %s", p->name, age);
    } else if (fact_pod_silent_ms(p) != TIME_OPEN && fact_pod_lost_ms(p) == TIME_OPEN) {
        format_age(age, v->through_ms - fact_pod_silent_ms(p));
        snprintf(out, size, "node %s gives no sign of life for %s; pod %s is not known to be lost", p->node->name, age,
                 p->name);
    } else if (!fact_is_pod_available(p)) {
        note_reason(v, "Lost", NULL);
        const char *what = p->phase == POD_FAILED           ? "failed"
                           : p->deletion_ms != TIME_UNKNOWN ? "is terminating"
                                                            : "is lost";
        format_age(age, v->through_ms - fact_pod_lost_ms(p));
        snprintf(out, size, "pod %s %s for %s%s%s", p->name, what, age, p->node ? " on node " : "",
                 p->node ? p->node->name : "");
    } else {
        return false;
    }
    return true;
}

static void slot_name(const struct view *v, int64_t slot, char *out, size_t size) {
    const struct target *t = v->target;
    for (int i = 0; i < t->spec.job_count; i++) {
        const struct replicated_job *r = &t->spec.jobs[i];
        if (!job_requires(v->job, i))
            continue;
        if (slot < r->replicas * r->stride && r->stride > 0) {
            if (t->kind == TARGET_JOB)
                snprintf(out, size, "index %lld", (long long)slot);
            else
                snprintf(out, size, "%s %lld host %lld", r->name, (long long)(slot / r->stride),
                         (long long)(slot % r->stride));
            return;
        }
        slot -= r->replicas * r->stride;
    }
    snprintf(out, size, "slot");
}

/* Why the pod of a slot cannot be made; NULL. */
static const char *refusal_of(const struct view *v, int64_t slot) {
    const struct target *t = v->target;
    for (int i = 0; i < t->spec.job_count; i++) {
        const struct replicated_job *r = &t->spec.jobs[i];
        if (!job_requires(v->job, i))
            continue;
        if (slot < r->replicas * r->stride && r->stride > 0)
            return fact_refusal_now(v->job, r->name, slot / r->stride);
        slot -= r->replicas * r->stride;
    }
    return NULL;
}

/* The lowest slot that is not available: what it waits for stands for the others. */
static void describe_slots(struct view *v) {
    char name[320], reason[640];
    const struct model_job *job = v->job;
    int64_t waiting = job_slots_waiting(&job->facts.slots), missing = job_slots_missing(&job->facts.slots);
    if (waiting >= 0 && why(v, job->facts.slots.newest[waiting], reason, sizeof reason)) {
        slot_name(v, waiting, name, sizeof name);
        snprintf(v->waiting_for, sizeof v->waiting_for, "%s: %s", name, reason);
        return;
    }
    if (missing < 0)
        return;
    slot_name(v, missing, name, sizeof name);
    const char *refusal = refusal_of(v, missing);
    if (refusal != NULL)
        note_reason(v, "FailedCreate", refusal);
    snprintf(v->waiting_for, sizeof v->waiting_for, "%s: no pod yet%s%s", name, refusal ? ": FailedCreate: " : "",
             refusal ? refusal : "");
}

void view_waiting(struct view *v) {
    const struct ledger_result *r = &v->result;
    v->waiting_for[0] = '\0';
    v->waiting_hash = 0;
    if (v->target == NULL || v->has_ended || (r->slots_required > 0 && r->slots_available >= r->slots_required))
        return;
    const struct ledger_hold *hold = v->job->facts.hold;
    if (hold != NULL) {
        note_reason(v, bucket_name(hold->kind), hold->evidence);
        slice_copy(v->waiting_for, sizeof v->waiting_for, slice_of(hold->evidence));
        return;
    }
    size_t slots = job_slot_count(v->job);
    if (slots > 0 && slots == v->job->facts.slots.count)
        describe_slots(v);
}
