/* Each piece of advice on results made by hand: what it would bring, worked out here, and where it is silent. */
#include "base/mem.h"
#include "formulas/advice.h"
#include "harness.h"
#include "ledger/evaluate.h"

#include <math.h>
#include <stdlib.h>

#define HOUR INT64_C(3600000)

struct made { /* ten hours of 100 chips on 25 nodes, six of them productive */
    struct ledger_result r;
    struct ledger_bucket buckets[4];
    struct ledger_interruption interruptions[8];
    struct ledger_execution executions[9];
    enum rootcause_class classes[8];
    const char *accused[8];
    int64_t save_errors[9];
};

static void make(struct made *m) {
    *m = (struct made){.r = {.wall_ms = 10 * HOUR,
                             .available_ms = 9 * HOUR,
                             .productive_ms = 6 * HOUR,
                             .has_steps = true,
                             .buckets = m->buckets,
                             .interruptions = m->interruptions,
                             .executions = m->executions,
                             .mtbi_ms = RECORD_NONE,
                             .mttr_ms = RECORD_NONE,
                             .slots_required = 25,
                             .chips = 100,
                             .chip_ms_allocated = 900 * HOUR}};
}

static void add_bucket(struct made *m, enum bucket bucket, int64_t ms, int64_t count) {
    m->buckets[m->r.bucket_count++] =
        (struct ledger_bucket){.bucket = bucket, .ms = ms, .count = count, .chip_ms = 100 * ms};
}

static void add_interruption(struct made *m, enum cause cause, const char *node, int64_t tch_ms, int64_t tre_ms) {
    struct ledger_interruption *i = &m->interruptions[m->r.interruption_count++];
    *i = (struct ledger_interruption){
        .cause = cause, .tch_ms = tch_ms, .tre_ms = tre_ms, .trm_ms = RECORD_NONE, .cost_ms = tch_ms + tre_ms};
    snprintf(i->node, sizeof i->node, "%s", node);
}

static const struct advice *find(const struct advice *all, int count, const char *kind) {
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].kind, kind) == 0)
            return &all[i];
    return NULL;
}

/* The same six hours of progress in x less time. */
static int64_t gain(double saved_ms) {
    return (int64_t)llround(1e6 * 6 * HOUR / (10 * (double)HOUR - saved_ms)) - 600000;
}

#define CHECK_ADVICE(made, kind, saved, text)                                                                          \
    do {                                                                                                               \
        struct advice all_[ADVICE_MAX];                                                                                \
        int n_ = advise(&(made)->r, (made)->classes, (made)->accused, (made)->save_errors, all_);                      \
        const struct advice *advice_ = find(all_, n_, kind);                                                           \
        CHECK(advice_ != NULL);                                                                                        \
        if (advice_ == NULL)                                                                                           \
            break;                                                                                                     \
        CHECK_INT(advice_->saved_ms, (int64_t)(saved));                                                                \
        CHECK(llabs(advice_->gain_ppm - gain((double)(saved))) <= 1);                                                  \
        CHECK_TEXT(advice_->seen, text);                                                                               \
        CHECK(advice_->change[0] != '\0' && advice_->formula[0] != '\0' && advice_->topic[0] != '\0');                 \
    } while (0)

/* Two hangs of 50 and 20 minutes where 10 prove a hang: 50 minutes could have been saved. */
TEST(long_hangs) {
    struct made m;
    make(&m);
    m.r.hang_after_ms = HOUR / 6;
    add_interruption(&m, CAUSE_HANG, "", 0, 0);
    add_interruption(&m, CAUSE_HANG, "", 0, 0);
    add_interruption(&m, CAUSE_HANG, "", 0, 0);
    m.interruptions[0].quiet_ms = HOUR * 5 / 6;
    m.interruptions[1].quiet_ms = HOUR / 3;
    m.interruptions[2].quiet_ms = HOUR / 6; /* as early as can be */
    CHECK_ADVICE(&m, "HangTimeout", HOUR * 5 / 6, "2 hangs lasted 1h 10m");
    m.interruptions[0].quiet_ms = m.interruptions[1].quiet_ms = HOUR / 6 + 20000;
    struct advice all[ADVICE_MAX];
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "HangTimeout") ==
          NULL); /* less than a minute */
}

