/* The traps of real logs, a test each: how the lines look, and what the ledger says of
 * them. The real runs behind them are in test_truth.c. */
#include "harness.h"

#include "base/buf.h"
#include "ledger/evaluate.h"
#include "steplog/steplog.h"

#include <stdarg.h>

#define BASE_MS INT64_C(1795226400000) /* 2026-11-21T02:00:00Z, second 0 of each job here */

struct log {
    struct buf text;
    int64_t from_s, to_s; /* the process's */
};

struct read {
    struct ledger *ledger;
    int process;
    int64_t kinds[RECORD_KIND_COUNT], last_step, durable_step, save_ms;
    enum steplog_format recognized;
};

static void say(struct log *l, double at_s, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(struct log *l, double at_s, const char *format, ...) {
    int64_t ms = (int64_t)(at_s * 1000 + 0.5);
    buf_format(&l->text, "2026-11-21T02:%02d:%02d.%03dZ ", (int)(ms / 60000), (int)(ms / 1000 % 60), (int)(ms % 1000));
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    buf_append_text(&l->text, line);
    buf_append_char(&l->text, '\n');
}

static void on_record(void *context, const struct record *r) {
    struct read *f = context;
    struct record mine = *r;
    mine.process = f->process;
    ledger_add_record(f->ledger, &mine);
    f->kinds[r->kind]++;
    if (r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START)
        f->last_step = r->step;
    if (r->kind == RECORD_SAVE_DURABLE)
        f->durable_step = r->step;
    if (r->kind == RECORD_SAVE_BLOCKED && r->duration_ms != RECORD_NONE)
        f->save_ms += r->duration_ms;
}

static void read_log(struct read *f, struct log *l, uint64_t id) {
    f->process = ledger_add_process(f->ledger, id, NULL, BASE_MS + l->from_s * 1000, BASE_MS + l->to_s * 1000);
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, f);
    steplog_feed(s, buf_slice(&l->text), true);
    steplog_end(s);
    f->recognized = steplog_counts_get(s).recognized;
    int lag = steplog_format_line_lag(f->recognized);
    if (lag >= 0)
        ledger_set_line_lag(f->ledger, f->process, lag);
    steplog_free(s);
}

/* One slot from second 0 on, a process per log, restarted in place; f: what was read of all of them. */
static void run(struct log *logs, int count, enum ledger_outcome outcome, struct read *f, struct ledger_result *ret) {
    int64_t end_ms = BASE_MS + logs[count - 1].to_s * 1000;
    *f = (struct read){.ledger = ledger_new(&(struct ledger_options){.has_log = true}),
                       .last_step = RECORD_NONE,
                       .durable_step = RECORD_NONE};
    ledger_set_span(f->ledger, BASE_MS, end_ms, outcome);
    ledger_set_required(f->ledger, BASE_MS, 1);
    ledger_add_occupancy(f->ledger, &(struct ledger_occupancy){.id = 1,
                                                               .created_ms = BASE_MS,
                                                               .bound_ms = BASE_MS,
                                                               .pull_start_ms = TIME_UNKNOWN,
                                                               .pull_end_ms = TIME_UNKNOWN,
                                                               .running_ms = BASE_MS,
                                                               .lost_ms = TIME_OPEN,
                                                               .ended_ms = TIME_OPEN,
                                                               .done_ms = TIME_UNKNOWN,
                                                               .released_ms = TIME_OPEN,
                                                               .known_until_ms = TIME_OPEN});
    for (int i = 0; i < count; i++) {
        if (i > 0)
            ledger_add_restart(f->ledger, 1, BASE_MS + logs[i - 1].to_s * 1000, BASE_MS + logs[i].from_s * 1000);
        read_log(f, &logs[i], (uint64_t)i + 1);
        buf_done(&logs[i].text);
    }
    ledger_evaluate(f->ledger, end_ms, ret);
    int64_t sum_ms = 0;
    for (int i = 0; i < ret->bucket_count; i++)
        sum_ms += ret->buckets[i].ms;
    CHECK_INT(sum_ms, ret->wall_ms);
    ledger_free(f->ledger);
}

static int64_t bucket_s(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return r->buckets[i].ms / 1000;
    return 0;
}

