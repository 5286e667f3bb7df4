/* What a waiting replica keeps, and what it hands on at the takeover. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/pack.h"
#include "operator/runtime/positions.h"
#include "operator/runtime/standby.h"

#include <errno.h>
#include <stdlib.h>

#define NOW_MS INT64_C(1000000000)

/* ---- positions ---- */

TEST(positions_follow_the_checkpoint) {
    struct positions written = {{[RESOURCE_POD] = 4711, [RESOURCE_JOB] = INT64_MAX}}, read;
    CLEANUP_BUF struct buf status;
    buf_init(&status, 4096);
    buf_append_text(&status, "{\"phase\":\"Training\",\"checkpoint\":\"AAAA\"}");
    positions_append(&written, &status);
    CHECK_TEXT(buf_text(&status),
               "{\"phase\":\"Training\",\"checkpoint\":\"AAAA;jobs=9223372036854775807,pods=4711\"}");
    CHECK(positions_read(SLICE("AAAA;jobs=9223372036854775807,pods=4711"), &read));
    CHECK(memcmp(&read, &written, sizeof read) == 0);
    CHECK(!positions_read(SLICE("AAAA"), &read));
}

TEST(malformed_positions_are_unknown) {
    struct positions p;
    CHECK(positions_read(SLICE("A;pods=,jobs=-1,jobsets=9223372036854775808,nodes=1x,cows=7,workloads=3"), &p));
    CHECK_INT(p.version[RESOURCE_POD], 0);
    CHECK_INT(p.version[RESOURCE_JOB], 0);
    CHECK_INT(p.version[RESOURCE_JOBSET], 0);
    CHECK_INT(p.version[RESOURCE_NODE], 0);
    CHECK_INT(p.version[RESOURCE_WORKLOAD], 3);
    CHECK_INT(positions_version(SLICE("")), 0);
    CHECK_INT(positions_version(SLICE("a12")), 0);
}

/* ---- packing ---- */

TEST(objects_are_unpacked_as_they_were) {
    struct packer *p = packer_new();
    struct slice first = SLICE("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"n0\"}}");
    struct slice second = SLICE("{\"metadata\":{\"name\":\"b\"},\"spec\":{\"nodeName\":\"n1\"}}");
    struct pack_sample *sample = pack_sample_new(first);
    CLEANUP_FREE char *packed = slice_dup(packer_pack(p, sample, second));
    size_t size = packer_pack(p, sample, second).size_bytes;
    CHECK(size < 32);
    CLEANUP_FREE char *again = packer_unpack(p, sample, packer_pack(p, sample, second), second.size_bytes);
    REQUIRE(again != NULL);
    CHECK(slice_is(second, again));
    CHECK(packer_unpack(p, sample, (struct slice){packed, size - 1}, second.size_bytes) == NULL);
    CHECK(packer_unpack(p, sample, (struct slice){packed, size}, second.size_bytes - 1) == NULL);
    CLEANUP_FREE char *empty = packer_unpack(p, NULL, packer_pack(p, NULL, SLICE("")), 0);
    CHECK(empty != NULL);
    pack_sample_unref(sample);
    packer_free(p);
}

/* ---- the journal ---- */

struct handed {
    enum resource resource;
    enum observed what;
    char name[32], version[24];
    int64_t received_ms;
};

struct stage {
    struct standby *s;
    struct handed handed[4096];
    int count;
    int64_t missed_until_ms; /* of the JobGoodput "a"; 0: it was not resumed */
};

static void on_object(void *context, enum resource resource, enum observed what, const struct kube_event *event) {
    struct stage *st = context;
    if (st->count == ARRAY_SIZE(st->handed))
        return;
    struct handed *t = &st->handed[st->count++];
    *t = (struct handed){.resource = resource, .what = what, .received_ms = wall_ms(event->received)};
    slice_copy(t->name, sizeof t->name, event->name);
    slice_copy(t->version, sizeof t->version, event->resource_version);
}

static void on_resume(void *context, const char *namespace_, const char *name, int64_t missed_until_ms) {
    struct stage *st = context;
    CHECK_TEXT(namespace_, "n");
    if (strcmp(name, "a") == 0)
        st->missed_until_ms = missed_until_ms;
}

static void replay(struct stage *st) {
    struct standby_handler handler = {on_object, on_resume, st};
    standby_replay(st->s, (struct wall_time){NOW_MS * 1000}, &handler);
}

