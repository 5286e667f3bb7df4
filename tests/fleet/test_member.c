/* What a fleet reads from a JobGoodput. */
#include "fleet/member.h"
#include "harness.h"
#include "random.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static const char whole[] =
    "{\"metadata\":{\"namespace\":\"research\",\"name\":\"llama\",\"uid\":\"u1\",\"labels\":{\"team\":\"nlp\"},"
    "\"creationTimestamp\":\"2026-10-31T23:59:00Z\"},"
    "\"spec\":{\"targetRef\":{\"kind\":\"JobSet\"}},\"status\":{\"target\":{\"uid\":\"t1\",\"queue\":\"lq\",\"chips\":"
    "512,"
    "\"clusterQueue\":\"cq\",\"priorityClass\":\"high\",\"accelerator\":\"TPU "
    "v5e\"},\"availability\":{\"required\":128},"
    "\"goodputPPM\":{\"scheduling\":900000,\"program\":500000},\"time\":{\"start\":\"2026-11-01T00:00:00Z\","
    "\"end\":\"2026-11-01T02:46:40Z\",\"wallMilliseconds\":10000000,\"availableMilliseconds\":9000000,"
    "\"productiveMilliseconds\":7200000},"
    "\"badput\":[{\"family\":\"Scheduling\",\"bucket\":\"QueueWait\",\"milliseconds\":600000,\"chipSeconds\":0},"
    "{\"family\":\"Scheduling\",\"bucket\":\"FailureDetection\",\"milliseconds\":400000,\"chipSeconds\":204800},"
    "{\"family\":\"Runtime\",\"bucket\":\"FailureDetection\",\"milliseconds\":1300000,\"chipSeconds\":665600,\"cost\":"
    "\"462.22\"}"
    ","
    "{\"family\":\"Runtime\",\"bucket\":\"Custom/profiling\",\"milliseconds\":300000,\"chipSeconds\":153600},"
    "{\"family\":\"Runtime\",\"bucket\":\"Custom/x\",\"milliseconds\":100000,\"chipSeconds\":51200},"
    "{\"family\":\"Runtime\",\"bucket\":\"OfTomorrow\",\"milliseconds\":70000,\"chipSeconds\":51200},"
    "{\"family\":\"Runtime\",\"bucket\":\"Unattributed\",\"milliseconds\":20000},"
    "{\"family\":\"Scheduling\",\"bucket\":\"Unobserved\",\"milliseconds\":10000}],"
    "\"byOwner\":[{\"owner\":\"Provider\",\"milliseconds\":900,\"interruptions\":2,\"chipSeconds\":7000,\"cost\":\"4."
    "50\",\"byClass\":[{\"class\":\"GPUHardware\",\"chipSeconds\":6000},{\"class\":\"Curse\",\"chipSeconds\":500},"
    "{\"class\":\"None\",\"chipSeconds\":500}]},"
    "{\"owner\":\"Martian\",\"interruptions\":1,\"milliseconds\":1,\"chipSeconds\":3},{\"owner\":\"Unknown\","
    "\"chipSeconds\":2}],"
    "\"interruptions\":{\"byClass\":[{\"class\":\"GPUHardware\",\"count\":2},{\"class\":\"Curse\",\"count\":1}],"
    "\"total\":3,\"excluded\":1,\"byCause\":[{\"cause\":\"NodeFailure\",\"count\":1,\"chipSeconds\":"
    "7200,"
    "\"cost\":\"5.00\"},{\"cause\":\"KueueEviction/"
    "PodsReadyTimeout\",\"count\":1},{\"cause\":\"Martian\",\"count\":1}]},\"executions\":[{\"number\":1,\"end\":"
    "\"2026-11-01T01:00:00Z\","
    "\"cause\":\"NodeFailure\",\"nodePool\":\"pool-3\",\"owner\":\"Provider\",\"rootCause\":{\"class\":"
    "\"GPUHardware\",\"owner\":\"Tenant\"}},{\"number\":2,\"end\":\"2026-11-01T02:00:00Z\",\"cause\":"
    "\"KueueEviction/PodsReadyTimeout\",\"nodePool\":\"pool-4\"},{\"number\":3}],"
    "\"cost\":{\"currency\":\"USD\",\"allocated\":\"3276.80\",\"lost\":\"716.80\"},"
    "\"acceleratorHours\":{\"allocated\":\"1310.720\",\"productive\":\"1024.000\"}}}";