static struct log begin(int64_t from_s, int64_t to_s) {
    struct log l = {.from_s = from_s, .to_s = to_s};
    buf_init(&l.text, 1 << 20);
    return l;
}

static void maxtext_steps(struct log *l, int first, int last, double at_s, double every_s) {
    for (int i = first; i <= last; i++, at_s += every_s)
        say(l, at_s, "completed step: %d, seconds: %.3f, TFLOP/s/device: 1.0, loss: 1.0", i, every_s);
}

static void entry(struct log *l, double at_s, const char *field) {
    say(l, at_s, "{\"job_name\": \"j\", \"%s\": %.3f}", field, (double)BASE_MS / 1000 + at_s);
}

static void step_entries(struct log *l, int first, int last, double at_s, double every_s) {
    for (int i = first; i <= last; i++, at_s += every_s)
        say(l, at_s, "{\"job_name\": \"j\", \"step_count\": %d, \"step_start_time\": %.3f}", i,
            (double)BASE_MS / 1000 + at_s);
}

/* The host's seconds swing, and a kill takes the last lines: two steps' time may be unfinished, no more. */
TEST(trap_1_late_step_lines_and_an_evaluation_that_looks_like_a_step) {
    struct log l = begin(0, 130);
    struct read f;
    struct ledger_result r;
    say(&l, 20, "completed step: 0, seconds: 0.022, TFLOP/s/device: 1.0, loss: 1.0");
    maxtext_steps(&l, 1, 9, 30, 10);
    say(&l, 115, "Completed eval step: 0, seconds: 1.100");
    run(&l, 1, OUTCOME_FAILED, &f, &r);
    CHECK_INT(f.kinds[RECORD_STEP_END], 10);
    CHECK_INT(f.last_step, 9);
    CHECK_INT(f.kinds[RECORD_EVALUATION_END], 1);
    CHECK_INT(r.median_step_ms, 10000);
    CHECK_INT(bucket_s(&r, BUCKET_WASTED_PROGRESS), 18); /* of 20, less the evaluation of 1.1 s */
    CHECK_INT(bucket_s(&r, BUCKET_PRODUCTIVE), 100);     /* the first: an ideal step, not 0.022 s */
    ledger_result_done(&r);
}

