/* What analyze says of logs in which it reads no step: no ledger and no score, but what was read, and what to try. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "cli/render/pick.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *answer_of(const char *files, const char *options, const char *error) {
    struct run run = run_analyze(files, options);
    CHECK_INT(run.code, 1);
    json_t *answer = json_loads(run.out ? run.out : "", 0, NULL);
    CHECK_TEXT(pick_text(answer, "error"), error);
    CLEANUP_FREE char *line = mem_format("kubectl-goodput: %s\n", error);
    CHECK(run.err != NULL && strstr(run.err, line) != NULL);
    CHECK(!pick_has(answer, "goodput") && !pick_has(answer, "badput") && !pick_has(answer, "time"));
    run_done(&run);
    return answer;
}

/* 60 steps of about a second, and an evaluation with a counter of its own after every 20th. */
static void write_trainer(const char *name, bool has_times) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 1 << 20);
    buf_format(&log, "%sloading\n", has_times ? "2026-11-21T01:59:50Z " : "");
    for (int i = 0; i < 60; i++) {
        char stamp[40] = "";
        if (has_times)
            snprintf(stamp, sizeof stamp, "2026-11-21T02:00:%02d.%03dZ ", i, i % 3 * 10);
        buf_format(&log, "%siter %d: loss %d.5, time %d.12ms\n", stamp, i, 100 - i, 1000 + i % 3 * 10);
        if (i % 20 == 0)
            buf_format(&log, "%sstep %d: train loss 4.1, val loss 4.2\n", stamp, i);
    }
    run_write_file(name, log.data, log.size_bytes);
}

#define PATTERN "\\biter\\s*(?<step>[0-9]+).*?\\btime\\s*(?<milliseconds>[0-9.]+) ?ms"

TEST(a_pattern_is_derived_and_tried) {
    write_trainer("nano.log", true);
    json_t *answer = answer_of("nano.log", "-o json --format MaxText",
                               "nano.log: no step in any line (64); describe a step's line with --regex or "
                               "--format-file");
    CHECK_INT(pick_int(answer, "log.lines", 0), 64);
    CHECK_TEXT(pick_text(answer, "log.start"), "2026-11-21T01:59:50.000Z");
    CHECK_TEXT(pick_text(answer, "log.end"), "2026-11-21T02:00:59.020Z");
    CHECK_INT(json_array_size(pick(answer, "log.formats")), 2);
    CHECK_TEXT(json_string_value(json_array_get(pick(answer, "log.samples"), 1)), "iter 1: loss 99.5, time 1010.12ms");
    CHECK_TEXT(pick_text(answer, "suggestion.regex"), PATTERN);
    CHECK_INT(pick_int(answer, "suggestion.gives.steps.retained", 0), 60);
    CHECK(pick_has(answer, "suggestion.gives.goodput.runtime"));
    CHECK(!pick_has(answer, "suggestion.gives.goodput.scheduling"));
    json_decref(answer);
}

/* What is shown can be used as it is: the option, and the file. */
TEST(the_suggestion_works_as_it_is_shown) {
    write_trainer("nano.log", true);
    struct run run = run_analyze("nano.log", "--format MaxText");
    CHECK_INT(run.code, 1);
    CHECK(strstr(run.out, "  kubectl goodput analyze nano.log --regex 'step=" PATTERN "'\n") != NULL);
    CHECK(strstr(run.out, "  It reads 60 steps, up to step 59: runtime goodput ") != NULL);
    const char *yaml = strstr(run.out, "  apiVersion:");
    REQUIRE(yaml != NULL);
    run_write_file("mytrainer.yaml", yaml, strlen(yaml));
    run_done(&run);
    const char *const ways[] = {"-o json --regex 'step=" PATTERN "'", "-o json --format-file mytrainer.yaml"};
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        run = run_analyze("nano.log", ways[i]);
        CHECK_INT(run.code, 0);
        CHECK_INT((int64_t)run_number(&run, "steps", "retained"), 60);
        run_done(&run);
    }
}

