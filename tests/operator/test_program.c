/* Program goodput from spec.program over the real log of a MaxText run: 4 chips, what the shape says of a step. */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <math.h>
#include <stdlib.h>

static char *status_with(const char *program) {
    struct model_options options = {.version = "test"};
    struct model *m = model_new(&options);
    char status[512];
    replay_jobgoodput(m, "ns", "js", "PodLog", program, fake_ms(0));
    fake_tell_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("try1", 0, 990);
    p.bound = p.started = 994;
    p.phase = "Running";
    fake_tell_pod(m, &p, OBSERVED_PRESENT, 995);
    replay_log_file(model_job_find(m, "ns", "js"), "uid-try1",
                    "tests/data/trainer-logs/maxtext/restarts/attempt-1.log");
    p.finished = 1012;
    p.phase = "Succeeded";
    fake_tell_pod(m, &p, OBSERVED_PRESENT, 1013);
    snprintf(status, sizeof status, "\"conditions\":[%s]",
             fake_condition("Completed", "True", "AllJobsCompleted", 1012));
    fake_tell_jobset(m, 1, "", status, 1013);
    char *s = replay_status(m, "ns", "js", fake_ms(1100), NULL);
    model_free(m);
    return s;
}

#define SHAPE                                                                                                          \
    "\"model\":{\"parameters\":\"8e9\",\"layers\":32,\"heads\":32,\"headDim\":128,\"sequenceLength\":8192,"            \
    "\"tokensPerStep\":8192}"

/* MPG = SG x RG x PG telescopes to ideal time / wall time: the model's FLOPs at the chips' peak. */
TEST(productivity_telescopes_to_ideal_over_wall_time) {
    char *s = status_with(",\"program\":{\"peakGFLOPSPerChip\":918000," SHAPE "}");
    double steps = (double)status_int(s, "steps.retained"), wall_s = (double)status_int(s, "time.wallMs") / 1e3;
    double productive_s = (double)status_int(s, "time.productiveMs") / 1e3;
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

TEST(a_peak_that_is_exceeded_is_told_not_clamped) {
    char *s = status_with(",\"program\":{\"peakGFLOPSPerChip\":1000," SHAPE "}");
    CHECK_TEXT(status_text(s, "goodput.program"), "");
    CHECK_TEXT(status_text(s, "goodput.productivity"), "");
    CHECK_TEXT(status_text(s, "program.mfu"), "");
    CHECK(strstr(status_text(s, "program.message"), "times the peak of 1 TFLOP/s, which cannot be") != NULL);
    CHECK(*status_text(s, "goodput.job") != '\0'); /* the rest goes on */
    free(s);
}

/* What is accepted and not built in is said, never passed over. */
TEST(span_run_is_said_to_be_missing) {
    char *s = status_with(",\"span\":\"Run\"");
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "AccountedPerTarget");
    free(s);
    s = status_with(",\"span\":\"Target\"");
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
    free(s);
}

TEST(without_program_or_with_a_broken_one_there_is_none) {
    static const char *const specs[] = {
        "", ",\"program\":{}", ",\"program\":{\"peakGFLOPSPerChip\":918000}",
        ",\"program\":{\"peakGFLOPSPerChip\":918000,\"model\":{\"parameters\":\"many\",\"tokensPerStep\":8192}}",
        ",\"program\":{\"peakGFLOPSPerChip\":\"x\",\"model\":[]}"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char *s = status_with(specs[i]);
        CHECK_TEXT(status_text(s, "goodput.program"), "");
        CHECK_TEXT(status_text(s, "program.tflopsPerChip"), "");
        CHECK(*status_text(s, "goodput.job") != '\0');
        free(s);
    }
}
