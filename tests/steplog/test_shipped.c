/* The shipped StepLogFormats: each is valid, and Auto recognizes it by its own examples. */
#include "harness.h"

#include "base/mem.h"
#include "steplog/explain.h"
#include "steplog/patterns.h"
#include "steplog/shipped.h"
#include "steplog/steplog.h"

#include <string.h>

static const struct shipped *shipped(int i) {
    const struct shipped *f = shipped_get(i);
    CHECK(shipped_find(slice_of(f->name)) == f);
    return f;
}

TEST(every_shipped_format_is_valid_and_every_pattern_has_an_example) {
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        CLEANUP_ERROR struct error *err = NULL;
        const struct shipped *f = shipped(i);
        if (userformat_check(f->format, &err) < 0)
            harness_fail(__FILE__, __LINE__, "%s: %s", f->name, error_text(err));
        for (int k = 0; k < f->format->count; k++) {
            const struct userformat_pattern *p = &f->format->patterns[k];
            if (p->example_count == 0)
                harness_fail(__FILE__, __LINE__, "%s: pattern %s has no example", f->name, p->name);
            for (int n = 0; n < p->example_count; n++)
                if (strlen(f->literals[k]) < 4 || strstr(p->examples[n].line, f->literals[k]) == NULL)
                    harness_fail(__FILE__, __LINE__, "%s: \"%s\" is not in every line of %s", f->name, f->literals[k],
                                 p->name);
        }
    }
    CHECK(shipped_find(SLICE("Megatron")) == NULL);
}

struct tally {
    int64_t kinds[RECORD_KIND_COUNT];
    struct record last;
};

static void on_record(void *context, const struct record *r) {
    struct tally *t = context;
    t->kinds[r->kind]++;
    if (r->kind != RECORD_SIGN_OF_LIFE)
        t->last = *r;
}

static struct steplog *parser(struct tally *t) {
    *t = (struct tally){.last = RECORD_INIT};
    return steplog_new(STEPLOG_AUTO, NULL, on_record, t);
}

static void say(struct steplog *s, const char *line, int64_t second) {
    steplog_line(s, slice_of(line), INT64_C(1795227105000) + second * 1000);
}

TEST(auto_recognizes_each_by_one_line_of_a_step) {
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        const struct shipped *f = shipped(i);
        for (int k = 0; k < f->format->count; k++) {
            const struct userformat_pattern *p = &f->format->patterns[k];
            if (p->kind != RECORD_STEP_END && p->kind != RECORD_STEP_START)
                continue;
            for (int n = 0; n < p->example_count; n++) {
                struct tally t;
                struct steplog *s = parser(&t);
                say(s, p->examples[n].line, 0);
                CHECK_TEXT(steplog_recognized_name(s), f->name);
                CHECK_INT(t.kinds[p->kind], 1);
                CHECK_INT(t.last.step, p->examples[n].step);
                steplog_free(s);
            }
        }
    }
}

TEST(saves_count_once_a_step_shows_whose_they_are) {
    struct tally t;
    struct steplog *s = parser(&t);
    say(s, "Resuming training from out", 0);
    CHECK_INT(t.kinds[RECORD_RESTORE_START], 1);
    say(s, "saving checkpoint to out", 1);
    CHECK_INT(t.kinds[RECORD_SAVE_START], 0);
    say(s, "iter 20: loss 3.1, time 1000.00ms, mfu 30.00%", 2);
    say(s, "iter 21: loss 3.1, time 1000.00ms, mfu 30.00%", 3);
    say(s, "step 22: train loss 3.1, val loss 3.2", 5);
    CHECK_INT(t.last.kind, RECORD_EVALUATION_END);
    CHECK_INT(t.last.duration_ms, 2000);
    say(s, "saving checkpoint to out", 5);
    CHECK_INT(t.kinds[RECORD_SAVE_START], 1);
    steplog_free(s);
}

