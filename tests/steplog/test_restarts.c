/* Real logs of further trainers, killed and restarted, against what is known of those runs (truth.json next to them).
 */
#include "harness.h"

#include "base/mem.h"
#include "steplog/steplog.h"

struct tally {
    int64_t kinds[RECORD_KIND_COUNT];
    int64_t steps_done; /* sum over STEP_END of the steps since the last one or the restore */
    int64_t first_step, last_step, restored_step, durable_step;
    int64_t first_ms, last_ms;      /* when those steps ended */
    int64_t save_start_ms, save_ms; /* blocked: as logged, or from a save's start to its end */
};

static void add_step(struct tally *t, const struct record *r) {
    if (t->first_step == RECORD_NONE) {
        t->first_step = r->step;
        t->first_ms = r->at_ms;
    }
    CHECK(t->last_step == RECORD_NONE || r->step > t->last_step);
    CHECK(r->at_ms >= t->last_ms);
    t->last_step = r->step;
    t->last_ms = r->at_ms;
}

static void on_record(void *context, const struct record *r) {
    struct tally *t = context;
    t->kinds[r->kind]++;
    if (r->kind == RECORD_STEP_END)
        add_step(t, r);
    if (r->kind == RECORD_RESTORE_END)
        t->restored_step = r->step;
    if (r->kind == RECORD_SAVE_START)
        t->save_start_ms = r->at_ms;
    bool ends_save = r->kind == RECORD_SAVE_BLOCKED || r->kind == RECORD_SAVE_DURABLE;
    if (ends_save && t->save_start_ms != TIME_UNKNOWN) {
        t->save_ms += r->duration_ms != RECORD_NONE ? r->duration_ms : r->at_ms - t->save_start_ms;
        t->save_start_ms = TIME_UNKNOWN;
    }
    if (r->kind == RECORD_SAVE_DURABLE)
        t->durable_step = r->step;
}

struct attempt {
    int64_t first, last, count, restored, durable, save_ms;
    int64_t first_ms, last_ms; /* truth: when those steps ended, Unix ms */
    int64_t lag_ms;            /* a line may be this much later */
};

static void check_attempt(const char *folder, int attempt, enum steplog_format format, const struct attempt *truth) {
    struct tally t = {.first_step = RECORD_NONE,
                      .last_step = RECORD_NONE,
                      .restored_step = RECORD_NONE,
                      .durable_step = RECORD_NONE,
                      .save_start_ms = TIME_UNKNOWN};
    char path[256];
    snprintf(path, sizeof path, "tests/data/trainer-logs/%s/attempt-%d.log", folder, attempt);
    size_t size = 0;
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    REQUIRE(data != NULL);
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &t);
    steplog_feed(s, (struct slice){data, size}, true);
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    steplog_free(s);
    CHECK_INT(counts.malformed, 0);
    CHECK_INT(counts.too_long, 0);
    CHECK_INT(counts.recognized, truth->count > 0 ? format : STEPLOG_AUTO);
    CHECK_INT(t.kinds[RECORD_STEP_END], truth->count);
    CHECK_INT(t.first_step, truth->first);
    CHECK_INT(t.last_step, truth->last);
    CHECK_INT(t.restored_step, truth->restored);
    CHECK_INT(t.durable_step, truth->durable);
    /* Derived from the step after it; titan: centiseconds. */
    int64_t slack_ms = format == STEPLOG_REGEX ? 60 : format == STEPLOG_DEEPSPEED ? 50 : 10;
    if (t.save_ms < truth->save_ms - slack_ms || t.save_ms > truth->save_ms + slack_ms)
        harness_fail(folder, attempt, "saves took %" PRId64 " ms, truth %" PRId64, t.save_ms, truth->save_ms);
    if (truth->count > 0) {
        CHECK(t.first_ms >= truth->first_ms - 1 && t.first_ms <= truth->first_ms + truth->lag_ms);
        CHECK(t.last_ms >= truth->last_ms - 1 && t.last_ms <= truth->last_ms + truth->lag_ms);
    }
}

#define NONE RECORD_NONE

