/* flops: floating-point operations of a transformer's training step from its shape, and model FLOPs utilization.
 * FLOPs per token = 6 N + 12 L H Q T (PaLM, arXiv 2204.02311, appendix B; Google Cloud blog, November 2023), where N
 * are the weights that take part in matrix products: without the input embedding, with the unembedding. MaxText counts
 * attention half since its PR #1988 (causal): 6 N + 6 L H Q T. The two are never mixed: the caller says which. Pure. */
#ifndef FORMULAS_FLOPS_H
#define FORMULAS_FLOPS_H

#include "ledger/evaluate.h"

#include <stdbool.h>
#include <stdint.h>

struct flops_model {
    double parameters;                                /* N */
    int64_t layers, heads, head_dim, sequence_length; /* L, H, Q, T; all 0: attention is not counted */
    bool is_causal;                                   /* attention counts half */
};

/* N of a dense transformer: L (d H Q + 2 d K Q + H Q d + c d f) + d V. c is 3 for a gated MLP, 2 for a plain one. */
struct flops_shape {
    int64_t layers, width, heads, head_dim, kv_heads, mlp_width, mlp_matrices, vocabulary;
};
double flops_parameters(const struct flops_shape *shape);

/* FLOPs of one token's training, forward and backward. */
double flops_per_token(const struct flops_model *model);

/* Parts per million of the peak at which a chip works; -1 if it is not possible: negative, or above 1.05 of the peak
 * although nothing is quantized (a wrong peak or a wrong log; bad input is reported, never clamped). Quantized
 * operations (EMFU) may exceed the peak of the unquantized ones: up to 4 times. */
int64_t flops_utilization_ppm(double gflops_per_chip, int64_t peak_gflops, bool is_quantized);

/* What a log's own TFLOP/s say of a step of one device: the mean FLOPs of the steps it reports. What is above what
 * a device can do (by up to an eighth: ledger_flops) is rejected, line by line, and counted. */
struct flops_log {
    double gflop_per_step; /* of one device; 0: nothing can be believed */
    int64_t lines, rejected;
};
struct flops_log flops_of_log(const struct ledger_flops *items, int count, double device_gflops, bool is_quantized);

#endif
