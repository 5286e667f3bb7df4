/* The truth: the definitions of deploy/docs/concepts/ledger.md, forwards, from the state of the world at each moment.
 */
#include "base/mem.h"
#include "sim.h"

#include <stdio.h>
#include <string.h>

/* Bound, neither over nor asked to go; or its index is done, in a Job that is not created again. */
static bool is_held(const struct sim_life *l, int slot, bool through_silence) {
    int i = l->newest[slot];
    if (i < 0)
        return false;
    const struct sim_pod *p = &l->pods[i];
    if (p->is_succeeded && !p->is_disrupted && p->has_finished)
        return l->jobs[p->job].exists && !l->jobs[p->job].is_deleting;
    if (!p->exists || !p->is_bound || p->is_terminating || p->is_disrupted || p->is_failed || p->has_finished ||
        p->is_evicted_by_kubelet)
        return false;
    const struct sim_node *n = &l->nodes[p->node];
    if (n->exists && n->is_silent)
        return through_silence && node_comes_back(l, p->node, i);
    return n->exists && n->is_ready;
}

bool truth_is_available(const struct sim_life *l, int slot) {
    return is_held(l, slot, true);
}

static bool are_all_held(const struct sim_life *l, bool through_silence) {
    int n = sim_slot_count(l);
    for (int s = 0; s < n; s++)
        if (sim_is_slot_required(l, s) && !is_held(l, s, through_silence))
            return false;
    return true;
}

static bool all_available(const struct sim_life *l) {
    return are_all_held(l, true);
}

static bool is_any(const struct sim_life *l, bool (*shows)(const struct sim_life *, const struct sim_pod *)) {
    int n = sim_slot_count(l);
    for (int s = 0; s < n; s++)
        if (sim_is_slot_required(l, s) && l->newest[s] >= 0 && shows(l, &l->pods[l->newest[s]]))
            return true;
    return false;
}

static bool is_waiting(const struct sim_pod *p) {
    return p->exists && !p->is_terminating && !p->is_bound;
}

static bool is_gated(const struct sim_life *l, const struct sim_pod *p) {
    (void)l;
    return is_waiting(p) && p->is_gated;
}

static bool is_unschedulable(const struct sim_life *l, const struct sim_pod *p) {
    (void)l;
    return is_waiting(p) && p->is_unschedulable;
}

/* Until the pod itself shows that it is lost. */
static bool is_on_silent_node(const struct sim_life *l, const struct sim_pod *p) {
    return p->exists && p->is_bound && !p->is_terminating && !p->is_disrupted && !p->has_finished &&
           l->nodes[p->node].exists && l->nodes[p->node].is_silent;
}

static bool is_lost_in_silence(const struct sim_life *l, const struct sim_pod *p) {
    return is_on_silent_node(l, p) && !node_comes_back(l, p->node, (int)(p - l->pods));
}

static bool died_unobserved(const struct sim_life *l, const struct sim_pod *p) {
    return p->exists && p->is_bound && l->nodes[p->node].is_silent && !l->nodes[p->node].is_visible;
}

static bool is_lost_and_hidden(const struct sim_life *l, const struct sim_pod *p) {
    return is_lost_in_silence(l, p) && !l->nodes[p->node].is_visible;
}

static bool is_pulling(const struct sim_life *l, const struct sim_pod *p) {
    (void)l;
    return p->is_pulling;
}

static bool is_not_running(const struct sim_life *l, const struct sim_pod *p) {
    (void)l;
    return !p->is_running && !p->is_succeeded;
}

