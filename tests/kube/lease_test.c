/* Leader election and Events against the embedded API server. */
#include "base/mem.h"
#include "fixture.h"
#include "harness.h"
#include "kube/lease.h"
#include "kube/recorder.h"
#include "rawserver.h"
#include "steer.h"
#include "wakeups.h"

#include <stdlib.h>
#include <unistd.h>

struct candidate {
    struct kube_lease *lease;
    struct buf *words;
    const char *name;
};

static void on_leading(void *context) {
    struct candidate *c = context;
    buf_format(c->words, "%s leads. ", c->name);
}

static void on_lost(void *context, const char *why) {
    struct candidate *c = context;
    buf_format(c->words, "%s lost: %s. ", c->name, why);
}

static void on_leader(void *context, const char *identity) {
    struct candidate *c = context;
    buf_format(c->words, "%s sees %s. ", c->name, identity);
}

static void run_timed(struct candidate *c, struct fixture *f, struct buf *words, const char *name, int64_t retry_us) {
    *c = (struct candidate){.words = words, .name = name};
    struct kube_lease_options options = {.namespace_ = "n",
                                         .name = "l",
                                         .identity = name,
                                         .duration_us = retry_us * 50,
                                         .renew_deadline_us = retry_us * 20,
                                         .renew_us = retry_us,
                                         .retry_us = retry_us};
    struct kube_lease_handler handler = {on_leading, on_lost, on_leader, c};
    c->lease = kube_lease_new(f->client, &options, &handler);
}

#define RETRY_US 100000 /* a renewal may take 2 s before the lease is lost */

static void run(struct candidate *c, struct fixture *f, struct buf *words, const char *name) {
    run_timed(c, f, words, name, RETRY_US);
}

static void set_true(void *context) {
    *(bool *)context = true;
}

/* The embedded API server with one candidate "a", who leads. */
static bool begin_leading(struct fixture *f, struct candidate *a, struct buf *words, int64_t retry_us) {
    buf_init(words, 4096);
    if (!fixture_begin(f, NULL))
        return false;
    run_timed(a, f, words, "a", retry_us);
    CHECK(wait_text(f->loop, words, "a leads."));
    return true;
}

static void end(struct fixture *f, struct candidate *c) {
    kube_lease_free(c->lease);
    fixture_end(f);
}

TEST(one_leads_the_other_waits_and_takes_over_at_once_after_a_release) {
    struct fixture f;
    struct candidate a, b;
    struct buf words CLEANUP_BUF = {0};
    REQUIRE(begin_leading(&f, &a, &words, RETRY_US));
    run(&b, &f, &words, "b");
    CHECK(wait_text(f.loop, &words, "b sees a."));
    loop_for(f.loop, 300000); /* three renewals */
    CHECK(kube_lease_is_held(a.lease) && !kube_lease_is_held(b.lease));
    CHECK(kube_lease_age_us(a.lease) < 2000000);
    bool is_released = false;
    kube_lease_release(a.lease, set_true, &is_released);
    CHECK(loop_until(f.loop, &is_released));
    CHECK(wait_text(f.loop, &words, "b leads."));
    CHECK_TEXT(buf_text(&words), "a leads. b sees a. b leads. ");
    char *json CLEANUP_FREE = apiserver_ask(f.server, "get leases n/l");
    CHECK(json != NULL && strstr(json, "\"leaseTransitions\":1") != NULL);
    kube_lease_free(a.lease);
    end(&f, &b);
}

TEST(a_dead_leader_is_followed_after_its_lease_by_our_own_clock) {
    struct fixture f;
    struct candidate b;
    struct buf words CLEANUP_BUF = {0};
    buf_init(&words, 4096);
    REQUIRE(fixture_begin(&f, NULL));
    /* Its stamps are from the future: they are not believed. */
    apiserver_do(f.server,
                 "apply <<END\n{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":"
                 "\"l\",\"namespace\":\"n\"},\"spec\":{\"holderIdentity\":\"dead\",\"leaseDurationSeconds\":1,"
                 "\"renewTime\":\"2099-01-01T00:00:00.000000Z\",\"leaseTransitions\":7}}\nEND");
    int64_t start_us = clock_mono().us;
    run(&b, &f, &words, "b");
    CHECK(wait_text(f.loop, &words, "b leads."));
    CHECK(clock_mono().us - start_us >= 1000000);
    CHECK_TEXT(buf_text(&words), "b sees dead. b leads. ");
    char *json CLEANUP_FREE = apiserver_ask(f.server, "get leases n/l");
    CHECK(json != NULL && strstr(json, "\"leaseTransitions\":8") != NULL);
    end(&f, &b);
}

