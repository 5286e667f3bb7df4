/* Reliability by the names that papers use, with the numbers that they print. */
#include "formulas/definitions.h"
#include "harness.h"

#include <math.h>
#include <string.h>

#define CHECK_NEAR(value, expected, tolerance) CHECK(fabs((value) - (expected)) <= (tolerance))
#define SECOND INT64_C(1000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)

static const struct definition *find(const struct ledger_result *r, const char *name) {
    static struct definition list[DEFINITIONS_MAX];
    int count = definitions_list(r, 0, list);
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

/* NAN: absent. Ratios as fractions, means in hours. */
static double value(const struct ledger_result *r, const char *name) {
    const struct definition *d = find(r, name);
    if (d == NULL)
        return (double)NAN;
    return (double)d->numerator_ms / (double)d->denominator / (d->is_mean ? (double)HOUR : 1);
}

/* A job whose slots were there for that long, and its interruptions by cause. */
struct interrupted {
    enum cause cause;
    int64_t count;
};

static struct ledger_result job_of(int64_t available_ms, const struct interrupted *by, int causes) {
    struct ledger_result r = {.wall_ms = available_ms, .available_ms = available_ms};
    for (int i = 0; i < causes; i++) {
        r.older.causes[i].cause = by[i].cause;
        r.older.causes[i].count = by[i].count;
        r.counted += cause_is_excluded(by[i].cause) ? 0 : by[i].count;
    }
    r.older.cause_count = causes;
    return r;
}

/* Kokolis et al. 2024, arXiv 2410.21680, MTTF = 1 / (nodes x rate) with 6.50 failures in 1,000 node-days and 8 GPUs a
 * node: 1.8 h for 16,384 GPUs, 0.23 h for 131,072. Here: jobs of that size that failed at that rate for 125 days. */
TEST(mttf_that_meta_predicts) {
    static const struct {
        int64_t gpus, failures; /* 125 x nodes x 0.0065 */
        double printed, exact;
    } rows[] = {{16384, 1664, 1.8, 1.803}, {131072, 13312, 0.23, 0.2254}};
    for (int i = 0; i < 2; i++) {
        struct interrupted by = {CAUSE_NODE_FAILURE, rows[i].failures};
        struct ledger_result r = job_of(125 * DAY, &by, 1);
        CHECK_NEAR((double)rows[i].gpus / 8 * 125 * 0.0065, (double)rows[i].failures, 0.5);
        CHECK_NEAR(value(&r, "MTTF"), rows[i].exact, 0.0005);
        CHECK_NEAR(value(&r, "MTTF"), rows[i].printed, 0.005);
    }
}

/* arXiv 2407.21783, section 3.3.4: 466 interruptions in 54 days, 47 of them planned and 419 unexpected. Its table 5
 * counts 148 faulty GPUs, 72 of HBM, 54 software bugs ... */
TEST(interruptions_of_llama_3) {
    static const struct interrupted by[] = {{CAUSE_NODE_MAINTENANCE, 47},
                                            {CAUSE_NODE_FAILURE, 148 + 72 + 35 + 32 + 19 + 17 + 42},
                                            {CAUSE_APPLICATION_ERROR, 54}};
    struct ledger_result r = job_of(54 * DAY, by, 3);
    CHECK_INT(find(&r, "MTBI")->denominator, 466);
    CHECK_INT(find(&r, "MTTF")->denominator, 419);
    CHECK_NEAR(value(&r, "MTBI"), 2.781, 0.0005);
    CHECK_NEAR(value(&r, "MTTF"), 3.093, 0.0005);
}

/* NVIDIA/cluster-readiness-engine v0.8.2, testdata one-interruption: t_w 14400, t_ch 900, t_re 150, t_rm 70, t_save 45:
 * (t_w - t_ch - t_rm - t_re - t_save) / t_w. */
TEST(ettr_of_cluster_readiness_engine) {
    struct ledger_result r = {.has_steps = true,
                              .wall_ms = 14400 * SECOND,
                              .available_ms = (14400 - 150) * SECOND,
                              .productive_ms = (14400 - 900 - 70 - 150 - 45) * SECOND,
                              .counted = 1,
                              .recovered = 1,
                              .recover_ms = (150 + 70) * SECOND};
    CHECK_NEAR(value(&r, "ETTRByteDance"), 0.919097, 5e-7);
    CHECK_NEAR(value(&r, "ETTRMeta"), 0.919097, 5e-7);
    CHECK_NEAR(value(&r, "ForwardProgress"), 0.919097, 5e-7);
    CHECK_NEAR(value(&r, "MTTR") * 3600, 220, 1e-9);
}

/* Wan et al. 2025, arXiv 2509.16293: 97 % of three months on 9,600 GPUs; 3 % of them are 65 h. */
TEST(ettr_of_byterobust) {
    struct ledger_result r = {
        .has_steps = true, .wall_ms = 90 * DAY, .available_ms = 89 * DAY, .productive_ms = 90 * DAY - 65 * HOUR};
    CHECK_NEAR(value(&r, "ETTRByteDance"), 0.97, 0.0005);
}

/* Time in which a person suspended it is not available to Meta's job run: 6 / (10 - 2) and 6 / 10. */
TEST(meta_leaves_out_what_was_not_eligible_to_run) {
    struct ledger_bucket buckets[] = {{.bucket = BUCKET_QUEUE_WAIT, .ms = HOUR},
                                      {.bucket = BUCKET_SUSPENDED, .ms = 2 * HOUR},
                                      {.bucket = BUCKET_PRODUCTIVE, .ms = 6 * HOUR}};
    struct ledger_result r = {.has_steps = true,
                              .wall_ms = 10 * HOUR,
                              .available_ms = 7 * HOUR,
                              .productive_ms = 6 * HOUR,
                              .buckets = buckets,
                              .bucket_count = 3};
    CHECK_NEAR(value(&r, "ETTRMeta"), 0.75, 1e-9);
    CHECK_NEAR(value(&r, "ETTRByteDance"), 0.6, 1e-9);
}

TEST(what_is_not_known_is_absent) {
    static const char *const all[] = {"ETTRMeta", "ETTRByteDance", "ForwardProgress", "MTBI", "MTTF", "MTTR"};
    struct ledger_result r = {.wall_ms = HOUR, .available_ms = HOUR};
    struct definition list[DEFINITIONS_MAX];
    CHECK_INT(definitions_list(&r, 0, list), 0); /* no step, and nothing failed: no mean is infinite or 0 */
    r.has_steps = true;
    for (int i = 0; i < 6; i++)
        CHECK((find(&r, all[i]) != NULL) == (i < 3));
    r.wall_ms = r.available_ms = 0; /* created just now */
    CHECK_INT(definitions_list(&r, 0, list), 0);
}

/* Were they failures? Only where each cause says it, MTTF has a denominator. */
TEST(mttf_needs_every_cause) {
    static const struct interrupted known[] = {
        {CAUSE_NODE_FAILURE, 1},      {CAUSE_OUT_OF_MEMORY, 1},    {CAUSE_HANG, 1},
        {CAUSE_APPLICATION_ERROR, 1}, {CAUSE_SPOT_RECLAIM, 5},     {CAUSE_POD_DELETED, 5},
        {CAUSE_USER_SUSPEND, 5},      {CAUSE_KUEUE_PREEMPTION, 5}, {CAUSE_NODE_MAINTENANCE, 5}};
    static const enum cause open[] = {CAUSE_UNKNOWN, CAUSE_TRAINER_RESTART};
    struct ledger_result r = job_of(40 * HOUR, known, 9);
    struct definition list[DEFINITIONS_MAX];
    CHECK_NEAR(value(&r, "MTTF"), 10, 1e-9);
    CHECK_NEAR(value(&r, "MTBI"), 40.0 / 19, 1e-9);
    CHECK_INT(definitions_list(&r, 1, list), 1); /* a counter reports one more: MTBI alone is left */
    for (int i = 0; i < 2; i++) {
        struct ledger_interruption one = {.cause = open[i]};
        r.interruptions = &one;
        r.interruption_count = 1;
        CHECK(find(&r, "MTTF") == NULL);
        CHECK(find(&r, "MTBI") != NULL);
    }
}
