/* analyze on logs whose clock was set while it stamped their lines: the truth is that of the same steps with a good
 * clock. Times are those of the lines, so a set clock moves a whole line; nothing else changes. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 790, SET_AT = 300, SET_AGAIN = 500, HOUR = 3600 };
#define START_MS INT64_C(1795223940123)

struct setting {
    const char *name;
    int from_s, to_s, by_s; /* between the two the clock is wrong by so much */
    int sets;               /* as it is reported */
};

static const struct setting settings[] = {
    {"good", 0, 0, 0, 0},
    {"a blip", SET_AT, SET_AT + 10, 10, 2},
    {"one line", SET_AT, SET_AT + 1, 10, 2},
    {"a blip back", SET_AT, SET_AT + 10, -8, 2},
    {"forward and back", SET_AT, SET_AGAIN, HOUR, 2},
    {"back and forward", SET_AT, SET_AGAIN, -60, 2},
    {"set back", SET_AT, STEPS + 1, -10, 1},
    {"an hour back", SET_AT, STEPS + 1, -HOUR, 1},
};

/* %N: the step; %B, %I: a time without zone, as Python's logging and absl print it. */
static const char *const forms[] = {
    "%T completed step: %N, seconds: 1.0, TFLOP/s/device: 100.0, Tokens/s/device: 100.0, total_weights: 100, loss: 1.0",
    "%T  iteration %N/ 1000 | consumed samples: 8 | elapsed time per iteration (ms): 1000.0 | learning rate: 1.0E-4 | "
    "global batch size: 8 | lm loss: 1.0E+00 |",
    "%T [rank0]:[titan] step: %N  loss:  8.1  grad_norm:  1.2  memory:  0.5GiB(1.0%)  tps: 100  tflops: 0.10  mfu: "
    "0.01%",
    "%T step %N loss 2.5",
    "%T {\"step\": %N, \"loss\": 2.5}",
};
static const char *const local_forms[] = {
    "%I 140152745220992 metric_logger.py:196] completed step: %N, seconds: 1.0, TFLOP/s/device: 100.0, "
    "Tokens/s/device: 100.0, total_weights: 100, loss: 1.0",
    " [%B] iteration %N/ 1000 | consumed samples: 8 | elapsed time per iteration (ms): 1000.0 | learning rate: 1.0E-4 "
    "| global batch size: 8 | lm loss: 1.0E+00 |",
    "%B,250 INFO step %N loss 2.5",
};

static void write_line(struct buf *b, const char *form, int64_t ms, int step) {
    char at[RFC3339_SIZE];
    rfc3339_format(at, ms * 1000000, 9);
    for (; *form != '\0'; form++) {
        if (*form != '%' || form[1] == '\0' || strchr("TNBI", form[1]) == NULL) {
            buf_append_char(b, *form);
            continue;
        }
        switch (*++form) {
        case 'T':
            buf_append_text(b, at);
            break;
        case 'N':
            buf_format(b, "%d", step);
            break;
        case 'B':
            buf_format(b, "%.10s %.8s", at, at + 11);
            break;
        default:
            buf_format(b, "I%.2s%.2s %.8s.250000", at + 5, at + 8, at + 11);
        }
    }
    buf_append_char(b, '\n');
}

static void write_paced(const char *form, const struct setting *s, int pace_s) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    for (int step = 0; step <= STEPS; step++) {
        int by_s = step >= s->from_s && step < s->to_s ? s->by_s : 0;
        write_line(&b, form, START_MS + (step * pace_s + by_s) * INT64_C(1000), step);
    }
    run_write_file("a.log", b.data, b.size_bytes);
}

static void write_log(const char *form, const struct setting *s) {
    write_paced(form, s, 1);
}

static void says_the_truth_paced(const char *form, const struct setting *s, const char *file, int pace_s) {
    struct run run = run_analyze(file, "-o json");
    int64_t wall_ms = (int64_t)run_number(&run, "time", "wallMilliseconds");
    int64_t productive_ms = (int64_t)run_number(&run, "time", "productiveMilliseconds");
    int64_t sets = (int64_t)run_number(&run, "dataQuality", "clockSets");
    bool says_so = strstr(run.out, "\"ClockSkew\"") != NULL;
    bool is_true = run.code == 0 && wall_ms == STEPS * pace_s * 1000 && productive_ms == wall_ms &&
                   sets == (s->sets > 0 ? s->sets : -1) && says_so == (s->sets > 0);
    if (!is_true)
        harness_fail(__FILE__, __LINE__, "%s, %s, a line each %d s: wall %lld, productive %lld, sets %lld, code %d: %s",
                     form, s->name, pace_s, (long long)wall_ms, (long long)productive_ms, (long long)sets, run.code,
                     run.err);
    run_done(&run);
}

static void says_the_truth(const char *form, const struct setting *s, const char *file) {
    says_the_truth_paced(form, s, file, 1);
}

TEST(a_clock_that_was_set) {
    for (size_t f = 0; f < ARRAY_SIZE(forms); f++)
        for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
            write_log(forms[f], &settings[i]);
            says_the_truth(forms[f], &settings[i], "a.log");
        }
}

