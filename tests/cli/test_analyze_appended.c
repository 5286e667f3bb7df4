/* analyze on one file to which runs were appended hours or days apart (nohup.out, a log opened with mode 'a'). The
 * truth is that of a file for each run. The runs start with different lines, so that only the silence shows where. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <string.h>

#define START_MS INT64_C(1795223940123)
#define HOUR_MS INT64_C(3600000)

/* %N: the step */
static const char *const forms[] = {
    "completed step: %N, seconds: 1.0, TFLOP/s/device: 100.0, Tokens/s/device: 100.0, total_weights: 100, loss: 1.0",
    (" iteration %N/ 1000 | consumed samples: 8 | elapsed time per iteration (ms): 1000.0 | learning rate: 1.0E-4 | "
     "global batch size: 8 | lm loss: 1.0E+00 |"),
    "step %N loss 2.5",
    "{\"step\": %N, \"loss\": 2.5}",
};

static void write_line(struct buf *b, int64_t at_ms, const char *form, int64_t step) {
    char at[RFC3339_SIZE];
    const char *number = strstr(form, "%N");
    rfc3339_format(at, at_ms * 1000000, 9);
    if (number == NULL)
        buf_format(b, "%s %s\n", at, form);
    else
        buf_format(b, "%s %.*s%lld%s\n", at, (int)(number - form), form, (long long)step, number + 2);
}

/* Its first line, then steps, a line each second. Returns the time of the last one. */
static int64_t write_run(struct buf *b, const char *form, const char *head, int64_t start_ms, int64_t first,
                         int64_t last) {
    write_line(b, start_ms, head, 0);
    for (int64_t step = first; step <= last; step++)
        write_line(b, start_ms + (step - first + 1) * 1000, form, step);
    return start_ms + (last - first + 1) * 1000;
}

static int64_t milliseconds_of(const struct run *run, const char *name) {
    return (int64_t)run_number(run, "time", name);
}

/* The second run repeats steps 51 to 100; a third one dies before its first step; the fourth continues. */
TEST(runs_that_were_appended_days_apart) {
    static const int64_t apart_ms[] = {24 * HOUR_MS + 1, 72 * HOUR_MS};
    for (size_t f = 0; f < ARRAY_SIZE(forms); f++)
        for (size_t i = 0; i < ARRAY_SIZE(apart_ms); i++) {
            struct buf b[4];
            CLEANUP_BUF struct buf all;
            static const char *const heads[] = {"loading the model", "another version starts", "reading data",
                                                "now it works"};
            static const int64_t steps[][2] = {{1, 100}, {51, 200}, {0, -1}, {201, 300}};
            char name[] = "0.log";
            int64_t at_ms = START_MS;
            buf_init(&all, 1 << 20);
            for (int k = 0; k < 4; k++) {
                buf_init(&b[k], 1 << 20);
                at_ms = write_run(&b[k], forms[f], heads[k], at_ms, steps[k][0], steps[k][1]) + apart_ms[i];
                buf_append_slice(&all, buf_slice(&b[k]));
                name[0] = (char)('0' + k);
                run_write_file(name, b[k].data, b[k].size_bytes);
                buf_done(&b[k]);
            }
            run_write_file("all.log", all.data, all.size_bytes);
            struct run apart = run_analyze("0.log 1.log 3.log", "-o json"), one = run_analyze("all.log", "-o json");
            CHECK_INT(milliseconds_of(&one, "availableMilliseconds"), (100 + 150 + 100) * 1000);
            CHECK_INT(milliseconds_of(&one, "productiveMilliseconds"),
                      milliseconds_of(&apart, "productiveMilliseconds"));
            CHECK_INT((int64_t)run_number(&one, "steps", "repeated"), 50);
            CHECK(strstr(one.out, "no line of a log covers it") != NULL);
            run_done(&apart);
            run_done(&one);
        }
}

/* Steps that come again show that another process began hours before. */
TEST(runs_that_were_appended_hours_apart) {
    for (size_t f = 0; f < ARRAY_SIZE(forms); f++) {
        CLEANUP_BUF struct buf all;
        buf_init(&all, 1 << 20);
        int64_t at_ms = write_run(&all, forms[f], "loading the model", START_MS, 1, 100) + 5 * HOUR_MS;
        write_run(&all, forms[f], "another version starts", at_ms, 51, 200);
        run_write_file("all.log", all.data, all.size_bytes);
        struct run run = run_analyze("all.log", "-o json");
        CHECK_INT(milliseconds_of(&run, "availableMilliseconds"), (100 + 150) * 1000);
        CHECK_INT((int64_t)run_number(&run, "interruptions", "total"), 1);
        run_done(&run);
    }
}

