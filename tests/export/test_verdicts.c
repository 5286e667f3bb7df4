/* What is known of tokens: for how long, how many, and who is let go. */
#include "harness.h"

#include "export/verdicts.h"

#define SECOND_US INT64_C(1000000)

static void release(void *bearer) {
    if (bearer != NULL)
        ++*(int *)bearer;
}

static void digest_of(int number, unsigned char *digest) {
    sha256((struct slice){(const char *)&number, sizeof number}, digest);
}

TEST(an_admitted_token_is_known_for_a_minute_and_a_refused_one_for_ten_seconds) {
    struct verdicts *v = verdicts_new(4, NULL);
    unsigned char a[SHA256_BYTES], b[SHA256_BYTES];
    digest_of(1, a);
    digest_of(2, b);
    CHECK(verdicts_find(v, a, 0) == NULL);
    verdicts_put(v, a, 200, NULL, SECOND_US);
    verdicts_put(v, b, 403, NULL, SECOND_US);
    CHECK_INT(verdicts_find(v, a, 61 * SECOND_US - 1)->status, 200);
    CHECK(verdicts_find(v, a, 61 * SECOND_US) == NULL);
    CHECK_INT(verdicts_find(v, b, 11 * SECOND_US - 1)->status, 403);
    CHECK(verdicts_find(v, b, 11 * SECOND_US) == NULL);
    verdicts_free(v);
    verdicts_free(NULL);
}

TEST(the_verdict_that_ends_first_makes_room_and_each_bearer_is_released_once) {
    enum { COUNT = 5, CAPACITY = 3 };
    int released[COUNT] = {0};
    struct verdicts *v = verdicts_new(CAPACITY, release);
    unsigned char digest[SHA256_BYTES];
    for (int i = 0; i < COUNT; i++) {
        digest_of(i, digest);
        verdicts_put(v, digest, 200, &released[i], i * SECOND_US);
    }
    for (int i = 0; i < COUNT; i++) {
        digest_of(i, digest);
        const struct verdict *found = verdicts_find(v, digest, COUNT * SECOND_US);
        CHECK_INT(found != NULL, i >= COUNT - CAPACITY);
        CHECK(found == NULL || found->bearer == &released[i]);
        CHECK_INT(released[i], i < COUNT - CAPACITY);
    }
    verdicts_free(v);
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(released[i], 1);
}
