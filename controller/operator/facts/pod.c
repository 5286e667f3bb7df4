#include "operator/facts/pod.h"
#include "operator/facts/causes.h"

#include "base/minmax.h"
#include "ledger/texts.h"
#include "operator/facts/loss.h"
#include "operator/facts/lost_pod.h"
#include "operator/facts/pod_end.h"
#include "operator/facts/ready.h"
#include "operator/facts/silence.h"
#include "operator/facts/sink.h"
#include "operator/job/required.h"
#include "operator/store/unwatched.h"

#include <stdio.h>
#include <string.h>

/* When all training containers had started for the first time. */
static int64_t running_ms(const struct pod *p) {
    int64_t at_ms = TIME_UNKNOWN;
    for (int i = 0; i < p->container_count; i++) {
        const struct container *c = &p->containers[i];
        int64_t started_ms = TIME_UNKNOWN;
        for (int k = 0; k < c->count && started_ms == TIME_UNKNOWN; k++)
            started_ms = c->instances[k].started_ms;
        if (!pod_is_training_container(p, i))
            continue;
        if (started_ms == TIME_UNKNOWN)
            return TIME_UNKNOWN;
        at_ms = max_of(at_ms, started_ms);
    }
    return at_ms == TIME_UNKNOWN || p->bound_ms == TIME_UNKNOWN ? at_ms : max_of(at_ms, p->bound_ms);
}

/* Both stamps are whole seconds, and the message gives the duration: uses the earliest times that fit all three. */
static void set_pull(const struct pod *p, struct ledger_occupancy *occupancy) {
    const struct pod_events *e = fact_pod_events(p);
    if (e == NULL && p->had_pull_trouble) { /* its Events are lost */
        occupancy->pull_start_ms = occupancy->bound_ms;
        occupancy->pull_end_ms = occupancy->running_ms;
    }
    if (e == NULL || (e->pull_start_ms == TIME_UNKNOWN && e->pull_end_ms == TIME_UNKNOWN))
        return;
    int64_t start_ms = e->pull_start_ms, end_ms = e->pull_end_ms;
    if (end_ms != TIME_UNKNOWN && e->pull_duration_ms >= 0) {
        start_ms = start_ms == TIME_UNKNOWN ? end_ms - e->pull_duration_ms : start_ms;
        end_ms = max_of(end_ms, start_ms + e->pull_duration_ms);
    }
    if (start_ms == TIME_UNKNOWN)
        return;
    if (occupancy->bound_ms != TIME_UNKNOWN)
        start_ms = max_of(start_ms, occupancy->bound_ms);
    if (occupancy->running_ms != TIME_UNKNOWN)
        end_ms = end_ms == TIME_UNKNOWN ? occupancy->running_ms : min_of(end_ms, occupancy->running_ms);
    occupancy->pull_start_ms = start_ms;
    occupancy->pull_end_ms = end_ms == TIME_UNKNOWN ? TIME_UNKNOWN : max_of(start_ms, end_ms);
}

static void add_restarts(const struct pod *p, struct sink *sink) {
    for (int i = 0; i < p->container_count; i++) {
        const struct container *c = &p->containers[i];
        if (!pod_is_training_container(p, i))
            continue;
        for (int k = 0; k < c->count; k++) {
            int64_t down_ms = instance_finished_ms(&c->instances[k]);
            bool is_last = k + 1 == c->count;
            if (down_ms == TIME_UNKNOWN || (is_last && !p->restarts_in_place))
                continue;
            if (is_last && (c->instances[k].exit_code == 0 || instance_was_signaled(p, &c->instances[k])))
                continue;
            int64_t up_ms =
                is_last || c->instances[k + 1].started_ms == TIME_UNKNOWN ? TIME_OPEN : c->instances[k + 1].started_ms;
            sink_restart(sink, p->id, down_ms, max_of(up_ms, down_ms));
            struct ledger_disruption d = {.key = p->id + (uint64_t)c->instances[k].restart_count + 1,
                                          .at_ms = down_ms,
                                          .slot = (uint32_t)p->slot};
            char message[STORE_MESSAGE_SIZE], exit_text[32];
            snprintf(exit_text, sizeof exit_text, "exit %d", c->instances[k].exit_code);
            snprintf(message, sizeof message, "container %s restarted in place after %s (%s)", c->name, exit_text,
                     c->instances[k].reason);
            bool is_oom = strcmp(c->instances[k].reason, "OOMKilled") == 0;
            struct cause_facts f = {.object = "Pod",
                                    .shows = "exit",
                                    .reason = is_oom ? "OOMKilled" : exit_text,
                                    .name = p->name,
                                    .message = message,
                                    .node = p->node ? p->node->name : "",
                                    .node_pool = p->node ? p->node->pool : ""};
            if (cause_fill(&f, &d))
                sink_disruption(sink, &d);
        }
    }
}

