#include "operator/facts/facts.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/causes.h"
#include "operator/facts/counted.h"
#include "operator/facts/kueue.h"
#include "operator/facts/loss.h"
#include "operator/facts/owner.h"
#include "operator/facts/places.h"
#include "operator/facts/pod.h"
#include "operator/facts/ready.h"
#include "operator/facts/refusal.h"
#include "operator/facts/sink.h"
#include "operator/facts/unwatched.h"
#include "operator/job/log_pods.h"
#include "operator/job/logs.h"
#include "operator/job/required.h"
#include "operator/store/node_chips.h"

#include <stdio.h>
#include <string.h>

#define MAX_ATTEMPTS 16 /* newest attempts whose waits are reported */

/* A whole-second stamp means [t, t + 1 s): a process that logged within that second ended before the target. */
int64_t job_end_ms(const struct model_job *job) {
    const struct target *t = job->target;
    if (t == NULL || t->end.at_ms == TIME_UNKNOWN)
        return TIME_OPEN;
    int64_t end_ms = t->end.at_ms;
    for (int i = 0; i < job->log.process_count; i++) {
        const struct log_process *p = job->log.processes[i];
        if (p->last_line_ms > end_ms && p->last_line_ms < t->end.at_ms + 1000)
            end_ms = p->last_line_ms;
    }
    return end_ms;
}

/* ---- the target itself ---- */

static void set_sizes(struct model_job *job) {
    const struct target *t = job->target;
    for (int i = 0; i < t->spec.job_count; i++)
        for (int s = 0; s < t->spec.jobs[i].size_count; s++) {
            int64_t at_ms = t->spec.jobs[i].sizes[s].at_ms, slots = 0, chips = 0;
            for (int k = 0; k < t->spec.job_count; k++) {
                int64_t n = job_requires(job, k) ? job_pods_at(&t->spec.jobs[k], at_ms) : 0;
                slots += n;
                chips += n * t->spec.jobs[k].chips;
            }
            ledger_set_required(job->ledger, at_ms, slots);
            ledger_set_required_chips(job->ledger, at_ms, chips);
        }
}

static void add_suspensions(struct model_job *job, struct sink *sink) {
    const struct target *t = job->target;
    const char *kind = kind_name(t->kind);
    for (int i = 0; i < t->suspended.count; i++) {
        const struct transition *s = &t->suspended.items[i];
        if (!s->is_true || target_is_queued_by_kueue(t))
            continue;
        struct cause_facts f = {.object = kind, .shows = "Suspended", .name = t->name};
        struct ledger_hold hold = {.key = (uint64_t)s->at_ms,
                                   .from_ms = s->at_ms,
                                   .to_ms = i + 1 < t->suspended.count ? t->suspended.items[i + 1].at_ms : TIME_OPEN,
                                   .basis = s->is_derived ? BASIS_DERIVED : BASIS_OBSERVED};
        if (cause_fill_hold(&f, &hold))
            sink_hold(sink, &hold);
        struct ledger_disruption d = {.key = (uint64_t)s->at_ms, .at_ms = s->at_ms, .opens = true};
        if (s->at_ms > t->created_ms && cause_fill(&f, &d))
            sink_disruption(sink, &d);
    }
}

static void add_restarts(const struct model_job *job, struct sink *sink) {
    const struct target *t = job->target;
    for (int i = 0; i < t->restarts.item_count; i++) {
        const struct restart *r = &t->restarts.items[i];
        char reason[64];
        if (!fact_is_restart_known(job, r)) /* only counted */
            continue;
        snprintf(reason, sizeof reason, "%s %lld", r->what, (long long)r->number);
        struct cause_facts f = {.object = kind_name(t->kind),
                                .shows = "restarts",
                                .reason = reason,
                                .name = t->name,
                                .message = r->message};
        struct ledger_disruption d = {.key = sink_key("restarts", r->what, r->number),
                                      .at_ms = fact_restarted_ms(job, r),
                                      .opens = fact_is_restart_watched(job, r)};
        if (cause_fill(&f, &d))
            sink_disruption(sink, &d);
    }
}

/* One attempt of the whole JobSet, as one replicated job sees it. TIME_OPEN: not yet. */
struct attempt {
    int64_t started_ms; /* creation of the first Job of the attempt */
    int64_t made_ms;    /* creation of this replicated job's first Job */
    int64_t cleared_ms; /* deletion of this replicated job's last Job of earlier attempts */
};