/* In words that no format knows: the answer says that only the number speaks for it. */
TEST(lines_in_unknown_words_get_a_pattern_by_their_number) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 1 << 20);
    buf_append_text(&log, "2026-11-21T01:59:50Z loading\n");
    for (int i = 0; i < 50; i++)
        buf_format(&log, "2026-11-21T02:00:%02d.000Z phase=%d cost %.2f\n", i, i, 9.0 / (i + 1));
    run_write_file("phase.log", log.data, log.size_bytes);
    json_t *answer = answer_of("phase.log", "-o json",
                               "phase.log: no step in any line (51); describe a step's line with --regex or "
                               "--format-file");
    CHECK_TEXT(pick_text(answer, "log.samplesShow"), "RisingNumber");
    CHECK_TEXT(pick_text(answer, "suggestion.regex"), "\\bphase=(?<step>[0-9]+)");
    CHECK_INT(pick_int(answer, "suggestion.gives.steps.retained", 0), 50);
    json_decref(answer);
    struct run run = run_analyze("phase.log", "");
    CHECK_INT(run.code, 1);
    CHECK(strstr(run.out,
                 "\nNo line names a step. In these a number rises, which may count steps\n  phase=0 cost 9.00\n"
                 "  phase=1 cost 4.50\n") != NULL);
    CHECK(strstr(run.out, "analyze phase.log --regex 'step=\\bphase=(?<step>[0-9]+)'\n  It reads 50 steps") != NULL);
    run_done(&run);
}

TEST(numbers_that_cannot_be_given_are_not) {
    write_trainer("bare.log", false);
    json_t *answer = answer_of("bare.log", "-o json --format MaxText",
                               "bare.log: no step in any line (64); describe a step's line with --regex or "
                               "--format-file");
    CHECK_TEXT(pick_text(answer, "suggestion.regex"), PATTERN);
    CHECK(!pick_has(answer, "suggestion.gives") && !pick_has(answer, "log.start"));
    CHECK(strstr(pick_text(answer, "suggestion.withoutNumbers"), "add timestamps") != NULL);
    json_decref(answer);
    write_trainer("nano.log", true);
    answer = answer_of("- <nano.log", "-o json --format MaxText",
                       "standard input: no step in any line (64); describe a step's line with --regex or "
                       "--format-file");
    CHECK_TEXT(pick_text(answer, "suggestion.withoutNumbers"),
               "Its numbers need a file: this input can be read only once.");
    json_decref(answer);
}

TEST(a_log_without_steps_gets_no_pattern) {
    static const char server[] = "2026-11-21T02:00:00Z GET /step/1 200 12ms\n2026-11-21T02:00:01Z GET /step/2 200 9ms\n"
                                 "2026-11-21T02:00:02Z \x01\x02 step 7 loss 3\n";
    static const char kernel[] = "[   0.37] nvidia 0000:01: device update 1 time out\n"
                                 "[   0.74] nvidia 0000:02: device update 2 time out\n"
                                 "[   0.74] items in batch 3, access 4, security ms 5\n";
    static const struct {
        const char *text, *options, *error;
    } cases[] = {
        {server, "-o json", "a.log: no step in any line (3); describe a step's line with --regex or --format-file"},
        {kernel, "-o json", "a.log: no step in any line (3); describe a step's line with --regex or --format-file"},
        {"", "-o json", "a.log: it is empty"},
        {server, "-o json --regex 'step=never (?<step>[0-9]+)'",
         "a.log: no line (3) matches the pattern of a step; compare it with the lines"},
        {"2026-11-21T02:00:00Z completed step: 3, seconds: 1.5, TFLOP/s/device: 2.5\n", "-o json --at 1000",
         "a.log: all steps (1) are after --at"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        run_write_file("a.log", cases[i].text, strlen(cases[i].text));
        json_t *answer = answer_of("a.log", cases[i].options, cases[i].error);
        CHECK(json_is_null(pick(answer, "suggestion")));
        CHECK_INT(json_array_size(pick(answer, "log.samples")), 0);
        json_decref(answer);
    }
    struct run run = run_analyze("a.log", "--html - --at 1000");
    CHECK_INT(run.code, 1);
    CHECK_TEXT(run.out, "");
    run_done(&run);
}

/* Lines of two trainers, one of which counts four batches a step. Were it the same number, it would be one step. */
TEST(two_formats_that_are_equally_likely_are_refused) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 1 << 20);
    for (int i = 1; i <= 9; i++)
        buf_format(&log,
                   "2026-11-21T02:00:%02dZ completed step: %d, seconds: 1.000, TFLOP/s/device: 2.5, loss: 2.0\n"
                   "2026-11-21T02:00:%02dZ [2026-11-21 02:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d, "
                   "skipped=0, lr=[0.001], mom=[(0.9, 0.999)]\n",
                   i, i, i, 4 * i);
    run_write_file("two.log", log.data, log.size_bytes);
    json_t *answer = answer_of("two.log", "-o json",
                               "two.log: MaxText (9 steps) and DeepSpeed (9 steps) are equally likely; choose with "
                               "--format");
    json_decref(answer);
    struct run run = run_analyze("two.log", "-o json --format DeepSpeed");
    CHECK_INT(run.code, 0);
    run_done(&run);
}

