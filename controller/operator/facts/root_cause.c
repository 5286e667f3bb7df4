/* Which of a job's incidents ended which execution, and what the last words and the nodes say of it. */
#include "operator/facts/root_cause.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/lost_pod.h"
#include "operator/job/followed_words.h"
#include "operator/job/last_words.h"
#include "operator/job/log_pods.h"
#include "operator/store/failures.h"
#include "operator/store/node.h"

#include <stdio.h>
#include <string.h>

/* An interruption that moved further than this is another one, which has its number. */
#define SAME_MS INCIDENT_MS
/* Failures of the same incident and signals of nodes come in until then. */
#define OPEN_MS (INCIDENT_MS + 5000)
#define MAX_FOLLOWED 4 /* logs of a job, for one of its ends */
/* Within that time what a log that ended shows is used. */
#define KEPT_MS (5 * INCIDENT_MS)

struct end { /* of an execution */
    int number;
    int64_t from_ms, at_ms, until_ms; /* it and its successor: until all slots are available again */
    bool is_of_job;                   /* the job failed with it */
    bool is_open;                     /* no object says who ended it */
    const char *words, *node;         /* of an eviction: what the object says, and of which node; NULL */
    int64_t evicted_ms;
};

/* Kueue, the scheduler or a person ended it: whatever failed then is a consequence. */
static bool is_explained(enum cause cause) {
    return cause == CAUSE_KUEUE_PREEMPTION || cause == CAUSE_KUEUE_EVICTION || cause == CAUSE_USER_SUSPEND ||
           cause == CAUSE_SCHEDULER_PREEMPTION;
}

/* ---- the last words ---- */

/* What started after the end is of a later execution. */
static bool is_of_end(const struct incident *i, const struct end *end) {
    if (i->started_ms / STORE_SECOND_MS > end->at_ms / STORE_SECOND_MS || i->first_ms > end->until_ms)
        return false;
    return end->is_of_job ? i->first_ms >= end->from_ms : end->at_ms <= i->first_ms + 2 * INCIDENT_MS;
}

static struct incident *incident_of(struct target *t, const struct end *end, unsigned *taken) {
    int found = -1;
    for (int i = 0; i < t->incident_count; i++) {
        if ((*taken & 1u << i) != 0 || !is_of_end(&t->incidents[i], end) || (found >= 0 && !end->is_of_job))
            continue;
        found = i;
    }
    if (found < 0)
        return NULL;
    *taken |= 1u << found;
    return &t->incidents[found];
}

static bool is_late(const struct incident *i, int64_t through_ms) {
    return through_ms > i->noted_ms + OPEN_MS;
}

static void take_slot(struct root_cause *c, const struct failure *f) {
    c->replicated_job = f->replicated_job;
    c->container = f->container;
    c->node = f->node;
    c->job_index = f->job_index;
    c->completion_index = f->completion_index;
}

static void take_pod(struct root_cause *c, const struct pod *p) {
    c->replicated_job = p->replicated_job;
    c->container = "";
    c->node = p->node != NULL ? p->node->name : "";
    c->job_index = p->job_index;
    c->completion_index = p->completion_index >= 0 ? p->completion_index : p->slot_index;
}

static void take_followed_slot(struct root_cause *c, const struct model_job *job, const struct pod *p) {
    take_pod(c, p);
    c->container = job_log_container(job, p);
}

static void take_finding(struct root_cause *c, const struct rootcause_verdict *v) {
    const struct finding *f = &v->finding;
    c->class_ = f->class_;
    c->owner = v->is_symptom_only ? OWNER_UNKNOWN : f->owner;
    memcpy(c->reason, f->reason, sizeof c->reason);
    memcpy(c->text, f->text, sizeof c->text);
    memcpy(c->frame, f->frame, sizeof c->frame);
    memcpy(c->waits_for, v->waits_for, sizeof c->waits_for);
    c->line_ms = f->at_ns == INT64_MIN ? TIME_UNKNOWN : f->at_ns / 1000000;
    c->followers = (int64_t)v->followers;
    c->is_observed = strncmp(v->basis, "Observed", strlen("Observed")) == 0;
    c->is_symptom_only = v->is_symptom_only;
}

static bool is_of_process(const struct model_job *job, const struct incident *incident, const struct log_process *p,
                          enum words *words) {
    for (int k = 0; incident != NULL && k < incident->count; k++)
        if (followed_process_of(job, incident->failures[k]) == p) {
            *words = (enum words)incident->failures[k]->words;
            return true;
        }
    return false;
}