/* An evaluation without a line, then one that nothing knows; the last line of a hang. */
TEST(a_line_that_nothing_knows_ends_no_process) {
    for (int64_t steps = 100; steps <= 200; steps += 100)
        for (size_t f = 0; f < ARRAY_SIZE(forms); f++) {
            CLEANUP_BUF struct buf b;
            buf_init(&b, 1 << 20);
            int64_t at_ms = write_run(&b, forms[f], "loading the model", START_MS, 1, 100) + 5 * HOUR_MS;
            write_line(&b, at_ms, "all questions are answered", 0);
            for (int64_t step = 101; step <= steps; step++)
                write_line(&b, at_ms + (step - 100) * 1000, forms[f], step);
            run_write_file("a.log", b.data, b.size_bytes);
            struct run run = run_analyze("a.log", "-o json");
            CHECK_INT((int64_t)run_number(&run, "interruptions", "total"), 0);
            CHECK_INT(milliseconds_of(&run, "wallMilliseconds"), at_ms - START_MS + (steps - 100) * 1000);
            CHECK_INT(milliseconds_of(&run, "availableMilliseconds"), milliseconds_of(&run, "wallMilliseconds"));
            CHECK_INT((int64_t)run_number(&run, "steps", "last"), steps);
            run_done(&run);
        }
}

/* Own clocks, and a run that ends with lines that have none. */
TEST(silence_after_lines_without_a_time) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    buf_format(&b, "2026-11-20 10:00:00,123 - INFO - loading the model\n"
                   "2026-11-20 10:00:09,123 - INFO - here it ends\n"
                   "Traceback (most recent call last):\n  File \"train.py\", line 1\nRuntimeError: mat1 and mat2\n"
                   "2026-11-23 10:00:00,123 - INFO - another version begins\n");
    for (int step = 1; step <= 50; step++)
        buf_format(&b, "2026-11-23 10:00:%02d,123 - INFO - step %d loss 2.5\n", step, step);
    run_write_file("a.log", b.data, b.size_bytes);
    struct run run = run_analyze("a.log", "-o json");
    CHECK_INT(milliseconds_of(&run, "availableMilliseconds"), (9 + 50) * 1000);
    CHECK_INT(milliseconds_of(&run, "productiveMilliseconds"), 50 * 1000);
    run_done(&run);
}

/* detectron2 begins with a table of its environment, whose rows have no clock: the next line says when. */
TEST(a_process_that_starts_with_lines_without_a_time) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    for (int k = 0; k < 2; k++) {
        buf_format(&b,
                   "----------------------\nsys.platform            linux\nPython                  3.9.12 (main)\n"
                   "2026-11-20 10:%d0:00,123 - INFO - arguments of try %c\n",
                   k, 'a' + k);
        for (int step = 1; step <= 50; step++)
            buf_format(&b, "2026-11-20 10:%d0:%02d,123 - INFO - step %d loss 2.5\n", k, step, k * 50 + step);
    }
    run_write_file("a.log", b.data, b.size_bytes);
    struct run run = run_analyze("a.log", "-o json");
    CHECK_INT((int64_t)run_number(&run, "interruptions", "total"), 1);
    CHECK_INT(milliseconds_of(&run, "availableMilliseconds"), 100 * 1000);
    CHECK_INT(milliseconds_of(&run, "productiveMilliseconds"), 100 * 1000);
    run_done(&run);
}

/* The line that ends the silence shows what ran, or the job is always silent for as long. */
TEST(silence_of_one_run) {
    static const char *const lines[] = {"step %N loss 2.5", "Saving the checkpoint", "[valid] loss 2.5",
                                        "RuntimeError: Watchdog caught collective operation timeout"};
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        CLEANUP_BUF struct buf b;
        buf_init(&b, 1 << 20);
        int64_t at_ms = write_run(&b, forms[2], "loading the model", START_MS, 1, 100) + 2 * HOUR_MS;
        write_line(&b, at_ms, lines[i], 101);
        for (int64_t step = 102; step <= 200; step++)
            write_line(&b, at_ms + (step - 101) * 1000, forms[2], step);
        run_write_file("a.log", b.data, b.size_bytes);
        struct run run = run_analyze("a.log", "-o json");
        CHECK_INT(milliseconds_of(&run, "availableMilliseconds"), milliseconds_of(&run, "wallMilliseconds"));
        run_done(&run);
    }
    CLEANUP_BUF struct buf slow;
    buf_init(&slow, 1 << 20);
    for (int64_t step = 0; step <= 20; step++) {
        write_line(&slow, START_MS + step * 2 * HOUR_MS, forms[2], step * 1000);
        write_line(&slow, START_MS + step * 2 * HOUR_MS + (step == 15 ? 3 * HOUR_MS / 2 : 1000), "once upon a time", 0);
    }
    run_write_file("a.log", slow.data, slow.size_bytes);
    struct run run = run_analyze("a.log", "-o json");
    CHECK_INT(milliseconds_of(&run, "availableMilliseconds"), milliseconds_of(&run, "wallMilliseconds"));
    run_done(&run);
}
