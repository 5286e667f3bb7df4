#include "operator/facts/owner.h"

#include "formulas/owners.h"
#include "operator/store/target.h"

static struct ledger_blame choose(const struct model_job *job, int number, struct owners_case x) {
    const struct root_cause *found = root_cause_of(&job->root_causes, number);
    x.class_ = found != NULL ? found->class_ : CLASS_UNKNOWN;
    x.class_owner = found != NULL ? found->owner : OWNER_UNKNOWN;
    x.queue = target_queue(job->target);
    return (struct ledger_blame){owners_of_interruption(job->jobs->settings.owner_policy, &x), x.class_};
}

static struct ledger_blame blame_of(void *context, int number, const struct ledger_disruption *d) {
    struct owners_case unknown = {.cause = CAUSE_UNKNOWN};
    if (d == NULL)
        return choose(context, number, unknown);
    return choose(context, number,
                  (struct owners_case){.cause = d->cause, .reason = d->reason, .node_pool = d->node_pool});
}

void fact_set_owners(struct model_job *job) {
    ledger_set_owners(job->ledger, &(struct ledger_owners){job, blame_of});
}

void job_update_owners(const struct model_job *job, struct ledger_result *result) {
    for (int k = 0; k < result->interruption_count + result->has_own_end; k++) {
        struct ledger_interruption *i = &result->interruptions[k];
        struct ledger_blame blame = choose(
            job, i->number, (struct owners_case){.cause = i->cause, .reason = i->reason, .node_pool = i->node_pool});
        i->owner = blame.owner;
        i->class_ = blame.class_;
    }
}