static int observe(struct stage *st, enum resource resource, enum observed what, const char *name, int64_t version,
                   int64_t received_ms, const char *json) {
    CLEANUP_FREE char *text = mem_format("%lld", (long long)version);
    struct kube_event event = {.object = slice_of(json),
                               .namespace_ = SLICE("n"),
                               .name = slice_of(name),
                               .uid = slice_of(name),
                               .resource_version = slice_of(text),
                               .received = {received_ms * 1000}};
    return standby_observe(st->s, resource, what, &event);
}

static void pod(struct stage *st, enum observed what, const char *target, const char *name, int64_t version,
                int64_t received_ms) {
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"n\",\"uid\":\"%s\",\"resourceVersion\":\"%lld\","
                   "\"ownerReferences\""
                   ":[{\"kind\":\"Job\",\"name\":\"%s\",\"uid\":\"u-%s\",\"controller\":true}]},\"spec\":{}}",
                   name, name, (long long)version, target, target);
    CHECK_INT(observe(st, RESOURCE_POD, what, name, version, received_ms, what == OBSERVED_VANISHED ? "" : json), 0);
}

static void jobgoodput(struct stage *st, const char *name, int64_t version, const char *checkpoint) {
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"name\":\"%s\",\"namespace\":\"n\",\"uid\":\"g-%s\",\"resourceVersion\":\"%lld\"},"
                   "\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"%s\"}},"
                   "\"status\":{\"checkpoint\":\"%s\"}}",
                   name, name, (long long)version, name, checkpoint);
    CHECK_INT(observe(st, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, name, version, 0, json), 0);
}

static void begin(struct stage *st, size_t journal_bytes) {
    memset(st, 0, sizeof *st);
    st->s = standby_new(journal_bytes);
    standby_listed(st->s, RESOURCE_JOB, SLICE("10"), (struct wall_time){1000000});
    standby_listed(st->s, RESOURCE_POD, SLICE("10"), (struct wall_time){1000000});
}

#define CHECK_HANDED(i, a_name, a_version, a_what, a_received_ms)                                                      \
    do {                                                                                                               \
        CHECK_TEXT(st->handed[i].name, a_name);                                                                        \
        CHECK_TEXT(st->handed[i].version, a_version);                                                                  \
        CHECK_INT(st->handed[i].what, a_what);                                                                         \
        CHECK_INT(st->handed[i].received_ms, a_received_ms);                                                           \
    } while (0)

/* What the status holds is not handed on again, a pod that came and went behind it is; the rest as a list shows it. */
TEST(changes_behind_the_written_status_are_handed_on_once) {
    struct stage *st = mem_new(struct stage);
    begin(st, 0);
    pod(st, OBSERVED_PRESENT, "a", "a-0", 11, 2000);
    pod(st, OBSERVED_PRESENT, "a", "a-1", 12, 2001);
    pod(st, OBSERVED_DELETED, "a", "a-1", 13, 2002);
    jobgoodput(st, "a", 20, "A;jobs=12,pods=14");
    pod(st, OBSERVED_PRESENT, "a", "a-2", 14, 2003); /* the leader was faster */
    pod(st, OBSERVED_PRESENT, "a", "a-3", 15, 2004);
    pod(st, OBSERVED_DELETED, "a", "a-3", 16, 2005);
    pod(st, OBSERVED_PRESENT, "a", "a-0", 17, 2006);
    replay(st);
    REQUIRE(st->count == 5);
    CHECK_INT(st->handed[0].resource, RESOURCE_JOBGOODPUT);
    CHECK_HANDED(1, "a-3", "15", OBSERVED_PRESENT, 2004);
    CHECK_HANDED(2, "a-3", "16", OBSERVED_DELETED, 2005);
    CHECK_HANDED(3, "a-0", "17", OBSERVED_PRESENT, 2006);
    CHECK_HANDED(4, "a-2", "14", OBSERVED_PRESENT, NOW_MS);
    CHECK_INT(st->missed_until_ms, TIME_UNKNOWN);
    standby_free(st->s);
    free(st);
}