static struct attempt attempt_of(const struct target *t, const char *replicated_job, int64_t number) {
    struct attempt a = {TIME_OPEN, TIME_OPEN, TIME_UNKNOWN};
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target) {
        bool is_mine = strcmp(j->replicated_job, replicated_job) == 0;
        if (j->created_ms == TIME_UNKNOWN)
            continue;
        if (max_of(j->attempt, 0) == number) {
            a.started_ms = min_of(a.started_ms, j->created_ms);
            if (is_mine)
                a.made_ms = min_of(a.made_ms, j->created_ms);
        } else if (is_mine && j->attempt < number) {
            a.cleared_ms = max_of(a.cleared_ms, j->removed_ms == TIME_UNKNOWN ? TIME_OPEN : j->removed_ms);
        }
    }
    return a;
}

static struct cause_facts held_by(const struct target *t, const struct replicated_job *r) {
    const char *shows = r->has_dependency ? "dependsOn" : "startupPolicy";
    return (struct cause_facts){.object = "JobSet", .shows = shows, .reason = r->name, .name = t->name};
}

/* End of the Job's suspension, at or after from_ms; TIME_OPEN: it is still suspended. The JobSet's own condition does
 * not answer that: with a startup policy it changes only when all Jobs have started. */
static int64_t resumed_ms(const struct kube_job *j, int64_t from_ms) {
    int64_t at_ms = TIME_OPEN;
    for (int k = 0; k < j->suspended.count; k++) {
        const struct transition *s = &j->suspended.items[k];
        if (s->at_ms < from_ms)
            at_ms = s->is_true ? TIME_OPEN : from_ms;
        else if (!s->is_true)
            return min_of(at_ms, s->at_ms);
    }
    return at_ms;
}

/* Jobs that already exist, suspended, also wait for the dependency before they are resumed (jobset
 * resumeJobsIfNecessary). */
static void add_resumption(const struct target *t, const struct replicated_job *r, struct sink *sink) {
    for (int i = 0; i < t->suspended.count; i++) {
        const struct transition *on = &t->suspended.items[i];
        int64_t until_ms = i + 1 < t->suspended.count ? t->suspended.items[i + 1].at_ms : TIME_OPEN;
        bool has_jobs = false;
        for (const struct kube_job *j = t->kube_jobs; j && !on->is_true; j = j->next_in_target) {
            if (strcmp(j->replicated_job, r->name) != 0 || j->created_ms == TIME_UNKNOWN || j->created_ms > on->at_ms)
                continue;
            if (j->deletion_ms != TIME_UNKNOWN && j->deletion_ms <= on->at_ms)
                continue;
            has_jobs = true;
            if (j->deletion_ms != TIME_UNKNOWN) /* add_dependency reports the next attempt's wait */
                until_ms = min_of(until_ms, j->deletion_ms);
            until_ms = min_of(until_ms, resumed_ms(j, on->at_ms));
        }
        struct cause_facts f = held_by(t, r);
        struct ledger_hold hold = {.key = sink_key("resumed", r->name, on->at_ms),
                                   .from_ms = on->at_ms,
                                   .to_ms = until_ms,
                                   .basis = BASIS_OBSERVED};
        if (has_jobs && cause_fill_hold(&f, &hold))
            sink_hold(sink, &hold);
    }
}

/* In each attempt, the Jobs of a replicated job are created when its dependency is met. */
static void add_dependency(const struct target *t, const struct replicated_job *r, struct sink *sink) {
    int64_t last = 0;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target)
        last = max_of(last, j->attempt);
    for (int64_t n = max_of(0, last - MAX_ATTEMPTS); n <= last; n++) {
        struct attempt a = attempt_of(t, r->name, n);
        if (a.started_ms == TIME_OPEN && n < last) /* the attempt is unknown */
            continue;
        for (int i = 0; i < t->restarts.item_count; i++) /* the next attempt ends the wait */
            if (t->restarts.items[i].number == n + 1 && strcmp(t->restarts.items[i].what, "restarts") == 0)
                a.made_ms = min_of(a.made_ms, t->restarts.items[i].at_ms);
        struct cause_facts f = held_by(t, r);
        struct ledger_hold hold = {.key = sink_key(f.shows, r->name, n),
                                   .from_ms = n == 0 ? t->created_ms : max_of(a.started_ms, a.cleared_ms),
                                   .to_ms = a.made_ms,
                                   .basis = BASIS_OBSERVED};
        if (cause_fill_hold(&f, &hold))
            sink_hold_pieces(&t->suspended, hold, sink);
    }
}

/* Uses the Jobs' times: the condition StartupPolicyInProgress says less, as any replicated job that is not ready makes
 * it True. */
