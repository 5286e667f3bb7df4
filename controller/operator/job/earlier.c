/* Earlier targets of the same name. Each watch has its own delay, so events of a target may arrive after its successor
 * was observed. So an earlier target keeps its ledger and its logs in a separate job, which no JobGoodput shows, and
 * its numbers in status.previous follow. The controller that measured it accepts late events until ten minutes after
 * its end (forget_after_ms). After that, and for the next controller, the numbers are final. */
#include "operator/job/earlier.h"
#include "base/mem.h"
#include "operator/job/final.h"
#include "operator/job/required.h"

#include <string.h>

/* Takes over what belongs to the target. It borrows names from the job, which is freed later. */
static void split_off(struct model_job *job) {
    struct model_job *e = mem_new(struct model_job);
    *e = *job;
    e->links = (struct job_links){.earlier = job->links.earlier, .later = job};
    e->spec.required = mem_strdup(job->spec.required);
    struct job_log_spec *log = &e->spec.log;
    e->spec.target_name = log->path = log->project = log->logger = log->job_name = log->pattern_error = NULL;
    for (int i = 0; i < OBJECT_REGEXES; i++)
        log->patterns[i] = log->patterns[i] ? mem_strdup(log->patterns[i]) : NULL;
    e->archive = (struct job_archive){0};
    e->labels = NULL;
    e->log.costly_pattern = e->final.status = NULL;
    e->observation.trouble = mem_strdup(job->observation.trouble);
    e->publication.previous = NULL;
    e->publication.previous_count = 0;
    job->notices.interruptions = NULL; /* they are of the earlier target */
    e->notices.items = NULL;
    e->notices.count = e->notices.next = 0;
    e->user = NULL;
    e->is_dirty = true; /* its numbers are filled in by the next evaluation */
    for (int i = 0; i < e->log.process_count; i++)
        e->log.processes[i]->job = e;
    e->target->job = e;
    job->links.earlier = e;
    job->target = NULL;
    job->ledger = NULL;
    job->facts = (struct job_facts){0};
    job->evidence = (struct job_evidence){0};
    job->root_causes = (struct job_root_causes){0};
    job->log_pods = (struct job_log_pods){0};
    job->log = (struct job_log){.generation = job->log.generation,
                                .work = job->log.work,
                                .costly_pattern = job->log.costly_pattern,
                                .trace.max_points = job->log.trace.max_points};
}

void job_keep_earlier(struct model_job *job) {
    const struct target *t = job->target;
    if (t->created_ms == TIME_UNKNOWN || job_is_managed_elsewhere(job))
        return;
    struct job_previous p = {.start_ms = t->created_ms, .end_ms = t->created_ms, .productive_ms = RECORD_NONE};
    slice_copy(p.uid, sizeof p.uid, slice_of(t->uid));
    job_push_previous(job, &p);
    split_off(job);
}