/* Each way in which changes may be missing, and until when. */
TEST(what_may_be_missing_is_reported) {
    struct stage *st = mem_new(struct stage);
    const struct {
        const char *checkpoint;
        int64_t missed_until_ms;
    } cases[] = {
        {"A;jobs=10,pods=10", TIME_UNKNOWN},
        {"A;jobs=10,pods=9", 1000}, /* from before the list */
        {"A;jobs=10", NOW_MS},      /* the leader did not watch pods */
        {"A;jobs=10,pods=x", NOW_MS},
        {"A;jobs=10,pods=10,workloads=1", NOW_MS}, /* it watched what is not served here */
        {"A", NOW_MS},                             /* an older leader names no versions */
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        begin(st, 0);
        jobgoodput(st, "a", 20, cases[i].checkpoint);
        pod(st, OBSERVED_PRESENT, "a", "a-0", 11, 2000);
        pod(st, OBSERVED_DELETED, "a", "a-0", 12, 2001);
        replay(st);
        CHECK_INT(st->missed_until_ms, cases[i].missed_until_ms);
        CHECK_INT(st->count, i == 5 ? 1 : 3);
        standby_free(st->s);
    }
    begin(st, 0); /* the watch was cut, and a list was read again */
    jobgoodput(st, "a", 20, "A;jobs=10,pods=11");
    standby_listed(st->s, RESOURCE_POD, SLICE("15"), (struct wall_time){3000000});
    replay(st);
    CHECK_INT(st->missed_until_ms, 3000);
    standby_free(st->s);
    begin(st, 0); /* etcd was restored from a backup: versions begin again */
    jobgoodput(st, "a", 20, "A;jobs=10,pods=11");
    pod(st, OBSERVED_PRESENT, "a", "a-0", 12, 2000);
    standby_listed(st->s, RESOURCE_POD, SLICE("7"), (struct wall_time){3000000});
    replay(st);
    CHECK_INT(st->missed_until_ms, NOW_MS);
    standby_free(st->s);
    begin(st, 0); /* versions that are no numbers cannot be compared */
    jobgoodput(st, "a", 20, "A;jobs=10,pods=11");
    pod(st, OBSERVED_PRESENT, "a", "a-0", 0, 2000);
    replay(st);
    CHECK_INT(st->missed_until_ms, NOW_MS);
    standby_free(st->s);
    free(st);
}

TEST(a_full_journal_drops_the_oldest_changes_and_reports_it) {
    struct stage *st = mem_new(struct stage);
    struct standby_figures figures;
    begin(st, 4096);
    jobgoodput(st, "a", 20, "A;jobs=10,pods=10");
    for (int i = 0; i < 200; i++)
        pod(st, OBSERVED_PRESENT, "a", "a-0", 11 + i, 2000 + i);
    standby_figures(st->s, &figures);
    CHECK(figures.journal_bytes <= 4096);
    CHECK(figures.changes >= 8);
    replay(st);
    CHECK_INT(st->count, 1 + (int64_t)figures.changes);
    CHECK_INT(st->missed_until_ms, 2000 + 199 - (int64_t)figures.changes);
    CHECK_HANDED(st->count - 1, "a-0", "210", OBSERVED_PRESENT, 2199);
    standby_free(st->s);
    begin(st, 4096); /* once the leader has written again, nothing is missing */
    jobgoodput(st, "a", 20, "A;jobs=10,pods=10");
    for (int i = 0; i < 200; i++)
        pod(st, OBSERVED_PRESENT, "a", "a-0", 11 + i, 2000 + i);
    jobgoodput(st, "a", 300, "A;jobs=10,pods=210");
    standby_figures(st->s, &figures);
    CHECK_INT(figures.changes, 0);
    replay(st);
    CHECK_INT(st->missed_until_ms, TIME_UNKNOWN);
    standby_free(st->s);
    free(st);
}

/* A JobGoodput without a status yet: its target's changes of the last minutes are handed on. */
TEST(changes_of_what_no_status_holds_are_kept_for_minutes) {
    struct stage *st = mem_new(struct stage);
    begin(st, 0);
    pod(st, OBSERVED_PRESENT, "b", "b-0", 11, 1000);
    pod(st, OBSERVED_DELETED, "b", "b-0", 12, 2000);
    pod(st, OBSERVED_PRESENT, "b", "b-1", 13, 302000);
    pod(st, OBSERVED_VANISHED, "b", "b-1", 0, 302000);
    pod(st, OBSERVED_VANISHED, "b", "unknown", 0, 302000);
    replay(st);
    REQUIRE(st->count == 3);
    CHECK_HANDED(0, "b-0", "12", OBSERVED_DELETED, 2000);
    CHECK_HANDED(1, "b-1", "13", OBSERVED_PRESENT, 302000);
    CHECK_HANDED(2, "b-1", "", OBSERVED_VANISHED, 302000);
    CHECK_INT(st->missed_until_ms, 0);
    standby_free(st->s);
    free(st);
}

TEST(malformed_objects_are_refused) {
    struct stage *st = mem_new(struct stage);
    begin(st, 0);
    CHECK_INT(observe(st, RESOURCE_POD, OBSERVED_PRESENT, "x", 11, 1, "{\"metadata\":{\"name\":\"x\""), -EINVAL);
    CHECK_INT(observe(st, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, "x", 11, 1, "{}"), -EINVAL);
    CHECK_INT(observe(st, RESOURCE_JOBGOODPUT, OBSERVED_DELETED, "x", 11, 1, "{}"), -EINVAL);
    CHECK_INT(observe(st, RESOURCE_JOBGOODPUT, OBSERVED_VANISHED, "x", 11, 1, ""), 0);
    replay(st);
    CHECK_INT(st->count, 0);
    standby_free(st->s);
    free(st);
}

