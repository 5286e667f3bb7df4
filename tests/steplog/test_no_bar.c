/* Hugging Face's dictionaries without a progress bar: {'loss': ..., 'epoch': 0.02} numbers intervals. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "steplog/explain.h"

#include <stdio.h>

#define START_MS INT64_C(1763690400000)

struct seen {
    int64_t steps, first, last, evaluations, evaluation_ms, last_ms;
    bool is_derived, counts_lines;
    int64_t unread;
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    if (r->kind == RECORD_EVALUATION_END) {
        seen->evaluations++;
        seen->evaluation_ms = r->duration_ms;
    }
    seen->unread += r->kind == RECORD_UNREAD_STEPS;
    if (r->kind != RECORD_STEP_END)
        return;
    if (seen->steps++ == 0) {
        seen->first = r->step;
    }
    seen->last = r->step;
    seen->last_ms = r->at_ms;
    seen->is_derived = r->is_derived;
    seen->counts_lines = r->counts_lines;
}

/* Lines of the intervals from first to last; each is that number of hundred-thousandths of an epoch. version: of the
 * library, 5 quotes its values. */
static void write_lines(struct steplog *s, int first, int last, int each, int version) {
    for (int i = first; i <= last; i++) {
        char line[200];
        const char *quote = version == 5 ? "'" : "";
        snprintf(line, sizeof line,
                 "{'loss': %s2.5%s, 'grad_norm': %s1.1%s, 'learning_rate': %s1e-05%s, 'epoch': %s%.2f%s}", quote, quote,
                 quote, quote, quote, quote, quote, (double)i * each / 1e5, quote);
        steplog_line(s, slice_of(line), START_MS + i * INT64_C(10000));
    }
}

static struct steplog *new_parser(struct seen *seen, const struct steplog *before) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, seen);
    *seen = (struct seen){0};
    if (before != NULL)
        steplog_continue(s, before);
    return s;
}

TEST(equal_shares_of_an_epoch_number_the_intervals) {
    struct seen seen;
    static const int each[] = {2000, 1067, 333, 100000};
    for (size_t i = 0; i < ARRAY_SIZE(each); i++)
        for (int version = 4; version <= 5; version++) {
            struct steplog *s = new_parser(&seen, NULL);
            write_lines(s, 1, 60, each[i], version);
            CHECK_INT(seen.steps, 0); /* a bar may still come */
            steplog_end(s);
            CHECK_INT(seen.steps, 60);
            CHECK_INT(seen.first, 1);
            CHECK_INT(seen.last, 60);
            CHECK_INT(seen.last_ms, START_MS + 600000);
            CHECK(seen.is_derived && seen.counts_lines);
            CHECK_TEXT(steplog_recognized_name(s), "HuggingFace(logging interval N)");
            steplog_free(s);
        }
}

/* Two lines show no interval, but that it trained. */
TEST(the_end_reports_dictionaries_that_are_too_few) {
    struct seen seen;
    for (int lines = 0; lines <= 8; lines += 2) {
        struct steplog *s = new_parser(&seen, NULL);
        write_lines(s, 1, lines, 2000, 4);
        steplog_end(s);
        CHECK_INT(seen.unread, lines == 2);
        CHECK_INT(seen.steps, lines == 2 ? 0 : lines);
        steplog_free(s);
    }
}

/* A live log: 140 lines would have filled the runtime's buffer with the bar. */
TEST(a_log_that_grows_is_read_when_no_bar_can_come) {
    struct seen seen;
    struct steplog *s = new_parser(&seen, NULL);
    write_lines(s, 1, 140, 1067, 4);
    CHECK_INT(seen.steps, 140);
    write_lines(s, 141, 5000, 1067, 4); /* rounding does not add up */
    CHECK_INT(seen.steps, 5000);
    CHECK_INT(seen.last, 5000);
    steplog_free(s);
}

/* Two lines that round to one share of the epoch say nothing of its length. */
TEST(an_interval_keeps_its_length_over_processes) {
    struct seen seen;
    struct steplog *first = new_parser(&seen, NULL);
    write_lines(first, 1, 60, 333, 4);
    steplog_end(first);
    struct steplog *second = new_parser(&seen, first);
    write_lines(second, 49, 55, 333, 4);
    CHECK(seen.first >= 46 && seen.first <= 50); /* three intervals round to one share */
    CHECK_INT(seen.last, seen.first + 6);
    steplog_free(second);
    steplog_free(first);
}

/* The process restored a checkpoint, so that the epoch goes back. */
TEST(a_process_that_resumes_continues_the_count) {
    struct seen seen;
    struct steplog *first = new_parser(&seen, NULL);
    write_lines(first, 1, 60, 2000, 4);
    steplog_end(first);
    struct steplog *second = new_parser(&seen, first);
    write_lines(second, 41, 41, 2000, 4);
    CHECK_INT(seen.steps, 1);
    CHECK_INT(seen.first, 41);
    write_lines(second, 42, 50, 2000, 4);
    CHECK_INT(seen.last, 50);
    steplog_free(second);
    steplog_free(first);
}

TEST(evaluations_of_a_log_without_a_bar_are_evaluations) {
    struct seen seen;
    struct steplog *s = new_parser(&seen, NULL);
    write_lines(s, 1, 20, 2000, 4);
    steplog_line(s,
                 SLICE("{'eval_loss': 2.1, 'eval_runtime': 3.25, 'eval_samples_per_second': 31.2, "
                       "'eval_steps_per_second': 3.9, 'epoch': 0.4}"),
                 START_MS + 203500);
    write_lines(s, 21, 40, 2000, 4);
    steplog_line(s, SLICE("{'train_runtime': 400.5, 'train_steps_per_second': 1.2, 'train_loss': 2.1, 'epoch': 0.8}"),
                 START_MS + 400600);
    steplog_end(s);
    CHECK_INT(seen.steps, 40);
    CHECK_INT(seen.evaluations, 1);
    CHECK_INT(seen.evaluation_ms, 3250);
    steplog_free(s);
}

/* The bar has the step itself. */
TEST(a_bar_that_comes_late_counts) {
    struct seen seen;
    struct steplog *s = new_parser(&seen, NULL);
    write_lines(s, 1, 20, 2000, 4);
    CLEANUP_BUF struct buf bar;
    buf_init(&bar, 1 << 16);
    for (int i = 1; i <= 20; i++)
        buf_format(&bar, "\r%*s\r %d%%|#   | %d/500 [%02d:%02d<10:00,  1.00it/s]", 60, "", i, i * 10, i / 6,
                   i % 6 * 10);
    steplog_line(s, buf_slice(&bar), START_MS + 201000);
    steplog_end(s);
    CHECK_INT(seen.last, 200);
    CHECK_TEXT(steplog_recognized_name(s), "HuggingFace");
    steplog_free(s);
}

/* Too few lines; an epoch that does not move, or not evenly. */
TEST(other_dictionaries_are_not_numbered) {
    struct seen seen;
    struct steplog *s = new_parser(&seen, NULL);
    write_lines(s, 1, 3, 2000, 4);
    steplog_end(s);
    CHECK_INT(seen.steps, 0);
    steplog_free(s);
    s = new_parser(&seen, NULL);
    write_lines(s, 1, 100, 1, 4);
    steplog_end(s);
    CHECK_INT(seen.steps, 0);
    steplog_free(s);
    s = new_parser(&seen, NULL);
    for (int i = 1; i < 40; i++)
        write_lines(s, i * i, i * i, 2000, 4);
    steplog_end(s);
    CHECK_INT(seen.steps, 0);
    steplog_free(s);
}
