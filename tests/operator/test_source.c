/* Step logs from elsewhere than a pod's log: whose a line is. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static struct model *begin(const char *step_log) {
    const struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options);
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.step_log = step_log}, 0.1);
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

#define FROM_FILE "\"source\":\"File\",\"file\":{\"path\":\"log\"}"

static struct model_job *its_job(struct model *m) {
    return model_job_find(m, "ns", "js");
}

static void show_pod(struct model *m, const char *name, int started, int finished, int exit_code) {
    struct fake_pod p = fake_started(name, 0, started - 2, started - 1, started);
    p.finished = finished;
    p.exit_code = exit_code;
    p.phase = finished < 0 ? "Running" : exit_code ? "Failed" : "Succeeded";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, (finished < 0 ? started : finished) + 0.5);
}

/* Steps [from, to), each a second, the first one ending at `at`. To the pod's log, or from elsewhere. */
static void feed_steps(struct model *m, const char *pod, int from, int to, int at) {
    for (int i = from; i < to; i++) {
        CLEANUP_FREE char *line = mem_format("completed step: %d, seconds: 1.000, TFLOP/s/device: 50.1, loss: 2.1", i);
        int64_t ms = fake_ms(at + i - from);
        if (pod)
            model_job_log_line(its_job(m), pod, 0, ms * 1000000, slice_of(line));
        else
            CHECK(model_job_source_line(its_job(m), ms, slice_of(line)));
    }
}

static char *without(char *status, const char *from, const char *to) {
    char *a = strstr(status, from), *b = a ? strstr(a, to) : NULL;
    if (b != NULL)
        memmove(a, b, strlen(b) + 1);
    return status;
}

/* Two runs, the first one failed. */
static char *run_story(bool is_file) {
    struct model *m = begin(is_file ? FROM_FILE : "\"source\":\"PodLog\"");
    char completed[512];
    show_pod(m, "a", 4, -1, 0);
    feed_steps(m, is_file ? NULL : "uid-a", 0, 20, 10);
    show_pod(m, "a", 4, 31, 1);
    show_pod(m, "b", 36, -1, 0);
    feed_steps(m, is_file ? NULL : "uid-b", 10, 40, 42);
    show_pod(m, "b", 36, 75, 0);
    snprintf(completed, sizeof completed, "\"conditions\":[%s]",
             fake_condition("Completed", "True", "AllJobsCompleted", 76));
    fake_observe_jobset(m, 1, "", completed, 76.3);
    if (is_file)
        model_job_source_read(its_job(m), fake_ms(90));
    else
        for (int i = 0; i < 2; i++)
            model_job_log_end(its_job(m), i ? "uid-b" : "uid-a", 0, NULL);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, fake_ms(200), false);
    struct model_summary summary;
    free(replay_status(m, "ns", "js", fake_ms(100), &summary));
    char *status = replay_status(m, "ns", "js", fake_ms(200), &summary);
    CHECK(summary.is_final);
    model_free(m);
    return status;
}

TEST(the_same_lines_from_a_file_give_the_same_status_as_from_the_pods_logs) {
    char *log = run_story(false), *file = run_story(true);
    CHECK_TEXT(status_text(file, "conditions[type=StepLogAttached].reason"), "Attached");
    CHECK_INT(status_int(file, "interruptions.total"), 1);
    CHECK_INT(status_int(file, "steps.repeated"), 10);
    without(log, "\"logPod\"", "\"logFormat\"");
    CHECK_TEXT(file, log);
    free(log);
    free(file);
}

TEST(lines_from_before_the_target_are_of_another_and_reported) {
    struct model *m = begin(FROM_FILE);
    show_pod(m, "a", 4, -1, 0);
    CHECK(model_job_source_line(its_job(m), fake_ms(-100), SLICE("completed step: 7, seconds: 1.0, loss: 1.0")));
    char *s = replay_status(m, "ns", "js", fake_ms(10), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "Waiting");
    CHECK(strstr(status_text(s, "conditions[type=StepLogAttached].message"), "1 lines read so far are from before"));
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), -1);
    free(s);
    model_free(m);
}

