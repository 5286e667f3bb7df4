/* Who owns lost time: the defaults, a site's policy, and that owners partition what is lost. */
#include "base/error.h"
#include "base/mem.h"
#include "formulas/owners.h"
#include "harness.h"
#include "random.h"

static enum rootcause_owner owner_of(const struct owners_policy *p, enum rootcause_class class_, enum cause cause,
                                     const char *reason, const char *pool, const char *queue) {
    return owners_of_interruption(p, &(struct owners_case){.cause = cause,
                                                           .reason = reason,
                                                           .node_pool = pool,
                                                           .queue = queue,
                                                           .class_ = class_,
                                                           .class_owner = rootcause_class_owner(class_)});
}

TEST(a_class_names_the_owner_before_the_cause) {
    CHECK_INT(owner_of(NULL, CLASS_UNKNOWN, CAUSE_NODE_FAILURE, "", "", NULL), OWNER_PROVIDER);
    CHECK_INT(owner_of(NULL, CLASS_UNKNOWN, CAUSE_APPLICATION_ERROR, "1", "", NULL), OWNER_UNKNOWN);
    CHECK_INT(owner_of(NULL, CLASS_USER_EXCEPTION, CAUSE_APPLICATION_ERROR, "1", "", NULL), OWNER_TENANT);
    CHECK_INT(owner_of(NULL, CLASS_GPU_HARDWARE, CAUSE_APPLICATION_ERROR, "1", "", NULL), OWNER_PROVIDER);
    CHECK_INT(owner_of(NULL, CLASS_PEER_LOST, CAUSE_NODE_FAILURE, "", "", NULL), OWNER_PROVIDER); /* a symptom */
    CHECK_INT(owner_of(NULL, CLASS_UNKNOWN, CAUSE_KUEUE_EVICTION, "PodsReadyTimeout", "", NULL), OWNER_SCHEDULER);
    CHECK_INT(owners_of_bucket(NULL, BUCKET_DATA_LOADING, "", NULL), OWNER_TENANT);
    CHECK_INT(owners_of_bucket(NULL, BUCKET_ELASTIC_SLICE_DOWN, "", NULL), OWNER_UNKNOWN);
}

/* A deadlock of the kernel is of no class, but not the tenant's. */
TEST(a_root_cause_without_a_class_can_have_an_owner) {
    struct owners_case x = {.cause = CAUSE_APPLICATION_ERROR, .class_ = CLASS_UNKNOWN, .class_owner = OWNER_PLATFORM};
    CHECK_INT(owners_of_interruption(NULL, &x), OWNER_PLATFORM);
    x.cause = CAUSE_NODE_FAILURE;
    CHECK_INT(owners_of_interruption(NULL, &x), OWNER_PLATFORM);
}