TEST(buckets_with_a_known_remedy) {
    struct made m;
    make(&m);
    add_bucket(&m, BUCKET_CHECKPOINT_SAVE, HOUR, 120);
    CHECK_ADVICE(&m, "AsynchronousCheckpoint", HOUR, "120 saves blocked training for 1h 0m, 30.0s each");
    make(&m);
    add_bucket(&m, BUCKET_CHECKPOINT_RESTORE, HOUR / 4, 1);
    CHECK_ADVICE(&m, "NearerRestore", HOUR / 4, "15m 0s of restoring checkpoints");
    make(&m);
    add_bucket(&m, BUCKET_DATA_LOADING, HOUR / 2, 900);
    CHECK_ADVICE(&m, "InputPipeline", HOUR / 2, "steps waited 30m 0s for their input");
    make(&m);
    add_bucket(&m, BUCKET_QUEUE_WAIT, HOUR / 2, 1);
    add_bucket(&m, BUCKET_PREEMPTED_WAIT, HOUR / 4, 1);
    CHECK_ADVICE(&m, "Queue", HOUR * 3 / 4, "45m 0s of waiting for quota");
}

/* Compiling again helps only from the second start on; the first is needed. */
TEST(compiling_again) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    add_bucket(&m, BUCKET_PROGRAM_STARTUP, HOUR, 1);
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "CompilationCache") == NULL);
    add_interruption(&m, CAUSE_NODE_FAILURE, "a", 0, 0);
    add_interruption(&m, CAUSE_NODE_FAILURE, "b", 0, 0);
    add_interruption(&m, CAUSE_NODE_FAILURE, "c", 0, 0);
    CHECK_ADVICE(&m, "CompilationCache", HOUR * 3 / 4, "1h 0m of compiling in 4 starts of the same program");
}

TEST(only_notice_gives_time_to_save) {
    struct made m;
    make(&m);
    add_interruption(&m, CAUSE_KUEUE_PREEMPTION, "", HOUR / 4, 0);
    add_interruption(&m, CAUSE_EVICTION, "", HOUR / 4, 0);
    add_interruption(&m, CAUSE_NODE_FAILURE, "", HOUR, 0);
    add_interruption(&m, CAUSE_SPOT_RECLAIM, "", HOUR, 0);
    m.interruptions[3].saved_on_sigterm = SAVED_YES;
    CHECK_ADVICE(&m, "SaveOnTermination", HOUR / 2, "2 interruptions that came with notice lost 30m 0s of work");
}

TEST(a_node_that_fails_again) {
    struct made m;
    make(&m);
    add_interruption(&m, CAUSE_NODE_FAILURE, "bad", HOUR, 60000);
    add_interruption(&m, CAUSE_APPLICATION_ERROR, "good", HOUR, 0);
    add_interruption(&m, CAUSE_NODE_FAILURE, "bad", HOUR / 2, 120000);
    m.interruptions[2].chip_ms = 7 * HOUR; /* not all chips were held meanwhile */
    CHECK_ADVICE(&m, "FailingNode", HOUR / 2 + 120000, "node bad failed in 2 executions");
    struct advice all[ADVICE_MAX];
    const struct advice *a = find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingNode");
    REQUIRE(a != NULL);
    CHECK_INT(a->chip_ms, 7 * HOUR);
}

/* A program that fails twice, a kill for memory or a notice say nothing against the node where they happened. */
TEST(a_node_is_blamed_only_for_its_own_failures) {
    static const enum cause causes[] = {CAUSE_APPLICATION_ERROR, CAUSE_OUT_OF_MEMORY, CAUSE_HANG,        CAUSE_EVICTION,
                                        CAUSE_NODE_MAINTENANCE,  CAUSE_SPOT_RECLAIM,  CAUSE_POD_DELETED, CAUSE_UNKNOWN};
    for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
        struct made m;
        struct advice all[ADVICE_MAX];
        make(&m);
        for (int k = 0; k < 3; k++)
            add_interruption(&m, causes[i], "node", HOUR / 2, 60000);
        CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingNode") == NULL);
        m.accused[0] = "node";
        CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingNode") == NULL);
        m.accused[2] = "node"; /* with what its hardware showed, twice */
        CHECK_ADVICE(&m, "FailingNode", HOUR / 2 + 60000, "node node failed in 2 executions");
        m.accused[2] = "other";
        CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingNode") == NULL);
    }
}

/* An execution that ended after that step, with that class. */
static void add_class(struct made *m, enum cause cause, enum rootcause_class class_, int64_t last_step) {
    m->executions[m->r.interruption_count].last_step = last_step;
    m->classes[m->r.interruption_count] = class_;
    add_interruption(m, cause, "", HOUR / 4, 60000);
}

