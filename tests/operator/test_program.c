/* Program goodput from spec.program over the real log of a MaxText run: 4 chips, what the shape says of a step. */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>

static char *status_on(const char *node_labels, const char *peaks, const char *program) {
    struct model_options options = {.chip_peaks = peaks};
    struct model *m = model_new(&options);
    char status[512];
    struct fake_pod p = fake_observe_trainer(m, node_labels, program);
    replay_log_file(model_job_find(m, "ns", "js"), "uid-try1",
                    "tests/data/trainer-logs/maxtext/restarts/attempt-1.log");
    p.finished = 1012;
    p.phase = "Succeeded";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1013);
    snprintf(status, sizeof status, "\"conditions\":[%s]",
             fake_condition("Completed", "True", "AllJobsCompleted", 1012));
    fake_observe_jobset(m, 1, "", status, 1013);
    char *s = replay_status(m, "ns", "js", fake_ms(1100), NULL);
    model_free(m);
    return s;
}

static char *status_with(const char *program) {
    return status_on("", NULL, program);
}

/* GFLOP of a step and device as the log says, TFLOP/s/device x seconds, without lines above the peak. */
static double log_gflop(double max_gflops) {
    size_t size;
    char *log = harness_read_file("tests/data/trainer-logs/maxtext/restarts/attempt-1.log", &size);
    double sum = 0;
    int lines = 0, seen = 0;
    for (const char *at = log; (at = strstr(at, "completed step: ")) != NULL; at++) {
        double seconds = strtod(strstr(at, "seconds: ") + 9, NULL), tflops = strtod(strstr(at, "/device: ") + 9, NULL);
        if (seen++ == 0 || tflops * 1e3 > max_gflops) /* the first has no number of steps */
            continue;
        CHECK(tflops * 1e3 < max_gflops / 1.13); /* apart from the peak by more than a class */
        sum += seconds * tflops * 1e3;
        lines++;
    }
    free(log);
    return sum / lines;
}

#define V5E "\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v5-lite-podslice\""
#define TPU7X "\"cloud.google.com/gke-tpu-accelerator\":\"tpu7x\""

static void check_of_log(const char *s, double peak_gflops, double devices, const char *which) {
    double max_gflops = peak_gflops / devices * (strcmp(which, "emfu") == 0 ? 4 : 1);
    double steps = (double)status_int(s, "steps.retained"),
           productive_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3;
    double gflops = log_gflop(max_gflops) * devices * steps / productive_s;
    char expected[32];
    CHECK(steps > 3 && productive_s > 1);
    CHECK(fabs(strtod(status_text(s, "program.tflopsPerChip"), NULL) - gflops / 1e3) < 0.0006);
    CHECK(fabs((double)status_int(s, "goodputPPM.program") - round(gflops / peak_gflops * 1e6)) <= 1);
    snprintf(expected, sizeof expected, "program.%s", which);
    CHECK_TEXT(status_text(s, expected), status_text(s, "goodput.program"));
    CHECK_TEXT(status_text(s, "program.source"), "Log");
    CHECK_INT(status_int(s, "program.peakGFLOPSPerChip"), (int64_t)peak_gflops);
}

/* No spec at all: TFLOP/s from the log, the peak from the node's label. */
TEST(program_goodput_from_the_log_and_the_label_of_the_node) {
    char *s = status_on(V5E, NULL, "");
    check_of_log(s, 197000, 1, "mfu");
    CHECK_TEXT(status_text(s, "target.accelerator"), "TPU v5e");
    free(s);
    s = status_on(V5E, "H200=1,TPU v5e=394000", ""); /* the chart's peak */
    check_of_log(s, 394000, 1, "mfu");
    free(s);
    s = status_on(V5E, NULL, ",\"program\":{\"peakGFLOPSPerChip\":1000}"); /* the spec's goes before both */
    check_of_log(s, 1000, 1, "mfu");
    free(s);
}