TEST(the_first_row_of_a_policy_that_fits_counts) {
    struct owners_policy *p = owners_policy_parse(SLICE("# ours\n"
                                                        "class\tGPUHardware\told-pool\t*\tPlatform\r\n"
                                                        "cause\tKueueEviction/Deactivated\t*\t*\tTenant\n"
                                                        "cause\tKueueEviction\t*\tnight\tPlatform\n"
                                                        "\n"
                                                        "bucket\tImagePull\t*\tnight\tTenant\n"
                                                        "bucket\tCustom/warm-up\t*\t*\tPlatform\n"
                                                        "bucket\t*\t*\tbatch\tUnknown\n"
                                                        "cause\t*\tspot\t*\tTenant"),
                                                  NULL);
    REQUIRE(p != NULL);
    CHECK_INT(owner_of(p, CLASS_GPU_HARDWARE, CAUSE_NODE_FAILURE, "", "old-pool", ""), OWNER_PLATFORM);
    CHECK_INT(owner_of(p, CLASS_GPU_HARDWARE, CAUSE_NODE_FAILURE, "", "new-pool", ""), OWNER_PROVIDER);
    CHECK_INT(owner_of(p, CLASS_GPU_HARDWARE, CAUSE_NODE_FAILURE, "", "spot", ""), OWNER_TENANT);
    CHECK_INT(owner_of(p, CLASS_UNKNOWN, CAUSE_KUEUE_EVICTION, "Deactivated", "", "night"), OWNER_TENANT);
    CHECK_INT(owner_of(p, CLASS_UNKNOWN, CAUSE_KUEUE_EVICTION, "PodsReadyTimeout", "", "night"), OWNER_PLATFORM);
    CHECK_INT(owner_of(p, CLASS_UNKNOWN, CAUSE_KUEUE_EVICTION, "PodsReadyTimeout", "", "day"), OWNER_SCHEDULER);
    CHECK_INT(owners_of_bucket(p, BUCKET_IMAGE_PULL, "", "night"), OWNER_TENANT);
    CHECK_INT(owners_of_bucket(p, BUCKET_IMAGE_PULL, "", NULL), OWNER_PLATFORM);
    CHECK_INT(owners_of_bucket(p, BUCKET_CUSTOM, "warm-up", NULL), OWNER_PLATFORM);
    CHECK_INT(owners_of_bucket(p, BUCKET_CUSTOM, "profiling", NULL), OWNER_TENANT);
    CHECK_INT(owners_of_bucket(p, BUCKET_DATA_LOADING, "", "batch"), OWNER_UNKNOWN);
    CHECK_INT(owners_of_bucket(p, BUCKET_UNOBSERVED, "", "batch"), OWNER_UNKNOWN);
    owners_policy_free(p);
}

