#include "formulas/flops.h"

#include <math.h>

#define MOST_PPM 1050000
#define MOST_QUANTISED_PPM 4000000

double flops_parameters(const struct flops_shape *s) {
    double d = (double)s->width, q = (double)s->head_dim, h = (double)s->heads, k = (double)s->kv_heads;
    double layer = d * h * q + 2 * d * k * q + h * q * d + (double)s->mlp_matrices * d * (double)s->mlp_width;
    return (double)s->layers * layer + d * (double)s->vocabulary;
}

double flops_per_token(const struct flops_model *m) {
    double attention = (double)m->layers * (double)m->heads * (double)m->head_dim * (double)m->sequence_length;
    return 6 * m->parameters + (m->is_causal ? 6 : 12) * attention;
}

int64_t flops_utilisation_ppm(double gflops_per_chip, int64_t peak_gflops, bool is_quantised) {
    if (peak_gflops <= 0 || !(gflops_per_chip >= 0))
        return -1;
    double ppm = gflops_per_chip / (double)peak_gflops * 1e6;
    return ppm > (is_quantised ? MOST_QUANTISED_PPM : MOST_PPM) ? -1 : llround(ppm);
}
