/* A trainer that something within its container restarts (torchrun's elastic agent, a loop in a shell): the log has
 * another start, and no object shows anything. It is a separate interruption, for every format that logs starts, and a
 * controller killed at any line of it ends with the same status. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

struct evidence_line {
    int at_s;
    const char *text;
    bool has_time; /* behind the text: seconds since 1970 */
};

#define ENTRY(at, field)                                                                                               \
    { at, "{\"job_name\": \"js\", \"" field "\": ", true }
#define STEP(at, n) ENTRY(at, "step_count\": " n ", \"step_start_time")

/* Steps of 10 s from 20 on; at 83 the trainer dies, in step 6; restarted at 100, from the checkpoint of step 3. */
static const struct evidence_line recorder[] = {
    ENTRY(5, "job_start_time"),
    STEP(20, "0"),
    STEP(30, "1"),
    STEP(40, "2"),
    STEP(50, "3"),
    STEP(60, "4"),
    STEP(70, "5"),
    STEP(80, "6"),
    {83, "RuntimeError: NCCL communicator was aborted on rank 3", false},
    ENTRY(100, "job_start_time"),
    ENTRY(101, "tpu_init_start_time"),
    ENTRY(104, "tpu_init_end_time"),
    STEP(120, "4"),
    STEP(130, "5"),
    STEP(140, "6"),
    STEP(150, "7"),
    STEP(160, "8"),
    ENTRY(170, "job_end_time"),
};

#define ITERATION(at, n)                                                                                               \
    {                                                                                                                  \
        at,                                                                                                            \
            " [2026-11-21 02:00:00] iteration " n                                                                      \
            "/ 20 | consumed samples: 8 | elapsed time per iteration (ms): 10000.0 | learning rate: 1.0E-04 | "        \
            "global batch size: 8 | lm loss: 1.0E+01 | loss scale: 1.0 |",                                             \
            false                                                                                                      \
    }

/* The same by Megatron-LM, whose lines mark ends, and which has no line for the start but its initialization. */
static const struct evidence_line megatron[] = {
    {5, "> initializing torch distributed ...", false},
    {8, "[after megatron is initialized] datetime: 2026-11-21 02:00:08", false},
    {20, "[before the start of training step] datetime: 2026-11-21 02:00:20", false},
    ITERATION(30, "1"),
    ITERATION(40, "2"),
    ITERATION(50, "3"),
    ITERATION(60, "4"),
    ITERATION(70, "5"),
    ITERATION(80, "6"),
    {101, "> initializing torch distributed ...", false},
    {104, "[after megatron is initialized] datetime: 2026-11-21 02:01:44", false},
    {110, " loading checkpoint from /ckpt at iteration 4", false},
    {115, "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 4", false},
    {120, "[before the start of training step] datetime: 2026-11-21 02:02:00", false},
    ITERATION(130, "5"),
    ITERATION(140, "6"),
    ITERATION(150, "7"),
    ITERATION(160, "8"),
    ITERATION(170, "9"),
};

#define LOSS(at, n)                                                                                                    \
    { at, "iter " n ": loss 3.1234, time 10000.00ms", false }

/* A loop of nanoGPT's kind in a shell's loop: only its first lines come again. */
static const struct evidence_line plain[] = {
    {5, "tokens per iteration will be: 16,384", false},
    {6, "number of parameters: 10.65M", false},
    LOSS(30, "1"),
    LOSS(40, "2"),
    LOSS(50, "3"),
    LOSS(60, "4"),
    LOSS(70, "5"),
    LOSS(80, "6"),
    {101, "tokens per iteration will be: 16,384", false},
    {104, "number of parameters: 10.65M", false},
    LOSS(130, "5"),
    LOSS(140, "6"),
    LOSS(150, "7"),
    LOSS(160, "8"),
    LOSS(170, "9"),
};