static void add_wait(const struct pod *p, const char *reason, const char *message, int64_t from_ms, int64_t to_ms,
                     enum basis basis, struct sink *sink) {
    struct cause_facts f = {
        .object = "Pod", .shows = "PodScheduled", .reason = reason, .name = p->name, .message = message};
    struct ledger_hold hold = {.key = p->id, .from_ms = from_ms, .to_ms = to_ms, .basis = basis};
    if (from_ms != TIME_UNKNOWN && cause_fill_hold(&f, &hold))
        sink_hold(sink, &hold);
}

static void add_waits(const struct pod *p, int64_t lost_ms, struct sink *sink) {
    int64_t until_ms = p->bound_ms != TIME_UNKNOWN ? p->bound_ms : lost_ms;
    int64_t lifted_ms = pod_trouble(p)->gated_to_ms == TIME_UNKNOWN ? TIME_OPEN : pod_trouble(p)->gated_to_ms;
    add_wait(p, "SchedulingGated", "", pod_trouble(p)->gated_from_ms, min_of(until_ms, lifted_ms), BASIS_DERIVED, sink);
    add_wait(p, "Unschedulable", pod_trouble(p)->unschedulable_message ? pod_trouble(p)->unschedulable_message : "",
             pod_trouble(p)->unschedulable_ms, until_ms, BASIS_OBSERVED, sink);
}

/* Its Job was suspended and deleted the pod: that does not count as a failure. */
static bool is_deleted_by_suspension(const struct pod *p) {
    bool is_off = false;
    for (int i = 0; i < p->job->suspended.count && p->job->suspended.items[i].at_ms <= p->deletion_ms; i++)
        is_off = p->job->suspended.items[i].is_true;
    return is_off && p->deletion_ms != TIME_UNKNOWN && fact_pod_failed_ms(p) >= p->deletion_ms;
}

/* Whether its Job may count it as failed. It does not while only the node is silent, nor for an index that the Job no
 * longer has. */
static bool may_be_counted(const struct pod *p) {
    bool is_over = p->is_deleted || p->deletion_ms != TIME_UNKNOWN || fact_pod_failed_ms(p) != TIME_OPEN;
    return is_over && fact_pod_done_ms(p) == TIME_UNKNOWN && !is_deleted_by_suspension(p) &&
           fact_pod_surplus_ms(p) == TIME_OPEN;
}

/* Deleted within the same second as its target: the target's deletion caused it. */
static bool ends_with_target(const struct pod *p, int64_t lost_ms) {
    const struct target *t = p->target;
    return t->end.outcome == OUTCOME_DELETED && t->end.at_ms != TIME_UNKNOWN && lost_ms == p->deletion_ms &&
           pod_trouble(p)->disruption_ms == TIME_UNKNOWN && lost_ms < t->end.at_ms &&
           lost_ms / 1000 == t->end.at_ms / 1000;
}

/* When the Job in which the index had completed was deleted, which requires the index again; TIME_OPEN: it was not. */
static int64_t undone_ms(const struct pod *p) {
    const struct target *t = p->target;
    if (t->kind == TARGET_JOB || p->job == NULL || p->job->deletion_ms == TIME_UNKNOWN)
        return TIME_OPEN;
    return t->end.at_ms == TIME_UNKNOWN || p->job->deletion_ms < t->end.at_ms ? p->job->deletion_ms : TIME_OPEN;
}

/* Name of the pod for evidence: its node, or the reason why it waits. */
static void name_occupancy(void *context, uint64_t id, char out[static LEDGER_NAME_SIZE]) {
    const struct model_job *job = context;
    const struct pod *p = map_get_hashed(&job->store->pods, id);
    char name[2 * LEDGER_NAME_SIZE];
    if (p == NULL)
        return;
    struct cause_facts f = {.object = "Pod",
                            .shows = "waiting",
                            .reason = p->waiting_reason,
                            .name = p->name,
                            .node = p->node ? p->node->name : ""};
    struct ledger_hold hold;
    if (cause_fill_hold(&f, &hold))
        slice_copy(name, sizeof name, slice_of(hold.evidence));
    else
        snprintf(name, sizeof name, "%.40s on %.60s", p->name, p->node ? p->node->name : "no node");
    slice_copy(out, LEDGER_NAME_SIZE, slice_of(name));
}

static void describe_loss(void *context, struct ledger_disruption *d) {
    const struct model_job *job = context;
    const struct pod *p = map_get_hashed(&job->store->pods, d->key);
    if (p != NULL && p->target->job == job)
        fact_pod_cause(p, d);
}

void fact_set_texts(struct model_job *job) {
    ledger_set_texts(job->ledger, &(struct ledger_texts){job, name_occupancy, describe_loss});
}