TEST(a_leader_that_cannot_renew_stops) {
    struct fixture f;
    struct candidate a;
    struct buf words CLEANUP_BUF = {0};
    REQUIRE(begin_leading(&f, &a, &words, RETRY_US));
    apiserver_do(f.server, "on any leases always : status 500");
    CHECK(wait_text(f.loop, &words, "a lost: the lease could not be renewed in time."));
    CHECK(!kube_lease_is_held(a.lease) && kube_lease_age_us(a.lease) == 0);
    end(&f, &a);
}

/* What a process finds that was stopped beyond its lease, before its loop has turned. */
TEST(a_leader_that_slept_too_long_holds_no_lease) {
    struct fixture f;
    struct candidate a;
    struct buf words CLEANUP_BUF = {0};
    buf_init(&words, 4096);
    REQUIRE(fixture_begin(&f, NULL));
    run_timed(&a, &f, &words, "a", 50000);
    CHECK(!kube_lease_is_held(a.lease));
    CHECK(wait_text(f.loop, &words, "a leads."));
    for (int i = 0; i < 1000 && !kube_lease_is_held(a.lease); i++) /* the deadline is a second */
        loop_for(f.loop, 10000);
    CHECK(kube_lease_is_held(a.lease));
    usleep(1100000);
    CHECK(!kube_lease_is_held(a.lease));
    CHECK(strstr(buf_text(&words), "lost") == NULL);
    CHECK(wait_text(f.loop, &words, "a lost: the lease could not be renewed in time."));
    end(&f, &a);
}

TEST(a_leader_that_was_deposed_stops) {
    struct fixture f;
    struct candidate a;
    struct buf words CLEANUP_BUF = {0};
    REQUIRE(begin_leading(&f, &a, &words, RETRY_US));
    apiserver_do(f.server, "patch leases n/l {\"spec\":{\"holderIdentity\":\"thief\"}}");
    CHECK(wait_text(f.loop, &words, "a lost: another replica holds the lease."));
    end(&f, &a);
}

/* One wake-up a renewal: the timer's. The reply lies in the socket until the next one; reading it as it comes would
 * make it two. Nothing is due but by the test's clock, and the loop stands still until the server has answered. */
static void check_wakeups(const char *const *arguments) {
    enum { PERIOD_US = 20000000, RENEWALS = 6 };
    struct fixture f;
    struct candidate a;
    struct buf words CLEANUP_BUF = {0};
    buf_init(&words, 4096);
    REQUIRE(fixture_begin(&f, arguments));
    run_timed(&a, &f, &words, "a", PERIOD_US);
    CHECK(wait_text(f.loop, &words, "a leads."));
    for (int i = 0; i < RENEWALS; i++) {
        long renewals = apiserver_asknumber(f.server, "count update leases");
        int before = wakeups();
        steer_by(PERIOD_US);
        loop_for(f.loop, 1000);
        if (i == 0) /* opens the connection of renewals */
            wait_number(&f, "count update leases", renewals + 1);
        for (int k = 0; k < 120000 && apiserver_asknumber(f.server, "count update leases") == renewals; k++)
            usleep(1000);
        CHECK_INT(apiserver_asknumber(f.server, "count update leases"), renewals + 1);
        loop_for(f.loop, 30000);
        int woken = wakeups() - before;
        if (i > 0 && (woken == 0 || woken > 3)) /* of which two are loop_for's own */
            harness_fail(__FILE__, __LINE__, "%d wake-ups for renewal %d", woken, i);
    }
    CHECK_TEXT(buf_text(&words), "a leads. ");
    end(&f, &a);
}

TEST(a_renewal_wakes_the_leader_once) {
    check_wakeups(NULL);
    check_wakeups((const char *[]){"--tls", "--http1", NULL});
}