/* Four step entries and the job's end never arrived; where training resumes proves the steps. */
TEST(trap_2_recorder_entries_lost_at_exit) {
    struct log l[2] = {begin(0, 150), begin(160, 300)};
    struct read f;
    struct ledger_result r;
    entry(&l[0], 5, "job_start_time");
    step_entries(&l[0], 0, 9, 10, 10); /* to 13 it continued, until 150 */
    entry(&l[1], 165, "job_start_time");
    step_entries(&l[1], 14, 26, 170, 10);
    run(l, 2, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(f.kinds[RECORD_JOB_END], 0);
    CHECK_INT(r.lost_steps, 0);
    CHECK_INT(bucket_s(&r, BUCKET_WASTED_PROGRESS), 0);
    CHECK_INT(bucket_s(&r, BUCKET_PRODUCTIVE), 140 + 130);
    ledger_result_done(&r);
}

static void save_entry(struct log *l, double at_s, int step) {
    say(l, at_s,
        "{\"job_name\": \"j\", \"step\": %d, \"event_type\": \"save\", \"directory\": \"/ck\", \"synchronous\": false, "
        "\"checkpointer_blocking_start_time\": %.3f, \"checkpointer_blocking_duration_secs\": 0.5, "
        "\"checkpoint_manager_blocking_start_time\": %.3f, \"checkpoint_manager_blocking_duration_secs\": 0.5}",
        step, (double)BASE_MS / 1000 + at_s - 0.5, (double)BASE_MS / 1000 + at_s - 0.5);
}

static void restore_entry(struct log *l, double at_s, int step) {
    say(l, at_s,
        "{\"job_name\": \"j\", \"step\": %d, \"event_type\": \"restore\", \"directory\": \"/ck\", "
        "\"checkpointer_start_time\": %.3f, \"checkpointer_duration_secs\": 1.0, \"checkpoint_manager_start_time\": "
        "%.3f, \"checkpoint_manager_duration_secs\": 1.0}",
        step, (double)BASE_MS / 1000 + at_s - 1, (double)BASE_MS / 1000 + at_s - 1);
}

TEST(trap_3_an_orbax_save_entry_comes_before_the_commit) {
    struct log l[2] = {begin(0, 245), begin(250, 400)};
    struct read f;
    struct ledger_result r;
    step_entries(&l[0], 0, 10, 10, 10);
    save_entry(&l[0], 119, 10);
    step_entries(&l[0], 11, 20, 120, 10);
    save_entry(&l[0], 229, 20);
    step_entries(&l[0], 21, 22, 230, 10);
    restore_entry(&l[1], 258, 10); /* 20 was never committed */
    step_entries(&l[1], 11, 24, 260, 10);
    run(l, 2, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(r.lost_steps, 11); /* 11 to 21, and 22 was not finished */
    CHECK(r.last_durable_step == 10);
    ledger_result_done(&r);
}

TEST(trap_4_orbax_statistics_as_python_text_with_maxtext) {
    struct log l = begin(0, 130);
    struct read f;
    struct ledger_result r;
    maxtext_steps(&l, 0, 5, 20, 10);
    say(&l, 75.5,
        "I1121 02:01:15.500000 1401 standard_logger.py:34] {'step': 5, 'event_type': 'save', 'directory': '/ck', "
        "'reached_preemption': False, 'preemption_received_at': None, 'synchronous': True, "
        "'wait_for_prev_start_time': None, 'wait_for_prev_duration_secs': None, "
        "'checkpointer_blocking_start_time': %.3f, 'checkpointer_blocking_duration_secs': 4.0, "
        "'checkpoint_manager_blocking_start_time': %.3f, 'checkpoint_manager_blocking_duration_secs': 5.0}",
        (double)BASE_MS / 1000 + 70.6, (double)BASE_MS / 1000 + 70.5);
    maxtext_steps(&l, 6, 10, 85.5, 10);
    run(&l, 1, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(f.save_ms, 5000);
    CHECK_INT(bucket_s(&r, BUCKET_CHECKPOINT_SAVE), 5);
    CHECK_INT(f.recognized, STEPLOG_MAXTEXT);
    ledger_result_done(&r);
}

/* It said that the job ended and exited 0, but had saved nothing since 10. */
TEST(trap_5_exit_0_after_sigterm_does_not_mean_that_nothing_was_lost) {
    struct log l[2] = {begin(0, 200), begin(210, 360)};
    struct read f;
    struct ledger_result r;
    step_entries(&l[0], 0, 17, 10, 10);
    entry(&l[0], 190, "job_end_time");
    restore_entry(&l[1], 218, 10);
    step_entries(&l[1], 11, 23, 220, 10);
    entry(&l[1], 350, "job_end_time");
    run(l, 2, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(f.kinds[RECORD_JOB_END], 2);
    CHECK_INT(r.lost_steps, 7);
    CHECK_INT(bucket_s(&r, BUCKET_WASTED_PROGRESS), 70);
    CHECK_INT(bucket_s(&r, BUCKET_PRODUCTIVE), 110 + 130);
    ledger_result_done(&r);
}

/* Version 4 rounds the epoch to 0.0, version 5 quotes: neither is a step. The bar has it, in one line, glued on. */
TEST(trap_6_hugging_face_dictionaries_have_no_step) {
    struct log l = begin(0, 60);
    struct read f;
    struct ledger_result r;
    say(&l, 9, "\r  0%%|          | 0/40 [00:00<?, ?it/s][transformers] `loss_type=None` was set in the config");
    say(&l, 12, "{'loss': 1.0355, 'grad_norm': 2.13, 'learning_rate': 5e-05, 'epoch': 0.0}");
    say(&l, 14, "{'loss': '1.911', 'grad_norm': '2.13', 'learning_rate': '5e-05', 'epoch': '0.00016'}");
    say(&l, 15,
        "\r  2%%|3         | 1/40 [00:02<00:45,  2.00s/it]\r                    \r\r  2%%|3         | 1/40 "
        "[00:02<00:45,  2.00s/it]"
        "\r  5%%|5         | 2/40 [00:04<00:38,  2.00s/it]\r                    \r\r  5%%|5         | 2/40 "
        "[00:04<00:38,  2.00s/it]");
    run(&l, 1, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(f.kinds[RECORD_STEP_END], 2);
    CHECK_INT(f.last_step, 2);
    CHECK_INT(f.recognized, STEPLOG_HUGGINGFACE);
    ledger_result_done(&r);
}

/* A buffer's lines come at once: the time between two bursts is steps, or not, and no more is said. */
TEST(trap_7_lines_of_a_block_buffer_come_in_bursts) {
    for (int bursts = 1; bursts <= 4; bursts++) {
        struct log l = begin(0, bursts * 100 + 20);
        struct read f;
        struct ledger_result r;
        for (int i = 0; i < bursts * 10; i++)
            say(&l, (i / 10 + 1) * 100,
                "[titan] 2026-11-21 02:01:%02d,000 - root - INFO - step: %d  loss: 7.2  memory: 0.00GiB(0.00%%)  tps: "
                "1,111  "
                "tflops: 1.41  mfu: 25.62%%",
                i, i + 1);
        run(&l, 1, OUTCOME_SUCCEEDED, &f, &r);
        CHECK_INT(f.kinds[RECORD_STEP_END], bursts * 10);
        CHECK_INT(r.last_step, bursts * 10);
        CHECK_INT(r.retained_steps, bursts * 10);
        int64_t sum_s =
            bucket_s(&r, BUCKET_PRODUCTIVE) + bucket_s(&r, BUCKET_UNATTRIBUTED) + bucket_s(&r, BUCKET_SHUTDOWN);
        CHECK(sum_s == bursts * 100 + 20 || sum_s == bursts * 100 + 19); /* each in whole seconds */
        CHECK(bucket_s(&r, BUCKET_PRODUCTIVE) <= bursts * 100 / 2);
        CHECK(bursts < 4 || bucket_s(&r, BUCKET_PRODUCTIVE) >= 100); /* of three distances between bursts */
        ledger_result_done(&r);
    }
}

TEST(trap_8_deepspeed_prints_step_0_at_every_start_and_nothing_at_warning) {
    struct log l[3] = {begin(0, 100), begin(100, 200), begin(200, 300)};
    struct read f;
    struct ledger_result r;
    for (int a = 0; a < 2; a++) {
        say(&l[a], a * 100 + 10,
            "[INFO] [logging.py:123:log_dist] [Rank 0] step=0, skipped=0, lr=[0.001], mom=[(0.9)]");
        for (int i = 1; i <= 7; i++)
            say(&l[a], a * 100 + 10 + i * 10,
                "[INFO] [logging.py:123:log_dist] [Rank 0] step=%d, skipped=0, lr=[0.001]", a * 7 + i);
        for (int i = 1; i <= 3; i++)
            say(&l[a], a * 100 + 90,
                "[INFO] [timer.py:264:stop] epoch=0/micro_step=%d/global_step=%d, RunningAvgSamplesPerSec=18.9", i, i);
    }
    say(&l[2], 210, "[WARNING] [config_utils.py:71:_process_deprecated_field] something is deprecated");
    run(l, 3, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(f.kinds[RECORD_STEP_END], 14);
    CHECK_INT(r.lost_steps, 0); /* not a rollback to 0 */
    CHECK_INT(r.last_step, 14);
    CHECK_INT(bucket_s(&r, BUCKET_SHUTDOWN), 0); /* the third may have trained: no line says */
    CHECK(bucket_s(&r, BUCKET_UNATTRIBUTED) + bucket_s(&r, BUCKET_TRAINING_PREPARATION) >= 100);
    ledger_result_done(&r);
}

static void megatron_step(struct log *l, double at_s, int step, double elapsed_ms) {
    say(l, at_s,
        " [2026-11-21 02:00:00.000000] iteration %8d/     40 | consumed samples: %12d | elapsed time per iteration "
        "(ms): %.1f | learning rate: 1.000000E-03 | global batch size:     8 | lm loss: 7.3E+00 |",
        step, step * 8, elapsed_ms);
}

TEST(trap_9_megatrons_second_iteration_averages_the_first_in) {
    struct log l = begin(0, 40);
    struct read f;
    struct ledger_result r;
    say(&l, 10, "[before the start of training step] datetime: 2026-11-21 02:00:10");
    megatron_step(&l, 16.5, 1, 6520);
    megatron_step(&l, 17.06, 2, 3540); /* it took 0.56 s */
    for (int i = 3; i <= 20; i++)
        megatron_step(&l, 17.06 + (i - 2) * 0.56, i, 560);
    run(&l, 1, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(r.median_step_ms, 560);
    CHECK_INT(bucket_s(&r, BUCKET_PRODUCTIVE), 11);     /* 20 x 0.56 */
    CHECK_INT(bucket_s(&r, BUCKET_PROGRAM_STARTUP), 5); /* 6.5 less a step: not taken twice */
    ledger_result_done(&r);
}

TEST(trap_10_torchruns_prefix_and_its_traceback_at_sigterm) {
    struct log l = begin(0, 60);
    struct read f;
    struct ledger_result r;
    for (int i = 1; i <= 5; i++)
        say(&l, 10 * i,
            "[rank0]:[titan] 2026-11-21 02:00:%02d,000 - root - INFO - step: %2d  loss:  7.28179  memory:  "
            "0.00GiB(0.00%%)  tps: 1,111  tflops: 1.41  mfu: 25.62%%",
            10 * i, i);
    say(&l, 55, "Traceback (most recent call last):");
    say(&l, 55, "  File \"/usr/bin/torchrun\", line 8, in <module>");
    say(&l, 55, "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 15");
    run(&l, 1, OUTCOME_FAILED, &f, &r);
    CHECK_INT(f.recognized, STEPLOG_TORCHTITAN);
    CHECK_INT(f.kinds[RECORD_STEP_END], 5);
    CHECK_INT(f.last_step, 5);
    ledger_result_done(&r);
}

TEST(trap_11_keras_redraws_and_lightnings_rich_bar_prints_nothing) {
    struct log l[2] = {begin(0, 60), begin(60, 100)};
    struct read f;
    struct ledger_result r;
    for (int epoch = 1; epoch <= 4; epoch++) {
        say(&l[0], 10 * epoch, "Epoch %d/4", epoch);
        say(&l[0], 10 * epoch + 10,
            "\x1b[1m 1/12\x1b[0m \x1b[37m\xE2\x94\x81\x1b[0m \x1b[1m3s\x1b[0m 337ms/step - loss: 2.3"
            "\b\b\b\b\b\b\r\x1b[1m12/12\x1b[0m \x1b[32m\xE2\x94\x81\x1b[0m\x1b[37m\x1b[0m \x1b[1m10s\x1b[0m 833ms/step "
            "- "
            "loss: 2.1");
    }
    say(&l[1], 65, "GPU available: False, used: False"); /* then the rich bar, of which a kill leaves nothing */
    run(l, 2, OUTCOME_FAILED, &f, &r);
    CHECK_INT(f.kinds[RECORD_STEP_END], 4);
    CHECK_INT(f.last_step, 48);
    CHECK(bucket_s(&r, BUCKET_UNATTRIBUTED) + bucket_s(&r, BUCKET_TRAINING_PREPARATION) >= 40);
    CHECK(bucket_s(&r, BUCKET_PRODUCTIVE) <= 50); /* nothing of the second attempt */
    ledger_result_done(&r);
}

/* 16 KiB and more before the words that matter, the rest of the line without another stamp. */
TEST(trap_12_lines_are_split_at_16_kib) {
    struct log l = begin(0, 60);
    struct read f;
    struct ledger_result r;
    maxtext_steps(&l, 0, 1, 10, 10);
    buf_append_text(&l.text, "2026-11-21T02:00:30.000Z stdout P completed step: 2, seconds: 10.000, ");
    for (int i = 0; i < 16384; i++)
        buf_append_char(&l.text, 'x');
    buf_append_text(&l.text, "\n2026-11-21T02:00:30.001Z stdout F , loss: 1.0\n");
    buf_append_text(&l.text, "2026-11-21T02:00:40.000Z completed step: 3, seconds: 10.000, loss: 1.0\n");
    buf_append_text(&l.text, "completed step: 4, seconds: 10.000, loss: 1.0\n"); /* no stamp: it has the last one's */
    run(&l, 1, OUTCOME_SUCCEEDED, &f, &r);
    CHECK_INT(f.kinds[RECORD_STEP_END], 5);
    CHECK_INT(f.last_step, 4);
    CHECK_INT(bucket_s(&r, BUCKET_SHUTDOWN), 20);
    ledger_result_done(&r);
}
