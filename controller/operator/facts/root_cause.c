#include "operator/facts/root_cause.h"

#include <string.h>

/* An interruption that moved further than this is another one, which has its number. */
#define SAME_MS 60000

static const struct node_evidence *signal_of(const struct model_job *job, int number) {
    for (int i = 0; i < job->evidence.count; i++) {
        const struct interruption_evidence *e = &job->evidence.items[i];
        if (e->number == number && e->count > 0 && e->items[0].role == EVIDENCE_CAUSE)
            return &e->items[0];
    }
    return NULL;
}

static void take_signal(struct root_cause *c, const struct node_evidence *e) {
    c->class_ = e->class_;
    c->owner = e->owner;
    c->node = e->node;
    c->line_ms = e->at_ms;
    c->is_observed = true;
    slice_copy(c->reason, sizeof c->reason, slice_of(e->signal));
    quote_line(c->text, slice_of(e->message), 0);
}

static void update(struct model_job *job, const struct ledger_interruption *i) {
    struct root_cause *known = root_cause_of(&job->root_causes, i->number);
    const struct node_evidence *signal = signal_of(job, i->number);
    if (known != NULL && (known->at_ms > i->at_ms + SAME_MS || known->at_ms < i->at_ms - SAME_MS))
        root_cause_remove(&job->root_causes, i->number);
    if (signal == NULL)
        return;
    struct root_cause c = {.number = i->number,
                           .at_ms = i->at_ms,
                           .replicated_job = "",
                           .container = "",
                           .job_index = -1,
                           .completion_index = -1};
    take_signal(&c, signal);
    root_cause_set(&job->root_causes, &c);
}

void job_update_root_causes(struct model_job *job, const struct ledger_result *result) {
    int first = result->interruption_count > JOB_MAX_ROOT_CAUSES ? result->interruption_count - JOB_MAX_ROOT_CAUSES : 0;
    for (int k = first; k < result->interruption_count; k++)
        update(job, &result->interruptions[k]);
}
