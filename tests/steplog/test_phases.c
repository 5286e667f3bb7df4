/* Phases of a step as the reinforcement-learning trainers print them. The keys and their order are those of the sources
 * that the formats name (helm/goodput-controller/files/formats). */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "steplog/patterns.h"
#include "steplog/steplog.h"

#include <string.h>

/* "step 12: gen 21500, reward 250 | ..."; a phase on a line of its own has a plus. */
struct heard {
    struct buf text;
    int64_t steps;
};

static void on_record(void *context, const struct record *r) {
    struct heard *t = context;
    if (r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START)
        buf_format(&t->text, "%sstep %" PRId64 ":", t->steps++ > 0 ? " | " : "", r->step);
    if (r->kind == RECORD_PHASE)
        buf_format(&t->text, " %s%s %" PRId64, r->step == RECORD_NONE ? "+" : "", r->name, r->duration_ms);
}

static char *read_log(const char *const *lines, size_t count) {
    struct heard t = {0};
    buf_init(&t.text, 1 << 16);
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &t);
    for (size_t i = 0; i < count; i++)
        steplog_line(s, slice_of(lines[i]), INT64_C(1795227105000) + (int64_t)i * 30000);
    steplog_end(s);
    steplog_free(s);
    return (char *)t.text.data;
}

#define CHECK_LOG(lines, expected)                                                                                     \
    do {                                                                                                               \
        CLEANUP_FREE char *found_ = read_log((lines), ARRAY_SIZE(lines));                                              \
        CHECK_TEXT(found_, (expected));                                                                                \
    } while (0)

/* verl/utils/logger/aggregate_logger.py prints numbers by pprint: Python's shortest, numpy's with their type. Nested
 * timers (those of the workers, and with a slash), the step's own, evaluations and saves are no phases. */
TEST(verl) {
    static const char *const lines[] = {
        "(TaskRunner pid=12345) step:1 - global_seqlen/min:1021 - actor/entropy:0.41 - "
        "actor/pg_loss:np.float64(0.0123) - "
        "training/global_step:1 - training/epoch:0 - critic/score/mean:0.5 - response_length/mean:212.5 - "
        "timing_s/start_profile:0.0001 - timing_s/generation_timing/max:20.1 - "
        "timing_s/generation_timing/topk_ratio:0.5 - "
        "timing_s/generate_sequences:20.5 - timing_s/reshard:0.75 - timing_s/gen:21.5 - timing_s/reward:0.2504 - "
        "timing_s/old_log_prob:np.float64(3.125) - timing_s/ref:3.0 - timing_s/adv:8.106231689453125e-05 - "
        "timing_s/update_actor:9.25 - timing_s/step:41.5 - timing_s/testing:12.5 - timing_s/save_checkpoint:2.5 - "
        "timing_s/stop_profile:1e-06 - timing_per_token_ms/gen:0.12 - timing_per_token_ms/ref:0.01 - "
        "perf/total_num_tokens:65536 - perf/time_per_step:41.5 - perf/throughput:197.4",
        "step:2 - timing_s/gen:20.0 - timing_s/update_critic:4.0 - timing_s/values:1.5 - timing_s/step:31.0",
        "step:2 - timing_s/gen:20.0 - timing_s/step:31.0", /* another rank */
        "step:3 - train/loss:1.2345 - train/lr(1e-3):0.01",
    };
    CHECK_LOG(lines, "step 1: gen 21500 reward 250 old_log_prob 3125 ref 3000 adv 0 update_actor 9250 | "
                     "step 2: gen 20000 update_critic 4000 values 1500 | step 3:");
}

/* A line of some 6 KB, with its phases behind the other numbers. */
TEST(a_long_line_has_all_its_phases) {
    CLEANUP_BUF struct buf line;
    buf_init(&line, 1 << 14);
    buf_append_text(&line, "step:7");
    for (int i = 0; i < 150; i++)
        buf_format(&line, " - critic/some/thing_%03d/mean:0.12345678", i);
    buf_append_text(&line, " - timing_s/gen:20.5 - timing_s/update_actor:9.5 - timing_s/step:31.0");
    const char *const lines[] = {buf_text(&line)};
    CHECK(line.size_bytes > 6000);
    CHECK_LOG(lines, "step 7: gen 20500 update_actor 9500");
}

/* ppo_trainer.py and ppo_trainer_async.py: the status is printed as Python prints a dictionary. */
TEST(openrlhf) {
    static const char *const lines[] = {
        "INFO 11-21 02:28:06 ppo_trainer.py:547] ✨ Global step 1: {'policy_loss': 0.0123, 'actor_lr': 5e-07, 'reward': "
        "0.5, "
        "'timing/make_experience': 4.25, 'timing/ppo_train': 9.5, 'timing/broadcast': 0.5009, 'timing/generation': "
        "20.25, "
        "'timing/step_total': 34.5}",
        "INFO 11-21 02:28:46 ppo_trainer_async.py:244] Global step 2: {'policy_loss': 0.0123, "
        "'timing/make_experience': 4.0, "
        "'timing/ppo_train': 9.0, 'timing/broadcast': 5e-05, 'timing/generation': 29.0, 'timing/step_total': 14.0}",
    };
    CHECK_LOG(lines, "step 1: make_experience 4250 ppo_train 9500 broadcast 501 generation 20250 | "
                     "step 2: make_experience 4000 ppo_train 9000 broadcast 0 generation 29000");
}

