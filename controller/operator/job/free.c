#include "operator/job/free.h"
#include "operator/job/logs.h"

#include <stdlib.h>

static void free_spec(struct job_spec *spec) {
    free(spec->target_name);
    free(spec->required);
    free(spec->log.path);
    free(spec->log.project);
    free(spec->log.logger);
    free(spec->log.job_name);
}

void job_free(struct model_job *job) {
    if (job->target)
        job->target->job = NULL;
    job_logs_done(job);
    ledger_free(job->ledger);
    job_free_patterns(job);
    free(job->log.processes);
    free(job->log_pods.items);
    free(job->facts.pushed.items);
    free(job->facts.hold);
    free(job->facts.unwatched.items);
    free(job->facts.ready_line.items);
    job_slots_clear(&job->facts.slots);
    job_drop_notices(job);
    free(job->notices.interruptions);
    free(job->publication.previous);
    free(job->observation.trouble);
    evidence_done(&job->evidence);
    root_causes_done(&job->root_causes);
    free(job->final.status);
    job_archive_done(&job->archive);
    free_spec(&job->spec);
    free(job->labels);
    if (job->links.later == NULL) { /* else they are borrowed from that one */
        job_free_earlier(job);
        free(job->namespace_);
        free(job->name);
        free(job->uid);
    }
    free(job);
}

void job_free_earlier(struct model_job *job) {
    for (struct model_job *e = job->links.earlier, *next; e; e = next) {
        next = e->links.earlier;
        job_free(e);
    }
    job->links.earlier = NULL;
}