TEST(a_whole_status_is_read) {
    struct member *m = member_read(slice_of(whole));
    REQUIRE(m != NULL);
    const int64_t *of = m->life->of;
    CHECK_TEXT(m->full_name, "research/llama");
    CHECK_TEXT(m->queue, "lq");
    CHECK_TEXT(m->cluster_queue, "cq");
    CHECK_TEXT(m->priority, "high");
    CHECK_TEXT(m->accelerator, "TPU v5e");
    CHECK_TEXT(member_label(m, SLICE("team")), "nlp");
    CHECK(member_label(m, SLICE("tea")) == NULL);
    CHECK(m->has_time && m->has_steps);
    CHECK_INT(m->weight.chips, 512);
    CHECK_INT(m->weight.slots, 128);
    CHECK_INT(m->through_ms - m->start_ms, 10000000);
    CHECK_INT(m->end_ms, m->through_ms);
    CHECK_INT(m->start_ms - m->created_ms, 60000);
    CHECK_INT(of[SUMS_LOST(BUCKET_NODE_FAILURE_DETECTION)], 400000);
    CHECK_INT(of[SUMS_LOST(BUCKET_PROCESS_FAILURE_DETECTION)], 1300000);
    CHECK_INT(of[SUMS_LOST(BUCKET_CUSTOM)], 400000);
    CHECK_INT(of[SUMS_LOST(SUMS_OTHER_RUNTIME)], 70000);
    CHECK_INT(of[SUMS_KNOWN_UNATTRIBUTED], 20000);
    CHECK_INT(of[SUMS_KNOWN_UNOBSERVED], 10000);
    CHECK_INT(of[SUMS_PAID_LOST(BUCKET_NODE_FAILURE_DETECTION)], 204800000);
    CHECK_INT(of[SUMS_PAID_PRODUCTIVE], INT64_C(1024) * 3600000);
    CHECK_INT(of[SUMS_IDEAL], 3600000);
    CHECK_INT(of[SUMS_FAILURES], 2);
    CHECK_INT(of[SUMS_COST], 327680);
    CHECK_INT(of[SUMS_COST_LOST_TO(BUCKET_PROCESS_FAILURE_DETECTION)], 46222);
    CHECK_INT(of[SUMS_CAUSED(CAUSE_NODE_FAILURE)], 1);
    CHECK_INT(of[SUMS_PAID_CAUSED(CAUSE_NODE_FAILURE)], 7200000);
    CHECK_INT(of[SUMS_COST_CAUSED(CAUSE_NODE_FAILURE)], 500);
    CHECK_INT(of[SUMS_PAID_OWNED(OWNER_PROVIDER)], 7000000);
    CHECK_INT(of[SUMS_COST_OWNED(OWNER_PROVIDER)], 450);
    CHECK_INT(of[SUMS_PAID_OWNED(OWNER_UNKNOWN)], 5000); /* what is not known here too */
    CHECK_INT(of[SUMS_PAID_OF_CLASS(OWNER_PROVIDER, CLASS_GPU_HARDWARE)], 6000000);
    CHECK_INT(of[SUMS_PAID_OF_CLASS(OWNER_PROVIDER, CLASS_UNKNOWN)], 500000); /* a class that is not known here */
    int64_t chip_s[SUMS_CLASSES];
    CHECK(sums_owned_by_class(m->life, OWNER_PROVIDER, chip_s));
    CHECK_INT(chip_s[CLASS_GPU_HARDWARE], 6000);
    CHECK_INT(chip_s[SUMS_CLASS_NONE], 500);
    CHECK(!sums_owned_by_class(m->life, OWNER_UNKNOWN, chip_s));
    CHECK_INT(of[SUMS_OWNED(OWNER_PROVIDER)], 2);
    CHECK_INT(of[SUMS_OWNED(OWNER_UNKNOWN)], 1);
    CHECK_INT(of[SUMS_OF_CLASS(CLASS_GPU_HARDWARE)], 2);
    CHECK_INT(of[SUMS_OF_CLASS(CLASS_UNKNOWN)], 1);
    CHECK_INT(of[SUMS_CAUSED(CAUSE_KUEUE_EVICTION)], 1);
    CHECK_INT(of[SUMS_CAUSED(CAUSE_UNKNOWN)], 1);
    REQUIRE(m->break_count == 2);
    CHECK_TEXT(m->breaks[0].pool, "pool-3");
    CHECK(!m->breaks[0].is_excluded && m->breaks[1].is_excluded);
    CHECK(m->breaks[0].class_ == CLASS_GPU_HARDWARE && m->breaks[0].owner == OWNER_PROVIDER);
    CHECK(m->breaks[1].class_ == CLASS_UNKNOWN && m->breaks[1].owner == OWNER_UNKNOWN);
    CHECK_INT(m->last_execution, 2);
    struct sums_scores s = sums_scores(m->life);
    CHECK_INT(s.scheduling, 900000);
    CHECK_INT(s.runtime, 800000);
    CHECK_INT(s.job, 720000);
    CHECK_INT(s.productivity, 360000);
    member_free(m);
}

