/* Program goodput: the model's FLOPs in the retained steps / what the chips could have done in their productive time
 * (formulas/flops.h). What a step takes is what spec.program's model says, else the log's own
 * TFLOP/s; the chips' peak is spec.program's, else that of the chip that the nodes' labels name. And what a chip
 * costs, which the same labels tell. */
#include "formulas/flops.h"
#include "ledger/evaluate.h"
#include "operator/job/job.h"
#include "operator/status/view.h"
#include "operator/store/store.h"

#include <stdio.h>
#include <string.h>

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

/* GFLOP of one step, all chips together; 0: nobody says. */
static double gflop_per_step(struct view *v, const struct chip *chip) {
    const struct object_program *p = &v->job->program;
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

void view_program(struct view *v) {
    const struct object_program *p = &v->job->program;
    const struct ledger_result *r = &v->result;
    const struct chip *chip = v->job->chip;
    v->data_type = p->type;
    v->is_quantized = p->is_quantized;
    if (!r->has_steps || r->chip_ms_productive <= 0 || r->retained_steps <= 0)
        return;
    v->peak_gflops = p->peak_gflops > 0                     ? p->peak_gflops
                     : chip != NULL && p->type < CHIP_TYPES ? chip_peak(chip, p->type, v->job->model->chip_peaks)
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
void view_cost(struct view *v) {
    const struct model_job *job = v->job;
    int64_t of_list = price_of_chip(job->model->chip_prices, job->chip);
    const struct {
        int64_t price;
        const char *source;
    } prices[] = {{job->price, "Spec"}, {job->label_price, "NodeLabel"}, {of_list, "Controller"}};
    v->price = PRICE_NONE;
    for (size_t i = 0; i < 3 && v->price == PRICE_NONE; i++) {
        v->price = prices[i].price;
        v->price_source = prices[i].source;
    }
    v->currency = job->currency[0] ? job->currency : job->model->currency;
}
