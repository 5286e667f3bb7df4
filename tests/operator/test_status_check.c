/* status_check finds a wrong number wherever it is (status_mutate.h). What it lets pass is listed here: nothing else in
 * a status determines it. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"
#include "status_check.h"
#include "status_mutate.h"

#include <stdlib.h>

static void feed_steps(struct model *m, const char *pod, int first, int last, int from) {
    for (int step = first; step <= last; step++) {
        CLEANUP_FREE char *line =
            mem_format("completed step: %d, seconds: 1.000, TFLOP/s/device: 40.000, Tokens/s/device: "
                       "800.000, total_weights: 65536, loss: 7.000",
                       step);
        fake_log_line(m, pod, from + step - first + 1, line);
    }
}

#define SPEC                                                                                                           \
    ",\"windowSeconds\":[60,3600],\"cost\":{\"pricePerChipHour\":\"36000\",\"currency\":\"USD\"},"                     \
    "\"program\":{\"peakGFLOPSPerChip\":918000,\"model\":{\"parameters\":\"8e9\",\"layers\":32,\"heads\":32,"          \
    "\"headDim\":128,\"sequenceLength\":8192,\"tokensPerStep\":8192}}"

/* Of a job whose first pod fails after step 11, and whose second continues from there; the log of the first ends before
 * the lines of that many steps. */
static char *status_of_life(int lost_lines) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_observe_trainer(m, "", SPEC), q = fake_pod("try2", 0, 1030);
    char done[512];
    feed_steps(m, "try1", 0, 11 - lost_lines, 1000);
    p.finished = 1014;
    p.phase = "Failed";
    p.exit_code = 1;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1015);
    q.node = "n0";
    q.bound = q.started = 1040;
    q.phase = "Running";
    fake_observe_pod(m, &q, OBSERVED_PRESENT, 1041);
    model_job_log_line(model_job_find(m, "ns", "js"), "uid-try2", 0, fake_ms(1045) * 1000000,
                       SLICE("restored from checkpoint step 11, resuming at 12"));
    feed_steps(m, "try2", 12, 31, 1050);
    q.finished = 1075;
    q.phase = "Succeeded";
    fake_observe_pod(m, &q, OBSERVED_PRESENT, 1076);
    snprintf(done, sizeof done, "\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 1077));
    fake_observe_jobset(m, 1, "", done, 1078);
    replay_watermarks(m, fake_ms(1200));
    char *s = replay_status(m, "ns", "js", fake_ms(1200), NULL);
    model_free(m);
    return s;
}

/* The same life, and the lines of steps 4 to 11 are lost: that 12 could follow proves that they were done. */
TEST(a_lost_piece_of_log_takes_no_step_from_program_goodput) {
    CLEANUP_FREE char *whole = status_of_life(0), *cut = status_of_life(8);
    static const char *const numbers[] = {"time.productiveMilliseconds", "steps.retained",
                                          "steps.meanMilliseconds",      "goodputPPM.program",
                                          "goodputPPM.productivity",     "goodputPPM.job"};
    CHECK_INT(status_int(whole, "steps.retained"), 32);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK_INT(status_int(cut, numbers[i]), status_int(whole, numbers[i]));
    CHECK_TEXT(status_text(cut, "program.tflopsPerChip"), status_text(whole, "program.tflopsPerChip"));
}

/* Paths of what may be any number: words separated by spaces, list items without their number. */
static const char undetermined[] =
    " observedGeneration target.chips availability.required availability.available conditions.observedGeneration"
    " badput.count windows.windowSeconds interruptions.byCause.chipSeconds executions.firstStep executions.lastStep"
    " executions.resumeMilliseconds executions.catchUpMilliseconds executions.detectMilliseconds "
    "executions.waitMilliseconds executions.lostWorkMilliseconds executions.lostSteps"
    " steps.last steps.lastDurable steps.repeated steps.p50Milliseconds steps.p99Milliseconds "
    "otherDefinitions.numeratorMilliseconds"
    " windows.interruptions interruptions.byCause.cost program.parameters program.peakGFLOPSPerChip"
    " cost.pricePerChipHour acceleratorHours.waiting time.provisionalMilliseconds executions.rescheduleMilliseconds"
    " steps.hangAfterMilliseconds executions.rootCause.jobIndex executions.rootCause.completionIndex"
    " executions.rootCause.followers executions.rootCause.unread ";

/* What is determined but for rounding: more than twice as much is wrong. */
static const char rounded[] =
    " badput.chipSeconds badput.interruptionChipSeconds byOwner.chipSeconds executions.lostChipSeconds"
    " goodputPPM.program windows.badput.milliseconds ";

TEST(a_wrong_number_in_a_status_is_found) {
    CLEANUP_FREE char *status = status_of_life(3);
    CHECK(status_mutate(status, undetermined, rounded) > 100);
}

/* It knows that there is nothing to know, and refuses a key that comes twice. */
TEST(a_status_without_times_holds_nothing_wrong) {
    char why[STATUS_WHY];
    CHECK(status_check_text("{}", 2, why));
    CHECK(status_check_text("{\"phase\":\"Pending\"}", 19, why));
    CHECK(!status_check_text("{\"phase\":\"Pending\",\"phase\":\"Failed\"}", 36, why));
    CHECK(!status_check_text("{\"phase\":", 9, why));
}