/* The followed log of a container that failed, unless its end was read; of another one what it showed at that time. */
static bool is_heard_with(const struct model_job *job, const struct incident *incident, struct log_process *p,
                          int64_t at_ms) {
    enum words words = WORDS_UNASKED;
    const struct rootcause_log *log = p->pod != NULL ? followed_words_now(p) : NULL;
    const struct finding *best = log != NULL ? rootcause_log_best(log) : NULL;
    if (best == NULL || is_of_process(job, incident, p, &words))
        return best != NULL && words != WORDS_READ;
    int64_t best_ms = best->at_ns / 1000000;
    return best_ms >= at_ms - INCIDENT_MS && best_ms <= at_ms + INCIDENT_MS;
}

struct heard { /* the logs that show why an execution ended; those of failures come first */
    struct rootcause_log *logs[INCIDENT_FAILURES + MAX_FOLLOWED];
    const struct log_process *followed[MAX_FOLLOWED];
    int failures, count;
};

/* incident: NULL: no container was observed to fail then. */
static void listen(struct model_job *job, const struct incident *incident, int64_t at_ms, struct heard *h) {
    *h = (struct heard){.count = 0};
    for (int k = 0; incident != NULL && k < incident->count; k++) {
        job_hear_status(job->jobs, incident->failures[k]);
        h->logs[h->count++] = incident->failures[k]->log;
    }
    h->failures = h->count;
    for (int i = job->log.process_count - 1; i >= 0 && h->count < h->failures + MAX_FOLLOWED; i--) {
        struct log_process *p = job->log.processes[i];
        if (!is_heard_with(job, incident, p, at_ms))
            continue;
        h->followed[h->count - h->failures] = p;
        h->logs[h->count++] = followed_words_now(p);
    }
}

static void take_slot_of_log(const struct model_job *job, const struct incident *incident, const struct heard *h,
                             int log, struct root_cause *c) {
    if (log < h->failures)
        take_slot(c, incident->failures[log]);
    else
        take_followed_slot(c, job, h->followed[log - h->failures]->pod);
}

/* As `explain` writes a slot. */
static void name_waited_for(const struct model_job *job, const struct incident *incident, const struct heard *h,
                            int log, struct root_cause *c) {
    struct root_cause other;
    take_slot_of_log(job, incident, h, log, &other);
    snprintf(c->waits_for, sizeof c->waits_for, "%s %lld/%lld", other.replicated_job, (long long)other.job_index,
             (long long)other.completion_index);
}

static void take_verdict(const struct model_job *job, const struct incident *incident, const struct heard *h,
                         struct root_cause *c) {
    struct rootcause_verdict v;
    rootcause_verdict(&v, job->jobs->matcher, h->logs, (size_t)h->count,
                      incident != NULL ? incident->failures[0]->exit_code : VERDICT_NO_EXIT_CODE);
    take_finding(c, &v);
    take_slot_of_log(job, incident, h, (int)max_of(v.log, 0), c);
    if (v.waits_for_log != VERDICT_NO_LOG)
        name_waited_for(job, incident, h, v.waits_for_log, c);
}

static bool is_unread(const struct model_job *job, const struct failure *f) {
    const struct log_process *p = f->words != WORDS_READ ? followed_process_of(job, f) : NULL;
    return f->words != WORDS_READ && (p == NULL || !followed_is_whole(p));
}

/* True if logs or messages were read for it. */
static bool judge(struct model_job *job, const struct incident *incident, struct root_cause *c) {
    struct heard h;
    bool is_read = false;
    if (incident->decided != NULL) {
        *c = *incident->decided;
        return true;
    }
    listen(job, incident, incident->first_ms, &h);
    take_verdict(job, incident, &h, c);
    for (int k = 0; k < incident->count; k++) {
        c->unread += is_unread(job, incident->failures[k]);
        is_read |= incident->failures[k]->words == WORDS_READ || incident->failures[k]->message != NULL;
    }
    return is_read || h.count > h.failures;
}

static const struct root_cause no_cause = {.replicated_job = "",
                                           .container = "",
                                           .node = "",
                                           .job_index = -1,
                                           .completion_index = -1,
                                           .line_ms = TIME_UNKNOWN};

/* Keeps what was decided by what is dropped; exit codes and reasons stay. */
static void drop_words(struct model_job *job, struct incident *incident) {
    struct root_cause c = no_cause;
    if (incident->decided == NULL && judge(job, incident, &c)) {
        incident->decided = mem_new(struct root_cause);
        *incident->decided = c;
    }
    for (int k = 0; k < incident->count; k++)
        failure_drop_words(incident->failures[k]);
}

/* No container was observed to fail, but a log that is followed shows a cause just then. */
static bool judge_followed(struct model_job *job, const struct end *end, struct root_cause *c) {
    struct heard h;
    listen(job, NULL, end->at_ms, &h);
    for (int i = 0; i < h.count; i++) {
        const struct finding *best = rootcause_log_best(h.logs[i]);
        if (best->role != ROLE_PRIMARY || finding_is_stop(best))
            return false;
    }
    if (h.count > 0)
        take_verdict(job, NULL, &h, c);
    return h.count > 0;
}