/* Until when the pod proves the state of its slot. A completed index stays complete without its pod while the target
 * exists. A lost pod may be replaced at once, although its object remains. */
static int64_t known_until_ms(const struct model_job *job, const struct pod *p, int64_t lost_ms) {
    const struct span *last =
        job->facts.unwatched.count > 0 ? &job->facts.unwatched.items[job->facts.unwatched.count - 1] : NULL;
    bool is_done = fact_pod_done_ms(p) != TIME_UNKNOWN;
    int64_t known_ms = is_done ? TIME_OPEN : min_of(store_known_until_ms(p), lost_ms);
    if (p->target->end.has_vanished && last && last->to_ms >= p->target->end.at_ms) /* the time of its end is unknown */
        known_ms = min_of(known_ms, last->from_ms);
    return known_ms;
}

/* Keeps the number of the Job's failed pods that are known one by one; the Job's own counter may be higher. */
static void count_lost(struct pod *p) {
    bool is_counted = p->job && may_be_counted(p);
    if (is_counted != p->is_counted)
        p->job->lost_pods += is_counted ? 1 : -1;
    p->is_counted = is_counted;
}

/* Replaces the cause of the pod's loss in the ledger, without texts: describe_loss derives them again. d: NULL if no
 * object shows a cause. */
static void update_loss(struct model_job *job, struct pod *p, const struct ledger_disruption *d) {
    struct ledger_disruption loss = {.key = p->id, .at_ms = TIME_UNKNOWN};
    if (p->loss_recorded > 0 && (d == NULL || p->loss_recorded != (uint8_t)d->cause + 1)) {
        loss.cause = (enum cause)(p->loss_recorded - 1);
        ledger_add_disruption(job->ledger, &loss); /* removes it */
    }
    p->loss_recorded = d ? (uint8_t)(d->cause + 1) : 0;
    if (d == NULL)
        return;
    loss = (struct ledger_disruption){
        .cause = d->cause, .key = p->id, .at_ms = d->at_ms, .slot = (uint32_t)p->slot, .opens = d->opens};
    ledger_add_disruption(job->ledger, &loss);
}

void fact_add_pod(struct model_job *job, struct pod *p) {
    job->jobs->pods_recorded++;
    struct sink sink = sink_begin(job->ledger, &p->pushed);
    int64_t slot = job_slot(job, p);
    p->slot = slot <= INT32_MAX ? (int)slot : -1;
    fact_add_ready(job, p);
    count_lost(p);
    bool is_explained = false;
    struct ledger_disruption d = {.key = p->id};
    if (slot >= 0) {
        int64_t over_ms = fact_pod_over_ms(p), surplus_ms = fact_pod_surplus_ms(p),
                lost_ms = min_of(fact_pod_lost_ms(p), surplus_ms);
        bool ends_with_it = ends_with_target(p, lost_ms);
        if (ends_with_it)
            lost_ms = p->target->end.at_ms;
        struct ledger_occupancy occupancy = {
            .id = p->id,
            .slot = (uint32_t)slot,
            /* of two created within a second, the lost one was first */
            .created_ms = p->created_ms - (lost_ms < p->created_ms + 1000),
            .bound_ms = p->bound_ms != TIME_UNKNOWN ? max_of(p->bound_ms, p->created_ms) : TIME_UNKNOWN,
            .pull_start_ms = TIME_UNKNOWN,
            .pull_end_ms = TIME_UNKNOWN,
            .running_ms = running_ms(p),
            .lost_ms = lost_ms,
            .ended_ms = over_ms,
            .done_ms = surplus_ms == TIME_OPEN ? fact_pod_done_ms(p) : TIME_UNKNOWN,
            .chips = p->chips,
            .released_ms = over_ms,
            .known_until_ms = ends_with_it ? lost_ms : known_until_ms(job, p, lost_ms),
            .settled_ms = p->settled_ms,
            .held = (enum ledger_held)p->held,
            .has_name = true};
        set_pull(p, &occupancy);
        bool is_done = occupancy.done_ms != TIME_UNKNOWN;
        if (is_done && undone_ms(p) != TIME_OPEN) {
            occupancy.lost_ms = max_of(undone_ms(p), occupancy.done_ms);
            occupancy.done_ms = TIME_UNKNOWN;
        }
        ledger_add_occupancy(job->ledger, &occupancy);
        add_restarts(p, &sink);
        add_waits(p, lost_ms, &sink);
        fact_add_silence(p, &sink);
        is_explained = (lost_ms != TIME_OPEN || p->has_vanished) && !is_done && fact_pod_cause(p, &d);
    }
    update_loss(job, p, is_explained ? &d : NULL);
    job_slots_note(&job->facts.slots, p, fact_is_pod_available(p));
    sink_end(&sink);
}