TEST(the_same_root_cause_again) {
    static const struct {
        enum rootcause_class class_;
        const char *kind, *seen;
    } rows[] = {{CLASS_DEVICE_OOM, "DeviceMemory", "the memory of the accelerator was exhausted in 3 executions"},
                {CLASS_CHECKPOINT_ERROR, "FailingCheckpoints",
                 "3 executions ended because a checkpoint could not be saved or restored"}};
    for (size_t i = 0; i < 2; i++) {
        struct made m;
        struct advice all[ADVICE_MAX];
        make(&m);
        add_class(&m, CAUSE_APPLICATION_ERROR, rows[i].class_, 5);
        add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_UNKNOWN, 5);
        CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), rows[i].kind) ==
              NULL); /* one does not repeat */
        add_class(&m, CAUSE_APPLICATION_ERROR, rows[i].class_, 9);
        add_class(&m, CAUSE_APPLICATION_ERROR, rows[i].class_, 13);
        CHECK_ADVICE(&m, rows[i].kind, 2 * (HOUR / 4 + 60000), rows[i].seen);
        CHECK(find(all, advise(&m.r, NULL, NULL, m.save_errors, all), rows[i].kind) == NULL);
    }
}

/* Data or code: the same step each time. NaN after other steps is another matter. */
TEST(nan_after_the_same_step) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_NAN_DIVERGENCE, 700);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_NAN_DIVERGENCE, 812);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_USER_EXCEPTION, 812);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_NAN_DIVERGENCE, RECORD_NONE);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_NAN_DIVERGENCE, RECORD_NONE);
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "NaNAtStep") == NULL);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_NAN_DIVERGENCE, 812);
    CHECK_ADVICE(&m, "NaNAtStep", HOUR / 4 + 60000, "2 executions ended with NaN or Inf after step 812");
}

/* Without ending the execution; what was lost since is what a save would have kept. */
TEST(saves_that_fail) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    add_interruption(&m, CAUSE_NODE_FAILURE, "", HOUR / 4, 60000);
    add_interruption(&m, CAUSE_NODE_FAILURE, "", HOUR / 2, 60000);
    m.save_errors[1] = 1;
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingSaves") ==
          NULL); /* one may be by chance */
    m.save_errors[1] = 3;
    CHECK_ADVICE(&m, "FailingSaves", HOUR / 2,
                 "3 errors of checkpoints in the log; the 1 interruption after them lost 30m 0s of work");
    CHECK(find(all, advise(&m.r, m.classes, NULL, NULL, all), "FailingSaves") == NULL);
}

/* Without an interruption, too: what would be lost now. */
TEST(saves_that_fail_now) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    m.r.end_ms = TIME_OPEN;
    m.r.last_step = 1200;
    m.r.last_durable_step = 600;
    m.r.median_step_ms = 3000;
    m.save_errors[0] = 1;
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingSaves") ==
          NULL); /* one may be by chance */
    m.save_errors[0] = 2;
    CHECK_ADVICE(
        &m, "FailingSaves", HOUR / 2,
        "2 errors of checkpoints in the log; an interruption now would lose 30m 0s: the last 600 steps are in no "
        "checkpoint");
    m.r.end_ms = 10 * HOUR;
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingSaves") == NULL); /* it has ended */
    m.r.end_ms = TIME_OPEN;
    m.r.last_durable_step = RECORD_NONE;
    m.r.first_step_now = 1;
    CHECK_ADVICE(
        &m, "FailingSaves", HOUR,
        "2 errors of checkpoints in the log; an interruption now would lose 1h 0m: the last 1200 steps are in no "
        "checkpoint");
    m.r.last_durable_step = 1200;
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "FailingSaves") == NULL);
    m.r.last_durable_step = 600;
    m.save_errors[1] = 2;
    add_interruption(&m, CAUSE_NODE_FAILURE, "", HOUR / 4, 60000);
    CHECK_ADVICE(
        &m, "FailingSaves", HOUR / 4 + HOUR / 2,
        "4 errors of checkpoints in the log; the 1 interruption after them lost 15m 0s of work; an interruption "
        "now would lose 30m 0s: the last 600 steps are in no checkpoint");
}

/* Only where the execution before was ended by the loss of a node. */
TEST(no_rendezvous_after_the_loss_of_a_node) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_STARTUP_RENDEZVOUS, RECORD_NONE);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_STARTUP_RENDEZVOUS, RECORD_NONE);
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "Rendezvous") == NULL);
    add_class(&m, CAUSE_NODE_FAILURE, CLASS_UNKNOWN, 7);
    add_class(&m, CAUSE_APPLICATION_ERROR, CLASS_STARTUP_RENDEZVOUS, RECORD_NONE);
    CHECK_ADVICE(&m, "Rendezvous", HOUR / 4 + 60000,
                 "in 1 execution after the loss of a node the processes did not meet");
}