/* Daylight saving time, which only clocks without a zone show, begins and ends. */
TEST(a_clock_without_a_zone) {
    static const struct setting hours[] = {{"good", 0, 0, 0, 0},
                                           {"begins", SET_AT, STEPS + 1, HOUR, 1},
                                           {"ends", SET_AT, STEPS + 1, -HOUR, 1},
                                           {"begins and ends", SET_AT, SET_AGAIN, HOUR, 2}};
    for (size_t f = 0; f < ARRAY_SIZE(local_forms); f++)
        for (size_t i = 0; i < ARRAY_SIZE(hours); i++) {
            write_log(local_forms[f], &hours[i]);
            says_the_truth(local_forms[f], &hours[i], "a.log");
        }
}

/* However far the lines are apart; what is set back by less than that does not show. */
TEST(a_clock_that_was_set_between_slow_lines) {
    static const int paces_s[] = {2, 5, 60, 400};
    static const struct setting sets[] = {{"an hour forward and back", SET_AT, SET_AT + 10, HOUR, 2},
                                          {"one line", SET_AT, SET_AT + 1, HOUR, 2},
                                          {"set back", SET_AT, STEPS + 1, -HOUR, 1},
                                          {"back and forward", SET_AT, SET_AGAIN, -HOUR, 2}};
    static const struct setting begins = {"begins", SET_AT, STEPS + 1, HOUR, 1};
    for (size_t p = 0; p < ARRAY_SIZE(paces_s); p++) {
        for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
            write_paced("%T step %N loss 2.5", &sets[i], paces_s[p]);
            says_the_truth_paced("%T step %N loss 2.5", &sets[i], "a.log", paces_s[p]);
        }
        write_paced("%B,250 INFO step %N loss 2.5", &begins, paces_s[p]);
        says_the_truth_paced("%B,250 INFO step %N loss 2.5", &begins, "a.log", paces_s[p]);
    }
    write_paced("%T step %N loss 2.5", &settings[1], 2);
    says_the_truth_paced("%T step %N loss 2.5", &settings[1], "a.log", 2);
}

/* Standard input cannot be read twice: no time is invented, and what the clock hides is not productive. */
TEST(a_set_clock_in_a_stream) {
    static const struct setting blip = {"a blip", SET_AT, SET_AT + 10, 10, 2};
    write_log(forms[0], &blip);
    struct run run = run_analyze("- <a.log", "-o json");
    CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), STEPS * 1000);
    CHECK_INT((int64_t)run_number(&run, "time", "productiveMilliseconds"), (STEPS - 10) * 1000);
    CHECK(strstr(run.out, "\"ClockSkew\"") != NULL);
    run_done(&run);
}

static double ppm_of(const struct run *run, const char *name) {
    return run_number(run, "goodputPPM", name) / 1e6;
}

/* Silence may be a clock's or the trainer's: it stays, is neither productive nor lost, and the truth is in the range.
 * It shows only where lines state how long their steps took. */
TEST(a_clock_that_was_set_forward) {
    static const int by_s[] = {12, 60, 20 * 60, 2 * HOUR};
    for (size_t f = 0; f < ARRAY_SIZE(forms); f++)
        for (size_t i = 0; i < ARRAY_SIZE(by_s); i++) {
            struct setting forward = {"forward", SET_AT, STEPS + 1, by_s[i], 0};
            write_log(forms[f], &forward);
            struct run run = run_analyze("a.log", "-o json");
            CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), (STEPS + by_s[i]) * 1000);
            CHECK_INT((int64_t)run_number(&run, "time", "productiveMilliseconds"), STEPS * 1000);
            CHECK(ppm_of(&run, "runtime") < 1 && ppm_of(&run, "runtimeUpperBound") == 1);
            CHECK(strstr(run.out, "\"Stall\"") == NULL);
            CHECK_INT(strstr(run.out, "\"StampsAhead\"") != NULL, f < 2);
            run_done(&run);
        }
}

/* A pause that comes again is the trainer's. */
TEST(pauses_are_not_a_set_clock) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    for (int step = 0; step <= STEPS; step++)
        write_line(&b, forms[1], START_MS + (step + step / 100 * 30) * INT64_C(1000), step);
    run_write_file("a.log", b.data, b.size_bytes);
    struct run run = run_analyze("a.log", "-o json");
    CHECK_INT((int64_t)run_number(&run, "time", "productiveMilliseconds"), STEPS * 1000);
    CHECK(strstr(run.out, "\"ClockSkew\"") == NULL);
    run_done(&run);
}

/* A log that follows another one has times from the start. */
TEST(what_is_not_a_set_clock) {
    CLEANUP_BUF struct buf b;
    struct run run;
    buf_init(&b, 1 << 20);
    for (int rank = 0; rank < 2; rank++)
        for (int step = 0; step <= STEPS; step++)
            write_line(&b, forms[0], START_MS + step * INT64_C(1000) + rank, step);
    run_write_file("a.log", b.data, b.size_bytes);
    run = run_analyze("a.log", "-o json");
    CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), STEPS * 1000 + 1);
    CHECK(strstr(run.out, "\"ClockSkew\"") == NULL);
    run_done(&run);
}
