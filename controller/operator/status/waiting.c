/* What the target waits for now, in words. */
#include "ledger/evaluate.h"
#include "operator/facts/facts.h"
#include "operator/job/job.h"
#include "operator/status/view.h"

#include <stdio.h>
#include <string.h>

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
    v->waiting_hash = slice_hash(slice_of(kind));
    for (const char *c = words ? words : ""; *c; c++)
        if (*c < '0' || *c > '9')
            v->waiting_hash = (v->waiting_hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
}

/* Why this pod does not count as available; false if it does. That a new pod is not bound yet is no news. */
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
    for (int i = 0; i < t->job_count; i++) {
        const struct replicated_job *r = &t->jobs[i];
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
    for (int i = 0; i < t->job_count; i++) {
        const struct replicated_job *r = &t->jobs[i];
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
    int64_t waiting = job_slots_waiting(&job->slots), missing = job_slots_missing(&job->slots);
    if (waiting >= 0 && why(v, job->slots.newest[waiting], reason, sizeof reason)) {
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
    if (v->job->hold_now.kind < BUCKET_COUNT) {
        note_reason(v, bucket_name(v->job->hold_now.kind), v->job->hold_now.evidence);
        slice_copy(v->waiting_for, sizeof v->waiting_for, slice_of(v->job->hold_now.evidence));
        return;
    }
    size_t slots = job_slot_count(v->job);
    if (slots > 0 && slots == v->job->slots.count)
        describe_slots(v);
}