/* A TPU7x has two devices, and the log has FLOP/s of one. */
TEST(a_device_that_is_not_a_chip) {
    char *s = status_on(TPU7X, NULL, "");
    check_of_log(s, 2307000, 2, "mfu");
    free(s);
    s = status_on(V5E, NULL, ",\"program\":{\"devicesPerChip\":4}");
    check_of_log(s, 197000, 4, "mfu");
    free(s);
}

/* Above 100 % of the peak: with quantized operations it may be. */
TEST(quantized_operations_may_exceed_the_peak) {
    double gflops = log_gflop(1e6) / 0.4; /* about what a step of some 0.4 s comes to */
    char spec[160];
    snprintf(spec, sizeof spec, ",\"program\":{\"quantized\":true,\"peakGFLOPSPerChip\":%lld}", llround(gflops / 2));
    char *s = status_with(spec);
    check_of_log(s, (double)llround(gflops / 2), 1, "emfu");
    CHECK(status_int(s, "goodputPPM.program") > 1000000);
    CHECK_TEXT(status_text(s, "program.mfu"), "");
    free(s);
}

/* Lines that say more than a device can do (the first steps' host times) are left out, and counted. */
TEST(what_is_above_the_peak_is_rejected_and_counted) {
    char *s = status_with(",\"program\":{\"peakGFLOPSPerChip\":1000}");
    CHECK(status_int(s, "program.rejectedLines") >= 1 && status_int(s, "program.rejectedLines") < 15);
    CHECK(*status_text(s, "goodput.program") != '\0');
    free(s);
    s = status_with(",\"program\":{\"peakGFLOPSPerChip\":1}");
    CHECK_INT(status_int(s, "program.rejectedLines"), 15);
    CHECK_TEXT(status_text(s, "goodput.program"), "");
    CHECK(strstr(status_text(s, "program.message"), "above the peak of 0.001 TFLOP/s per device") != NULL);
    free(s);
}

TEST(without_a_label_or_a_peak_the_condition_says_why) {
    char *s = status_with("");
    CHECK_TEXT(status_text(s, "program.tflopsPerChip"), "");
    CHECK(strstr(status_text(s, "program.message"), "no label of their nodes names one") != NULL);
    free(s);
}

#define MODEL                                                                                                          \
    "\"parameters\":\"8e9\",\"layers\":32,\"heads\":32,\"headDim\":128,\"sequenceLength\":8192,\"tokensPerStep\":8192"
#define SHAPE "\"model\":{" MODEL "}"

/* MPG = SG x RG x PG telescopes to ideal time / wall time: the model's FLOPs at the chips' peak. */
TEST(productivity_telescopes_to_ideal_over_wall_time) {
    char *s = status_with(",\"program\":{\"peakGFLOPSPerChip\":918000," SHAPE "}");
    double steps = (double)status_int(s, "steps.retained"),
           wall_s = (double)status_int(s, "time.wallMilliseconds") / 1e3;
    double productive_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3;
    double per_token = 6 * 8e9 + 12.0 * 32 * 32 * 128 * 8192, flops = steps * per_token * 8192;
    CHECK(steps > 3 && productive_s > 1);
    double ideal_s = flops / (4 * 918e12);
    CHECK(fabs((double)status_int(s, "goodputPPM.productivity") - ideal_s / wall_s * 1e6) < 1.5);
    CHECK(fabs((double)status_int(s, "goodputPPM.program") - ideal_s / productive_s * 1e6) < 1);
    char expected[32];
    snprintf(expected, sizeof expected, "%.3f", flops / 4 / productive_s / 1e12);
    CHECK_TEXT(status_text(s, "program.tflopsPerChip"), expected);
    CHECK_TEXT(status_text(s, "program.mfu"), status_text(s, "goodput.program"));
    CHECK_TEXT(status_text(s, "program.message"), "");
    free(s);
}

