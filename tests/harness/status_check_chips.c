/* What chips did, what they cost, and program goodput. */
#include "status_check_internal.h"

/* Hours are rounded to thousandths (3.6 s), each bucket's chip seconds down. */
bool check_chips(struct check *c) {
    const json_t *h = at(c->status, "acceleratorHours");
    int64_t allocated = decimal(h, "allocated", 3), productive = decimal(h, "productive", 3);
    int64_t lost = decimal(h, "lost", 3), count = 0;
    double sum_s = 0;
    size_t i;
    json_t *b;
    json_array_foreach(at(c->status, "badput"), i, b) {
        sum_s += (double)number_or_0(b, "chipSeconds");
        count++;
    }
    if (h == NULL)
        return sum_s == 0 || fail(c, "chipSeconds of all buckets are %.0f, and acceleratorHours are absent", sum_s);
    if ((productive == ABSENT) != (c->productive == ABSENT))
        return fail(c, "acceleratorHours.productive and productiveMilliseconds are not both there");
    if (productive != ABSENT && !equal(c, "acceleratorHours.lost", lost, allocated - productive))
        return false;
    double lost_s = (double)(productive == ABSENT ? allocated : lost) * 3.6;
    if (allocated < 0 || sum_s > lost_s + 3.7 || sum_s < lost_s - 3.7 - (double)count)
        return fail(c, "chipSeconds of all buckets are %.0f, acceleratorHours make them %.1f", sum_s, lost_s);
    return true;
}

bool check_cost(struct check *c) {
    const json_t *cost = at(c->status, "cost");
    int64_t allocated = decimal(cost, "allocated", 2), productive = decimal(cost, "productive", 2), sum = 0;
    int64_t owned = 0;
    size_t i;
    json_t *b;
    if (allocated == ABSENT)
        return true;
    json_array_foreach(at(c->status, "badput"), i, b) sum += decimal(b, "cost", 2);
    json_array_foreach(at(c->status, "byOwner"), i, b) owned += decimal(b, "cost", 2);
    int64_t lost = allocated - (productive == ABSENT ? 0 : productive);
    return (productive == ABSENT || equal(c, "cost.lost", decimal(cost, "lost", 2), lost)) &&
           equal(c, "the cost of all buckets", sum, lost) && equal(c, "the cost of all owners", owned, lost);
}

/* GFLOP of a step as spec.program's model says; 0. */
static double spec_gflop(const struct check *c) {
    const json_t *m = at(c->spec, "program.model");
    double tokens = (double)number_or_0(m, "tokensPerStep"), n = strtod(text(m, "parameters"), NULL);
    double attention = (double)number_or_0(m, "layers") * (double)number_or_0(m, "heads") *
                       (double)number_or_0(m, "headDim") * (double)number_or_0(m, "sequenceLength");
    return n > 0 && tokens > 0 ? (6 * n + (json_is_true(at(m, "causal")) ? 6 : 12) * attention) * tokens / 1e9 : 0;
}

/* The FLOPs of the retained steps over the productive chip time, and that over the peak. */
bool check_program(struct check *c) {
    const json_t *p = at(c->status, "program");
    double tflops = strtod(text(p, "tflopsPerChip"), NULL), peak = (double)number_or_0(p, "peakGFLOPSPerChip") / 1e3;
    double ratio = (double)number_or_0(c->status, "goodputPPM.program") / 1e6, gflop = spec_gflop(c);
    double chip_s = (double)decimal(c->status, "acceleratorHours.productive", 3) * 3.6;
    const char *shown = at(p, "emfu") != NULL ? "emfu" : "mfu";
    if (!is_text(p, shown, text(c->status, "goodput.program")))
        return fail(c, "program.%s is %s, goodput.program %s", shown, text(p, shown),
                    text(c->status, "goodput.program"));
    if (ratio > 0 && (peak <= 0 || fabs(tflops - ratio * peak) > 0.0005001 + peak * 0.5e-6))
        return fail(c, "program goodput %.6f of %.3f TFLOP/s is not %.3f", ratio, peak, tflops);
    if (ratio > 0 && gflop > 0 && is_text(p, "source", "Model")) {
        double expected = gflop / 1e3 * (double)number_or_0(c->status, "steps.retained") / chip_s;
        if (chip_s > 0 && fabs(tflops - expected) > 0.0005001 + expected * 1.81 / (chip_s - 1.8))
            return fail(c, "tflopsPerChip is %.3f, the retained steps make it %.3f", tflops, expected);
    }
    return true;
}
