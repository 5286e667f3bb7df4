#include "operator/status/view.h"

#include "base/minmax.h"
#include "formulas/flops.h"
#include "ledger/evaluate.h"
#include "operator/facts/facts.h"
#include "operator/job/job.h"
#include "operator/job/log_pods.h"
#include "operator/job/required.h"
#include "operator/status/conditions.h"
#include "operator/status/phase.h"
#include "operator/store/pod.h"

#include <stdio.h>
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

/* ---- otherDefinitions: all pods Ready (GKE); Running / (Finished - Created) (Kueue's discussion: admitted time, as in
 * status.accumulatedPastExecutionTimeSeconds) ---- */

/* How many pods are required then, and until when. */
static int64_t required_at(const struct model_job *job, int64_t at_ms, int64_t *until_ms) {
    const struct target *t = job->target;
    int64_t required = 0;
    for (int k = 0; k < t->spec.job_count; k++) {
        required += job_requires(job, k) ? job_pods_at(&t->spec.jobs[k], at_ms) : 0;
        for (int s = 0; s < t->spec.jobs[k].size_count; s++)
            if (t->spec.jobs[k].sizes[s].at_ms > at_ms)
                *until_ms = min_of(*until_ms, t->spec.jobs[k].sizes[s].at_ms);
    }
    return required;
}

/* Time in which as many required pods were Ready, or had succeeded, as were required then. */
static int64_t all_ready_ms(const struct view *v) {
    const struct ready_line *line = &v->job->facts.ready_line;
    int64_t ready = 0, sum_ms = 0, required = 0, same_until_ms = INT64_MIN;
    for (size_t i = 0; i < line->count && line->items[i].at_ms < v->through_ms; i++) {
        int64_t at_ms = max_of(line->items[i].at_ms, v->result.start_ms), next_ms = v->through_ms;
        if (i + 1 < line->count)
            next_ms = min_of(next_ms, line->items[i + 1].at_ms);
        ready += line->items[i].by;
        while (at_ms < next_ms) {
            if (at_ms >= same_until_ms) {
                same_until_ms = TIME_OPEN;
                required = required_at(v->job, at_ms, &same_until_ms);
            }
            int64_t until_ms = min_of(same_until_ms, next_ms);
            sum_ms += required > 0 && ready >= required ? until_ms - at_ms : 0;
            at_ms = until_ms;
        }
    }
    return sum_ms;
}

static int64_t admitted_ms(const struct view *v) {
    int64_t sum_ms = 0;
    if (v->target->workloads == NULL)
        return RECORD_NONE;
    for (const struct workload *w = v->target->workloads; w; w = w->next_in_target)
        for (int i = 0; i < w->admitted.count; i++) {
            int64_t from_ms = w->admitted.items[i].at_ms, to_ms = v->through_ms;
            if (i + 1 < w->admitted.count)
                to_ms = w->admitted.items[i + 1].at_ms;
            if (w->finished_ms != TIME_UNKNOWN && w->finished_ms < to_ms)
                to_ms = w->finished_ms;
            to_ms = to_ms < v->through_ms ? to_ms : v->through_ms;
            sum_ms += w->admitted.items[i].is_true && to_ms > from_ms ? to_ms - from_ms : 0;
        }
    return sum_ms < v->result.wall_ms ? sum_ms : v->result.wall_ms;
}

static void set_definitions(struct view *v) {
    v->ready_ms = all_ready_ms(v);
    v->admitted_ms = admitted_ms(v);
}

/* ---- program goodput: the model's FLOPs in the retained steps / what the chips could have done in their productive
 * time (formulas/flops.h). The FLOPs of a step come from spec.program's model, else from the log's own TFLOP/s; the
 * chips' peak from spec.program, else from the chip that the nodes' labels name ---- */

/* N: as given, else of the whole shape. */
static double parameters_of(const struct object_program *p) {
    struct flops_shape shape = p->shape;
    if (p->parameters > 0 || shape.width == 0 || shape.mlp_width == 0 || shape.vocabulary == 0 || p->layers == 0 ||
        p->heads == 0 || p->head_dim == 0)
        return p->parameters;
    shape.layers = p->layers;
    shape.heads = p->heads;
    shape.head_dim = p->head_dim;
    shape.kv_heads = shape.kv_heads > 0 ? shape.kv_heads : p->heads;
    shape.mlp_matrices = shape.mlp_matrices > 0 ? shape.mlp_matrices : 3;
    return flops_parameters(&shape);
}

/* GFLOP of one step, all chips together; 0: unknown. */
static double gflop_per_step(struct view *v, const struct chip *chip) {
    const struct object_program *p = &v->job->spec.program;
    const struct ledger_result *r = &v->result;
    v->parameters = parameters_of(p);
    if (v->parameters > 0 && (p->tokens_per_step > 0 || p->tokens_per_s > 0)) {
        struct flops_model model = {.parameters = v->parameters,
                                    .layers = p->layers,
                                    .heads = p->heads,
                                    .head_dim = p->head_dim,
                                    .sequence_length = p->sequence_length,
                                    .is_causal = p->is_causal};
        double step_s = (double)r->productive_ms / 1e3 / (double)r->retained_steps;
        double tokens = p->tokens_per_step > 0 ? (double)p->tokens_per_step : (double)p->tokens_per_s * step_s;
        return flops_per_token(&model) * tokens / 1e9;
    }
    int64_t devices = p->devices_per_chip > 0 ? p->devices_per_chip : chip != NULL ? chip->devices : 1;
    struct flops_log log =
        flops_of_log(r->flops, r->flops_count, (double)v->peak_gflops / (double)devices, p->is_quantized);
    v->is_program_of_log = true;
    v->rejected_lines = log.rejected;
    if (log.lines > 0 && log.rejected == log.lines)
        snprintf(v->program_trouble, sizeof v->program_trouble,
                 "each of the log's %lld figures is above the peak of %.4g TFLOP/s per device: check "
                 "spec.program.peakGFLOPSPerChip, devicesPerChip and quantized",
                 (long long)log.lines, (double)v->peak_gflops / 1e3 / (double)devices);
    double chips = r->productive_ms > 0 ? (double)r->chip_ms_productive / (double)r->productive_ms : 0;
    return log.gflop_per_step * (double)devices * chips;
}

