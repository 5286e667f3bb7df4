/* Where another process starts within one log. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "steplog/heads.h"

#include <string.h>

#define DAY_MS HEADS_LONG_SILENCE_MS

/* Each line is the log's next one; a line "#" is a step. Returns the number of processes after the first, and when the
 * last of them started: the line's number. Lines are a second apart. */
struct found {
    int count;
    int64_t at_ms;
};

static struct found read_log(const char *lines) {
    struct found found = {0, TIME_UNKNOWN};
    struct heads h;
    struct slice log = slice_of(lines), line;
    int64_t steps = 0;
    heads_begin(&h);
    for (int64_t number = 1; slice_take_line(&log, &line); number++) {
        bool is_step = slice_is(line, "#");
        if (heads_line(&h, is_step ? slice_of("step 5 | loss 2.5") : line, number * 1000, steps, RECORD_NONE)) {
            found.count++;
            found.at_ms = h.at_ms / 1000;
        }
        steps += is_step;
    }
    return found;
}

static void check(int line, const char *log, int count, int64_t at_ms) {
    struct found found = read_log(log);
    if (found.count != count || (count > 0 && found.at_ms != at_ms))
        harness_fail(__FILE__, line, "%d processes, the last from line %lld, instead of %d and %lld:\n%s", found.count,
                     (long long)found.at_ms, count, (long long)at_ms, log);
}

TEST(first_lines_that_come_again_start_a_process) {
    check(__LINE__, "loading model\nusing 8 devices\n#\n#\nloading model\nusing 8 devices\n#\n", 1, 5);
    check(__LINE__, "loading model\n#\n#\nloading model\n#\n#\n#\nloading model\n#\n", 2, 8);
    /* A bar is none of the lines: no drawing is like the one before. */
    check(__LINE__, "loading model\n\r  0%| | 0/7\rloss: 1:  1%| | 1/7\n#\n#\nloading model\n\r 40%|# | 3/7\n#\n", 1,
          5);
    /* Times and numbers of processes differ; resumed, it does not initialize. */
    check(__LINE__,
          "10:00:01 [17] main\n10:00:02 init\n10:00:03 model\n#\n#\n11:30:00 [95] main\nresume\n11:31:00 model\n", 1,
          6);
    check(__LINE__, "fresh start\nusing device cuda\nmodel of 7 B\n#\n#\nusing device cuda\nmodel of 7 B\n#\n", 1, 6);
    check(__LINE__, "a.py:1: UserWarning: old\nloading model\n#\n#\na.py:1: UserWarning: old\nloading model\n#\n", 1,
          5);
}

/* Wherever the digits are, and however many: numbers do not count. */
TEST(numbers_at_any_place_are_left_out) {
    static const char letters[] = "loading the model and the data of this run from the folder that the job has";
    for (size_t at = 0; at < sizeof letters; at++)
        for (int digits = 1; digits <= 9; digits += 4) {
            CLEANUP_BUF struct buf log;
            buf_init(&log, 1024);
            buf_format(&log, "%.*s%0*d%s\n#\n#\n%.*s%d%s\n#\n", (int)at, letters, digits, 7, letters + at, (int)at,
                       letters, 90, letters + at);
            check(__LINE__, buf_text(&log), 1, 4);
        }
}

TEST(lines_of_one_process_start_none) {
    static const char *const logs[] = {
        /* a warning of each data loader; a block of an evaluation; an epoch's head */
        "a.py:1: UserWarning: fork\n#\n#\na.py:1: UserWarning: fork\n#\n#\n",
        "a.py:1: UserWarning: fork\n  warnings.warn(\nb.py:7: FutureWarning: x\n#\n#\na.py:1: UserWarning: fork\n"
        "  warnings.warn(\nb.py:7: FutureWarning: x\n#\n",
        "loading model\n***** Running Evaluation *****\n  Num examples = 100\n#\n#\n***** Running Evaluation *****\n"
        "  Num examples = 100\n#\n",
        "Epoch 1/10\n----------\n#\n#\nEpoch 2/10\n----------\n#\n#\n",
        "loading model\nsecond line\n#\n#\nloading model\n#\n#\n",
        /* a log whose start is lost: lines of each step, and of each save */
        "tokens per second: 100\nmemory: 10 GB\n#\ntokens per second: 101\nmemory: 10 GB\n#\ntokens per second: 100\n"
        "memory: 10 GB\n#\n",
        "Saving checkpoint\n#\n#\nSaving checkpoint\n#\n#\n",
        /* other ranks, before any step */
        "loading model\nloading model\nloading model\n#\n#\n#\n",
        "#\n#\nloading model\n#\n#\nloading model\n#\n",
    };
    for (size_t i = 0; i < ARRAY_SIZE(logs); i++)
        check(__LINE__, logs[i], 0, 0);
}

/* A trainer that says so whenever it waits for its input, from the first line on: tests/tutorials/slow. */
TEST(a_process_needs_time_to_start) {
    for (int pause_ms = 1; pause_ms <= 8000; pause_ms += 7999) {
        struct heads h;
        heads_begin(&h);
        CHECK(!heads_line(&h, SLICE("waiting for data"), 1500, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("data is there"), 9250, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("step 0 loss 3.5"), 9999, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("step 1 loss 3.4"), 10700, 1, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("waiting for data"), 10700 + pause_ms, 2, RECORD_NONE));
        CHECK_INT(heads_line(&h, SLICE("data is there"), 17000 + pause_ms, 2, RECORD_NONE), pause_ms > 100);
    }
}

/* A stamp of milliseconds that happens to end in .000; not one of whole seconds, where the time between is not known.
 */