TEST(a_line_of_a_run_that_is_not_observed_yet_waits_for_it) {
    struct model *m = begin(FROM_FILE);
    struct slice line = SLICE("completed step: 7, seconds: 1.0, loss: 1.0");
    CHECK(!model_job_source_line(its_job(m), fake_ms(6), line)); /* no pod at all */
    show_pod(m, "a", 4, 20, 1);
    CHECK(model_job_source_line(its_job(m), fake_ms(6), line));
    CHECK(!model_job_source_line(its_job(m), fake_ms(30), line)); /* its successor's */
    show_pod(m, "b", 26, -1, 0);
    CHECK(model_job_source_line(its_job(m), fake_ms(30), line));
    CHECK_INT(model_job_log_count(its_job(m)), 2);
    char *s = replay_status(m, "ns", "js", fake_ms(40), NULL);
    CHECK_INT(status_int(s, "executions[number=2].firstStep"), 7);
    free(s);
    model_free(m);
}

TEST(lines_of_a_run_whose_pods_are_deleted_count) {
    struct model *m = begin(FROM_FILE);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, fake_ms(100), false);
    feed_steps(m, NULL, 0, 20, 10);
    char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "Attached");
    CHECK(status_int(s, "time.productiveMilliseconds") >= 19000);
    free(s);
    model_free(m);
}

TEST(an_unreadable_source_is_reported_until_it_is_readable) {
    struct model *m = begin(FROM_FILE);
    show_pod(m, "a", 4, -1, 0);
    model_job_source_trouble(its_job(m), "ns/log does not exist");
    char *s = replay_status(m, "ns", "js", fake_ms(10), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "LogUnreadable");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"), "ns/log does not exist");
    free(s);
    model_job_source_trouble(its_job(m), NULL);
    s = replay_status(m, "ns", "js", fake_ms(11), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "Waiting");
    free(s);
    model_free(m);
}

TEST(another_path_starts_again_without_the_old_cursor) {
    struct model *m = begin(FROM_FILE);
    struct model_source source;
    model_job_source_cursor(its_job(m), SLICE("here"));
    uint64_t generation = model_job_log_generation(its_job(m));
    struct fake_jobgoodput other = {.generation = 2, .step_log = "\"source\":\"File\",\"file\":{\"path\":\"b\"}"};
    fake_observe_jobgoodput(m, &other, 5);
    CHECK(model_job_source(its_job(m), &source));
    CHECK_TEXT(source.path, "b");
    CHECK_INT(source.cursor.size_bytes, 0);
    CHECK(model_job_log_generation(its_job(m)) != generation);
    model_free(m);
}

/* A successor continues with the cursor that belongs to the numbers it found. */
TEST(the_cursor_is_part_of_the_checkpoint) {
    struct model *m = begin(FROM_FILE);
    struct model_source source;
    show_pod(m, "a", 4, -1, 0);
    CHECK(model_job_source(its_job(m), &source));
    CHECK_TEXT(source.path, "log");
    CHECK_INT(source.cursor.size_bytes, 0);
    feed_steps(m, NULL, 0, 20, 10);
    model_job_source_cursor(its_job(m), SLICE("here"));
    CLEANUP_FREE char *status = replay_status(m, "ns", "js", fake_ms(40), NULL);
    model_free(m);
    const struct model_options options = {.keeps_checkpoints = true};
    m = model_new(&options);
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.step_log = FROM_FILE, .status = status}, 41);
    fake_observe_jobset(m, 1, "", "", 41);
    CHECK(model_job_source(its_job(m), &source));
    CHECK(slice_is(source.cursor, "here"));
    char *s = replay_status(m, "ns", "js", fake_ms(42), NULL);
    CHECK_INT(status_int(s, "steps.retained"), 20);
    free(s);
    model_free(m);
}

/* The writer of a log outside of pods has ended a while after the run in which its last line is, or after the target.
 */
TEST(a_log_from_elsewhere_is_over_with_its_run) {
    struct model *m = begin(FROM_FILE);
    int64_t written_ms = fake_ms(40), late_ms = fake_ms(50 + 3600);
    CHECK(!model_job_source_is_over(its_job(m), written_ms, late_ms)); /* no run is known */
    show_pod(m, "a", 4, -1, 0);
    CHECK(!model_job_source_is_over(its_job(m), written_ms, late_ms)); /* it still runs */
    show_pod(m, "a", 4, 50, 1);
    CHECK(!model_job_source_is_over(its_job(m), written_ms, fake_ms(51)));
    CHECK(model_job_source_is_over(its_job(m), written_ms, late_ms));
    CHECK(!model_job_source_is_over(its_job(m), late_ms, late_ms)); /* written just now, by another clock */
    fake_observe_jobset_deleted(m, 1, 70, 70.2);
    CHECK(model_job_source_is_over(its_job(m), late_ms, late_ms));
    model_free(m);
}
