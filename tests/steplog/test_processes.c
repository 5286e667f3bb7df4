/* Whose lines a log's are, where no format names them: one of several ranks that write at once, or the process that
 * starts again in the same file. */
#include "harness.h"

#include "steplog/explain.h"
#include "steplog/heads.h"
#include "steplog/steplog.h"

#include <stdio.h>

struct seen {
    int64_t steps, first_step, starts, started_ms, unread;
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    seen->unread += r->kind == RECORD_UNREAD_STEPS;
    if (r->kind == RECORD_JOB_START) {
        seen->starts++;
        seen->started_ms = r->at_ms;
    }
    if (r->kind == RECORD_STEP_END && seen->steps++ == 0)
        seen->first_step = r->step;
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
