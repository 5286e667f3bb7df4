/* Real logs of killed and restarted trainers against what is known of those runs (truth.json next to them). */
#include "harness.h"

#include "base/mem.h"
#include "steplog/steplog.h"

struct tally {
    int64_t kinds[RECORD_KIND_COUNT];
    int64_t first_step, last_step, restored_step, durable_step;
    int64_t blocked_ms; /* the longest logged for each save, summed */
    int64_t save_step, save_blocked_ms;
};

static void end_save(struct tally *t) {
    t->blocked_ms += t->save_blocked_ms;
    t->save_blocked_ms = 0;
}

static void on_record(void *context, const struct record *r) {
    struct tally *t = context;
    t->kinds[r->kind]++;
    if (r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START) {
        if (t->first_step == RECORD_NONE)
            t->first_step = r->step;
        t->last_step = r->step;
    }
    if (r->kind == RECORD_RESTORE_END)
        t->restored_step = r->step;
    if (r->kind == RECORD_SAVE_DURABLE)
        t->durable_step = r->step;
    if (r->kind == RECORD_SAVE_BLOCKED && r->duration_ms != RECORD_NONE) {
        if (r->step != t->save_step)
            end_save(t);
        t->save_step = r->step;
        if (r->duration_ms > t->save_blocked_ms)
            t->save_blocked_ms = r->duration_ms;
    }
}

static struct tally read_log(const char *path, bool stamped) {
    struct tally t = {.first_step = RECORD_NONE,
                      .last_step = RECORD_NONE,
                      .restored_step = RECORD_NONE,
                      .durable_step = RECORD_NONE,
                      .save_step = RECORD_NONE};
    size_t size = 0;
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &t);
    if (data != NULL)
        steplog_feed(s, (struct slice){data, size}, stamped);
    steplog_end(s);
    CHECK_INT(steplog_counts_get(s).malformed, 0);
    CHECK_INT(steplog_counts_get(s).too_long, 0);
    steplog_free(s);
    end_save(&t);
    return t;
}

static struct tally read_attempt(const char *folder, int attempt) {
    char path[256];
    snprintf(path, sizeof path, "tests/data/trainer-logs/%s/attempt-%d.log", folder, attempt);
    return read_log(path, true);
}

/* truth.json: attempts completed steps 0-7, 1-16, 11-24, 21-39. A line comes one step late, so a kill swallows the last
 * one (at 24 the SIGTERM came between 23 and 24's lines: both are missing); the run that ended by itself has all. */
TEST(jax_with_orbax_gives_each_attempts_steps) {
    static const struct {
        int64_t first, last, restored, evaluations, saves;
    } truth[] = {{0, 6, RECORD_NONE, 0, 1}, {1, 15, 0, 1, 1}, {11, 22, 10, 1, 1}, {21, 39, 20, 2, 1}};
    for (int i = 0; i < 4; i++) {
        struct tally t = read_attempt("jax-orbax-goodput/restarts-file", i + 1);
        CHECK_INT(t.first_step, truth[i].first);
        CHECK_INT(t.last_step, truth[i].last);
        CHECK_INT(t.kinds[RECORD_STEP_END], truth[i].last - truth[i].first + 1);
        CHECK_INT(t.restored_step, truth[i].restored);
        CHECK_INT(t.kinds[RECORD_EVALUATION_END], truth[i].evaluations);
        CHECK_INT(t.kinds[RECORD_SAVE_BLOCKED], truth[i].saves);
        CHECK_INT(t.kinds[RECORD_SAVE_DURABLE], 0); /* nothing in these logs proves one */
    }
}

/* truth.json summary: steps_started 59, restores of 0, 10 and 20, saves of 0, 10, 20 and 30 with save_block_s 0.102 in
 * all; only the last attempt recorded a job end. */
TEST(jax_with_orbax_recorder_entries) {
    struct tally t = read_log("tests/data/trainer-logs/jax-orbax-goodput/restarts-file/entries.jsonl", false);
    CHECK_INT(t.kinds[RECORD_STEP_START], 59);
    CHECK_INT(t.kinds[RECORD_JOB_START], 4);
    CHECK_INT(t.kinds[RECORD_JOB_END], 1);
    CHECK_INT(t.kinds[RECORD_RESTORE_END], 3);
    CHECK_INT(t.kinds[RECORD_SAVE_BLOCKED], 4);
    CHECK_INT(t.restored_step, 20);
    CHECK_INT(t.last_step, 39);
    CHECK(t.blocked_ms >= 100 && t.blocked_ms <= 103);
}

/* truth.json: attempts completed steps 0-16, 11-21 (killed within the save of 20) and 11-29; saves of 0 and 10; 20; 20
 * and the final one, 29. The blocked times of the first two are 43 + 22 ms and 49 ms by Orbax's own statistics (what
 * truth.json calls save time holds the wait for the step itself, too); the third waits 390 ms for the last to end. */
TEST(maxtext_gives_each_attempts_steps_and_saves) {
    static const struct {
        int64_t first, last, restored, durable, saves, blocked_ms;
    } truth[] = {{0, 15, RECORD_NONE, 10, 2, 43 + 22}, {11, 20, 10, RECORD_NONE, 1, 49}, {11, 29, 10, 29, 2, 46 + 390}};
    for (int i = 0; i < 3; i++) {
        struct tally t = read_attempt("maxtext/restarts", i + 1);
        CHECK_INT(t.first_step, truth[i].first);
        CHECK_INT(t.last_step, truth[i].last);
        CHECK_INT(t.kinds[RECORD_STEP_END], truth[i].last - truth[i].first + 1);
        CHECK_INT(t.restored_step, truth[i].restored);
        CHECK_INT(t.durable_step, truth[i].durable);
        CHECK_INT(t.kinds[RECORD_SAVE_START], truth[i].saves);
        CHECK_INT(t.kinds[RECORD_EVALUATION_END], 0);
        CHECK_INT(t.blocked_ms, truth[i].blocked_ms);
    }
}
