/* Turns the histories of Workloads into holds and disruptions. Source: kueue workload_types.go. The order of an
 * eviction is Evicted=True, Jobs stopped, QuotaReserved=False and Admitted=False, ..., QuotaReserved=True with
 * Evicted=False, Admitted=True. Admitted thus stays True for a while after an eviction. */
#include "operator/facts/kueue.h"
#include "base/minmax.h"
#include "operator/facts/causes.h"
#include "operator/job/forbidden.h"
#include "operator/store/kinds.h"

#include <stdio.h>
#include <string.h>

/* Time of the next admission after an eviction; TIME_OPEN: not yet. A workload whose admission check failed was not
 * admitted when it was evicted. Any other was, and stays so for a while. */
static int64_t admitted_again_ms(const struct workload *w, int64_t evicted_ms) {
    int i = 0;
    while (i + 1 < w->admitted.count && w->admitted.items[i + 1].at_ms <= evicted_ms)
        i++;
    if (i < w->admitted.count && w->admitted.items[i].at_ms <= evicted_ms && !w->admitted.items[i].is_true)
        i++;
    while (i < w->admitted.count && w->admitted.items[i].is_true && w->admitted.items[i].at_ms <= evicted_ms)
        i++;
    while (i < w->admitted.count && !w->admitted.items[i].is_true)
        i++;
    return i < w->admitted.count ? w->admitted.items[i].at_ms : TIME_OPEN;
}

static int64_t workload_end_ms(const struct workload *w) {
    return w->finished_ms != TIME_UNKNOWN ? w->finished_ms : w->removed_ms != TIME_UNKNOWN ? w->removed_ms : TIME_OPEN;
}

static void hold(struct sink *sink, const struct cause_facts *facts, const char *uid, int64_t from_ms, int64_t to_ms) {
    struct ledger_hold h = {
        .key = sink_key(facts->shows, uid, from_ms), .from_ms = from_ms, .to_ms = to_ms, .basis = BASIS_OBSERVED};
    if (cause_fill_hold(facts, &h))
        sink_hold(sink, &h);
}

static void add_return(const struct workload *w, const struct transition *over, struct sink *sink) {
    struct cause_facts f = {
        .object = "Workload", .shows = "Evicted", .reason = over->reason, .name = w->name, .message = over->message};
    int64_t to_ms = workload_end_ms(w);
    for (int i = 0; i < w->admitted.count; i++)
        if (w->admitted.items[i].is_true && w->admitted.items[i].at_ms >= over->at_ms)
            to_ms = min_of(to_ms, w->admitted.items[i].at_ms);
    hold(sink, &f, w->uid, over->at_ms, to_ms);
}

static void add_evictions(const struct workload *w, struct sink *sink) {
    for (int i = 0; i < w->evicted.count; i++) {
        const struct transition *e = &w->evicted.items[i];
        if (!e->is_true) {
            if (i == 0) /* evicted before the watch started; not admitted again yet */
                add_return(w, e, sink);
            continue;
        }
        struct cause_facts f = {
            .object = "Workload", .shows = "Evicted", .reason = e->reason, .name = w->name, .message = e->message};
        struct ledger_disruption d = {.key = sink_key(f.shows, w->uid, e->at_ms), .at_ms = e->at_ms, .opens = true};
        if (!cause_fill(&f, &d))
            continue;
        sink_disruption(sink, &d);
        int64_t to_ms = admitted_again_ms(w, e->at_ms), end_ms = workload_end_ms(w);
        if (d.cause != CAUSE_USER_SUSPEND) /* add_inactivity reports that hold */
            hold(sink, &f, w->uid, e->at_ms, min_of(to_ms, end_ms));
    }
}

/* Time in which a person had deactivated the Workload. A deactivation by Kueue is part of its eviction. */
static void add_inactivity(const struct workload *w, struct sink *sink) {
    struct cause_facts f = {.object = "Workload", .shows = "spec.active", .name = w->name};
    for (int i = 0; i < w->active.count; i++) {
        const struct transition *off = &w->active.items[i];
        if (off->is_true || slice_contains(slice_of(off->reason), "DeactivatedDueTo"))
            continue;
        int64_t to_ms = i + 1 < w->active.count ? w->active.items[i + 1].at_ms : workload_end_ms(w);
        hold(sink, &f, w->uid, off->at_ms, to_ms);
    }
}