/* Its reply is unread when the release is asked for; the release needs the resourceVersion in it. */
TEST(a_release_in_the_middle_of_a_renewal_gives_the_lease_up) {
    struct fixture f;
    struct candidate a;
    struct buf words CLEANUP_BUF = {0};
    REQUIRE(begin_leading(&f, &a, &words, 100000));
    CHECK(wait_number(&f, "count update leases", 1));
    bool is_released = false;
    kube_lease_release(a.lease, set_true, &is_released);
    CHECK(loop_until(f.loop, &is_released));
    char *json CLEANUP_FREE = apiserver_ask(f.server, "get leases n/l");
    CHECK(json != NULL && strstr(json, "\"holderIdentity\":\"\"") != NULL);
    end(&f, &a);
}

/* What strikes a renewal is seen when the next one is due, and overcome: refused, reset, cut off, slow, too many. */
TEST(a_leader_survives_failed_renewals) {
    static const char *const faults[] = {
        "status 500", "status 429 retry-after 1", "status 409", "status 401", "reset", "cut", "malformed",
        "delay 0.12s"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct fixture f;
        struct candidate a;
        struct buf words CLEANUP_BUF = {0};
        REQUIRE(begin_leading(&f, &a, &words, 50000));
        CHECK(wait_number(&f, "count update leases", 2));
        apiserver_dof(f.server, "on update leases : %s", faults[i]);
        CHECK(wait_number(&f, "count update leases", apiserver_asknumber(f.server, "count update leases") + 6));
        CHECK_INT(apiserver_do(f.server, "wait 0s faults done"), 0);
        CHECK(kube_lease_is_held(a.lease));
        CHECK_TEXT(buf_text(&words), "a leads. ");
        end(&f, &a);
    }
}

TEST(a_leader_that_is_not_answered_stops) {
    struct fixture f;
    struct candidate a;
    struct buf words CLEANUP_BUF = {0};
    REQUIRE(begin_leading(&f, &a, &words, RETRY_US));
    apiserver_do(f.server, "on update leases always : silent");
    CHECK(wait_text(f.loop, &words, "a lost: the lease could not be renewed in time."));
    end(&f, &a);
}

TEST(a_repeated_event_is_updated_and_a_flood_is_paced) {
    struct fixture f;
    REQUIRE(fixture_begin(&f, NULL));
    struct kube_recorder *r = kube_recorder_new(f.client, "goodput-controller");
    struct kube_object_reference o = {
        .api_version = "goodput.dev/v1alpha1", .kind = "JobGoodput", .namespace_ = "n", .name = "j", .uid = "u"};
    struct kube_happening h = {"1.interruption-1", "Warning", "Interrupted", "Unknown: \"x\"", 1000, 1000};
    kube_recorder_record(r, &o, &h);
    CHECK(wait_number(&f, "count apply events", 1));
    h.note = "NodeFailure \"x\"";
    h.last_ms = 61000;
    kube_recorder_record(r, &o, &h);
    CHECK(wait_number(&f, "count apply events", 2));
    char *names CLEANUP_FREE = apiserver_ask(f.server, "list events");
    REQUIRE(names != NULL);
    CHECK_TEXT(names, "n/j.1.interruption-1\n");
    char *json CLEANUP_FREE = apiserver_ask(f.server, "get events n/j.1.interruption-1");
    REQUIRE(json != NULL);
    CHECK(strstr(json, "NodeFailure \\\"x\\\"") != NULL);
    CHECK(strstr(json, "\"firstTimestamp\":\"1970-01-01T00:00:01Z\"") != NULL);
    CHECK(strstr(json, "\"lastTimestamp\":\"1970-01-01T00:01:01Z\"") != NULL);
    for (int i = 0; i < 100; i++) { /* of one thing only the newest waits; of others, each its turn */
        char id[20];
        snprintf(id, sizeof id, "flood-%d", i % 4);
        h.id = id;
        kube_recorder_record(r, &o, &h);
    }
    CHECK(wait_number(&f, "count apply events", 6));
    loop_for(f.loop, 300000);
    CHECK(apiserver_asknumber(f.server, "count apply events") <=
          7); /* the first may have left before it was repeated */
    kube_recorder_free(r);
    fixture_end(&f);
}
