#include "operator/model/settle.h"
#include "base/mem.h"
#include "ledger/forget.h"
#include "ledger/past.h"
#include "operator/facts/facts.h"
#include "operator/facts/loss.h"
#include "operator/facts/ready.h"
#include "operator/job/required.h"

/* ---- which ---- */

static bool has_facts(const struct pod *p, const struct ledger_forgetting *f) {
    for (int i = 0; i < p->pushed.count; i++) {
        const struct pushed *x = &p->pushed.items[i];
        if (x->kind == PUSHED_SILENCE || (x->kind == PUSHED_HOLD && !ledger_can_forget_hold(f, x->detail, x->key)) ||
            (x->kind == PUSHED_DISRUPTION && !ledger_can_forget_disruption(f, x->key)))
            return true;
    }
    return !ledger_can_forget_disruption(f, p->id); /* its slot, or its loss */
}

/* It holds its slot, or is about to, and no other fact concerns it. */
static bool is_ordinary(const struct pod *p, int64_t until_ms, const struct ledger_forgetting *f) {
    if (p->is_deleted || p->is_dirty || p->is_restored || p->is_counted)
        return false;
    return p->slot < 0 ||
           (p->created_ms + STORE_SOON_MS <= until_ms && fact_pod_lost_ms(p) == TIME_OPEN && !has_facts(p, f));
}

size_t job_leave_out_pods(struct model_job *job, enum settle_which which, int64_t until_ms) {
    const struct target *t = job->target;
    size_t kept = 0;
    bool can_ask = which == SETTLE_ORDINARY && job->observation.through_ms != TIME_UNKNOWN;
    struct ledger_forgetting *f = can_ask ? ledger_forget_begin(job->ledger, job->observation.through_ms) : NULL;
    for (size_t i = 0; i < t->pods.count; i++)
        t->pods.items[i]->is_left_out = which == SETTLE_ALL || (f && is_ordinary(t->pods.items[i], until_ms, f));
    for (int i = 0; i < job->log.process_count; i++) /* what was read of a log refers to its pod */
        if (job->log.processes[i]->pod)
            job->log.processes[i]->pod->is_left_out = false;
    for (size_t i = 0; i < t->pods.count; i++)
        kept += !t->pods.items[i]->is_left_out;
    if (f)
        ledger_forget_done(f);
    return kept;
}

/* ---- their sums ---- */

static void copy_pasts(struct target *to, const struct target *from) {
    for (int i = 0; i < from->past.count; i++) {
        const struct past *past = &from->past.items[i];
        struct past *copy = store_past(to, past->replicated_job);
        copy->count = copy->capacity = past->count;
        copy->items = mem_resize(NULL, past->count + 1, sizeof *copy->items);
        if (past->count > 0)
            memcpy(copy->items, past->items, past->count * sizeof *copy->items);
    }
}

static void take_change(void *past, const struct ledger_change *change) {
    ledger_change_add(&past_at(past, change->at_ms)->all, change);
}

static void settle(const struct model_job *job, const struct replicated_job *r, int64_t until_ms, struct target *out) {
    const struct target *t = job->target;
    struct past *past = store_past(out, r->name);
    struct settled_slots *slots = &out->past.slots[out->past.slot_list_count++];
    *slots = (struct settled_slots){r->name, r->stride, (size_t)(r->replicas * r->stride), NULL};
    slots->are_held = mem_alloc(slots->count + 1);
    struct ledger_past *sum = ledger_past_begin(job->ledger, until_ms);
    for (size_t i = 0; i < t->pods.count; i++) {
        const struct pod *p = t->pods.items[i];
        if (!p->is_left_out || p->slot < 0 || strcmp(p->replicated_job, r->name) != 0)
            continue;
        bool is_held = ledger_past_occupancy(sum, p->id);
        int64_t slot = store_settled_slot(slots, p);
        if (slot >= 0 && is_held)
            slots->are_held[slot] = 1;
        fact_sum_ready(p, past, until_ms);
    }
    ledger_past_done(sum, take_change, past);
}

void job_settle_pods(const struct model_job *job, int64_t until_ms, struct target *out) {
    const struct target *t = job->target;
    *out = (struct target){0};
    copy_pasts(out, t);
    out->past.slots = mem_resize(NULL, (size_t)t->spec.job_count + 1, sizeof *out->past.slots);
    for (int i = 0; i < t->spec.job_count; i++)
        if (job_requires(job, i))
            settle(job, &t->spec.jobs[i], until_ms, out);
}

void job_settled_done(struct target *out) {
    for (int i = 0; i < out->past.count; i++)
        free(out->past.items[i].items);
    free(out->past.items);
    store_settled_done(out);
}
