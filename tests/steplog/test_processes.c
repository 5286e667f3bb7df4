/* Whose lines a log's are, where no format names them: one of several ranks that write at once, or the process that
 * starts again in the same file. */
#include "harness.h"

#include "steplog/explain.h"
#include "steplog/heads.h"
#include "steplog/steplog.h"

#include <stdio.h>

struct seen {
    int64_t steps, first_step, starts, started_ms, unread;
    int64_t lowest_step, last_step; /* since the last start */
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    seen->unread += r->kind == RECORD_UNREAD_STEPS;
    if (r->kind == RECORD_JOB_START) {
        seen->starts++;
        seen->started_ms = r->at_ms;
        seen->lowest_step = INT64_MAX;
    }
    if (r->kind != RECORD_STEP_END)
        return;
    if (seen->steps++ == 0)
        seen->first_step = r->step;
    seen->lowest_step = r->step < seen->lowest_step ? r->step : seen->lowest_step;
    seen->last_step = r->step;
}

enum { BEGIN_S = 1763690400 };

static int64_t feed(struct steplog *s, int64_t number, const char *line) {
    steplog_line(s, slice_of(line), (BEGIN_S + number) * INT64_C(1000));
    return number + 1;
}

static int64_t feed_attempt(struct steplog *s, int64_t number, int steps) {
    number = feed(s, number, "loading model");
    number = feed(s, number, "using 8 devices");
    for (int i = 1; i <= steps; i++) {
        char line[40];
        snprintf(line, sizeof line, "step %d loss 2.5", i);
        number = feed(s, number, line);
    }
    return number;
}

/* Three lines are too few to accept a counter. The process that wrote them is another one than that which wrote the
 * rest: without its start, step 1 would come again in one process, and all would be preparation until then. */
TEST(a_restart_is_found_before_a_counter_is_accepted) {
    for (int steps = 2; steps <= 3; steps++) {
        struct seen seen = {0};
        struct heads heads;
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
        heads_begin(&heads);
        steplog_find_processes(s, &heads);
        int64_t again = feed_attempt(s, 1, steps);
        CHECK_INT(seen.steps, 0);
        feed_attempt(s, again, 8);
        steplog_end(s);
        CHECK_INT(seen.starts, 1);
        CHECK_INT(seen.started_ms, (BEGIN_S + again) * INT64_C(1000));
        CHECK_INT(seen.unread, 1); /* the first process trained, too */
        CHECK_INT(seen.steps, 8);
        CHECK_INT(seen.first_step, 1);
        CHECK_TEXT(steplog_recognized_name(s), "Generic(step N)");
        steplog_free(s);
        heads_drop_held(&heads);
    }
}

enum { EPOCH_STEPS = 45, STEP_S = 5 };

/* AllenNLP's: a line names the epoch, and the bar's line comes when it ends. */
static int64_t feed_epoch(struct steplog *s, int64_t number, int epoch, int steps) {
    char line[8192];
    int n = snprintf(line, sizeof line, "INFO - trainer - Epoch %d/4", epoch);
    number = feed(s, number, line);
    number = feed(s, number, "INFO - trainer - Training");
    n = snprintf(line, sizeof line, "\r  0%%|          | 0/%d [00:00<?, ?it/s]", EPOCH_STEPS);
    for (int i = 1; i <= steps; i++)
        n += snprintf(line + n, sizeof line - (size_t)n,
                      "\raccuracy: 0.5, batch_loss: 9.8, loss: 9.8 ||: %d%%|#  | %d/%d [%02d:%02d<01:00, 5.0s/it]",
                      100 * i / EPOCH_STEPS, i, EPOCH_STEPS, i * STEP_S / 60, i * STEP_S % 60);
    return feed(s, number + steps * STEP_S, line);
}

/* Two lines show that another process began; the epoch's is between them. */
TEST(an_epoch_named_before_a_restart_is_found_is_the_next_bar_s) {
    struct seen seen = {.lowest_step = INT64_MAX};
    struct heads heads;
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    heads_begin(&heads);
    steplog_find_processes(s, &heads);
    int64_t number = feed(s, 1, "INFO - Beginning training.");
    number = feed_epoch(s, number, 0, EPOCH_STEPS);
    number = feed_epoch(s, number, 1, 20);
    CHECK_INT(seen.starts, 0);
    CHECK_INT(seen.last_step, EPOCH_STEPS + 20);
    number = feed(s, number, "INFO - Beginning training.");
    number = feed_epoch(s, number, 1, EPOCH_STEPS);
    feed_epoch(s, number, 2, EPOCH_STEPS);
    steplog_end(s);
    CHECK_INT(seen.starts, 1);
    CHECK_INT(seen.lowest_step, EPOCH_STEPS + 1); /* the epoch's own line is not that of a step either */
    CHECK_INT(seen.last_step, 3 * EPOCH_STEPS);
    steplog_free(s);
    heads_drop_held(&heads);
}

/* The other rank is a step ahead: read together, the counter would go back with every other line. */
TEST(a_rank_behind_a_stamp_is_found) {
    static const char *const lines[] = {
        "[rank%d]: step %d loss 1",
        "2026-11-21 02:00:00,123 [rank%d]: step %d loss 1",
        "2026-11-21T02:00:00.123Z [rank%d] step %d loss 1",
        "02:00:00.123 | INFO | rank%d | step=%d | loss=1",
        "I1121 02:00:00.123456 140735 train.py:12] (rank%d) step: %d loss: 1",
    };
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        struct seen seen = {0};
        struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
        int64_t number = 1;
        for (int i = 0; i < 24; i++) {
            char line[120];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(line, sizeof line, lines[k], 3 - i % 2, i / 2 + i % 2);
#pragma GCC diagnostic pop
            number = feed(s, number, line);
        }
        steplog_end(s);
        CHECK_TEXT(steplog_recognized_name(s), "Generic(step N, rank 3)");
        CHECK_INT(seen.steps, 12);
        steplog_free(s);
    }
}