/* FLOPs by spec.program.model: 6N + 12LHQT a token, and 6N + 6LHQT where attention is causal. */
TEST(causal_attention_counts_half) {
    char *full =
        status_with(",\"program\":{\"peakGFLOPSPerChip\":918000,\"model\":{\"attention\":\"Full\"," MODEL "}}");
    char *causal =
        status_with(",\"program\":{\"peakGFLOPSPerChip\":918000,\"model\":{\"attention\":\"Causal\"," MODEL "}}");
    char *absent = status_with(",\"program\":{\"peakGFLOPSPerChip\":918000," SHAPE "}");
    double parameters = 6 * 8e9, attention = 12.0 * 32 * 32 * 128 * 8192;
    double expected = (parameters + attention / 2) / (parameters + attention);
    int64_t full_ppm = status_int(full, "goodputPPM.program"), causal_ppm = status_int(causal, "goodputPPM.program");
    CHECK(full_ppm > 1000);
    CHECK(fabs((double)causal_ppm - expected * (double)full_ppm) < 2);
    CHECK_INT(status_int(absent, "goodputPPM.program"), full_ppm);
    free(full);
    free(causal);
    free(absent);
}

/* The whole shape instead of N, and tokens per second instead of per step: MaxText's recipe of Llama2-70B on v6e gives
 * its logged 402.274 TFLOP/s per device and 43.82 % from 905.021 tokens/s (4 chips here: 3,620). */
TEST(program_goodput_from_the_whole_shape_and_tokens_per_second) {
    char *s = status_with(
        ",\"program\":{\"peakGFLOPSPerChip\":918000,\"model\":{\"layers\":80,\"heads\":64,\"headDim\":128,\"kvHeads\":"
        "8,"
        "\"width\":8192,\"mlpWidth\":28672,\"vocabulary\":32000,\"sequenceLength\":4096,\"tokensPerSecond\":3620}}");
    double tflops = strtod(status_text(s, "program.tflopsPerChip"), NULL);
    CHECK(fabs(tflops - 402.274 * 905 / 905.021) < 0.001);
    CHECK(llabs(status_int(s, "goodputPPM.program") - 438200) < 100);
    CHECK_TEXT(status_text(s, "program.parameters"), "6.87132e+10");
    free(s);
}

/* By the peak of the data type: TPU v5e has 394 TOP/s in int8. */
TEST(the_peak_is_that_of_the_data_type) {
    char *s = status_on(V5E, NULL, ",\"program\":{\"dataType\":\"INT8\"}");
    check_of_log(s, 394000, 1, "mfu");
    CHECK_TEXT(status_text(s, "program.dataType"), "INT8");
    free(s);
    s = status_on(V5E, "TPU v5e/INT8=788000", ",\"program\":{\"dataType\":\"INT8\"}");
    check_of_log(s, 788000, 1, "mfu");
    free(s);
    s = status_on(V5E, NULL, ",\"program\":{\"dataType\":\"FP8\"}");
    CHECK_TEXT(status_text(s, "program.message"),
               "the peak of TPU v5e in spec.program.dataType is not known: give spec.program.peakGFLOPSPerChip");
    CHECK_TEXT(status_text(s, "goodput.program"), "");
    free(s);
}

TEST(an_exceeded_peak_is_reported_and_not_clamped) {
    char *s = status_with(",\"program\":{\"peakGFLOPSPerChip\":1000," SHAPE "}");
    CHECK_TEXT(status_text(s, "goodput.program"), "");
    CHECK_TEXT(status_text(s, "goodput.productivity"), "");
    CHECK_TEXT(status_text(s, "program.mfu"), "");
    CHECK(strstr(status_text(s, "program.message"), "times the peak of 1 TFLOP/s, which cannot be") != NULL);
    CHECK(*status_text(s, "goodput.job") != '\0'); /* the rest continues */
    free(s);
}

TEST(without_program_or_with_a_broken_one_there_is_none) {
    static const char *const specs[] = {"", ",\"program\":{}",
                                        ",\"program\":{\"peakGFLOPSPerChip\":\"x\",\"model\":[]}"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char *s = status_with(specs[i]);
        CHECK_TEXT(status_text(s, "goodput.program"), "");
        CHECK_TEXT(status_text(s, "program.tflopsPerChip"), "");
        CHECK(*status_text(s, "goodput.job") != '\0');
        free(s);
    }
}