/* ---- the signals of nodes ---- */

static const struct node_evidence *signal_of(const struct model_job *job, int number) {
    for (int i = 0; i < job->evidence.count; i++) {
        const struct interruption_evidence *e = &job->evidence.items[i];
        if (e->number == number && e->count > 0 && e->items[0].role == EVIDENCE_CAUSE)
            return &e->items[0];
    }
    return NULL;
}

/* What a node showed before the loss is stronger than what its own containers print, and than what names no cause. */
static bool decides(const struct node_evidence *e, const struct root_cause *c) {
    bool is_open = c->class_ == CLASS_UNKNOWN || c->is_symptom_only;
    return is_open || (e->class_ != CLASS_UNKNOWN && strcmp(c->node, e->node) == 0);
}

static void take_signal(struct root_cause *c, const struct node_evidence *e) {
    if (strcmp(c->node, e->node) != 0)
        c->replicated_job = "", c->job_index = c->completion_index = -1;
    c->class_ = e->class_;
    c->owner = e->owner;
    c->node = e->node;
    c->container = "";
    c->line_ms = e->at_ms;
    c->is_observed = true;
    c->is_symptom_only = false;
    c->frame[0] = c->waits_for[0] = '\0';
    slice_copy(c->reason, sizeof c->reason, slice_of(e->signal));
    quote_line(c->text, slice_of(e->message), 0);
}

/* ---- both ---- */

/* Where an object says who ended it, only what the log showed before that says more: what comes later follows from it,
 * and neither class Unknown, nor a symptom, nor the exit code of SIGTERM is news. */
static bool is_news(const struct root_cause *c, const struct end *end) {
    bool is_stop = c->class_ == CLASS_PREEMPTION && c->text[0] == '\0';
    return end->is_open || (c->class_ != CLASS_UNKNOWN && !c->is_symptom_only && !is_stop &&
                            (c->line_ms == TIME_UNKNOWN || c->line_ms < end->at_ms + STORE_SECOND_MS));
}

/* What the kubelet evicted the pod for; NULL: it does not say, or somebody else evicted it. */
static const struct signature *reason_to_evict(const struct model_job *job, const char *words) {
    const struct signature *row = words != NULL ? matcher_find(jobs_matcher(job->jobs), slice_of(words), NULL) : NULL;
    return row != NULL && slice_is(row->reason, "Evicted") ? row : NULL;
}

/* The pod whose name its evidence starts with (causes.c); NULL: it is forgotten. */
static const struct pod *evicted_pod(const struct target *t, struct slice words) {
    struct slice name;
    if (!slice_take_prefix(&words, "Pod ") || !slice_take_until(&words, ':', &name))
        return NULL;
    for (size_t i = 0; i < t->pods.count; i++)
        if (slice_is(name, t->pods.items[i]->name))
            return t->pods.items[i];
    return NULL;
}

/* The first failing slot is that of the pod that was evicted, whatever failed after it. */
static void take_eviction(struct root_cause *c, const struct signature *row, const struct target *t,
                          const struct end *end) {
    const struct pod *p = evicted_pod(t, slice_of(end->words));
    c->replicated_job = c->container = "", c->job_index = c->completion_index = -1;
    if (p != NULL)
        take_pod(c, p);
    c->node = end->node;
    c->class_ = row->class_;
    c->owner = row->owner;
    c->line_ms = end->evicted_ms;
    c->is_observed = true;
    c->is_symptom_only = false;
    c->frame[0] = c->waits_for[0] = '\0';
    slice_copy(c->reason, sizeof c->reason, row->reason);
    quote_line(c->text, slice_of(end->words), 0);
}

static bool is_eviction(const struct root_cause *c, const struct signature *row) {
    return c != NULL && slice_is(row->reason, c->reason);
}