/* facts: 100 chip-hours x 0.9 x 0.9 x 0.7 = 90, 81, 56.7: the product of the scores is ideal over asked, and with jobs
 * of different sizes it is that of the sums, not of the averages. */
TEST(scores_telescope_to_ideal_over_asked) {
    struct sums s = {0}, small = {0};
    const int64_t hour = 3600000;
    s.of[SUMS_WALL] = s.of[SUMS_KNOWN_WALL] = s.of[SUMS_PROGRAMMED_WALL] = 100 * hour;
    s.of[SUMS_AVAILABLE] = s.of[SUMS_KNOWN_AVAILABLE] = 90 * hour;
    s.of[SUMS_PRODUCTIVE] = s.of[SUMS_PROGRAMMED] = 81 * hour;
    s.of[SUMS_IDEAL] = 567 * hour / 10;
    struct sums_scores scores = sums_scores(&s);
    CHECK_INT(scores.scheduling, 900000);
    CHECK_INT(scores.runtime, 900000);
    CHECK_INT(scores.program, 700000);
    CHECK_INT(scores.productivity, 567000);
    small.of[SUMS_WALL] = small.of[SUMS_KNOWN_WALL] = small.of[SUMS_PROGRAMMED_WALL] = hour;
    sums_add(&s, &small); /* one chip-hour of nothing weighs one in 101, not one half */
    CHECK_INT(sums_scores(&s).productivity, 561386);
}

/* 3 interruptions in 9 h of one node's available time: 8,000 per 1,000 node-days. */
TEST(interruptions_per_1000_node_days) {
    struct sums s = {0};
    CHECK_INT(sums_failures_per_1000_node_days(&s), -1);
    s.of[SUMS_FAILURES] = 3;
    s.of[SUMS_SLOT_TIME] = INT64_C(9) * 3600000;
    CHECK_INT(sums_failures_per_1000_node_days(&s), 8000 * 1000);
}

TEST(a_field_absent_from_a_status_is_unknown) {
    struct member *m = member_read(SLICE("{\"metadata\":{\"name\":\"x\"}}"));
    REQUIRE(m != NULL);
    CHECK(!m->has_time && !m->has_steps && m->queue == NULL && m->end_ms == TIME_UNKNOWN);
    member_free(m);
    m = member_read(SLICE("{\"metadata\":{\"name\":\"x\"},\"status\":{\"time\":{\"start\":\"2026-11-01T00:00:00Z\","
                          "\"wallMilliseconds\":1000,\"availableMilliseconds\":500}}}"));
    REQUIRE(m != NULL);
    CHECK(m->has_time && !m->has_steps);
    CHECK_INT(sums_scores(m->life).runtime, -1);
    member_free(m);
    CHECK(member_read(SLICE("[]")) == NULL);
    CHECK(member_read(SLICE("{}")) == NULL);
    CHECK(member_read(SLICE("{\"metadata\":{\"name\":\"x\"")) == NULL);
}