TEST(a_bad_row_of_a_policy_is_named) {
    static const struct {
        const char *table, *error;
    } cases[] = {
        {"class\tUnknown\t*\t*\tTenant",
         "line 1: class Unknown has no root cause that a row could fit: name causes instead"},
        {"cause\tHang\t*\t*\tTenant\nclas\tx\t*\t*\tTenant",
         "line 2: unknown kind \"clas\": use class, cause or bucket"},
        {"class\tGpu\t*\t*\tTenant",
         "line 1: unknown class \"Gpu\": use a class of deploy/docs/reference/root-causes.md, or *"},
        {"cause\tHang/x\t*\t*\tTenant",
         "line 1: unknown cause \"Hang/x\": use a cause of deploy/docs/reference/causes.md, or *"},
        {"bucket\tUnobserved\t*\t*\tTenant",
         "line 1: unknown bucket \"Unobserved\": use a bucket of deploy/docs/reference/causes.md, or *"},
        {"bucket\tStall\tpool\t*\tTenant", "line 1: a bucket has no node pool: use * instead of \"pool\""},
        {"bucket\tStall\t*\t*\tVendor",
         "line 1: unknown owner \"Vendor\": use Tenant, Platform, Provider, Scheduler or Unknown"},
        {"bucket\tStall\t*\t\tTenant", "line 1: field 4 of 5 is empty: \"*\" fits anything"},
        {"bucket\tStall\t*\tTenant", "line 1: 5 fields, separated by tabs, are needed: class, cause or bucket, name, "
                                     "node pool, queue, owner"},
        {"bucket\tStall\t*\t*\tTenant\tx", "line 1: 5 fields, separated by tabs, are needed: class, cause or bucket, "
                                           "name, node pool, queue, owner"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_ERROR struct error *err = NULL;
        CHECK(owners_policy_parse(slice_of(cases[i].table), &err) == NULL);
        CHECK_TEXT(error_text(err), cases[i].error);
    }
}

TEST(a_policy_has_a_largest_size) {
    static const char row[] = "cause\tHang\t*\t*\tTenant\n";
    CLEANUP_BUF struct buf table;
    CLEANUP_ERROR struct error *err = NULL;
    buf_init(&table, 1 << 20);
    for (int i = 0; i < OWNERS_MAX_ROWS; i++)
        buf_append_text(&table, row);
    struct owners_policy *p = owners_policy_parse(buf_slice(&table), NULL);
    CHECK(p != NULL);
    owners_policy_free(p);
    buf_append_text(&table, row);
    CHECK(owners_policy_parse(buf_slice(&table), &err) == NULL);
    CHECK_TEXT(error_text(err), "line 1001: more than 1000 rows");
    error_free(err);
    err = NULL;
    while (table.size_bytes <= OWNERS_MAX_TABLE_BYTES)
        buf_append_text(&table, "#\n");
    CHECK(owners_policy_parse(buf_slice(&table), &err) == NULL);
    CHECK(strstr(error_text(err), "at most 65536 are read") != NULL);
}

/* Whatever a policy says, and wherever its text ends. */
TEST(any_policy_is_read_or_refused) {
    static const char table[] = "class\tGPUHardware\told\t*\tPlatform\ncause\tKueueEviction/x\t*\tnight\tTenant\n"
                                "bucket\tCustom/a\t*\t*\tUnknown\n";
    uint64_t random = random_setting("GOODPUT_SEED", 20261125);
    for (size_t size = 0; size < sizeof table; size++)
        owners_policy_free(owners_policy_parse((struct slice){table, size}, NULL));
    for (int i = 0; i < 20000; i++) {
        char flipped[sizeof table];
        memcpy(flipped, table, sizeof table);
        for (int k = 0; k < 2; k++)
            flipped[random_below(&random, sizeof table)] ^= (char)(1 + random_below(&random, 255));
        owners_policy_free(owners_policy_parse((struct slice){flipped, sizeof table - 1}, NULL));
    }
}

/* A ledger of 1,000 s with one loss of each kind. */
TEST(owners_partition_what_is_lost) {
    struct ledger_bucket buckets[] = {
        {.bucket = BUCKET_QUEUE_WAIT, .ms = 100000},
        {.bucket = BUCKET_RESCHEDULING,
         .ms = 60000,
         .interrupted_ms = 60000,
         .chip_ms = 480,
         .interrupted_chip_ms = 480},
        {.bucket = BUCKET_DATA_LOADING, .ms = 40000, .chip_ms = 320},
        {.bucket = BUCKET_WASTED_PROGRESS,
         .ms = 50000,
         .interrupted_ms = 30000,
         .chip_ms = 400,
         .interrupted_chip_ms = 240},
        {.bucket = BUCKET_ELASTIC_SLICE_DOWN, .chip_ms = 7},
        {.bucket = BUCKET_PRODUCTIVE, .ms = 750000, .chip_ms = 6000},
    };
    struct ledger_interruption list[] = {
        {.owner = OWNER_PROVIDER, .class_ = CLASS_NETWORK, .cost_ms = 50000, .chip_ms = 400},
        {.owner = OWNER_UNKNOWN, .cost_ms = 10000, .chip_ms = 80}};
    struct ledger_result r = {.wall_ms = 1000000,
                              .buckets = buckets,
                              .bucket_count = ARRAY_SIZE(buckets),
                              .interruptions = list,
                              .interruption_count = 1,
                              .has_own_end = true,
                              .older.owners[OWNER_PROVIDER] = {
                                  .count = 3, .ms = 30000, .chip_ms = 240, .class_chip_ms[CLASS_GPU_HARDWARE] = 240}};
    struct ledger_owned owned[OWNER_COUNT];
    owners_sum(NULL, NULL, &r, owned);
    CHECK_INT(owned[OWNER_SCHEDULER].ms, 100000);
    CHECK_INT(owned[OWNER_PROVIDER].ms, 80000);
    CHECK_INT(owned[OWNER_PROVIDER].chip_ms, 640);
    CHECK_INT(owned[OWNER_PROVIDER].count, 4);
    CHECK_INT(owned[OWNER_PROVIDER].class_chip_ms[CLASS_NETWORK], 400);
    CHECK_INT(owned[OWNER_PROVIDER].class_chip_ms[CLASS_GPU_HARDWARE], 240);
    CHECK_INT(owned[OWNER_TENANT].ms, 60000); /* loading, and a rollback without an interruption */
    CHECK_INT(owned[OWNER_UNKNOWN].ms, 10000);
    CHECK_INT(owned[OWNER_UNKNOWN].chip_ms, 87);
    CHECK_INT(owned[OWNER_UNKNOWN].count, 0); /* the job's own end does not count */
    CHECK_INT(owned[OWNER_PLATFORM].ms, 0);
}
