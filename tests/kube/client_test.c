/* Calls: replies, retries, refusals, credentials; against byte-exact replies. */
#include "base/mem.h"
#include "fixture.h"
#include "folder.h"
#include "harness.h"
#include "kube/podlog.h"
#include "mirror.h"
#include "rawserver.h"

#include <stdlib.h>
#include <unistd.h>

/* Answers by the path: what is asked, and how often, is noted. */
struct script {
    struct buf requests; /* "GET /x [token]" per line */
    int count;
};

static void note(struct script *s, struct slice request) {
    struct slice line;
    slice_take_line(&request, &line);
    buf_append_slice(&s->requests, line);
    const char *token = slice_find(request, "Authorization: ");
    if (token != NULL) {
        struct slice value = slice_range(token + 15, request.data + request.size_bytes);
        slice_take_line(&value, &line);
        buf_format(&s->requests, " [%.*s]", SLICE_ARG(line));
    }
    buf_append_char(&s->requests, '\n');
    s->count++;
}

#define NOT_FOUND                                                                                                      \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"pods \\\"x\\\" not "                                     \
    "found\",\"reason\":\"NotFound\",\"code\":404}"

static void serve(void *context, struct rawconn *c, struct slice request) {
    struct script *s = context;
    note(s, request);
    if (slice_contains(request, "/drip"))
        rawconn_drip(c, true);
    if (slice_contains(request, "/missing"))
        rawconn_reply(c, 404, "", NOT_FOUND);
    else if (slice_contains(request, "/flaky") && s->count <= 2)
        rawconn_reply(c, s->count == 1 ? 503 : 500, "", "overloaded\nsecond line");
    else if (slice_contains(request, "/busy") && s->count == 1)
        rawconn_reply(c, 429, "Retry-After: 1\r\n", "later");
    else if (slice_contains(request, "/broken") && s->count <= 2) {
        rawconn_send(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        rawconn_reset(c);
    } else if (slice_contains(request, "/never"))
        return;
    else if (slice_contains(request, "/secret") && !slice_contains(request, "Bearer good"))
        rawconn_reply(c, 401, "", "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}");
    else
        rawconn_reply(c, 200, "", "{\"ok\":true}");
}

struct outcome {
    bool done;
    int status;
    struct buf body;
    char error[600];
};

static void on_done(void *context, int status, struct slice body, const struct error *err) {
    struct outcome *o = context;
    o->done = true;
    o->status = status;
    buf_init(&o->body, 1 << 20);
    buf_append_slice(&o->body, body);
    snprintf(o->error, sizeof o->error, "%s", err == NULL ? "" : err->text);
}

struct rawfixture {
    struct loop *loop;
    struct rawserver *server;
    struct kube_client *client;
    struct script script;
    char *kubeconfig;
};

static void raw_begin(struct rawfixture *f, rawserver_handler *handler, void *context, const char *user) {
    buf_init(&f->script.requests, 1 << 20);
    f->loop = loop_new(NULL);
    f->server = rawserver_new(f->loop, handler, context);
    f->kubeconfig = folder_kubeconfig(rawserver_url(f->server), "", user);
    struct kube_options options = {.kubeconfig = f->kubeconfig, .user_agent = "test/0"};
    struct error *err CLEANUP_ERROR = NULL;
    f->client = kube_client_new(f->loop, &options, &err);
    if (f->client == NULL)
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
}

static void raw_end(struct rawfixture *f) {
    kube_client_free(f->client);
    rawserver_free(f->server);
    loop_free(f->loop);
    buf_done(&f->script.requests);
    remove(f->kubeconfig);
    free(f->kubeconfig);
}

static void call(const struct kube_request *request, const char *user, int status, const char *body, const char *error,
                 int requests) {
    struct rawfixture f = {0};
    struct outcome o = {0};
    raw_begin(&f, serve, &f.script, user);
    kube_call(f.client, request, on_done, &o);
    CHECK(!o.done); /* never at once */
    CHECK(loop_until(f.loop, &o.done));
    CHECK_INT(o.status, status);
    CHECK_TEXT(buf_text(&o.body), body);
    if (strstr(o.error, error) == NULL)
        harness_fail(__FILE__, __LINE__, "%s: \"%s\", expected \"%s\"", request->path, o.error, error);
    CHECK_INT(f.script.count, requests);
    buf_done(&o.body);
    raw_end(&f);
}

TEST(a_call_gets_its_reply) {
    call(&(struct kube_request){.path = "/x"}, "", 200, "{\"ok\":true}", "", 1);
    call(&(struct kube_request){.path = "/drip"}, "", 200, "{\"ok\":true}", "", 1);
}

TEST(a_refusal_is_the_servers_own_sentence) {
    call(&(struct kube_request){.path = "/missing"}, "", 404, NOT_FOUND, "pods \"x\" not found", 1);
    call(&(struct kube_request){.path = "/flaky"}, "", 503, "overloaded\nsecond line", "HTTP 503: overloaded", 1);
}

TEST(idempotent_calls_are_tried_again) {
    call(&(struct kube_request){.path = "/flaky", .may_retry = true}, "", 200, "{\"ok\":true}", "", 3);
    call(&(struct kube_request){.path = "/broken", .may_retry = true}, "", 200, "{\"ok\":true}", "", 3);
    call(&(struct kube_request){.path = "/broken"}, "", 0, "half", "127.0.0.1", 1);
}

/* A write too: the API server's flow control decides when it comes again. */
TEST(a_write_waits_as_long_as_a_429_says) {
    int64_t start_us = clock_mono().us;
    call(&(struct kube_request){.path = "/busy", .method = "PATCH", .body = SLICE("{}"), .may_retry = true}, "", 200,
         "{\"ok\":true}", "", 2);
    CHECK(clock_mono().us - start_us >= 1000000);
}

TEST(a_call_ends_in_time) {
    call(&(struct kube_request){.path = "/never", .timeout_us = 50000, .may_retry = true}, "", 0, "", "127.0.0.1", 1);
}

TEST(a_reply_that_is_too_large_fails) {
    call(&(struct kube_request){.path = "/x", .max_reply_bytes = 5}, "", 0, "", "larger than 5 bytes", 1);
}

TEST(a_401_is_tried_once_more) {
    call(&(struct kube_request){.path = "/secret"}, "token: bad", 401,
         "{\"kind\":\"Status\",\"message\":\"Unauthorized\"}", "Unauthorized", 2);
    call(&(struct kube_request){.path = "/secret"}, "token: good", 200, "{\"ok\":true}", "", 1);
}

TEST(basic_authentication_is_sent) {
    struct rawfixture f = {0};
    struct outcome o = {0};
    raw_begin(&f, serve, &f.script, "username: u, password: p");
    kube_call(f.client, &(struct kube_request){.path = "/x"}, on_done, &o);
    CHECK(loop_until(f.loop, &o.done));
    CHECK_TEXT(buf_text(&f.script.requests), "GET /x HTTP/1.1 [Basic dTpw]\n");
    buf_done(&o.body);
    raw_end(&f);
}

/* Credential plugins. */

#define PLUGIN "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, provideClusterInfo: true, "
#define PLUGIN_SH "command: /bin/sh, args: [tests/data/kube/plugin.sh], "

static void plugin_fails(const char *user, const char *error) {
    call(&(struct kube_request){.path = "/x"}, user, 0, "", error, 0);
}

TEST(a_plugins_token_is_used_and_kept) {
    struct rawfixture f = {0};
    char count[] = "/tmp/plugin-count-XXXXXX", info[] = "/tmp/plugin-info-XXXXXX", user[600];
    close(mkstemp(count));
    close(mkstemp(info));
    snprintf(user, sizeof user,
             PLUGIN PLUGIN_SH "env: [{name: PLUGIN_TOKEN, value: good}, {name: PLUGIN_COUNT, value: %s}, "
                              "{name: PLUGIN_INFO, value: %s}]}",
             count, info);
    raw_begin(&f, serve, &f.script, user);
    for (int i = 0; i < 3; i++) {
        struct outcome o = {0};
        kube_call(f.client, &(struct kube_request){.path = "/secret"}, on_done, &o);
        CHECK(loop_until(f.loop, &o.done));
        CHECK_INT(o.status, 200);
        buf_done(&o.body);
    }
    char *runs CLEANUP_FREE = harness_read_file(count, NULL), *reported CLEANUP_FREE = harness_read_file(info, NULL);
    CHECK_TEXT(runs, "x");
    char expected[400];
    snprintf(expected, sizeof expected,
             "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":{\"cluster\":{"
             "\"server\":\"%s\",\"config\":null},\"interactive\":false}}",
             rawserver_url(f.server));
    CHECK_TEXT(reported, expected);
    remove(count);
    remove(info);
    raw_end(&f);
}

TEST(an_expired_plugin_token_is_requested_again) {
    struct rawfixture f = {0};
    char count[] = "/tmp/plugin-count-XXXXXX", user[600];
    close(mkstemp(count));
    snprintf(user, sizeof user,
             PLUGIN PLUGIN_SH "env: [{name: PLUGIN_TOKEN, value: good}, {name: PLUGIN_COUNT, value: %s}, "
                              "{name: PLUGIN_EXPIRES, value: \"2020-01-01T00:00:00Z\"}]}",
             count);
    raw_begin(&f, serve, &f.script, user);
    for (int i = 0; i < 2; i++) {
        struct outcome o = {0};
        kube_call(f.client, &(struct kube_request){.path = "/secret"}, on_done, &o);
        CHECK(loop_until(f.loop, &o.done));
        CHECK_INT(o.status, 200);
        buf_done(&o.body);
    }
    char *runs CLEANUP_FREE = harness_read_file(count, NULL);
    CHECK_TEXT(runs, "xx");
    remove(count);
    raw_end(&f);
}

TEST(a_plugin_that_fails_says_why) {
    plugin_fails(PLUGIN PLUGIN_SH "env: [{name: PLUGIN_MODE, value: fail}]}",
                 "credential plugin /bin/sh: it failed with exit code 3: you are not logged in");
    plugin_fails(PLUGIN PLUGIN_SH "env: [{name: PLUGIN_MODE, value: silent}]}", "it printed nothing");
    plugin_fails(PLUGIN PLUGIN_SH "env: [{name: PLUGIN_MODE, value: garbage}]}", "its output is not JSON");
    plugin_fails(PLUGIN PLUGIN_SH "env: [{name: PLUGIN_MODE, value: old}]}",
                 "it answered in client.authentication.k8s.io/v1beta1");
    plugin_fails(PLUGIN "command: no-such-plugin, installHint: Install it from there.}",
                 "credential plugin no-such-plugin: it cannot be started: No such file or directory. Install it");
}

TEST(a_plugin_that_hangs_is_ended_with_the_client) {
    struct rawfixture f = {0};
    struct outcome o = {0};
    raw_begin(&f, serve, &f.script, PLUGIN PLUGIN_SH "env: [{name: PLUGIN_MODE, value: hang}]}");
    struct kube_call *hanging = kube_call(f.client, &(struct kube_request){.path = "/x"}, on_done, &o);
    loop_for(f.loop, 20000);
    CHECK(!o.done);
    kube_call_cancel(hanging);
    raw_end(&f); /* and no child is left behind: the sanitizer and the kernel would report it */
}

/* Streams cut at every byte. */

#define WATCH_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define EVENT(type, name, version)                                                                                     \
    "{\"type\":\"" type "\",\"object\":{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"n\",\"uid\":\"u-" name     \
    "\",\"resourceVersion\":\"" version "\"},\"s\":\"\\\"{[\"}}\n"

struct cut {
    size_t at; /* the first watch is cut after this many bytes */
    bool is_reset, is_dripping;
    int watches;
    char resumed_from[32];
};

/* CRDs' lists: items before metadata. */
#define LIST                                                                                                           \
    "{\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u-a\","             \
    "\"resourceVersion\":\"1\"},\"x\":\"}]\"}],\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"10\"}}"

static const char events[] = EVENT("MODIFIED", "a", "11") EVENT("ADDED", "b", "12") EVENT("DELETED", "a", "13");

static void serve_cut(void *context, struct rawconn *c, struct slice request) {
    struct cut *cut = context;
    rawconn_drip(c, cut->is_dripping);
    if (!slice_contains(request, "watch=1")) {
        rawconn_reply(c, 200, "", LIST);
        return;
    }
    const char *version = slice_find(request, "resourceVersion=");
    int64_t from = version == NULL ? 0 : strtol(version + 16, NULL, 10);
    const char *rest = from >= 13 ? "" : events;
    for (int64_t v = 10; v < from && *rest != '\0'; v++)
        rest = strchr(rest, '\n') + 1;
    char *part CLEANUP_FREE =
        cut->watches++ == 0 ? mem_strndup(rest, cut->at) : mem_format("%s%s", rest, EVENT("ADDED", "z", "14"));
    if (from >= 14)
        return; /* all sent: stay silent */
    rawconn_send(c, WATCH_HEAD);
    rawconn_send(c, part);
    if (cut->watches == 1 && cut->is_reset)
        rawconn_reset(c);
    else if (cut->watches == 1)
        rawconn_close(c);
}

static void cut_at(size_t at, bool is_reset, bool is_dripping) {
    struct rawfixture f = {0};
    struct mirror m;
    struct cut cut = {.at = at, .is_reset = is_reset, .is_dripping = is_dripping};
    raw_begin(&f, serve_cut, &cut, "");
    mirror_start(&m, f.client, "/api/v1/namespaces/n/pods", (struct kube_reflector_options){.no_streaming_list = true});
    CHECK(mirror_wait(&m, f.loop, "+z"));
    if (strcmp(buf_text(&m.words), "+a | ~a +b -a +z") != 0)
        harness_fail(__FILE__, __LINE__, "cut at %zu: %s", at, buf_text(&m.words));
    mirror_stop(&m);
    raw_end(&f);
}

TEST(a_watch_cut_at_any_byte_loses_and_doubles_nothing) {
    for (size_t at = 0; at < sizeof events; at++)
        cut_at(at, at % 2 == 0, false);
}

TEST(a_watch_one_byte_at_a_time_is_the_same) {
    cut_at(sizeof events, false, true);
    cut_at(100, true, true);
}

/* A log whose stream ends politely in the middle of a line. */

static void serve_log(void *context, struct rawconn *c, struct slice request) {
    int *count = context;
    rawconn_send(c, WATCH_HEAD);
    if (++*count == 1)
        rawconn_send(c, "2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:01.2Z t");
    else if (slice_contains(request, "sinceTime=2026-01-01T00:00:00Z"))
        rawconn_send(c, "2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.1Z one\n"
                        "2026-01-01T00:00:01.2Z two");
    rawconn_close(c);
}

static void log_line(void *context, int restart_count, int64_t stamp_ns, struct slice line) {
    (void)restart_count, (void)stamp_ns;
    buf_format(context, "%.*s ", SLICE_ARG(line));
}

static void log_end(void *context, int restart_count, const char *lost) {
    (void)restart_count;
    buf_format(context, "%s", lost == NULL ? "end" : lost);
}

/* What a running container has printed, the last line half. */
static void serve_what_there_is(void *context, struct rawconn *c, struct slice request) {
    int *turns = context;
    CHECK(!slice_contains(request, "follow=true"));
    CHECK_INT(slice_contains(request, "sinceTime=2026-01-01T00:00:00Z"), *turns > 0);
    rawconn_reply(c, 200, "",
                  ++*turns == 1 ? "2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:01.2Z t"
                                : "2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:01.2Z two\n");
}

static void log_caught_up(void *context) {
    buf_append_text(context, "| ");
}

TEST(turns_of_a_log_read_what_it_holds_over_one_connection) {
    struct rawfixture f = {0};
    int turns = 0;
    struct buf words CLEANUP_BUF = {0};
    buf_init(&words, 4096);
    raw_begin(&f, serve_what_there_is, &turns, "");
    for (int turn = 0; turn < 2; turn++) {
        struct kube_podlog_options options = {.namespace_ = "n",
                                              .pod = "p",
                                              .container = "c",
                                              .since_ns = turn == 0 ? INT64_MIN : INT64_C(1767225600100000000),
                                              .reads_once = true};
        struct kube_podlog_handler handler = {
            .on_line = log_line, .on_end = log_end, .on_caught_up = log_caught_up, .context = &words};
        struct kube_podlog *log = kube_podlog_new(f.client, &options, &handler);
        kube_podlog_observe(log, 0, true, INT64_MIN, true);
        CHECK(wait_text(f.loop, &words, turn == 0 ? "one | " : "two | "));
        kube_podlog_free(log);
    }
    CHECK_TEXT(buf_text(&words), "one | two | ");
    CHECK_INT(rawserver_connections(f.server), 1);
    raw_end(&f);
}

TEST(a_log_that_ends_in_the_middle_of_a_line_is_resumed_and_its_last_line_needs_no_newline) {
    struct rawfixture f = {0};
    int count = 0;
    struct buf words CLEANUP_BUF = {0};
    buf_init(&words, 4096);
    raw_begin(&f, serve_log, &count, "");
    struct kube_podlog_options options = {.namespace_ = "n",
                                          .pod = "p",
                                          .container = "c",
                                          .since_ns = INT64_MIN,
                                          .backoff_min_us = 1000,
                                          .backoff_max_us = 2000};
    struct kube_podlog_handler handler = {.on_line = log_line, .on_end = log_end, .context = &words};
    struct kube_podlog *log = kube_podlog_new(f.client, &options, &handler);
    kube_podlog_observe(log, 0, true, INT64_MIN, true);
    CHECK(wait_text(f.loop, &words, "one one "));
    kube_podlog_observe(log, 0, false, 1, true);
    CHECK(wait_text(f.loop, &words, "end"));
    CHECK_TEXT(buf_text(&words), "one one one two end");
    kube_podlog_free(log);
    raw_end(&f);
}