static void set_program(struct view *v) {
    const struct object_program *p = &v->job->spec.program;
    const struct ledger_result *r = &v->result;
    const struct chip *chip = v->job->accelerator.chip;
    v->data_type = p->type;
    v->is_quantized = p->is_quantized;
    if (!r->has_steps || r->chip_ms_productive <= 0 || r->retained_steps <= 0)
        return;
    v->peak_gflops = p->peak_gflops > 0 ? p->peak_gflops
                     : chip != NULL && p->type < CHIP_TYPES
                         ? chip_peak(chip, p->type, v->job->jobs->settings.chip_peaks)
                         : 0;
    double gflop = gflop_per_step(v, chip) * (double)r->retained_steps;
    if (gflop <= 0)
        return;
    v->gflops_per_chip = gflop / ((double)r->chip_ms_productive / 1000);
    if (v->peak_gflops == 0) {
        v->gflops_per_chip = -1; /* of a chip, or of a device? */
        if (chip != NULL)
            snprintf(v->program_trouble, sizeof v->program_trouble,
                     "the peak of %s in spec.program.dataType is not known: give spec.program.peakGFLOPSPerChip",
                     chip->name);
        else
            snprintf(v->program_trouble, sizeof v->program_trouble,
                     "the peak of the chips is not known: no label of their nodes names one; give "
                     "spec.program.peakGFLOPSPerChip");
        return;
    }
    int64_t ppm = flops_utilization_ppm(v->gflops_per_chip, v->peak_gflops, p->is_quantized);
    if (ppm < 0) {
        snprintf(v->program_trouble, sizeof v->program_trouble,
                 "%.4g times the peak of %.4g TFLOP/s, which cannot be: check spec.program's peak, parameters and "
                 "tokensPerStep",
                 v->gflops_per_chip / (double)v->peak_gflops, (double)v->peak_gflops / 1000);
        return;
    }
    v->program_ppm = ppm;
    if (v->job_ppm != RECORD_NONE)
        v->productivity_ppm = (v->job_ppm * ppm + 500000) / 1000000;
}

/* The price of a chip: spec.cost, else the label of the job's nodes, else the controller's list. */
static void set_cost(struct view *v) {
    const struct model_job *job = v->job;
    int64_t of_list = price_of_chip(job->jobs->settings.chip_prices, job->accelerator.chip);
    const struct {
        int64_t price;
        const char *source;
    } prices[] = {{job->spec.price, "Spec"}, {job->accelerator.price, "NodeLabel"}, {of_list, "Controller"}};
    v->price = PRICE_NONE;
    for (size_t i = 0; i < 3 && v->price == PRICE_NONE; i++) {
        v->price = prices[i].price;
        v->price_source = prices[i].source;
    }
    v->currency = job->spec.currency[0] ? job->spec.currency : job->jobs->settings.currency;
}

/* ---- of a job ---- */

/* What a status says of the target and its log. */
static void identify(struct view *v) {
    const struct model_job *job = v->job;
    const struct target *t = job->target;
    struct view_target *seen = &v->seen;
    if (t == NULL || !t->is_seen)
        return;
    *seen =
        (struct view_target){.uid = t->uid, .kind = kind_row(t->kind), .name = t->name, .created_ms = t->created_ms};
    seen->queue = target_queue(t);
    if (t->workloads != NULL) {
        seen->cluster_queue = t->workloads->cluster_queue;
        seen->priority = t->workloads->priority;
    }
    if (v->target && job->accelerator.chip)
        seen->accelerator = job->accelerator.chip->name;
    if (v->target && job->log_pods.count > 0 && v->log != LOG_NONE && !job_has_source(job)) {
        const struct pod *p = job->log_pods.items[job->log_pods.count - 1];
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
    v->generation = job->spec.generation;
    v->total_steps = job->spec.total_steps;
    v->previous = job->publication.previous;
    v->evidence = &job->evidence;
    v->root_causes = &job->root_causes;
    v->save_errors = job->log.save_errors;
    v->owner_policy = job->jobs->settings.owner_policy;
    v->previous_count = job->publication.previous_count;
    v->documentation_url = job->jobs->settings.documentation_url;
    v->now_ms = v->through_ms = now_ms;
}

void view_numbers(struct view *v) {
    v->target = v->job->target;
    v->has_numbers = true;
    v->counted = v->job->facts.interruptions;
    v->counted_evictions = v->job->facts.evictions;
    view_scores(v);
    set_definitions(v);
    set_program(v);
    set_cost(v);
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
