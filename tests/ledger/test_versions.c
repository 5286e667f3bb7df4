/* Checkpoints that older versions of this program wrote are read on; newer and damaged ones are refused in a sentence
 * (test_settle.c). */
#include "fact_list.h"
#include "harness.h"
#include "old_job.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void forget_word(char *text, const char *word, const char *until) {
    for (char *at = text; (at = strstr(at, word)) != NULL;) {
        size_t size = strlen(word) + strcspn(at + strlen(word), until);
        memmove(at, at + size, strlen(at + size) + 1);
    }
}

/* What interruptions cost in chips is not told by those before version 6, saves before 7 were not timed; before 8 it was
 * not told how long a failure took to show, a first step to compile, and who pulled longest. */
static void forget_newer(char *text) {
    char *saves = strstr(text, "durable saves ");
    if (saves != NULL)
        *saves = '\0';
    forget_word(text, " held ", " \n");
    forget_word(text, " detect ", " \n");
    forget_word(text, " startup ", "\n");
}

static char *go_on(struct old_job *j) {
    struct ledger_result r;
    old_job_train(j, OLD_JOB_SAVED_AT, OLD_JOB_STEPS);
    ledger_evaluate(j->ledger, j->at_ms, &r);
    check_identities(&r, "an old checkpoint");
    char *text = result_text(&r);
    ledger_result_done(&r);
    return text;
}

/* What the program that wrote it would have said, as this one does that was never saved. */
static void load_and_compare(const char *path) {
    struct ledger_result r;
    size_t size;
    struct old_job never = old_job_new(), loaded = never;
    old_job_train(&never, 0, OLD_JOB_SAVED_AT);
    ledger_evaluate(never.ledger, never.at_ms, &r); /* as it was before that checkpoint was written */
    ledger_result_done(&r);
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    CLEANUP_ERROR struct error *err = NULL;
    loaded = never;
    loaded.ledger = data != NULL ? ledger_load((struct slice){data, size}, NULL, &err) : NULL;
    if (loaded.ledger == NULL) {
        harness_fail(path, 0, "%s", error_text(err));
        ledger_free(never.ledger);
        return;
    }
    old_job_tell(&loaded, TIME_OPEN);
    CLEANUP_FREE char *one = go_on(&never), *other = go_on(&loaded);
    forget_newer(one);
    forget_newer(other);
    if (strcmp(one, other) != 0)
        harness_fail(path, 0, "read back\n%s\nnever saved\n%s", other, one);
    ledger_free(never.ledger);
    ledger_free(loaded.ledger);
}

TEST(a_checkpoint_of_version_1_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v1.bin");
}

TEST(a_checkpoint_of_version_4_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v4.bin");
}

TEST(a_checkpoint_of_version_5_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v5.bin");
}

TEST(a_checkpoint_of_version_6_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v6.bin");
}

TEST(a_checkpoint_of_version_7_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v7.bin");
}

TEST(a_checkpoint_of_version_8_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v8.bin");
}

TEST(a_checkpoint_of_version_2_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v2.bin");
}

TEST(a_checkpoint_of_version_3_goes_on) {
    load_and_compare("tests/data/ledger/checkpoint-v3.bin");
}

/* Every byte of an old one may be damaged, with a checksum that says otherwise: it is refused or it is a ledger whose
 * parts still sum to the whole. */
TEST(an_old_checkpoint_with_other_bytes_never_gives_a_sum_that_is_wrong) {
    static const char *const paths[] = {"tests/data/ledger/checkpoint-v1.bin", "tests/data/ledger/checkpoint-v2.bin",
                                        "tests/data/ledger/checkpoint-v3.bin", "tests/data/ledger/checkpoint-v4.bin",
                                        "tests/data/ledger/checkpoint-v5.bin", "tests/data/ledger/checkpoint-v6.bin",
                                        "tests/data/ledger/checkpoint-v7.bin", "tests/data/ledger/checkpoint-v8.bin"};
    int refused = 0;
    for (size_t p = 0; p < ARRAY_SIZE(paths); p++) {
        size_t size;
        CLEANUP_FREE char *data = harness_read_file(paths[p], &size);
        REQUIRE(data != NULL);
        for (size_t i = 5; i + 8 < size; i += 3) {
            CLEANUP_ERROR struct error *err = NULL;
            char was = data[i];
            data[i] ^= (char)(1 + i % 127);
            uint64_t sum = slice_hash((struct slice){data, size - 8});
            for (size_t k = 0; k < 8; k++)
                data[size - 8 + k] = (char)(sum >> (8 * k));
            struct ledger *l = ledger_load((struct slice){data, size}, NULL, &err);
            CHECK((l == NULL) == (err != NULL));
            refused += l == NULL;
            if (l != NULL) {
                struct ledger_result r;
                ledger_evaluate(l, INT64_C(1790000000000) + 10000000, &r);
                int64_t all = 0;
                for (int b = 0; b < r.bucket_count; b++)
                    all += r.buckets[b].ms;
                CHECK_INT(all, r.wall_ms);
                ledger_result_done(&r);
            }
            ledger_free(l);
            data[i] = was;
        }
    }
    CHECK(refused > 500);
}