/* A generated stream through a pipe: about GOODPUT_UNREAD_MIB (nightly: more), and not a step in it. */
TEST(a_long_log_without_a_step_takes_bounded_memory) {
    const char *size = getenv("GOODPUT_UNREAD_MIB");
    int64_t lines = (size != NULL ? atoll(size) : 80) * (1 << 10);
    CLEANUP_FREE char *producer =
        mem_format("awk 'BEGIN { x = sprintf(\"%%960s\", \"\"); for (i = 0; i < %lld; i++) { s = i %% 86400; printf "
                   "\"20%%02d-%%02d-%%02dT%%02d:%%02d:"
                   "%%02dZ GET /shard/%%d 200 while loading%%s\\n\", 20 + i / 29030400, 1 + i / 2419200 %% 12, "
                   "1 + i / 86400 %% 28, s / 3600, s / 60 %% 60, s %% 60, i, x } }'",
                   (long long)lines);
    struct run run = run_analyze_stream(producer, "-o json");
    CHECK_INT(run.code, 1);
    CHECK(strstr(run.err, "standard input: no step in the first 64 MiB (") != NULL);
    CHECK(strstr(run.err, "Ctrl-C stops; --regex reads lines of another form\n") != NULL);
    if (run_is_memory_ours())
        CHECK(run.rss_kib < 16 * 1024);
    run_done(&run);
}

/* No word names the number, but its total is in every line. */
TEST(a_number_with_a_total_gets_a_pattern) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 1 << 20);
    buf_append_text(&log, "2026-11-21T01:59:50Z loading\n");
    for (int i = 1; i <= 60; i++)
        buf_format(&log, "2026-11-21T02:00:%02d.000Z >>> %d%% %d/60 cost %.2f\n", i - 1, i * 100 / 60, i, 9.0 / i);
    run_write_file("total.log", log.data, log.size_bytes);
    json_t *answer = answer_of("total.log", "-o json",
                               "total.log: no step in any line (61); describe a step's line with --regex or "
                               "--format-file");
    CHECK_TEXT(pick_text(answer, "suggestion.regex"), "(?<![0-9./])(?<step>[0-9]+)/60(?![0-9./])");
    CHECK_INT(pick_int(answer, "suggestion.gives.steps.retained", 0), 60);
    json_decref(answer);
}

/* Before any file is opened. */
TEST(a_wrong_pattern_is_wrong_usage) {
    static const struct {
        const char *options, *err;
    } wrong[] = {{"--regex 'step=it'",
                  "kubectl-goodput: --regex: regex.step has no group named step, for example 'step=(?<step>[0-9]+)'\n"},
                 {"--regex 'step=it=(?<step>'", "kubectl-goodput: --regex: regex.step is not a valid pattern: "},
                 {"--regex 'step=(?<step>[0-9]+)' --regex 'checkpointSaved=('",
                  "kubectl-goodput: --regex: regex.checkpointSaved is not a valid pattern: "}};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct run run = run_analyze("missing.log", wrong[i].options);
        CHECK_INT(run.code, 2);
        CHECK(strncmp(run.err, wrong[i].err, strlen(wrong[i].err)) == 0);
        run_done(&run);
    }
}
