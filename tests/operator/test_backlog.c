/* A log of a million steps that is read at once: between two statuses the job takes the same memory however many of
 * them come, and its status is that of a controller that lets them all wait. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/model/evaluate.h"
#include "replay.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 1000000,
    PART = 50000,
    RESTARTED_AT = 700000,
    REPEATED = 40,
    FIRST_S = 1001,
    MAX_GROWTH_BYTES = 2 * 24 * MODEL_BACKLOG
};

/* Steps first to last, of a second on average, and a checkpoint every 100. */
static void read_steps(struct model *m, int first, int last, bool folds) {
    struct model_job *job = model_job_find(m, "ns", "js");
    char line[160];
    for (int i = first; i < last; i++) {
        int step = i - (i >= RESTARTED_AT ? REPEATED : 0);
        int64_t at_ms = fake_ms(FIRST_S + i) + i % 7 * 50;
        if (i == RESTARTED_AT)
            model_job_log_line(job, "uid-try1", 0, (at_ms - 500) * 1000000,
                               SLICE("restoring from this run's directory step 699959"));
        snprintf(line, sizeof line, "completed step: %d, seconds: 0.%d, TFLOP/s/device: 50.1, loss: 2.1", step,
                 800 + i % 7 * 10);
        model_job_log_line(job, "uid-try1", 0, at_ms * 1000000, slice_of(line));
        snprintf(line, sizeof line,
                 "[process=0][thread=save_finalize][step=%d] CheckpointManager Save Finalize is done on all hosts.",
                 step);
        if (step % 100 == 0)
            model_job_log_line(job, "uid-try1", 0, at_ms * 1000000, slice_of(line));
        if (folds && model_job_has_backlog(job))
            model_job_fold_backlog(job, fake_ms(FIRST_S + STEPS + 1000));
    }
}

/* 0 under a sanitizer. */
static size_t held_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static struct model *begin(void) {
    struct model *m = model_new(&(struct model_options){0});
    fake_observe_trainer(m, "", "");
    free(fake_status(m, FIRST_S));
    replay_watermarks(m, fake_ms(FIRST_S + STEPS + 1000));
    return m;
}

TEST(a_backlog_takes_the_same_memory_however_long_it_is) {
    struct model *folds = begin(), *waits = begin();
    size_t early_bytes = 0, largest_bytes = 0;
    for (int i = 0; i < STEPS; i += PART) {
        read_steps(folds, i, i + PART, true);
        size_t bytes = held_bytes();
        if (i == PART)
            early_bytes = bytes;
        if (bytes > largest_bytes)
            largest_bytes = bytes;
    }
    if (largest_bytes > early_bytes + MAX_GROWTH_BYTES)
        harness_fail(__FILE__, __LINE__, "%zu bytes after %d steps, %zu at most", early_bytes, 2 * PART, largest_bytes);
    read_steps(waits, 0, STEPS, false);
    CHECK(!model_job_has_backlog(model_job_find(folds, "ns", "js")));
    CHECK(model_job_has_backlog(model_job_find(waits, "ns", "js")));
    CLEANUP_FREE char *folded = fake_finish(folds, FIRST_S + STEPS + 1);
    CLEANUP_FREE char *waited = fake_finish(waits, FIRST_S + STEPS + 1);
    CHECK_INT(status_int(folded, "steps.last"), STEPS - 1 - REPEATED);
    CHECK_INT(status_int(folded, "steps.repeated"), REPEATED);
    CHECK_TEXT(folded, waited);
}