TEST(a_stamp_may_happen_to_be_of_a_whole_second) {
    for (int is_whole = 0; is_whole <= 1; is_whole++) {
        int64_t step_ms = is_whole ? 16000 : 16999;
        struct heads h;
        heads_begin(&h);
        CHECK(!heads_line(&h, SLICE("waiting for data"), 1500, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("data is there"), 9250, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("step 0 loss 3.5"), 9999, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("step 1 loss 3.4"), step_ms, 1, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("waiting for data"), 17000, 2, RECORD_NONE));
        CHECK_INT(heads_line(&h, SLICE("data is there"), 17000, 2, RECORD_NONE), is_whole);
    }
}

TEST(records_of_an_open_line_are_held) {
    struct heads h;
    struct record r = RECORD_INIT;
    heads_begin(&h);
    CHECK(!heads_line(&h, SLICE("loading model"), 1000, 0, RECORD_NONE));
    CHECK(!heads_line(&h, SLICE("using 8 devices"), 2000, 0, RECORD_NONE));
    CHECK(!heads_hold(&h, &r, 2));
    CHECK(!heads_line(&h, SLICE("loading model"), 9000, 2, RECORD_NONE));
    CHECK(heads_is_open(&h, 2));
    CHECK(!heads_is_open(&h, 3)); /* a step */
    for (int i = 0; i < HEADS_HELD; i++)
        CHECK(heads_hold(&h, &r, 2));
    CHECK(!heads_hold(&h, &r, 2));
    CHECK(heads_line(&h, SLICE("using 8 devices"), 9500, 2, RECORD_NONE));
    CHECK_INT(h.at_ms, 9000);
    CHECK(!heads_is_open(&h, 2));
    heads_drop_held(&h);
    CHECK_INT(h.held_count, 0);
}

/* Only in a log that is all there is to know: elsewhere containers' times show it. */
TEST(a_day_of_silence_ends_a_process) {
    for (int is_all = 0; is_all <= 1; is_all++) {
        struct heads h;
        heads_begin(&h);
        h.is_all = is_all;
        CHECK(!heads_line(&h, SLICE("loading model"), 1000, 0, RECORD_NONE));
        CHECK_INT(heads_line(&h, SLICE("it starts"), 2000 + DAY_MS, 0, RECORD_NONE), is_all); /* none took a step */
        CHECK(!heads_line(&h, SLICE("step 1 loss 2.5"), 9000 + DAY_MS, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("for a day"), 9000 + 2 * DAY_MS, 1, 1));
        CHECK_INT(heads_line(&h, SLICE("and more"), 9001 + 3 * DAY_MS, 1, 1), is_all);
        CHECK(!heads_line(&h, SLICE("step 2 loss 2.5"), 10000 + 5 * DAY_MS, 1, 1));
        CHECK(!heads_line(&h, SLICE("it was so before"), 11000 + 8 * DAY_MS, 2, 2));
        CHECK_INT(heads_line(&h, SLICE("it never was"), 12000 + 13 * DAY_MS, 2, 2), is_all);
        heads_drop_held(&h);
    }
}

/* An evaluation of hours without a line, the tokenization of a data set, a compilation: the line behind it proves no
 * other process. What follows it may. */
TEST(hours_of_silence_end_a_process_if_training_starts_again) {
    static const struct {
        const char *text, *next;
        int64_t steps; /* before the silence */
        bool is_start, is_start_with_next;
    } cases[] = {
        {"tokenized 12 files", "step 1 loss 2.5", 0, false, false},
        {"accuracy is 0.5", "step 102 loss 2.5", 101, false, false},
        {"another version starts", "step 50 loss 2.5", 101, false, true},
        {"another version starts", "the end", 101, false, false},
        {"another version starts", "using 8 devices", 101, false, true}, /* the second of the first lines */
        {"loading model", "step 102 loss 2.5", 101, true, false},
        {"loading model", "step 1 loss 2.5", 0, true, false},
        {"accuracy is 0.5", "epoch 3/9, batch 5/300, loss 2.5", 101, false, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct heads h;
        int64_t steps = cases[i].steps, last_step = steps > 0 ? steps : RECORD_NONE, at_ms = 2000 + HEADS_SILENCE_MS;
        heads_begin(&h);
        h.is_all = true;
        CHECK(!heads_line(&h, SLICE("loading model"), 1000, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("using 8 devices"), 1900, 0, RECORD_NONE));
        CHECK_INT(heads_line(&h, slice_of(cases[i].text), at_ms, steps, last_step), cases[i].is_start);
        CHECK_INT(heads_line(&h, slice_of(cases[i].next), at_ms + 5000, steps, last_step), cases[i].is_start_with_next);
        if (cases[i].is_start || cases[i].is_start_with_next) {
            CHECK_INT(h.at_ms, at_ms);
            CHECK_INT(h.ended_ms, 1900);
        }
        heads_drop_held(&h);
    }
}

/* Keras writes an empty line before what it says of a save, also after an epoch of a day. */
TEST(an_empty_line_ends_no_silence) {
    static const struct {
        const char *text;
        bool is_start;
    } cases[] = {{"Epoch 2: loss improved from 2.3 to 2.2, saving model to best.weights.h5", false},
                 {"it starts", true}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct heads h;
        heads_begin(&h);
        h.is_all = true;
        CHECK(!heads_line(&h, SLICE("Epoch 1/4"), 1000, 0, RECORD_NONE));
        CHECK(!heads_line(&h, SLICE("\r"), 2000 + DAY_MS, 0, RECORD_NONE));
        CHECK_INT(heads_line(&h, slice_of(cases[i].text), 2100 + DAY_MS, 0, RECORD_NONE), cases[i].is_start);
        heads_drop_held(&h);
    }
}