static enum bucket bucket_now(const struct sim_life *l) {
    bool is_admitted = l->admitted.is_true;
    if (all_available(l)) {
        if (is_any(l, is_not_running))
            return is_any(l, is_pulling) ? BUCKET_IMAGE_PULL : BUCKET_CONTAINER_START;
        return BUCKET_UNATTRIBUTED; /* no log is read */
    }
    if (l->is_suspended_by_person || l->is_inactive_by_person)
        return BUCKET_SUSPENDED;
    if (l->shape.has_kueue && l->is_evicted)
        return BUCKET_PREEMPTED_WAIT;
    if (l->shape.has_kueue && !l->reserved.is_true)
        return BUCKET_QUEUE_WAIT;
    if (l->shape.has_kueue && !is_admitted)
        return l->shape.has_provisioning_check ? BUCKET_PROVISIONING : BUCKET_QUEUE_WAIT;
    if (is_any(l, is_gated) || jobset_is_refused(l))
        return BUCKET_QUEUE_WAIT;
    if (jobset_waits_for_dependency(l))
        return BUCKET_DEPENDENCY_WAIT;
    if (is_any(l, is_unschedulable))
        return BUCKET_PROVISIONING;
    if (is_any(l, is_lost_in_silence))
        return BUCKET_NODE_FAILURE_DETECTION;
    return l->truth.is_open ? BUCKET_RESCHEDULING : BUCKET_BINDING;
}

/* ---- booking ---- */

void truth_advance(struct sim_life *l, int64_t to_ms) {
    struct truth *t = &l->truth;
    int64_t ms = to_ms - l->now_ms;
    t->ms[t->now] += ms;
    t->silent_ms += is_any(l, is_on_silent_node) ? ms : 0;
    t->hidden_ms += is_any(l, is_lost_and_hidden) ? ms : 0;
    if (bucket_family(t->now) != FAMILY_SCHEDULING) {
        t->available_ms += ms;
    } else if (t->is_open) {
        struct truth_interruption *i = &t->interruptions[t->count - 1];
        bool is_wait = t->now == BUCKET_SUSPENDED || t->now == BUCKET_PREEMPTED_WAIT || t->now == BUCKET_QUEUE_WAIT;
        *(is_wait ? &i->wait_ms : &i->tre_ms) += ms;
    }
}

static void open_interruption(struct sim_life *l) {
    struct truth *t = &l->truth;
    t->is_ambiguous |= t->available_since_ms > 0 && l->now_ms - t->available_since_ms < 1500;
    t->is_ambiguous |= t->struck_open_ms > 0 && l->now_ms - t->struck_open_ms < 5000; /* its effect came only now */
    MEM_GROW(t->interruptions, t->count, t->capacity);
    t->interruptions[t->count++] =
        (struct truth_interruption){.at_ms = l->now_ms, .until_ms = NOT_YET, .cause = CAUSE_UNKNOWN};
    t->is_open = true;
}

static void name_cause(struct sim_life *l) {
    struct truth *t = &l->truth;
    struct truth_interruption *i = t->count > 0 ? &t->interruptions[t->count - 1] : NULL;
    if (i == NULL || t->struck == CAUSE_COUNT || (!t->is_open && !t->is_restarting) || t->struck >= i->cause)
        return;
    i->cause = t->struck;
    memcpy(i->reason, t->struck_reason, sizeof i->reason);
}

void truth_struck(struct sim_life *l, enum cause cause, const char *reason) {
    struct truth *t = &l->truth;
    if (t->is_open || l->now_ms - t->available_since_ms < 1500)
        t->struck_open_ms = l->now_ms;
    t->struck_ms = l->now_ms;
    t->is_ambiguous |= t->is_growing; /* what is lost while slots are added was not training with all of them */
    if (cause >= t->struck)
        return;
    t->struck = cause;
    snprintf(t->struck_reason, sizeof t->struck_reason, "%s", reason);
    name_cause(l);
}

void truth_opens(struct sim_life *l) {
    l->truth.ordered_ms = l->now_ms;
    if (!l->truth.is_open && !all_available(l) && l->end_ms == NOT_YET) {
        open_interruption(l);
        name_cause(l);
    }
}

void truth_restarted_in_place(struct sim_life *l) {
    struct truth *t = &l->truth;
    if (t->is_open || t->is_restarting || !t->was_available || l->end_ms != NOT_YET)
        return;
    open_interruption(l);
    t->interruptions[t->count - 1].until_ms = l->now_ms;
    t->is_open = false;
    t->is_restarting = true;
    name_cause(l);
}

/* One slot comes as another goes: if all others are there, whether all were there for a moment hangs on less than the
 * resolution of the stamps. */
