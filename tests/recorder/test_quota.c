/* What a namespace may send and hold, next to others that send and hold all they can. */
#include "harness.h"

#include "recorder/quota.h"

#include <stdio.h>

#define S INT64_C(1000000)

static const struct quota_limits limits = {.bytes_per_s = 1000,
                                           .burst_bytes = 10000,
                                           .requests_per_s = 10,
                                           .burst_requests = 20,
                                           .held_bytes = 1000,
                                           .held_bytes_one = 600,
                                           .namespaces = 8};

TEST(a_namespace_sends_its_burst_and_then_its_rate) {
    struct quota *q = quota_new(&limits);
    CHECK(quota_send(q, 0, "a", 10000));
    CHECK(!quota_send(q, 0, "a", 1));
    CHECK(quota_send(q, 0, "b", 10000)); /* another's */
    CHECK(!quota_send(q, S - 1, "a", 1000));
    CHECK(quota_send(q, S, "a", 1000));
    for (int i = 0; i < 20; i++)
        CHECK(quota_send(q, 0, "c", 0));
    CHECK(!quota_send(q, 0, "c", 0));
    CHECK(quota_send(q, S / 10, "c", 0));
    CHECK(!quota_send(q, S / 10, "c", 0));
    quota_free(q);
}

/* The place of one that sent nothing recently is another's: none is refused because many were seen since the start. */
TEST(any_number_of_namespaces_is_served_in_turn) {
    struct quota *q = quota_new(&limits);
    char name[16];
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        CHECK(quota_send(q, i * 2 * S, name, 1000));
    }
    quota_free(q);
}

TEST(as_many_namespaces_at_once_as_are_remembered) {
    struct quota *q = quota_new(&limits);
    char name[16];
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "n%d", i);
        CHECK_INT(quota_send(q, 0, name, 10000), i < 8);
    }
    CHECK(quota_send(q, 0, "n0", 0)); /* a known namespace continues */
    CHECK(quota_send(q, 20 * S, "n8", 10000));
    quota_free(q);
}

static void check_all_is_free(struct quota *q, int64_t now_us) {
    CHECK(quota_hold(q, now_us, "x", 600));
    CHECK(quota_hold(q, now_us, "y", 400));
}

TEST(a_namespace_holds_its_share_and_all_hold_the_whole) {
    struct quota *q = quota_new(&limits);
    CHECK(quota_hold(q, 0, "a", 600));
    CHECK(!quota_hold(q, 0, "a", 1));
    CHECK(!quota_hold(q, 0, "b", 601));
    CHECK(quota_hold(q, 0, "b", 400));
    CHECK(!quota_hold(q, 0, "c", 1));
    quota_release(q, "a", 600);
    CHECK(quota_hold(q, 0, "c", 600));
    CHECK(!quota_hold(q, 0, "c", SIZE_MAX));
    quota_release(q, "b", 400);
    quota_release(q, "c", 600);
    check_all_is_free(q, 0);
    quota_free(q);
}

/* Who holds something is not forgotten, however long ago it sent: its release would be lost. */
TEST(a_holder_is_not_forgotten) {
    struct quota *q = quota_new(&limits);
    char name[16];
    CHECK(quota_hold(q, 0, "a", 100));
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "n%d", i);
        CHECK(quota_send(q, 1000 * S + i * 30 * S, name, 10000));
    }
    quota_release(q, "a", 100);
    check_all_is_free(q, 5000 * S);
    quota_free(q);
}
