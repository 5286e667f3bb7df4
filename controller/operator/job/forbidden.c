/* Which of the permissions that the controller lacks concern a job, and which of them leave nothing to measure. */
#include "operator/job/forbidden.h"
#include "operator/job/formats.h"
#include "operator/job/required.h"
#include "operator/store/kinds.h"

#include <string.h>

/* A suspended target outside any queue may be Kueue's as well: its Workload alone shows it. */
static bool may_be_queued(const struct target *t) {
    return t != NULL && t->is_seen && (target_is_queued_by_kueue(t) || t->suspended.count > 0);
}

/* The one lease that matters is that of a node that is not Ready. */
static bool has_silent_node(const struct target *t) {
    for (size_t i = 0; t != NULL && i < t->pods.count; i++) {
        const struct pod *p = t->pods.items[i];
        const struct node_past *past = p->node && !p->is_deleted ? node_past(p->node) : NULL;
        if (past && past->trouble_count > 0 && past->troubles[past->trouble_count - 1].to_ms == TIME_OPEN)
            return true;
    }
    return false;
}

/* Those that it shows by its newest pod: pods of one job are alike. */
static bool has_claims(const struct target *t) {
    const struct pod *p = t != NULL && t->pods.count > 0 ? t->pods.items[t->pods.count - 1] : NULL;
    for (int i = 0; p != NULL && i < p->container_count; i++)
        if (p->containers[i].has_claims)
            return true;
    return false;
}

static bool has_claim_templates(const struct target *t) {
    for (int i = 0; t != NULL && i < t->spec.job_count; i++)
        if (t->spec.jobs[i].claim_templates[0] != NULL)
            return true;
    return false;
}

static bool is_concerned(const struct model_job *job, enum resource resource) {
    switch (resource) {
    case RESOURCE_JOBSET:
    case RESOURCE_JOB:
    case RESOURCE_RAYJOB:
    case RESOURCE_RAYCLUSTER:
    case RESOURCE_LEADERWORKERSET:
    case RESOURCE_PYTORCHJOB:
        return kind_is_of(job->spec.target_kind, resource);
    case RESOURCE_WORKLOAD:
        return kind_is_of(job->spec.target_kind, resource) || may_be_queued(job->target);
    case RESOURCE_RESOURCECLAIM:
        return has_claims(job->target);
    case RESOURCE_RESOURCECLAIMTEMPLATE:
        return has_claim_templates(job->target);
    case RESOURCE_STEPLOGFORMAT:
        return job_has_user_format(job);
    case RESOURCE_NODE_LEASE:
        return has_silent_node(job->target);
    case RESOURCE_POD:
    case RESOURCE_NODE:
    case RESOURCE_EVENT:
        return true;
    case RESOURCE_NODE_EVENT: /* evidence alone: the controller's log says what is missing */
    case RESOURCE_RESOURCESLICE:
    case RESOURCE_JOBGOODPUT:
    case RESOURCE_COUNT:
        break;
    }
    return false;
}

const struct forbidden *job_forbidden(const struct model_job *job, enum resource resource) {
    const struct forbidden *f = store_forbidden(job->store, resource, job->namespace_);
    return f != NULL && is_concerned(job, resource) ? f : NULL;
}

/* Without nodes and Events pods still show which slots are held; a Workload once known may have changed since. */
const struct forbidden *job_blocked_by(const struct model_job *job, enum resource resource) {
    bool decides = kind_is_of(job->spec.target_kind, resource) || resource == RESOURCE_POD ||
                   (resource == RESOURCE_WORKLOAD && job->target && job->target->workloads);
    return decides ? job_forbidden(job, resource) : NULL;
}

const struct forbidden *job_blocked(const struct model_job *job) {
    const struct forbidden *f = NULL;
    for (int r = 0; r < RESOURCE_COUNT && f == NULL; r++)
        f = job_blocked_by(job, (enum resource)r);
    return f;
}
