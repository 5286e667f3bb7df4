/* The condition StepLogAttached where no format reads a step, or two read other ones. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGE "conditions[type=StepLogAttached].message"

static char *status_of(const char *format, void (*write)(struct model_job *job, int i), int lines) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *spec = mem_format(",\"stepLog\":{\"format\":\"%s\"}", format);
    fake_observe_trainer(m, "", spec);
    for (int i = 0; i < lines; i++)
        write(model_job_find(m, "ns", "js"), i);
    char *s = replay_status(m, "ns", "js", fake_ms(2000), NULL);
    model_free(m);
    return s;
}

static void write_at(struct model_job *job, int i, const char *text) {
    model_job_log_line(job, "uid-try1", 0, fake_ms(1010 + i) * 1000000, slice_of(text));
}

static void write_unknown(struct model_job *job, int i) {
    CLEANUP_FREE char *line = mem_format("secret %d: iter %d dt 1.01s", i, i);
    write_at(job, i, line);
}

static void write_server(struct model_job *job, int i) {
    write_at(job, i, "GET /step/1 200");
}

/* Two formats whose step numbers differ. */
static void write_two(struct model_job *job, int i) {
    CLEANUP_FREE char *one = mem_format("completed step: %d, seconds: 1.000, TFLOP/s/device: 40.000, Tokens/s/device: "
                                        "800.000, total_weights: 65536, loss: 7.000",
                                        i);
    CLEANUP_FREE char *two = mem_format("[2026-11-21 02:21:49,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d, "
                                        "skipped=0, lr=[0.001], mom=[(0.9, 0.999)]",
                                        1000 + 4 * i);
    write_at(job, i, one);
    write_at(job, i, two);
}

static void check_reason(const char *status, const char *is_true, const char *reason) {
    CHECK_TEXT(status_text(status, "conditions[type=StepLogAttached].status"), is_true);
    CHECK_TEXT(status_text(status, "conditions[type=StepLogAttached].reason"), reason);
}

/* The pattern, not the lines: who reads a status may not be allowed to read logs. */
TEST(an_unknown_format_gets_a_pattern_and_the_reasons) {
    CLEANUP_FREE char *s = status_of("Auto", write_unknown, 250);
    check_reason(s, "False", "FormatNotRecognized");
    const char *message = status_text(s, MESSAGE);
    CHECK(strstr(message, "match spec.stepLog {format: Regex, regex: {step: '\\biter\\s*(?<step>[0-9]+).*?\\bdt\\s*"
                          "(?<seconds>[0-9.]+) ?s'}}; Recorder: no line has ") != NULL);
    CHECK(strstr(message, "; MaxText: no line has \"completed step: N, seconds: S\"; ") != NULL);
    CHECK(strstr(message, "secret") == NULL);
    CHECK(strlen(message) < 2048);
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), -1);
}

TEST(a_log_without_steps_gets_the_reasons) {
    CLEANUP_FREE char *s = status_of("Auto", write_server, 250);
    check_reason(s, "False", "FormatNotRecognized");
    const char *message = status_text(s, MESSAGE);
    CHECK(strstr(message, "set spec.stepLog.format, or describe the lines in a StepLogFormat; Recorder: ") != NULL);
    CHECK(strstr(message, "Regex") == NULL);
}

TEST(two_formats_are_named) {
    CLEANUP_FREE char *two = status_of("Auto", write_two, 20), *one = status_of("MaxText", write_two, 20);
    check_reason(two, "False", "FormatNotRecognized");
    CHECK_TEXT(status_text(two, MESSAGE), "MaxText and DeepSpeed are equally likely, and report different steps; set "
                                          "spec.stepLog.format to one of them");
    check_reason(one, "True", "Attached");
    CHECK_INT(status_int(two, "time.productiveMilliseconds"), -1);
    CHECK_INT(status_int(two, "goodputPPM.runtime"), -1);
    CHECK_INT(status_int(two, "goodputPPM.runtimeUpperBound"), -1);
    CHECK_INT(status_int(two, "steps.last"), -1);
    CHECK(status_int(two, "badput[bucket=Unattributed].milliseconds") > 0);
    CHECK(status_int(one, "goodputPPM.runtime") > 0);
}

/* A successor knows the steps of both from the checkpoint. */
TEST(two_formats_are_remembered) {
    struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options), *next = model_new(&options);
    fake_observe_trainer(m, "", "");
    for (int i = 0; i < 20; i++)
        write_two(model_job_find(m, "ns", "js"), i);
    CLEANUP_FREE char *status = fake_status(m, 1040);
    CLEANUP_FREE char *left = replay_left(status);
    fake_observe_trainer(next, "", left);
    for (int i = 20; i < 22; i++)
        write_two(model_job_find(next, "ns", "js"), i);
    CLEANUP_FREE char *s = replay_status(next, "ns", "js", fake_ms(2000), NULL);
    check_reason(s, "False", "FormatNotRecognized");
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), -1);
    model_free(m);
    model_free(next);
}