/* The save of 30 was cut off; the ones of 10, 20, 30 and 40 took 213, 282, 312 and 253 ms. */
TEST(megatron_restarts) {
    static const struct attempt truth[] = {
        {1, 16, 16, NONE, 10, 213, 1795228062508, 1795228068367, 5},
        {11, 30, 20, 10, 20, 282, 1795228086282, 1795228093709, 5},
        {21, 40, 20, 20, 40, 312 + 253, 1795228113869, 1795228121580, 5},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("megatron-log/restarts", i + 1, STEPLOG_MEGATRON, &truth[i]);
}

/* Only the last save says that it was no asynchronous one; the save of 30 that began proves that of 20, and of 10 the
 * next restore does. */
TEST(torchtitan_restarts) {
    static const struct attempt truth[] = {
        {1, 16, 16, NONE, NONE, 405, 1795227765101, 1795227772094, 5},
        {11, 30, 20, 10, 20, 552, 1795227785598, 1795227796111, 5},
        {21, 40, 20, 20, 40, 327 + 351, 1795227811788, 1795227820397, 5},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("torchtitan/restarts", i + 1, STEPLOG_TORCHTITAN, &truth[i]);
}

/* DeepSpeed 0.19 says when a save begins and not when it ends: how long the first two took (217 and 213 ms) shows in
 * the step after them; no step follows the third (344 ms). */
TEST(deepspeed_restarts) {
    static const struct attempt truth[] = {
        {1, 15, 15, NONE, NONE, 217, 1795227692235, 1795227698768, 5},
        {11, 26, 16, 10, NONE, 213, 1795227707130, 1795227713918, 5},
        {21, 30, 10, 20, NONE, 0, 1795227721081, 1795227724842, 5},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("deepspeed/restarts-info", i + 1, STEPLOG_DEEPSPEED, &truth[i]);
}

/* Each dictionary's step is found, exactly at its time. No line reports a save. */
TEST(huggingface_restarts) {
    static const struct attempt truth[] = {
        {1, 16, 16, NONE, NONE, 0, 1795227097900, 1795227108123, 5},
        {11, 28, 18, NONE, NONE, 0, 1795227117010, 1795227128391, 5},
        {21, 40, 20, NONE, NONE, 0, 1795227139171, 1795227151500, 5},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("hf-trainer/restarts", i + 1, STEPLOG_HUGGINGFACE, &truth[i]);
}

/* One line per epoch of 12 batches, so the three batches of the epoch that was cut off are not there. The epoch's line
 * comes after its validation and save. Of the saves of attempt 2 (3 s each) only 33 and 57 ms are ModelCheckpoint's. */
TEST(keras_restarts) {
    static const struct attempt truth[] = {
        {12, 24, 2, NONE, 24, 58 + 30, 1795227665404, 1795227667889, 800},
        {36, 48, 2, NONE, 48, 33 + 56, 1795227677083, 1795227682966, 3700},
    };
    for (int i = 0; i < 2; i++)
        check_attempt("keras/verbose2", i + 1, STEPLOG_KERAS, &truth[i]);
}

/* The bar's line comes when the epoch's validation begins, and at death. The restart in the second epoch, from a
 * checkpoint named "last", draws a bar without epoch and total: it gives no step. */
TEST(lightning_restarts) {
    static const struct attempt truth[] = {
        {20, 29, 2, NONE, NONE, 0, 1795227762055, 1795227766269, 200},
        {NONE, NONE, 0, NONE, NONE, 0, 0, 0, 0},
    };
    for (int i = 0; i < 2; i++)
        check_attempt("lightning/restarts-tqdm", i + 1, STEPLOG_LIGHTNING, &truth[i]);
}

/* Its checkpoint is of the iterations before N; the line of the save comes before it, the line of the restore too. How
 * long a save took shows in the iteration after it; none follows the last (35 ms). */
TEST(nanogpt_restarts) {
    static const struct attempt truth[] = {
        {0, 16, 17, NONE, NONE, 28, 1795459602448, 1795459609924, 60},
        {10, 32, 23, NONE, NONE, 44 + 31, 1795459626206, 1795459638431, 60},
        {30, 40, 11, NONE, NONE, 35, 1795459656275, 1795459663024, 60},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("nanogpt/restarts", i + 1, STEPLOG_REGEX, &truth[i]);
}

TEST(litgpt_restarts) {
    static const struct attempt truth[] = {
        {1, 16, 16, NONE, NONE, 25, 1795459766290, 1795459773286, 60},
        {11, 32, 22, NONE, NONE, 29 + 24, 1795459787254, 1795459798042, 60},
        {31, 40, 10, NONE, NONE, 18 + 16, 1795459810085, 1795459814065, 60},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("litgpt/restarts", i + 1, STEPLOG_REGEX, &truth[i]);
}

/* Steps are numbered from 0 (time/batch). No line reports a save at level INFO. */
TEST(composer_restarts) {
    static const struct attempt truth[] = {
        {0, 15, 16, NONE, NONE, 0, 1795459810747, 1795459817260, 60},
        {10, 29, 20, NONE, NONE, 0, 1795459825321, 1795459833333, 60},
        {30, 39, 10, NONE, NONE, 0, 1795459844820, 1795459848709, 60},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("composer/restarts", i + 1, STEPLOG_REGEX, &truth[i]);
}

/* It is the Trainer of transformers; its dictionaries have more keys. */
TEST(trl_restarts) {
    static const struct attempt truth[] = {
        {1, 16, 16, NONE, NONE, 0, 1795459737000, 1795459744287, 60},
        {11, 32, 22, NONE, NONE, 0, 1795459757099, 1795459769296, 60},
        {31, 40, 10, NONE, NONE, 0, 1795459783768, 1795459790269, 60},
    };
    for (int i = 0; i < 3; i++)
        check_attempt("trl/restarts", i + 1, STEPLOG_HUGGINGFACE, &truth[i]);
}
