#include "operator/status/view.h"
#include "ledger/evaluate.h"
#include "operator/job/job.h"

#include <string.h>

void view_scores(struct view *v) {
    struct ledger_scores s = ledger_scores_of(&v->result);
    v->unattributed_ms = s.unattributed_ms;
    v->suspended_ms = s.suspended_ms;
    v->scheduling_ppm = s.scheduling_ppm;
    v->runtime_ppm = s.runtime_ppm;
    v->job_ppm = s.job_ppm;
    v->upper_ppm = s.upper_ppm;
    v->scheduling_upper_ppm = s.scheduling_upper_ppm;
    v->job_upper_ppm = s.job_upper_ppm;
    v->evidence_ppm = s.evidence_ppm;
}

/* What a status says of the target and its log. */
static void identify(struct view *v) {
    const struct model_job *job = v->job;
    const struct target *t = job->target;
    struct view_target *seen = &v->seen;
    if (t == NULL || !t->is_seen)
        return;
    *seen = (struct view_target){
        .uid = t->uid, .is_jobset = t->kind == TARGET_JOBSET, .name = t->name, .created_ms = t->created_ms};
    seen->queue = t->queue[0] || t->workloads == NULL ? t->queue : t->workloads->queue;
    if (t->workloads != NULL) {
        seen->cluster_queue = t->workloads->cluster_queue;
        seen->priority = t->workloads->priority;
    }
    if (v->target && job->chip)
        seen->accelerator = job->chip->name;
    if (v->target && job->log_pod_count > 0 && v->log != LOG_NONE && !job_has_source(job)) {
        const struct pod *p = job->log_pods[job->log_pod_count - 1];
        seen->log_pod = p->name;
        seen->log_container = job_log_container(job, p);
    }
    if (v->log_format != STEPLOG_AUTO)
        seen->log_format = view_log_format(v);
}

void view_init(struct view *v) {
    memset(v, 0, sizeof *v);
    v->phase_since_ms = v->attached_ms = TIME_UNKNOWN;
    v->admitted_ms = RECORD_NONE;
    v->scheduling_ppm = v->runtime_ppm = v->job_ppm = v->upper_ppm = v->evidence_ppm = RECORD_NONE;
    v->program_ppm = v->productivity_ppm = v->scheduling_upper_ppm = v->job_upper_ppm = RECORD_NONE;
    v->gflops_per_chip = -1;
    v->data_type = CHIP_TYPES;
    v->price = PRICE_NONE;
    v->result.top_badput = -1;
    v->documentation_url = MODEL_DOCUMENTATION;
}

void view_done(struct view *v) {
    if (v->has_numbers)
        ledger_result_done(&v->result);
}

void view_make(struct view *v, const struct model_job *job, int64_t now_ms) {
    view_init(v);
    v->job = job;
    v->generation = job->generation;
    v->total_steps = job->total_steps;
    v->previous = job->previous;
    v->previous_count = job->previous_count;
    v->documentation_url = job->model->documentation_url;
    v->now_ms = v->through_ms = now_ms;
}

void view_numbers(struct view *v) {
    v->target = v->job->target;
    v->has_numbers = true;
    v->counted = v->job->counted;
    v->counted_evictions = v->job->counted_evictions;
    view_scores(v);
    view_definitions(v);
    view_program(v);
    view_cost(v);
}

void view_words(struct view *v) {
    view_log(v);
    view_phase(v);
    view_waiting(v);
}

void view_end(struct view *v) {
    view_conditions(v);
    identify(v);
}