TEST(steps_slower_than_the_ideal) {
    struct made m;
    make(&m);
    m.r.retained_steps = 10000;
    m.r.ideal_step_ms = 2000;
    CHECK_ADVICE(&m, "Stragglers", 6 * HOUR - 20000000, "a step takes 2.1s on average, 2.0s at the ideal");
}

/* The interval is the exact formula's. Of the hour of lost work half an interval stays for each interruption, 13m 59s
 * in all; 120 more saves take 9m 42s. An interruption loses between nothing and a whole interval: give or take 13m 59s.
 */
TEST(a_better_checkpoint_interval) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    m.r.older.counted = m.r.older.count = 9;
    m.r.mttr_ms = 60000;
    m.r.ideal_step_ms = 1000;
    add_bucket(&m, BUCKET_CHECKPOINT_SAVE, 4 * 5000, 4); /* every 90 min, failing every 60 */
    add_bucket(&m, BUCKET_WASTED_PROGRESS, HOUR, 9);
    const struct advice *a = find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "CheckpointInterval");
    REQUIRE(a != NULL);
    CHECK_TEXT(a->seen, "a save every 1h 30m, each blocking for 5.0s, and 9 interruptions");
    CHECK_TEXT(
        a->change,
        "save every 3m 6s (186 steps): saves 22m 22s to 50m 21s"); /* Daly: 189.74 x (1 + 0.0088) - 5 = 186.4 s */
    m.buckets[0].ms = 0; /* saves that cost nothing are no reason to save less often */
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "CheckpointInterval") == NULL);
    m.buckets[0].ms = 4 * 5000;
    m.save_errors[0] = 1; /* these come first */
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "CheckpointInterval") == NULL);
    make(&m);
    m.r.older.counted = m.r.older.count = 9;
    m.r.mttr_ms = 60000;
    add_bucket(&m, BUCKET_CHECKPOINT_SAVE, 115 * 5000, 115); /* every 188 s: as good as the best */
    CHECK(find(all, advise(&m.r, m.classes, m.accused, m.save_errors, all), "CheckpointInterval") == NULL);
}

/* How fast a preloaded image or a spare would be, no ledger shows. */
TEST(no_advice_whose_gain_is_not_measured) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    m.r.slots_required = 500;
    add_bucket(&m, BUCKET_IMAGE_PULL, HOUR, 3);
    for (int i = 0; i < 3; i++)
        add_interruption(&m, CAUSE_NODE_FAILURE, "", 0, HOUR / 2);
    CHECK_INT(advise(&m.r, m.classes, m.accused, m.save_errors, all), 0);
}

TEST(silent_within_noise_and_without_steps) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    add_bucket(&m, BUCKET_DATA_LOADING, 55000, 1);
    CHECK_INT(advise(&m.r, m.classes, m.accused, m.save_errors, all), 0);
    make(&m);
    add_bucket(&m, BUCKET_DATA_LOADING, HOUR, 1);
    m.r.has_steps = false;
    CHECK_INT(advise(&m.r, m.classes, m.accused, m.save_errors, all), 0);
}

TEST(the_largest_gain_comes_first_and_at_most_five) {
    struct made m;
    struct advice all[ADVICE_MAX];
    make(&m);
    add_bucket(&m, BUCKET_QUEUE_WAIT, HOUR / 4, 1);
    add_bucket(&m, BUCKET_CHECKPOINT_RESTORE, HOUR / 2, 1);
    add_bucket(&m, BUCKET_DATA_LOADING, HOUR, 1);
    add_bucket(&m, BUCKET_CHECKPOINT_SAVE, HOUR / 3, 9);
    add_interruption(&m, CAUSE_EVICTION, "bad", HOUR / 8, 0);
    add_interruption(&m, CAUSE_EVICTION, "bad", HOUR / 8, 0);
    m.r.retained_steps = 10000;
    m.r.ideal_step_ms = 2000;
    int n = advise(&m.r, m.classes, m.accused, m.save_errors, all);
    CHECK_INT(n, ADVICE_MAX);
    CHECK_TEXT(all[0].kind, "InputPipeline");
    for (int i = 1; i < n; i++)
        CHECK(all[i].gain_ppm <= all[i - 1].gain_ppm);
}
