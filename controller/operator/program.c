/* Program goodput: the model's FLOPs in the retained steps / what the chips could have done in their productive time
 * (DESIGN.md section 2; formulas/flops.h). From spec.program alone: what the shape says of a step. */
#include "formulas/flops.h"
#include "operator/view.h"

#include <stdio.h>

void view_program(struct view *v) {
    const struct object_program *p = &v->job->program;
    const struct ledger_result *r = &v->result;
    if (p->peak_gflops == 0 || p->parameters == 0 || p->tokens_per_step == 0 || !r->has_steps ||
        r->chip_ms_productive <= 0 || r->retained_steps <= 0)
        return;
    struct flops_model model = {.parameters = p->parameters,
                                .layers = p->layers,
                                .heads = p->heads,
                                .head_dim = p->head_dim,
                                .sequence_length = p->sequence_length};
    double gflop = flops_per_token(&model) * (double)p->tokens_per_step / 1e9 * (double)r->retained_steps;
    v->gflops_per_chip = gflop / ((double)r->chip_ms_productive / 1000);
    int64_t ppm = flops_utilisation_ppm(v->gflops_per_chip, p->peak_gflops, false);
    if (ppm < 0) {
        snprintf(v->program_trouble, sizeof v->program_trouble,
                 "%.4g times the peak of %.4g TFLOP/s, which cannot be: check spec.program's peak, parameters and "
                 "tokensPerStep",
                 v->gflops_per_chip / (double)p->peak_gflops, (double)p->peak_gflops / 1000);
        return;
    }
    v->program_ppm = ppm;
    if (v->job_ppm != RECORD_NONE)
        v->productivity_ppm = (v->job_ppm * ppm + 500000) / 1000000;
}