/* verl evaluates and saves after the step and before its line. */
TEST(what_a_line_says_of_the_time_after_its_step_ends_with_the_line) {
    struct tally t;
    struct steplog *s = parser(&t);
    say(s, "step:12 - actor/lr:1e-06 - timing_s/step:30.0 - timing_s/testing:41.5 - timing_s/save_checkpoint:12.25",
        90);
    CHECK_INT(t.kinds[RECORD_STEP_END] + t.kinds[RECORD_EVALUATION_END], 2);
    CHECK_INT(t.last.kind, RECORD_SAVE_BLOCKED);
    CHECK_INT(t.last.duration_ms, 12250);
    CHECK_INT(t.last.at_ms, INT64_C(1795227195000));
    steplog_free(s);
}

/* tqdm shortens counts of 1,000 and more. Half a step counts none. */
TEST(a_short_count_is_read) {
    static const struct {
        const char *count;
        int64_t step;
    } cases[] = {{"9.00", 9},      {"999", 999},       {"1.23k", 1230},
                 {"123k", 123000}, {"1.02M", 1020000}, {"19.5", RECORD_NONE}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct tally t;
        char line[160];
        struct steplog *s = parser(&t);
        snprintf(line, sizeof line, "Progress on:train %sit/2.00Mit rate:2.1it/s remaining:1:09 elapsed:09:45",
                 cases[i].count);
        say(s, line, 0);
        CHECK_INT(t.last.step, cases[i].step);
        steplog_free(s);
    }
}

TEST(a_named_format_that_gives_steps_keeps_the_log) {
    struct tally t;
    struct steplog *s = parser(&t);
    say(s, "completed step: 9, seconds: 1.0, loss: 2", 0);
    say(s, "iter 20: loss 3.1, time 1000.00ms, mfu 30.00%", 2);
    CHECK_TEXT(steplog_recognized_name(s), "MaxText");
    CHECK_INT(t.last.step, 9);
    steplog_free(s);
}

/* A bar's steps need its own clock (generic_bar.c); torchtune's saves are read next to them. */
TEST(saves_are_read_next_to_a_counter) {
    struct tally t;
    struct steplog *s = parser(&t);
    for (int i = 1; i <= 20; i++) {
        char line[100];
        snprintf(line, sizeof line, "step %d/100 loss 2.%d lr 0.001", i, i);
        say(s, line, i);
    }
    CHECK_INT(t.last.step, 20);
    say(s, "Saving checkpoint. This may take some time. Retrieving full model state dict...", 20);
    say(s, "Saving checkpoint took 2.00 secs", 22);
    CHECK_INT(t.kinds[RECORD_SAVE_START], 1);
    CHECK_INT(t.last.kind, RECORD_SAVE_DURABLE);
    steplog_free(s);
}

/* However far into the log a save comes. */
TEST(every_save_next_to_a_counter_is_read) {
    enum { STEPS = 120000, EACH = 1000 };
    struct tally t;
    struct steplog *s = parser(&t);
    for (int i = 1; i <= STEPS; i++) {
        char line[100];
        snprintf(line, sizeof line, "step %d/%d loss 2.%d lr 0.001", i, STEPS, i % 100);
        say(s, line, i);
        if (i % EACH == 0)
            say(s, "Saving checkpoint. This may take some time. Retrieving full model state dict...", i);
        if (i % EACH == 0)
            say(s, "Saving checkpoint took 0.50 secs", i);
    }
    CHECK_INT(t.kinds[RECORD_SAVE_DURABLE], STEPS / EACH);
    steplog_free(s);
}

TEST(a_literal_is_in_every_match) {
    static const struct {
        const char *pattern, *literal;
    } cases[] = {{"^iter (?<step>\\d+): loss", ": loss"},
                 {"a?bc+d*ef", "bc"},
                 {"one|three", ""},
                 {"(?i)step", ""},
                 {"x(a|b)[yz]\\.txt$", ".txt"},
                 {"ab{2}cd", "cd"},
                 {"\\bword\\b", "word"},
                 {"", ""},
                 {"(?=.*[)])q", "q"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char literal[USERFORMAT_NAME_SIZE];
        shipped_literal(cases[i].pattern, literal);
        CHECK_TEXT(literal, cases[i].literal);
    }
}