/* ---- at random, against a plain list of all that happened ---- */

enum { TARGETS = 3, PODS = 4, STEPS = 400 };

struct happened {
    int target, pod;
    enum observed what;
};

struct chance {
    struct happened all[STEPS];
    int count, delivered;
    int64_t written[TARGETS]; /* the number of them in the status */
    bool exists[TARGETS][PODS];
    uint64_t state;
};

static int below(struct chance *c, int n) {
    c->state = c->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((c->state >> 33) % (uint64_t)n);
}

static void deliver(struct stage *st, struct chance *c) {
    const struct happened *h = &c->all[c->delivered++];
    CLEANUP_FREE char *target = mem_format("%c", 'a' + h->target);
    CLEANUP_FREE char *name = mem_format("%c-%d", 'a' + h->target, h->pod);
    pod(st, h->what, target, name, 10 + c->delivered, 1000 + c->delivered);
}

static void step(struct stage *st, struct chance *c) {
    int what = below(c, 10), target = below(c, TARGETS), n = below(c, PODS);
    if (what < 5 && c->count < STEPS) {
        bool is_deleted = c->exists[target][n] && below(c, 3) == 0;
        c->all[c->count++] = (struct happened){target, n, is_deleted ? OBSERVED_DELETED : OBSERVED_PRESENT};
        c->exists[target][n] = !is_deleted;
    } else if (what < 8 && c->delivered < c->count) {
        deliver(st, c);
    } else if (what == 9 && target < TARGETS - 1) { /* the last one is not measured */
        CLEANUP_FREE char *name = mem_format("%c", 'a' + target);
        c->written[target] += below(c, c->count - (int)c->written[target] + 1);
        CLEANUP_FREE char *checkpoint =
            mem_format("A;jobs=%d,pods=%lld", 10 + c->count, (long long)(10 + c->written[target]));
        jobgoodput(st, name, 1000 + c->count, checkpoint);
    }
}

/* Whether this one is that number of all that happened. */
static bool is_handed(const struct handed *t, const struct chance *c, int i, int64_t received_ms) {
    char name[32], version[24];
    snprintf(name, sizeof name, "%c-%d", 'a' + c->all[i].target, c->all[i].pod);
    snprintf(version, sizeof version, "%d", 11 + i);
    return strcmp(t->name, name) == 0 && strcmp(t->version, version) == 0 && t->what == c->all[i].what &&
           t->received_ms == received_ms;
}

static void check_replay(struct stage *st, const struct chance *c) {
    int at = 0, left = 0;
    int newest[TARGETS][PODS];
    memset(newest, -1, sizeof newest);
    while (at < st->count && st->handed[at].resource == RESOURCE_JOBGOODPUT)
        at++;
    for (int i = 0; i < c->count; i++) {
        newest[c->all[i].target][c->all[i].pod] = i;
        if (i >= c->written[c->all[i].target])
            CHECK(at < st->count && is_handed(&st->handed[at], c, i, 1001 + i) && ++at);
    }
    for (int t = 0; t < TARGETS; t++)
        for (int p = 0; p < PODS; p++)
            left += newest[t][p] >= 0 && c->exists[t][p] && newest[t][p] < c->written[t];
    CHECK_INT(st->count - at, left);
    for (; at < st->count; at++) {
        const struct handed *handed = &st->handed[at];
        CHECK(is_handed(handed, c, newest[handed->name[0] - 'a'][handed->name[2] - '0'], NOW_MS));
    }
}

TEST(at_random_every_change_is_handed_on_exactly_once) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct stage *st = mem_new(struct stage);
        struct chance *c = mem_new(struct chance);
        struct standby_figures figures;
        c->state = seed;
        begin(st, 0);
        for (int i = 0; i < STEPS; i++)
            step(st, c);
        while (c->delivered < c->count)
            deliver(st, c);
        replay(st);
        unsigned failures = CU_get_number_of_failures();
        check_replay(st, c);
        if (CU_get_number_of_failures() > failures) {
            printf("seed %llu\n", (unsigned long long)seed);
            seed = 300;
        }
        standby_figures(st->s, &figures);
        CHECK(figures.journal_bytes <= figures.object_bytes);
        standby_free(st->s);
        free(c);
        free(st);
    }
}
