#include "formulas/flops.h"
#include "ledger/evaluate.h"
#include "ledger/totals.h"

#include <math.h>

#define MAX_PPM 1050000
#define MAX_QUANTIZED_PPM 4000000

double flops_parameters(const struct flops_shape *s) {
    double d = (double)s->width, q = (double)s->head_dim, h = (double)s->heads, k = (double)s->kv_heads;
    double layer = d * h * q + 2 * d * k * q + h * q * d + (double)s->mlp_matrices * d * (double)s->mlp_width;
    return (double)s->layers * layer + d * (double)s->vocabulary;
}

double flops_per_token(const struct flops_model *m) {
    double attention = (double)m->layers * (double)m->heads * (double)m->head_dim * (double)m->sequence_length;
    return 6 * m->parameters + (m->is_causal ? 6 : 12) * attention;
}

struct flops_log flops_of_log(const struct ledger_flops *items, int count, double device_gflops, bool is_quantized) {
    struct flops_log log = {0};
    double mflop = 0, steps = 0, max = device_gflops * (is_quantized ? MAX_QUANTIZED_PPM / 1e6 : 1);
    for (int i = 0; i < count; i++) {
        log.lines += items[i].lines;
        if (device_gflops > 0 && (double)ledger_flops_min_milli(items[i].class) > max) {
            log.rejected += items[i].lines;
            continue;
        }
        mflop += (double)items[i].mflop;
        steps += (double)items[i].steps;
    }
    log.gflop_per_step = steps > 0 ? mflop / steps / 1e3 : 0;
    return log;
}

int64_t flops_utilization_ppm(double gflops_per_chip, int64_t peak_gflops, bool is_quantized) {
    if (peak_gflops <= 0 || !(gflops_per_chip >= 0))
        return -1;
    double ppm = gflops_per_chip / (double)peak_gflops * 1e6;
    return ppm > (is_quantized ? MAX_QUANTIZED_PPM : MAX_PPM) ? -1 : llround(ppm);
}