static struct model *begin(const char *status) {
    struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, "ns", "js", "PodLog", more, fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

static void show_pod(struct model *m, bool is_over) {
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    a.phase = is_over ? "Succeeded" : "Running";
    a.finished = is_over ? 172 : a.finished;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, is_over ? 172.5 : 3.1);
}

/* killed_at: before that line another controller takes over; -1: never. */
static char *life(const struct evidence_line *lines, int count, int killed_at) {
    struct model *m = begin(NULL);
    char text[512], status[256];
    show_pod(m, false);
    for (int i = 0; i < count; i++) {
        if (i == killed_at) {
            CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(lines[i].at_s), NULL);
            model_free(m);
            m = begin(s);
            show_pod(m, false);
        }
        if (lines[i].has_time)
            snprintf(text, sizeof text, "%s%lld}", lines[i].text, (long long)(fake_ms(lines[i].at_s) / 1000));
        else
            snprintf(text, sizeof text, "%s", lines[i].text);
        fake_log_line(m, "a", lines[i].at_s, text);
    }
    model_job_log_end(model_job_find(m, "ns", "js"), "uid-a", 0, NULL);
    show_pod(m, true);
    snprintf(status, sizeof status, "\"conditions\":[%s]",
             fake_condition("Completed", "True", "AllJobsCompleted", 173));
    fake_observe_jobset(m, 1, "", status, 173.5);
    char *s = replay_status(m, "ns", "js", fake_ms(190), NULL);
    model_free(m);
    char *checkpoint = strstr(s, ",\"checkpoint\":"); /* the last */
    if (checkpoint)
        strcpy(checkpoint, "}");
    return s;
}

static void check_killed(const struct evidence_line *lines, int count) {
    CLEANUP_FREE char *expected = life(lines, count, -1);
    for (int i = 1; i < count; i++) {
        CLEANUP_FREE char *got = life(lines, count, i);
        size_t at = 0;
        while (expected[at] && expected[at] == got[at])
            at++;
        if (expected[at] != got[at])
            harness_fail(__FILE__, __LINE__, "killed before line %d:\n%.200s\nexpected\n%.200s", i + 1, got + at,
                         expected + at);
    }
}

TEST(a_trainer_restarted_in_its_container_is_an_interruption) {
    CLEANUP_FREE char *s = life(recorder, (int)ARRAY_SIZE(recorder), -1);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "interruptions.byCause[cause=TrainerRestart].cause"), "TrainerRestart");
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "TrainerRestart");
    CHECK_TEXT(status_text(s, "executions[number=1].evidence"),
               "Pod a: log line 10: the trainer was restarted in its container, after step 6 on node n0");
    CHECK_TEXT(status_text(s, "executions[number=1].node"), "n0");
    CHECK_INT(status_int(s, "executions[number=1].firstStep"), 0);
    CHECK_INT(status_int(s, "executions[number=2].firstStep"), 4);
    CHECK_INT(status_int(s, "executions[number=1].lostSteps"), 2);                /* 4 and 5 */
    CHECK_INT(status_int(s, "executions[number=1].lostWorkMilliseconds"), 23000); /* and 3 s of 6 */
    CHECK_INT(status_int(s, "executions[number=1].rescheduleMilliseconds"), 0);   /* the pod was there all the time */
    CHECK_INT(status_int(s, "executions[number=1].resumeMilliseconds"), 37000);   /* from its last word to step 4 */
    CHECK_INT(status_int(s, "executions[number=1].catchUpMilliseconds"), 30000);  /* until 6 was done at last */
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), 90000);               /* steps 0 to 8 */
    CHECK_INT(status_int(s, "badput[bucket=AcceleratorInit].milliseconds"), 3000);
    CHECK_INT(status_int(s, "badput[bucket=WastedProgress].milliseconds"), 23000);
    CHECK_INT(status_int(s, "badput[bucket=FailureDetection].milliseconds"), 17000); /* until it is restarted */
    check_killed(recorder, (int)ARRAY_SIZE(recorder));
}