/* grpo.py prints a line for each timer, before the next step's line. A throughput is among them. */
TEST(nemo_rl) {
    static const char *const lines[] = {
        "  • policy_training: 9.00s (30.0%)", /* before any step */
        "========================= Step 1/500 =========================",
        "▶ Preparing batch...",
        "📊 Training Results:",
        "  • Loss: 0.1234",
        "  • Mean Generation Length: 212.5000",
        "⏱️  Timing:",
        "  • Total step time: 33.10s",
        "  • exposed_generation: 18.20s (55.0%)",
        "  • policy_training: 12.34s (37.3%)",
        "  • prepare_for_generation/total: 1.50s (4.5%)",
        "  • prepare_for_generation/transfer_and_update_weights: 1.40s (4.2%)",
        "  • idle/buffer_starvation: 0.50s (1.5%)",
        "  • checkpointing: 0.25s (0.8%)",
        "  • valid_tokens_per_sec_per_gpu: 1234.00s (3728.1%)",
        "  ⏱️  Validation Timing:",
        "    • Total validation time: 41.20s",
        "========================= Step 2/500 =========================",
        "(SingleControllerActor pid=99)   • policy_training: 12.00s (40.0%)",
    };
    CHECK_LOG(lines, "step 1: +exposed_generation 18200 +policy_training 12340 +prepare_for_generation/total 1500 "
                     "+idle/buffer_starvation 500 | step 2: +policy_training 12000");
}

/* ---- a user's format ---- */

#define SPEC(kind_of_second, pattern)                                                                                  \
    "{\"patterns\":[{\"name\":\"step\",\"kind\":\"Step\",\"pattern\":\"step=(?<step>[0-9]+)\"},"                       \
    "{\"name\":\"part\",\"kind\":\"" kind_of_second "\",\"pattern\":\"" pattern "\""

static char *trouble(const char *spec) {
    CLEANUP_ERROR struct error *err = NULL;
    struct userformat *f = userformat_parse(slice_of(spec), &err);
    if (f != NULL)
        userformat_check(f, &err);
    userformat_free(f);
    return mem_strdup(err != NULL ? error_text(err) : "");
}

TEST(a_pattern_of_phases_needs_a_name_and_a_time) {
    CLEANUP_FREE char *name = trouble(SPEC("Phase", "(?<seconds>[0-9.]+)s") "}]}");
    CHECK_TEXT(name,
               "pattern part needs the groups name and seconds, for example '(?<name>\\w+)_time=(?<seconds>[0-9.]+)'");
    CLEANUP_FREE char *seconds = trouble(SPEC("Phase", "(?<name>[a-z]+)=") "}]}");
    CHECK(strstr(seconds, "needs the groups name and seconds") != NULL);
    CLEANUP_FREE char *good =
        trouble(SPEC("Phase", "(?<name>[a-z]+)_s=(?<seconds>[0-9.]+)") ",\"examples\":[{\"line\":\"step=1 a_s=2 "
                                                                       "b_s=3\",\"gives\":{\"name\":\"a\","
                                                                       "\"milliseconds\":2000}}]}]}");
    CHECK_TEXT(good, "");
    CLEANUP_FREE char *other = trouble(SPEC(
        "Phase",
        "(?<name>[a-z]+)_s=(?<seconds>[0-9.]+)") ",\"examples\":[{\"line\":\"a_s=2\",\"gives\":{\"name\":\"b\"}}]}]}");
    CHECK_TEXT(other, "pattern \"part\", example 1: name is a, expected b");
    CLEANUP_FREE char *none =
        trouble(SPEC("Phase", "(?<name>[a-z]+)_s=(?<seconds>[0-9.]+)") ",\"examples\":[{\"line\":\"step=1\"}]}]}");
    CHECK_TEXT(none, "pattern \"part\", example 1: no phase is found");
}

static char *read_by(const char *spec, const char *line) {
    struct heard t = {0};
    buf_init(&t.text, 1 << 16);
    struct userformat *f = userformat_parse(slice_of(spec), NULL);
    struct steplog *s = steplog_new_user(f, on_record, &t, NULL);
    steplog_line(s, SLICE("step=1"), 1000);
    steplog_line(s, slice_of(line), 2000);
    steplog_free(s);
    userformat_free(f);
    return (char *)t.text.data;
}

TEST(phases_by_fields_in_their_unit) {
    CLEANUP_FREE char *found = read_by(
        SPEC("Phase", "(?<what>[^ ]+)=(?<took>[0-9.]+)ms") ",\"fields\":[{\"group\":\"what\",\"meaning\":\"Name\"},{"
                                                           "\"group\":\"took\",\"meaning\":\"Duration\","
                                                           "\"unit\":\"ms\"}]}]}",
        "step=2 roll\xc3\xa9=20.4ms update=1000ms x=ms");
    CHECK_TEXT(found, "step 1: | step 2: roll__ 20 update 1000");
}

/* A pattern that matches nothing but a place, or everywhere, ends. */
TEST(a_line_has_a_bounded_number_of_phases) {
    CLEANUP_BUF struct buf line;
    buf_init(&line, 1 << 16);
    buf_append_text(&line, "step=2");
    for (int i = 0; i < 1000; i++)
        buf_append_text(&line, " a=1s");
    CLEANUP_FREE char *many = read_by(SPEC("Phase", "(?<name>[a-z]+)=(?<seconds>[0-9])s") "}]}", buf_text(&line));
    int count = 0;
    for (const char *at = many; (at = strstr(at, "a 1000")) != NULL; at++)
        count++;
    CHECK_INT(count, 32);
    CLEANUP_FREE char *empty = read_by(SPEC("Phase", "(?=(?<name>a)=(?<seconds>[0-9])s)") "}]}", "step=2 a=1s a=1s");
    CHECK_TEXT(empty, "step 1: | step 2: a 1000");
}