TEST(every_truncation_is_refused_and_none_crashes) {
    for (size_t n = 0; n + 1 < sizeof whole - 1; n++) {
        char *part = strndup(whole, n);
        CHECK(member_read(slice_of(part)) == NULL);
        free(part);
    }
}

/* One of the same name that is created again, or measures another target, is another member. */
TEST(identity_is_of_the_object_and_its_target) {
    struct member *a =
        member_read(SLICE("{\"metadata\":{\"name\":\"x\",\"uid\":\"1\"},\"status\":{\"target\":{\"uid\":\"2\"}}}"));
    struct member *b =
        member_read(SLICE("{\"metadata\":{\"name\":\"x\",\"uid\":\"1\"},\"status\":{\"target\":{\"uid\":\"3\"}}}"));
    struct member *c =
        member_read(SLICE("{\"metadata\":{\"name\":\"x\",\"uid\":\"2\"},\"status\":{\"target\":{\"uid\":\"2\"}}}"));
    CHECK(a->id != b->id && a->id != c->id && b->id != c->id);
    member_free(a);
    member_free(b);
    member_free(c);
}

/* Whatever the sums are, the classes of an owner add up to its chip-seconds, and none is negative. */
TEST(the_classes_of_an_owner_partition_its_chip_time) {
    uint64_t r = random_setting("GOODPUT_SEED", 20);
    for (int turn = 0; turn < 2000; turn++) {
        struct sums s = {{0}};
        int64_t chip_s[SUMS_CLASSES], sum = 0;
        enum rootcause_owner owner = (enum rootcause_owner)random_below(&r, OWNER_COUNT);
        s.of[SUMS_PAID_OWNED(owner)] = (int64_t)random_below(&r, 9000000);
        for (int c = 0; c < CLASS_COUNT; c++)
            if (random_below(&r, 4) == 0) /* of what was found out later, a class may have lost more than it had */
                s.of[SUMS_PAID_OF_CLASS(owner, c)] = (int64_t)random_below(&r, 3000000) - 500000;
        sums_owned_by_class(&s, owner, chip_s);
        for (int c = 0; c < SUMS_CLASSES; c++) {
            CHECK(chip_s[c] >= 0);
            sum += chip_s[c];
        }
        CHECK_INT(sum, s.of[SUMS_PAID_OWNED(owner)] / 1000);
    }
}

TEST(folded_sums_are_the_same_values) {
    uint64_t r = random_setting("GOODPUT_SEED", 21);
    for (int turn = 0; turn < 500; turn++) {
        struct sums s = {{0}}, again;
        for (int i = 0; i < SUMS_COUNT; i++)
            if (turn == 1 || (turn > 1 && random_below(&r, 1 + turn / 10) == 0))
                s.of[i] = random_below(&r, INT64_MAX) - INT64_MAX / 2;
        struct sums_folded *folded = sums_fold(&s);
        sums_unfold(folded, &again);
        CHECK(memcmp(&s, &again, sizeof s) == 0);
        free(folded);
    }
}

/* 10,000 of them are kept: a life that is not folded takes 2.6 KiB. */
TEST(a_folded_member_is_small) {
    enum { COUNT = 1000, MAX_BYTES = 2048 };
    struct member *m[COUNT];
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < COUNT; i++) {
        m[i] = member_read(slice_of(whole));
        member_fold(m[i]);
    }
    CHECK(mallinfo2().uordblks - before < (size_t)COUNT * MAX_BYTES);
    for (int i = 0; i < COUNT; i++)
        member_free(m[i]);
}