static void add_dependencies(struct model_job *job, struct sink *sink) {
    const struct target *t = job->target;
    for (int i = 0; i < t->spec.job_count; i++) {
        bool is_behind = t->spec.is_started_in_order && i > 0;
        if (!job_requires(job, i) || !(t->spec.jobs[i].has_dependency || is_behind))
            continue;
        add_dependency(t, &t->spec.jobs[i], sink);
        add_resumption(t, &t->spec.jobs[i], sink);
    }
}

/* Restarts of the trainer within its container, which no Kubernetes object shows. */
static void add_trainer_restarts(const struct log_process *p, struct sink *sink) {
    for (int i = 0; i < p->earlier; i++) {
        const struct log_run *x = &p->runs[i];
        char message[STORE_MESSAGE_SIZE];
        snprintf(message, sizeof message, "log line %lld: the trainer was restarted in its container, after step %lld",
                 (long long)x->line, (long long)x->last_step);
        const struct node *n = p->pod->node;
        struct cause_facts f = {.object = "Pod",
                                .shows = "log",
                                .reason = "TrainerRestarted",
                                .name = p->pod->name,
                                .message = message,
                                .node = n ? n->name : "",
                                .node_pool = n && n->pool ? n->pool : ""};
        struct ledger_disruption d = {
            .key = hash_stable(sink_key("log", pod_uid(p->pod), p->restart_count), HASH_BYTES(&x->line)),
            .at_ms = x->ended_ms};
        if (cause_fill(&f, &d))
            sink_disruption(sink, &d);
    }
}

/* Holds and disruptions of the target itself and its Workloads. */
static void add_target(struct model_job *job) {
    struct target *t = job->target;
    struct sink sink = sink_begin(job->ledger, &job->facts.pushed);
    ledger_set_span(job->ledger, t->created_ms, job_end_ms(job),
                    t->end.at_ms == TIME_UNKNOWN ? OUTCOME_RUNNING : t->end.outcome);
    set_sizes(job);
    add_suspensions(job, &sink);
    add_restarts(job, &sink);
    add_dependencies(job, &sink);
    fact_add_workloads(job, &sink);
    fact_add_refusals(job, &sink);
    for (int i = 0; i < job->log.process_count; i++)
        add_trainer_restarts(job->log.processes[i], &sink);
    free(job->facts.hold);
    job->facts.hold = NULL;
    if (sink.now.kind < BUCKET_COUNT) {
        job->facts.hold = mem_new(struct ledger_hold);
        *job->facts.hold = sink.now;
    }
    job->facts.hold_end_ms = sink.over_ms;
    sink_end(&sink);
}

static bool is_required(const struct model_job *job, const char *replicated_job) {
    for (int i = 0; i < job->target->spec.job_count; i++)
        if (strcmp(job->target->spec.jobs[i].name, replicated_job) == 0)
            return job_requires(job, i);
    return false;
}

/* Sums of the target's pods that the store has forgotten. */
static void add_past(struct model_job *job) {
    for (int i = 0; i < job->target->past.count; i++) {
        struct past *past = &job->target->past.items[i];
        bool is_needed = is_required(job, past->replicated_job);
        for (size_t k = 0; k < past->count && is_needed && !past->is_in_ledger; k++)
            ledger_add_past(job->ledger, &past->items[k].all);
        past->is_in_ledger |= is_needed; /* a spec that requires other jobs starts a new ledger */
        if (past->is_in_ready_line != is_needed)
            fact_add_past_ready(job, past, is_needed ? 1 : -1);
        past->is_in_ready_line = is_needed;
    }
}

void job_update_facts(struct model_job *job) {
    struct target *t = job->target;
    if (t == NULL || !t->is_seen)
        return;
    store_count_node_chips(job->store, t);
    fact_set_texts(job);
    fact_set_owners(job);
    fact_place_pods(job);
    job_find_log_pods(job);
    job_add_processes(job);
    fact_set_unwatched(job);
    add_target(job);
    add_past(job);
    if (job->facts.shape_version != t->pods.shape_version)
        job->facts.needs_all_pods = true;
    job->facts.shape_version = t->pods.shape_version;
    if (job->facts.needs_all_pods)
        job_slots_clear(&job->facts.slots); /* slots may have other numbers now */
    if (job->facts.needs_all_pods)
        for (size_t i = 0; i < t->pods.count; i++)
            fact_add_pod(job, t->pods.items[i]);
    for (struct pod *p = t->pods.dirty, *next; p; p = next) {
        next = p->next_dirty;
        p->is_dirty = false;
        p->next_dirty = NULL;
        if (!job->facts.needs_all_pods)
            fact_add_pod(job, p);
    }
    t->pods.dirty = NULL;
    job->facts.needs_all_pods = false;
    fact_count(job);
}