static void look_at_slots(struct sim_life *l) {
    struct truth *t = &l->truth;
    int n = sim_slot_count(l);
    bool is_gain = false, is_nearly_all = true, is_all = true;
    for (int s = 0; s < n; s++) {
        bool is_there = truth_is_available(l, s) || !sim_is_slot_required(l, s);
        if (t->was_there[s] && !is_there)
            t->lost_ms[s] = l->now_ms;
        is_gain |= is_there && !t->was_there[s];
        is_all &= is_there;
        is_nearly_all &= is_there || l->now_ms - t->lost_ms[s] < 1500;
        t->was_there[s] = is_there;
    }
    t->is_ambiguous |= is_gain && is_nearly_all && !is_all;
}

void truth_look(struct sim_life *l) {
    struct truth *t = &l->truth;
    look_at_slots(l);
    bool available = all_available(l);
    if (t->was_available && !available && !t->is_open && !t->is_growing) {
        if (t->is_restarting) { /* the restart did not hold: the same interruption */
            t->interruptions[t->count - 1].until_ms = NOT_YET;
            t->reopened_ms = l->now_ms;
        } else {
            open_interruption(l);
        }
        t->is_open = true;
        t->is_restarting = false;
    }
    /* Its last container started in the second of the loss: it may as well have been over before, and this another. */
    t->is_ambiguous |=
        t->is_open && t->reopened_ms > 0 && t->reopened_ms / 1000 == l->now_ms / 1000 && !is_any(l, is_not_running);
    name_cause(l);
    t->is_growing &= !available;
    if (available && t->is_open) {
        t->interruptions[t->count - 1].until_ms = l->now_ms;
        t->is_open = false;
    }
    bool is_over = available && !t->was_available;
    if (is_over)
        t->available_since_ms = l->now_ms;
    if (available && t->is_restarting && !is_any(l, is_not_running)) {
        t->is_restarting = false;
        t->available_since_ms = l->now_ms;
        is_over = true;
    }
    if (is_over)
        t->struck = CAUSE_COUNT;
    t->was_available = available;
    t->was_up = are_all_held(l, false);
    enum bucket now = bucket_now(l);
    if (now != t->now) {
        t->spans[now]++;
        if (t->is_open)
            t->interruptions[t->count - 1].spans++;
    }
    t->now = now;
}

void truth_grows(struct sim_life *l) {
    struct truth *t = &l->truth;
    t->is_ambiguous |= !t->was_available || t->is_open || t->is_restarting || l->now_ms - t->available_since_ms < 1500;
    t->is_ambiguous |= t->shrunk_ms > 0 && l->now_ms - t->shrunk_ms < 2000; /* the pods of before are there still */
    t->is_growing = true;
    t->growths++;
}

void truth_begin(struct sim_life *l) {
    l->start_ms = l->now_ms;
    l->truth.has_started = true;
    l->truth.now = BUCKET_COUNT;
    l->truth.struck = CAUSE_COUNT;
}

void truth_finish(struct sim_life *l) {
    struct truth *t = &l->truth;
    if (t->is_open && l->has_failed) { /* the end of a job that failed is not an interruption */
        t->count--;
        t->has_final = true;
    }
    t->ends_silent = is_any(l, is_on_silent_node);
    for (int i = 0; i < l->pod_count; i++) /* nothing showed it before the end */
        t->is_unknowable |= sim_slot(l, &l->pods[i]) >= 0 && died_unobserved(l, &l->pods[i]);
    /* Of a job that succeeded although a slot is lost (successPolicy Any) its end and the loss cannot be distinguished.
     */
    t->is_unknowable |= t->is_open && !l->has_failed && !l->is_deleted;
    /* It was asked to stop in the second of its end, and nothing was lost yet: the stamps allow either order, so it was
     * stopped or had ended before. */
    t->is_ambiguous |= !t->is_open && t->ordered_ms > 0 && t->ordered_ms / 1000 == l->now_ms / 1000;
    t->is_open = false;
    l->end_ms = l->now_ms;
}