/* Time without quota: from the start, or from the loss of quota, until QuotaReserved=True. */
static void add_queue_waits(const struct workload *w, int64_t start_ms, struct sink *sink) {
    int64_t from_ms = start_ms;
    const char *message = "no quota yet";
    bool is_reserved = false;
    for (int i = 0; i <= w->reserved.count; i++) {
        const struct transition *r = i < w->reserved.count ? &w->reserved.items[i] : NULL;
        if (r && !r->is_true) {
            message = r->message ? r->message : r->reason;
            if (is_reserved)
                from_ms = r->at_ms;
            is_reserved = false;
            continue;
        }
        if (is_reserved || (r == NULL && w->reserved.count > 0 && history_is_true(&w->reserved)))
            continue;
        struct cause_facts f = {.object = "Workload", .shows = "QuotaReserved", .name = w->name, .message = message};
        hold(sink, &f, w->uid, from_ms, r ? r->at_ms : workload_end_ms(w));
        is_reserved = r != NULL;
    }
}

/* Time with quota while an admission check is pending: capacity is provisioned, or another check runs. */
static void add_check_waits(const struct workload *w, struct sink *sink) {
    char message[STORE_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%.60s: %.180s", w->check_name, w->check_message ? w->check_message : "pending");
    struct cause_facts f = {.object = "Workload",
                            .shows = "check",
                            .reason = w->awaits_provisioning ? "Provisioning" : "",
                            .name = w->name,
                            .message = message};
    for (int i = 0; i < w->reserved.count; i++) {
        const struct transition *r = &w->reserved.items[i];
        if (!r->is_true)
            continue;
        int64_t to_ms = i + 1 < w->reserved.count ? w->reserved.items[i + 1].at_ms : workload_end_ms(w);
        for (int k = 0; k < w->admitted.count; k++)
            if (w->admitted.items[k].is_true && w->admitted.items[k].at_ms >= r->at_ms) {
                to_ms = w->admitted.items[k].at_ms < to_ms ? w->admitted.items[k].at_ms : to_ms;
                break;
            }
        hold(sink, &f, w->uid, r->at_ms, to_ms);
    }
}

const struct workload *fact_unhealthy_by_kueue(const struct pod *p, int64_t from_ms, int64_t to_ms) {
    for (const struct workload *w = p->node ? p->target->workloads : NULL; w; w = w->next_in_target)
        for (int i = 0; i < w->unhealthy_count; i++)
            if (strcmp(w->unhealthy[i].name, p->node->name) == 0 && w->unhealthy[i].from_ms <= to_ms &&
                w->unhealthy[i].to_ms >= from_ms)
                return w;
    return NULL;
}

/* The hold of a target whose Workload is unknown: it does not exist yet, or RBAC forbids reading it. In the second case
 * the target is in its queue while it is suspended. */
static void add_unknown_workload(const struct model_job *job, struct sink *sink) {
    const struct target *t = job->target;
    char name[300];
    snprintf(name, sizeof name, "%s %.253s", kind_name(t->kind), t->name);
    struct cause_facts f = {.object = "Workload", .shows = "missing", .reason = t->spec.queue, .name = name};
    if (job_forbidden(job, RESOURCE_WORKLOAD) == NULL) {
        hold(sink, &f, t->uid, t->created_ms, TIME_OPEN);
        return;
    }
    f.shows = "forbidden";
    for (int i = 0; i < t->suspended.count; i++) {
        const struct transition *s = &t->suspended.items[i];
        struct ledger_hold h = {.key = sink_key(f.shows, t->uid, s->at_ms),
                                .from_ms = s->at_ms,
                                .to_ms = i + 1 < t->suspended.count ? t->suspended.items[i + 1].at_ms : TIME_OPEN,
                                .basis = BASIS_ASSUMED};
        if (s->is_true && cause_fill_hold(&f, &h))
            sink_hold(sink, &h);
    }
}

void fact_add_workloads(struct model_job *job, struct sink *sink) {
    const struct target *t = job->target;
    const struct workload *first = NULL;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target)
        if (first == NULL || w->created_ms < first->created_ms ||
            (w->created_ms == first->created_ms && strcmp(w->uid, first->uid) < 0))
            first = w;
    for (const struct workload *w = t->workloads; w; w = w->next_in_target) {
        if (w->name == NULL)
            continue;
        add_evictions(w, sink);
        add_inactivity(w, sink);
        add_queue_waits(w, w == first ? t->created_ms : w->created_ms, sink);
        add_check_waits(w, sink);
    }
    if (first == NULL && t->spec.queue[0])
        add_unknown_workload(job, sink);
}
