/* Which of a job's incidents ended which execution, and what the last words and the nodes say of it. */
#include "operator/facts/root_cause.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/job/last_words.h"
#include "operator/store/failures.h"

#include <string.h>

/* An interruption that moved further than this is another one, which has its number. */
#define SAME_MS INCIDENT_MS
/* Failures of the same incident and signals of nodes come in until then. */
#define OPEN_MS (INCIDENT_MS + 5000)

struct end { /* of an execution */
    int number;
    int64_t from_ms, at_ms, until_ms; /* it and its successor: until all slots are available again */
    bool is_of_job;                   /* the job failed with it */
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

static void listen(struct model_job *job, const struct incident *incident, struct rootcause_verdict *ret) {
    struct rootcause_log *logs[INCIDENT_FAILURES];
    for (int k = 0; k < incident->count; k++) {
        job_hear_status(job->jobs, incident->failures[k]);
        logs[k] = incident->failures[k]->log;
    }
    rootcause_verdict(ret, job->jobs->matcher, logs, (size_t)incident->count, incident->failures[0]->exit_code);
}

static void judge(struct model_job *job, const struct incident *incident, struct root_cause *c) {
    struct rootcause_verdict verdict;
    if (incident->verdict == NULL)
        listen(job, incident, &verdict);
    else
        verdict = *incident->verdict;
    for (int k = 0; k < incident->count; k++)
        c->unread += incident->failures[k]->words != WORDS_READ;
    take_finding(c, &verdict);
    take_slot(c, incident->failures[max_of(verdict.log, 0)]);
}

/* Keeps the verdict on what was read; a container's status can be read again. */
static void drop_words(struct model_job *job, struct incident *incident) {
    bool is_read = false;
    for (int k = 0; k < incident->count; k++)
        is_read |= incident->failures[k]->words == WORDS_READ;
    if (is_read && incident->verdict == NULL) {
        struct rootcause_verdict *verdict = mem_new(struct rootcause_verdict);
        listen(job, incident, verdict);
        incident->verdict = verdict;
    }
    for (int k = 0; k < incident->count; k++)
        failure_drop_words(incident->failures[k]);
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

/* An earlier controller heard what cannot be read again, or saw containers that are forgotten. */
static bool knows_more(const struct root_cause *known, const struct incident *incident) {
    return known != NULL && known->is_earlier && (known->is_settled || incident->count < known->unread);
}

static void update(struct model_job *job, const struct end *end, int64_t through_ms, unsigned *taken) {
    struct root_cause *known = root_cause_of(&job->root_causes, end->number);
    struct incident *incident = incident_of(job->target, end, taken);
    const struct node_evidence *signal = signal_of(job, end->number);
    if (known != NULL && (known->at_ms > end->at_ms + SAME_MS || known->at_ms < end->at_ms - SAME_MS)) {
        root_cause_remove(&job->root_causes, end->number);
        known = NULL;
    }
    bool is_heard = incident != NULL && !knows_more(known, incident) &&
                    (is_late(incident, through_ms) || !job_words_are_pending(job, incident));
    if (!is_heard && known == NULL && signal == NULL)
        return;
    struct root_cause c = {.replicated_job = "",
                           .container = "",
                           .node = "",
                           .job_index = -1,
                           .completion_index = -1,
                           .line_ms = TIME_UNKNOWN};
    if (is_heard)
        judge(job, incident, &c);
    else if (known != NULL)
        c = *known;
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
}

void job_update_root_causes(struct model_job *job, const struct ledger_result *result) {
    int count = result->interruption_count, last = result->execution_count - 1;
    int64_t through_ms = result->observed_through_ms;
    unsigned taken = 0;
    for (int k = count > JOB_MAX_ROOT_CAUSES ? count - JOB_MAX_ROOT_CAUSES : 0; k < count; k++) {
        const struct ledger_interruption *i = &result->interruptions[k];
        struct end end = {.number = i->number, .at_ms = i->at_ms, .until_ms = i->until_ms};
        if (is_explained(i->cause))
            root_cause_remove(&job->root_causes, i->number);
        else
            update(job, &end, through_ms, &taken);
    }
    if (last >= count && job->target->end.outcome == OUTCOME_FAILED && result->executions[last].end_ms != TIME_OPEN) {
        const struct ledger_execution *e = &result->executions[last];
        update(job, &(struct end){e->number, e->start_ms, e->end_ms, TIME_OPEN, true}, through_ms, &taken);
    }
    /* What looked like its end was none: it continues. */
    if (last >= 0 && result->executions[last].end_ms == TIME_OPEN)
        root_cause_remove(&job->root_causes, result->executions[last].number);
    forget_words(job, through_ms);
}
