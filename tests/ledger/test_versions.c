/* A checkpoint of an older version is refused in a sentence, whatever its bytes are; what it holds by number has the
 * numbers of its version. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/buckets.h"
#include "ledger/checkpoint.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

TEST(a_checkpoint_of_an_older_version_is_refused_in_words) {
    size_t size;
    CLEANUP_FREE char *data = harness_read_file("tests/data/ledger/checkpoint-v8.bin", &size);
    REQUIRE(data != NULL);
    for (size_t i = 0; i < size; i++) {
        CLEANUP_ERROR struct error *err = NULL;
        char was = data[i];
        data[i] ^= (char)(i % 128);
        uint64_t sum = hash_stable(0, (struct slice){data, size - 8});
        for (size_t k = 0; k < 8; k++)
            data[size - 8 + k] = (char)(sum >> (8 * k));
        struct ledger *l = ledger_load((struct slice){data, size}, NULL, &err);
        if (i == 0)
            CHECK_TEXT(error_text(err), "the ledger's checkpoint is of version 8; this program reads version 18");
        CHECK(l == NULL && err != NULL);
        ledger_free(l);
        data[i] = was;
    }
}

/* A checkpoint holds causes and buckets by their number. Where a row is added, moved or removed, raise VERSION in
 * controller/ledger/checkpoint.c and write the kept checkpoint again (tests/operator/test_checkpoint.c), or an older
 * checkpoint is read with other causes. Then change these lists. */
TEST(causes_and_buckets_have_the_numbers_of_this_version) {
    static const char *const causes[] = {
        "KueuePreemption", "KueueEviction",  "SchedulerPreemption", "NodeFailure", "NodeMaintenance",
        "SpotReclaim",     "Eviction",       "OutOfMemory",         "Hang",        "ApplicationError",
        "PodDeleted",      "TrainerRestart", "UserSuspend",         "Unknown"};
    static const char *const buckets[] = {"NotSubmitted",      "Suspended",
                                          "PreemptedWait",     "QueueWait",
                                          "DependencyWait",    "Provisioning",
                                          "FailureDetection",  "Rescheduling",
                                          "Binding",           "Unobserved",
                                          "ImagePull",         "ContainerStart",
                                          "AcceleratorInit",   "TrainingPreparation",
                                          "CheckpointRestore", "ProgramStartup",
                                          "DataLoading",       "CheckpointSave",
                                          "Evaluation",        "Custom",
                                          "WastedProgress",    "Stall",
                                          "FailureDetection",  "ElasticReinit",
                                          "Shutdown",          "Unattributed",
                                          "Productive"};
    CHECK_INT(CAUSE_COUNT, ARRAY_SIZE(causes));
    CHECK_INT(BUCKET_COUNT, ARRAY_SIZE(buckets));
    for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
        CHECK_TEXT(cause_name((enum cause)i), causes[i]);
    for (size_t i = 0; i < ARRAY_SIZE(buckets); i++)
        CHECK_TEXT(bucket_name((enum bucket)i), buckets[i]);
}
