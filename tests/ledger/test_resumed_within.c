/* A process resumed somewhere between two lines of steps, and no line says where: what it may have kept of the process
 * before is neither Productive nor lost. */
#include "fact_list.h"
#include "harness.h"

#define SECOND INT64_C(1000)

enum {
    INTERVAL = 10,
    LINE_S = 40,
    KILLED_S = 405,
    STARTED_S = 500,
    SHORT_S = 10,
    FIRST_S = 6
}; /* FIRST_S: of a first line's time, so much may be start-up */

struct story {
    int64_t resume_step; /* that a line of the second process states; RECORD_NONE */
    bool counts_lines;   /* the numbers are those of lines */
    bool folds;          /* the ledger folds what is over */
};

static int64_t bucket_ms(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return r->buckets[i].ms;
    return 0;
}

static void add(struct ledger *l, const struct story *story, int process, int64_t at_s, int64_t step) {
    struct record r =
        fact_record(RECORD_STEP_END, process, at_s + 1, at_s * SECOND, story->counts_lines ? step / INTERVAL : step);
    struct ledger_result result;
    r.counts_lines = story->counts_lines;
    ledger_add_record(l, &r);
    if (story->folds) {
        ledger_evaluate(l, at_s * SECOND, &result);
        ledger_result_done(&result);
    }
}

/* Each step takes four seconds; the process dies in step 102. The next one's first line is that of step 100 again, and
 * comes too early for all ten steps. */
static struct ledger_result result_of(const struct story *story) {
    struct ledger *l = fact_ledger(&(struct ledger_options){.has_log = true, .keep_all = !story->folds}, 1);
    struct ledger_occupancy life = fact_running(1, 0, 0, 0);
    struct ledger_result r;
    ledger_add_occupancy(l, &life);
    int process = ledger_add_process(l, 1, "a", 0, KILLED_S * SECOND);
    for (int64_t step = INTERVAL; step <= 100; step += INTERVAL)
        add(l, story, process, step / INTERVAL * LINE_S, step);
    ledger_add_restart(l, 1, KILLED_S * SECOND, STARTED_S * SECOND);
    process = ledger_add_process(l, 2, "b", STARTED_S * SECOND, TIME_OPEN);
    if (story->resume_step != RECORD_NONE) {
        struct record resume = fact_record(RECORD_RESUME, process, 1, STARTED_S * SECOND, story->resume_step);
        ledger_add_record(l, &resume);
    }
    for (int64_t step = 100; step <= 150; step += INTERVAL)
        add(l, story, process, STARTED_S + SHORT_S + (step - 100) / INTERVAL * LINE_S, step);
    ledger_evaluate(l, (STARTED_S + SHORT_S + 5 * LINE_S) * SECOND, &r);
    ledger_free(l);
    return r;
}

TEST(steps_that_a_process_may_have_kept_are_not_lost) {
    for (int i = 0; i < 4; i++) {
        struct story story = {.resume_step = RECORD_NONE, .counts_lines = i % 2 == 1, .folds = i >= 2};
        struct ledger_result r = result_of(&story);
        /* The second line may have done as much again; of what the interruption cut off, two steps at most are lost. */
        CHECK(bucket_ms(&r, BUCKET_WASTED_PROGRESS) <= (SHORT_S + 8) * SECOND);
        CHECK(r.productive_ms >= (9 * LINE_S + SHORT_S + 5 * LINE_S - FIRST_S) * SECOND);
        CHECK(r.productive_ms <= 15 * LINE_S * SECOND);
        CHECK(r.productive_ms + bucket_ms(&r, BUCKET_UNATTRIBUTED) >= 15 * LINE_S * SECOND);
        CHECK_INT(r.lost_steps, story.counts_lines ? 1 : 3); /* there was no time for more */
        ledger_result_done(&r);
    }
}

TEST(steps_that_a_line_says_were_not_kept_are_lost) {
    for (int i = 0; i < 2; i++) {
        struct story story = {.resume_step = 91, .folds = i == 1};
        struct ledger_result r = result_of(&story);
        CHECK(bucket_ms(&r, BUCKET_WASTED_PROGRESS) >= LINE_S * SECOND);
        CHECK(bucket_ms(&r, BUCKET_UNATTRIBUTED) <= FIRST_S * SECOND);
        ledger_result_done(&r);
    }
}

/* A process that ended before its first line was due, or a job after its last one. */
TEST(the_end_of_what_counts_lines_may_be_steps) {
    for (int counts = 0; counts <= 1; counts++) {
        struct story story = {.resume_step = RECORD_NONE, .counts_lines = counts};
        struct ledger *l = fact_ledger(&(struct ledger_options){.has_log = true}, 1);
        struct ledger_occupancy life = fact_running(1, 0, 0, 0);
        struct ledger_result r;
        life.ended_ms = life.done_ms = life.released_ms = 168 * SECOND;
        ledger_add_occupancy(l, &life);
        ledger_set_span(l, 0, 168 * SECOND, OUTCOME_SUCCEEDED);
        ledger_add_process(l, 1, "a", 0, 50 * SECOND);
        ledger_add_restart(l, 1, 50 * SECOND, 60 * SECOND);
        int process = ledger_add_process(l, 2, "b", 60 * SECOND, 168 * SECOND);
        for (int64_t line = 1; line <= 10; line++) {
            struct record step = fact_record(RECORD_STEP_END, process, line, (60 + line * 10) * SECOND, line);
            step.counts_lines = story.counts_lines;
            ledger_add_record(l, &step);
        }
        ledger_evaluate(l, TIME_OPEN, &r);
        CHECK_INT(bucket_ms(&r, BUCKET_SHUTDOWN), counts ? 0 : 8 * SECOND);
        int64_t prepared_ms = bucket_ms(&r, BUCKET_TRAINING_PREPARATION), unknown_ms = 58 * SECOND - prepared_ms;
        CHECK(counts ? prepared_ms <= 40 * SECOND && prepared_ms > 25 * SECOND : prepared_ms == 50 * SECOND);
        CHECK(counts ? bucket_ms(&r, BUCKET_UNATTRIBUTED) >= unknown_ms : bucket_ms(&r, BUCKET_UNATTRIBUTED) == 0);
        ledger_result_done(&r);
        ledger_free(l);
    }
}