static void update(struct model_job *job, const struct end *end, int64_t through_ms, unsigned *taken) {
    struct root_cause *known = root_cause_of(&job->root_causes, end->number);
    struct incident *incident = incident_of(job->target, end, taken);
    const struct node_evidence *signal = signal_of(job, end->number);
    const struct signature *eviction = reason_to_evict(job, end->words);
    if (known != NULL && (known->at_ms > end->at_ms + SAME_MS || known->at_ms < end->at_ms - SAME_MS)) {
        root_cause_remove(&job->root_causes, end->number);
        known = NULL;
    }
    bool is_heard = incident != NULL && (is_late(incident, through_ms) || !job_words_are_pending(job, incident));
    struct root_cause c = no_cause;
    bool is_followed = incident == NULL && known == NULL && judge_followed(job, end, &c);
    if (!is_heard && !is_followed && known == NULL && signal == NULL && eviction == NULL)
        return;
    if (is_heard)
        judge(job, incident, &c);
    else if (known != NULL)
        c = *known;
    if (eviction != NULL && !is_news(&c, end)) {
        if (is_eviction(known, eviction))
            c = *known;
        else
            take_eviction(&c, eviction, job->target, end);
    }
    if (signal == NULL && !is_news(&c, end)) {
        root_cause_remove(&job->root_causes, end->number);
        return;
    }
    if (signal != NULL && decides(signal, &c) && strcmp(c.reason, signal->signal) != 0)
        take_signal(&c, signal);
    c.number = end->number;
    c.at_ms = end->at_ms;
    c.noticed = known != NULL ? known->noticed : 0;
    c.ends_job = end->is_of_job;
    root_cause_set(&job->root_causes, &c);
}

static void forget_words(struct model_job *job, int64_t through_ms) {
    for (int i = 0; i < job->target->incident_count; i++)
        if (is_late(&job->target->incidents[i], through_ms))
            drop_words(job, &job->target->incidents[i]);
    for (int i = 0; i < job->log.process_count; i++)
        if (job->log.processes[i]->has_ended && through_ms > job->log.processes[i]->last_line_ms + KEPT_MS)
            followed_words_drop(job->log.processes[i]);
}

/* A program ended by itself, or no object says what ended it. A deleted pod was deleted by somebody. */
static bool is_open(enum cause cause) {
    return cause == CAUSE_APPLICATION_ERROR || cause == CAUSE_OUT_OF_MEMORY || cause == CAUSE_TRAINER_RESTART ||
           cause == CAUSE_HANG || cause == CAUSE_UNKNOWN;
}

static void take_words(struct model_job *job, const char *words, const char *node, int64_t evicted_ms,
                       struct end *end) {
    end->words = words;
    end->node = store_intern(job->store, slice_of(node));
    end->evicted_ms = evicted_ms;
}

/* Of a job that failed with it: no interruption has that eviction. ret: the first one by the kubelet since all of its
 * pods were there; those before it were replaced. */
static bool find_eviction(const struct model_job *job, const struct ledger_execution *e,
                          struct ledger_disruption *ret) {
    const struct target_pods *pods = &job->target->pods;
    if (e->available_ms == TIME_UNKNOWN)
        return false;
    for (size_t i = 0; i < pods->count; i++) {
        struct ledger_disruption d = {.at_ms = TIME_UNKNOWN};
        if (fact_pod_cause(pods->items[i], &d) && d.cause == CAUSE_EVICTION && d.at_ms >= e->available_ms &&
            d.at_ms <= e->end_ms && d.at_ms < ret->at_ms && reason_to_evict(job, d.evidence) != NULL)
            *ret = d;
    }
    return ret->at_ms != TIME_OPEN;
}

void job_update_root_causes(struct model_job *job, const struct ledger_result *result) {
    int count = result->interruption_count, last = result->execution_count - 1;
    int64_t through_ms = result->observed_through_ms;
    unsigned taken = 0;
    for (int k = count > JOB_MAX_ROOT_CAUSES ? count - JOB_MAX_ROOT_CAUSES : 0; k < count; k++) {
        const struct ledger_interruption *i = &result->interruptions[k];
        struct end end = {
            .number = i->number, .at_ms = i->at_ms, .until_ms = i->until_ms, .is_open = is_open(i->cause)};
        if (i->cause == CAUSE_EVICTION)
            take_words(job, i->evidence, i->node, i->at_ms, &end);
        if (is_explained(i->cause))
            root_cause_remove(&job->root_causes, i->number);
        else
            update(job, &end, through_ms, &taken);
    }
    if (last >= count && job->target->end.outcome == OUTCOME_FAILED && result->executions[last].end_ms != TIME_OPEN) {
        const struct ledger_execution *e = &result->executions[last];
        struct ledger_disruption evicted = {.at_ms = TIME_OPEN};
        struct end end = {.number = e->number,
                          .from_ms = e->start_ms,
                          .at_ms = e->end_ms,
                          .until_ms = TIME_OPEN,
                          .is_of_job = true,
                          .is_open = !find_eviction(job, e, &evicted)};
        if (!end.is_open)
            take_words(job, evicted.evidence, evicted.node, evicted.at_ms, &end);
        update(job, &end, through_ms, &taken);
    }
    /* What looked like its end was none: it continues. */
    if (last >= 0 && result->executions[last].end_ms == TIME_OPEN)
        root_cause_remove(&job->root_causes, result->executions[last].number);
    forget_words(job, through_ms);
}