TEST(an_initialization_after_steps_is_a_restart_where_no_line_says_start) {
    CLEANUP_FREE char *s = life(megatron, (int)ARRAY_SIZE(megatron), -1);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "TrainerRestart");
    CHECK_INT(status_int(s, "executions[number=1].lostSteps"), 2);
    CHECK_INT(status_int(s, "executions[number=1].lostWorkMilliseconds"), 20000);
    CHECK_INT(status_int(s, "executions[number=1].resumeMilliseconds"), 40000);
    CHECK_INT(status_int(s, "badput[bucket=CheckpointRestore].milliseconds"), 5000);
    check_killed(megatron, (int)ARRAY_SIZE(megatron));
}

TEST(first_lines_that_come_again_are_a_restart_where_no_line_says_start) {
    CLEANUP_FREE char *s = life(plain, (int)ARRAY_SIZE(plain), -1);
    CHECK_INT(status_int(s, "interruptions.total"), 1);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "TrainerRestart");
    CHECK_INT(status_int(s, "executions[number=1].lostSteps"), 2);
    CHECK_INT(status_int(s, "executions[number=2].firstStep"), 5);
    CHECK_INT(status_int(s, "steps.last"), 9);
    check_killed(plain, (int)ARRAY_SIZE(plain));
}

static void show_restarted_pod(struct model *m) {
    struct fake_pod a = fake_started("a", 0, 1, 2, 50);
    a.restart_count = 1;
    a.last_finished = 45;
    a.last_exit_code = 1;
    a.phase = "Running";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 50.1);
}

/* kohya-ss/sd-scripts: each process draws a bar of the steps that are left. */
static void log_bar(struct model *m, int restart_count, int at_s, int steps, int total) {
    char line[2000];
    int n = snprintf(line, sizeof line, "steps:   0%%|  | 0/%d [00:00<?, ?it/s]", total);
    for (int i = 1; i <= steps; i++)
        n += snprintf(line + n, sizeof line - (size_t)n,
                      "\rsteps:   4%%|4   | %d/%d [00:%02d<01:01,  1.6it/s, avr_loss=0.1]", i, total, i);
    model_job_log_line(model_job_find(m, "ns", "js"), "uid-a", restart_count, fake_ms(at_s) * 1000000,
                       (struct slice){line, (size_t)n});
    model_job_log_end(model_job_find(m, "ns", "js"), "uid-a", restart_count, NULL);
}

TEST(a_bar_of_the_rest_continues_the_container_before) {
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        struct model *m = begin(NULL);
        show_pod(m, false);
        log_bar(m, 0, 30, 12, 100);
        if (is_killed) {
            CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(35), NULL);
            model_free(m);
            m = begin(s);
            show_pod(m, false);
        }
        show_restarted_pod(m);
        log_bar(m, 1, 60, 12, 92);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(70), NULL);
        CHECK_INT(status_int(s, "steps.last"), 20);
        CHECK_INT(status_int(s, "steps.repeated"), 4);
        model_free(m);
    }
}

/* An agent that starts it again and again: each is one interruption, listed from the first to the last. */
TEST(many_starts_in_one_container_are_as_many_interruptions) {
    struct evidence_line lines[200];
    int count = 0, runs = 40;
    for (int i = 0; i < runs; i++) {
        lines[count++] = (struct evidence_line)ENTRY(4 * i + 5, "job_start_time");
        lines[count++] = (struct evidence_line)STEP(4 * i + 6, "1");
        lines[count++] = (struct evidence_line)STEP(4 * i + 7, "2");
    }
    CLEANUP_FREE char *s = life(lines, count, -1);
    CHECK_INT(status_int(s, "interruptions.total"), runs - 1);
    CHECK_INT(status_int(s, "interruptions.byCause[cause=TrainerRestart].count"), runs - 1);
    CLEANUP_FREE char *again = life(lines, count, count - 2);
    CHECK_TEXT(again, s);
}
