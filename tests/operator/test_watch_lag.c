/* A status reaches as far as all watches are known. What an object showed after that is in no number yet: the summary
 * says until when the watches must be known, so that the job is evaluated again then, and not with its next total. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <string.h>

static void observe_steps(struct model *m, int from, int to) {
    fake_log_steps(m, "try1", 0, to - from, 1, from);
}

/* The watch of one resource is known until then, all others until now. */
static void set_watermarks(struct model *m, enum resource late, double late_at, double now) {
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, fake_ms(r == (int)late ? late_at : now), r == RESOURCE_NODE_LEASE);
}

static int64_t interruptions(struct model *m, double now, struct model_summary *summary) {
    *summary = (struct model_summary){0};
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(now), summary);
    return status_int(s, "interruptions.total");
}

/* The pod is lost at 1020 while the watch of `late` has been cut since 1015. */
static struct model *lose_while_one_is_cut(enum resource late) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_observe_trainer(m, "", "");
    observe_steps(m, 1000, 1019);
    set_watermarks(m, late, 1015, 1019.9);
    p.asked_to_go = 1020;
    fake_observe_pod(m, &p, OBSERVED_DELETED, 1020.1);
    return m;
}

TEST(a_loss_that_one_cut_watch_hides_is_awaited) {
    static const enum resource needed[] = {RESOURCE_JOBSET, RESOURCE_JOB, RESOURCE_NODE, RESOURCE_WORKLOAD};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        struct model *m = lose_while_one_is_cut(needed[i]);
        struct model_summary summary;
        set_watermarks(m, needed[i], 1015, 1020.1);
        CHECK_INT(interruptions(m, 1020.2, &summary), 0);
        CHECK_INT(summary.awaits_ms, fake_ms(1020.1) + 1);
        CHECK_INT(interruptions(m, 1020.5, &summary), 0); /* the second evaluation, when the streams have settled */
        CHECK_INT(summary.awaits_ms, fake_ms(1020.1) + 1);
        CHECK(model_known_ms(m, fake_ms(1022)) < summary.awaits_ms);
        set_watermarks(m, needed[i], 1022, 1022);
        CHECK(model_known_ms(m, fake_ms(1022)) >= summary.awaits_ms);
        CHECK_INT(interruptions(m, 1022.1, &summary), 1);
        CHECK_INT(summary.awaits_ms, TIME_UNKNOWN);
        model_free(m);
    }
}

TEST(nothing_is_awaited_where_the_status_covers_all_that_was_observed) {
    struct model *m = lose_while_one_is_cut(RESOURCE_COUNT);
    struct model_summary summary;
    set_watermarks(m, RESOURCE_COUNT, 0, 1020.3);
    CHECK_INT(interruptions(m, 1020.5, &summary), 1);
    CHECK_INT(summary.awaits_ms, TIME_UNKNOWN);
    observe_steps(m, 1021, 1022); /* a log line is in no watch */
    CHECK_INT(interruptions(m, 1022.5, &summary), 1);
    CHECK_INT(summary.awaits_ms, TIME_UNKNOWN);
    model_free(m);
}

/* The API server's clock is ahead of ours by three seconds: the loss has a stamp that is still to come. */
TEST(a_loss_stamped_ahead_of_our_clock_is_awaited) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_observe_trainer(m, "", "");
    struct model_summary summary;
    observe_steps(m, 1000, 1019);
    p.asked_to_go = 1023;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1020);
    set_watermarks(m, RESOURCE_COUNT, 0, 1020.5);
    CHECK_INT(interruptions(m, 1020.5, &summary), 0);
    CHECK_INT(summary.awaits_ms, fake_ms(1023) + 1);
    set_watermarks(m, RESOURCE_COUNT, 0, 1023.1);
    CHECK_INT(interruptions(m, 1023.1, &summary), 1);
    CHECK_INT(summary.awaits_ms, TIME_UNKNOWN);
    model_free(m);
}

/* By a year: no evaluation is planned for that. */
TEST(a_loss_stamped_far_ahead_is_not_awaited) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_observe_trainer(m, "", "");
    struct model_summary summary;
    p.asked_to_go = 31000000;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1020);
    set_watermarks(m, RESOURCE_COUNT, 0, 1020.5);
    CHECK_INT(interruptions(m, 1020.5, &summary), 0);
    CHECK_INT(summary.awaits_ms, TIME_UNKNOWN);
    model_free(m);
}
