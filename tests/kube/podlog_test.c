/* Following logs: each line exactly once, whatever happens to the connection or to the container. */
#include "base/mem.h"
#include "fixture.h"
#include "harness.h"
#include "kube/podlog.h"
#include "kube/podlog_cursor.h"
#include "rawserver.h"

#include <stdlib.h>

struct reported {
    struct kube_podlog *log;
    struct buf words; /* "0:line" each, "end0", "lost0(why)", "!why", "." */
    bool wants_end;
};

static void word(struct reported *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void word(struct reported *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (t->words.size_bytes > 0)
        buf_append_char(&t->words, ' ');
    buf_vformat(&t->words, format, args);
    va_end(args);
}

static void on_line(void *context, int restart_count, int64_t stamp_ns, struct slice line) {
    struct reported *t = context;
    word(t, "%d:%.*s%s", restart_count, SLICE_ARG(line), stamp_ns == INT64_MIN ? "?" : "");
    if (t->wants_end) {
        kube_podlog_free(t->log);
        t->log = NULL;
    }
}

static void on_end(void *context, int restart_count, const char *lost) {
    if (lost == NULL)
        word(context, "end%d", restart_count);
    else
        word(context, "lost%d(%s)", restart_count, lost);
}

static void on_trouble(void *context, const char *text) {
    if (text != NULL)
        word(context, "!%s", text);
    else
        word(context, ".");
}

static void follow(struct reported *t, struct kube_client *client, int64_t since_ns, size_t max_line_bytes) {
    *t = (struct reported){0};
    buf_init(&t->words, 64 << 20);
    struct kube_podlog_options options = {.namespace_ = "n",
                                          .pod = "p",
                                          .container = "main",
                                          .since_ns = since_ns,
                                          .max_line_bytes = max_line_bytes,
                                          .backoff_min_us = 1000,
                                          .backoff_max_us = 8000};
    struct kube_podlog_handler handler = {.on_line = on_line, .on_end = on_end, .on_trouble = on_trouble, .context = t};
    t->log = kube_podlog_new(client, &options, &handler);
}

/* The embedded API server with the pod n/p, after these commands. */
static bool begin(struct fixture *f, const char *commands) {
    if (!fixture_begin(f, NULL))
        return false;
    fixture_pod(f, "p");
    apiserver_do(f->server, commands);
    return true;
}

/* Follows the log of that pod's container, which is running after this number of restarts. */
static void follow_running(struct reported *t, struct fixture *f, int restarts) {
    follow(t, f->client, INT64_MIN, 0);
    kube_podlog_observe(t->log, restarts, true, INT64_MIN, true);
}

static void done(struct reported *t, struct fixture *f) {
    kube_podlog_free(t->log);
    buf_done(&t->words);
    fixture_end(f);
}

TEST(lines_arrive_as_printed_and_the_end_is_reported) {
    struct fixture f;
    struct reported t;
    REQUIRE(begin(&f, "log n/p one\nlog n/p two"));
    follow_running(&t, &f, 0);
    CHECK(wait_text(f.loop, &t.words, "0:two"));
    apiserver_do(f.server, "log n/p three\nexit n/p");
    kube_podlog_observe(t.log, 0, false, 1, true);
    CHECK(wait_text(f.loop, &t.words, "end0"));
    CHECK_TEXT(buf_text(&t.words), "0:one 0:two 0:three end0");
    done(&t, &f);
}

/* Twenty lines, several within one second, some with the same stamp and even the same text, through a broken stream. */
static void broken_follow(const char *fault, const char *const *arguments) {
    struct fixture f;
    struct reported t;
    struct buf expected CLEANUP_BUF = {0};
    buf_init(&expected, 4096);
    REQUIRE(fixture_begin(&f, arguments));
    fixture_pod(&f, "p");
    for (int i = 0; i < 20; i++) {
        apiserver_dof(f.server, "log n/p @2026-01-01T00:00:0%d.%09dZ \"line %d\"", i / 6, i % 6 / 3 * 500, i / 2);
        buf_format(&expected, "0:line %d ", i / 2);
    }
    apiserver_do(f.server, fault);
    apiserver_do(f.server, "exit n/p");
    follow_running(&t, &f, 0);
    CHECK(wait_text(f.loop, &t.words, "0:line 9 0:line 9"));
    loop_for(f.loop, 20000); /* and not a third time */
    kube_podlog_observe(t.log, 0, false, 1, true);
    CHECK(wait_text(f.loop, &t.words, "end0"));
    buf_append_text(&expected, "end0");
    if (strcmp(buf_text(&t.words), buf_text(&expected)) != 0)
        harness_fail(__FILE__, __LINE__, "%s: %s", fault, buf_text(&t.words));
    done(&t, &f);
}

TEST(a_broken_follow_loses_and_doubles_no_line) {
    char fault[100];
    for (int i = 0; i < 20; i += 3) {
        snprintf(fault, sizeof fault, "on log pods after %d lines : reset", i);
        broken_follow(fault, NULL);
        snprintf(fault, sizeof fault, "on log pods x2 after %d lines : cut", i);
        broken_follow(fault, NULL);
    }
    broken_follow("on log pods x2 : status 503", NULL);
    broken_follow("on log pods : status 429", NULL);
    broken_follow("on log pods after 100 bytes : cut", NULL);
    broken_follow("on log pods after 5 lines : drip 20000", NULL);
    const char *const h2[] = {"--tls", NULL};
    broken_follow("on log pods after 7 lines : goaway-hard", h2);
    broken_follow("on log pods after 7 lines : reset", h2);
}

TEST(a_later_container_continues_after_the_last_line) {
    struct fixture f;
    struct reported t;
    REQUIRE(fixture_begin(&f, NULL));
    fixture_pod(&f, "p");
    for (int i = 0; i < 6; i++)
        apiserver_dof(f.server, "log n/p @2026-01-01T00:00:01.%dZ \"line %d\"", i, i);
    follow(&t, f.client, INT64_C(1767225601300000000), 0); /* 00:00:01.3 */
    kube_podlog_observe(t.log, 0, true, INT64_MIN, true);
    CHECK(wait_text(f.loop, &t.words, "0:line 5"));
    CHECK_TEXT(buf_text(&t.words), "0:line 4 0:line 5");
    done(&t, &f);
}

TEST(a_restart_is_followed_through_previous) {
    struct fixture f;
    struct reported t;
    REQUIRE(begin(&f, "log n/p one"));
    follow_running(&t, &f, 0);
    CHECK(wait_text(f.loop, &t.words, "0:one"));
    apiserver_do(f.server, "strike log pods : reset\nlog n/p two\nexit n/p\nrestart n/p\nlog n/p three");
    kube_podlog_observe(t.log, 1, true, INT64_MIN, true);
    CHECK(wait_text(f.loop, &t.words, "1:three"));
    CHECK_TEXT(buf_text(&t.words), "0:one 0:two end0 1:three");
    done(&t, &f);
}

TEST(an_unobserved_restart_is_lost_and_reported) {
    struct fixture f;
    struct reported t;
    REQUIRE(begin(&f, "log n/p one\nexit n/p\nrestart n/p\nlog n/p two\nexit n/p\nrestart n/p\nlog n/p three"));
    follow_running(&t, &f, 2);
    CHECK(wait_text(f.loop, &t.words, "2:three"));
    CHECK_TEXT(buf_text(&t.words),
               "lost0(the container was restarted again before its log was read) 1:two end1 2:three");
    done(&t, &f);
}

TEST(a_deleted_pod_takes_its_unread_log_with_it) {
    struct fixture f;
    struct reported t;
    REQUIRE(begin(&f, "log n/p one\non log pods after 1 lines : reset\non log pods always : status 500"));
    follow_running(&t, &f, 0);
    CHECK(wait_text(f.loop, &t.words, "0:one"));
    apiserver_do(f.server, "log n/p two");
    kube_podlog_observe(t.log, 0, false, INT64_MIN, false);
    CHECK(wait_text(f.loop, &t.words, "lost0("));
    done(&t, &f);
}

TEST(an_unreadable_log_is_reported_and_resumes_when_readable) {
    struct fixture f;
    struct reported t;
    REQUIRE(begin(&f, "log n/p one\non log pods x2 : status 403"));
    follow_running(&t, &f, 0);
    CHECK(wait_text(f.loop, &t.words, ". 0:one"));
    CHECK(slice_starts(buf_slice(&t.words), "!"));
    done(&t, &f);
}

TEST(a_line_that_is_too_long_gives_its_head_once) {
    struct fixture f;
    struct reported t;
    char *text CLEANUP_FREE = mem_alloc(200000);
    REQUIRE(fixture_begin(&f, NULL));
    fixture_pod(&f, "p");
    memset(text, 'x', 150000);
    apiserver_dof(f.server, "log n/p %s", text);
    apiserver_do(f.server, "log n/p after");
    follow(&t, f.client, INT64_MIN, 1000);
    kube_podlog_observe(t.log, 0, true, INT64_MIN, true);
    CHECK(wait_text(f.loop, &t.words, "0:after"));
    CHECK(t.words.size_bytes > 1000 && t.words.size_bytes < 1100);
    done(&t, &f);
}

TEST(a_follower_may_be_freed_by_its_own_line) {
    struct fixture f;
    struct reported t;
    REQUIRE(begin(&f, "log n/p one\nlog n/p two"));
    follow(&t, f.client, INT64_MIN, 0);
    t.wants_end = true;
    kube_podlog_observe(t.log, 0, true, INT64_MIN, true);
    CHECK(wait_text(f.loop, &t.words, "0:one"));
    loop_for(f.loop, 10000);
    CHECK_TEXT(buf_text(&t.words), "0:one");
    done(&t, &f);
}

/* A log that is read in turns resumes in the middle of lines of one and the same stamp. */
TEST(a_turn_continues_between_lines_of_one_stamp) {
    const int64_t at_ns = INT64_C(1795226400) * 1000000000 + 5;
    for (int known = 1; known <= 3; known++) {
        struct podlog_cursor c;
        int64_t since_s;
        podlog_cursor_init(&c, at_ns, known);
        for (int stream = 0; stream < 2; stream++) { /* and cut once more, after all was handed on */
            CHECK(podlog_cursor_open(&c, &since_s));
            CHECK_INT(since_s, 1795226400);
            CHECK(!podlog_cursor_take(&c, at_ns - 1));
            for (int line = 0; line < 3; line++) /* three lines have the stamp */
                CHECK_INT(podlog_cursor_take(&c, at_ns), stream == 0 && line >= known);
            CHECK_INT(podlog_cursor_take(&c, at_ns + 1), stream == 0);
        }
    }
    struct podlog_cursor c;
    int64_t since_s;
    podlog_cursor_init(&c, at_ns, 0); /* nobody counted them */
    CHECK(podlog_cursor_open(&c, &since_s));
    CHECK(!podlog_cursor_take(&c, at_ns));
    CHECK(!podlog_cursor_take(&c, at_ns));
    CHECK(podlog_cursor_take(&c, at_ns + 1));
}

/* ---- floods ---- */

enum { FLOODS = 6 };

struct flooded {
    struct loop_timer *tick;
    int64_t lines, lines_since_tick, max_lines_a_turn;
    int ticks;
    bool is_over;
};

static void on_flood_line(void *context, int restart_count, int64_t stamp_ns, struct slice line) {
    struct flooded *f = context;
    volatile uint64_t hash = 0;
    (void)restart_count, (void)stamp_ns;
    /* Slower than what is sent, as a parser is; once the test has failed, fast, so that it ends. */
    for (int i = 0; i < 100 && f->max_lines_a_turn <= 10000; i++)
        hash = hash * 31 + slice_hash(line);
    f->lines++;
    if (++f->lines_since_tick > f->max_lines_a_turn)
        f->max_lines_a_turn = f->lines_since_tick;
}

static void on_tick(void *context) {
    struct flooded *f = context;
    f->lines_since_tick = 0;
    f->is_over = ++f->ticks >= 20 && f->lines > 50000;
    loop_timer_set(f->tick, 0);
}

/* A timer that is always due is served between a few thousand lines, however many have come. */
TEST(floods_of_lines_let_the_loop_turn) {
    struct fixture f;
    struct flooded flooded = {0};
    struct kube_podlog *logs[FLOODS];
    REQUIRE(fixture_begin(&f, (const char *[]){"--tls", NULL}));
    flooded.tick = loop_timer_new(f.loop, on_tick, &flooded);
    for (int i = 0; i < FLOODS; i++) {
        char name[] = "p0";
        name[1] = (char)('0' + i);
        fixture_pod(&f, name);
        apiserver_dof(f.server, "flood n/%s 100000000 5 2026-01-01T00:00:00Z", name);
        struct kube_podlog_options options = {
            .namespace_ = "n", .pod = name, .container = "main", .since_ns = INT64_MIN};
        struct kube_podlog_handler handler = {.on_line = on_flood_line, .context = &flooded};
        logs[i] = kube_podlog_new(f.client, &options, &handler);
        kube_podlog_observe(logs[i], 0, true, INT64_MIN, true);
    }
    loop_timer_set(flooded.tick, 0);
    CHECK(loop_until(f.loop, &flooded.is_over));
    CHECK(flooded.max_lines_a_turn > 0);
    if (flooded.max_lines_a_turn > 10000)
        harness_fail(__FILE__, __LINE__, "%lld lines in one turn of the loop", (long long)flooded.max_lines_a_turn);
    for (int i = 0; i < FLOODS; i++)
        kube_podlog_free(logs[i]);
    loop_timer_free(flooded.tick);
    fixture_end(&f);
}
