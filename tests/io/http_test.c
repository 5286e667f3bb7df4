#include "base/buf.h"
#include "harness.h"
#include "io/http.h"
#include "rawserver.h"
#include "steer.h"
#include "wakeups.h"

#include <errno.h>
#include <stdlib.h>

struct result {
    struct buf body;
    int status, replies, ends, code;
    int64_t retry_after_us;
    char error[256], content_type[64];
    int refuse; /* returned by on_data */
    bool done;
    struct http_request *request, *cancel_in_data;
};

static void on_reply(void *context, const struct http_reply *reply) {
    struct result *r = context;
    r->replies++;
    r->status = reply->status;
}

static int on_data(void *context, struct slice bytes) {
    struct result *r = context;
    buf_append_slice(&r->body, bytes);
    if (r->cancel_in_data != NULL) {
        http_cancel(r->cancel_in_data);
        r->cancel_in_data = NULL;
    }
    return r->refuse;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct result *r = context;
    r->ends++;
    r->status = reply->status;
    r->retry_after_us = reply->retry_after_us;
    snprintf(r->content_type, sizeof r->content_type, "%s", reply->content_type);
    if (err != NULL) {
        r->code = err->code;
        snprintf(r->error, sizeof r->error, "%s", err->text);
    }
    r->done = true;
}

static struct http_request *get(struct http_client *client, const char *url, struct result *r,
                                struct http_options options) {
    options.url = url;
    buf_init(&r->body, 64 << 20);
    struct http_handler handler = {on_reply, on_data, on_done, r};
    r->request = http_start(client, &options, &handler);
    return r->request;
}

struct fixture {
    struct loop *loop;
    struct http_client *client;
    struct rawserver *server;
};

static struct fixture begin(rawserver_handler *handler, void *context) {
    struct fixture f = {.loop = loop_new(NULL)};
    f.client = http_client_new(f.loop);
    f.server = rawserver_new(f.loop, handler, context);
    return f;
}

static void end(struct fixture *f) {
    http_client_free(f->client);
    rawserver_free(f->server);
    loop_free(f->loop);
}

static void serve_hello(void *context, struct rawconn *c, struct slice request) {
    (void)context;
    if (slice_starts(request, "GET /slow "))
        rawconn_drip(c, true);
    if (slice_starts(request, "GET /busy "))
        rawconn_reply(c, 429, "Retry-After: 7\r\n", "later");
    else if (slice_starts(request, "GET /busy-for-a-day "))
        rawconn_reply(c, 429, "Retry-After: 86400\r\n", "later");
    else if (slice_starts(request, "GET /cut ")) {
        rawconn_send(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwo");
        rawconn_reset(c);
    } else if (slice_starts(request, "GET /silent "))
        rawconn_send(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    else
        rawconn_reply(c, 200, "", "hello");
}

static void check_get(const char *path, bool is_http1_only) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r = {0};
    char url[128];
    snprintf(url, sizeof url, "%s%s", rawserver_url(f.server), path);
    get(f.client, url, &r, (struct http_options){.is_http1_only = is_http1_only});
    CHECK(loop_until(f.loop, &r.done));
    CHECK_INT(r.status, 200);
    CHECK_INT(r.replies, 1);
    CHECK_INT(r.ends, 1);
    CHECK_INT(r.code, 0);
    CHECK_TEXT(buf_text(&r.body), "hello");
    CHECK_TEXT(r.content_type, "application/json");
    buf_done(&r.body);
    end(&f);
}

TEST(a_reply_comes_whole_and_byte_by_byte) {
    check_get("/", false);
    check_get("/", true);
    check_get("/slow", false);
}

static void check_retry_after(const char *path, int64_t us) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r = {0};
    char url[128];
    snprintf(url, sizeof url, "%s%s", rawserver_url(f.server), path);
    get(f.client, url, &r, (struct http_options){0});
    CHECK(loop_until(f.loop, &r.done));
    CHECK_INT(r.status, 429);
    CHECK_INT(r.retry_after_us, us);
    buf_done(&r.body);
    end(&f);
}

TEST(retry_after_is_read_and_capped_at_minutes) {
    check_retry_after("/busy", 7000000);
    check_retry_after("/busy-for-a-day", 300000000);
}

TEST(a_reset_in_the_body_is_an_error_after_the_bytes_that_came) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r = {0};
    char url[128];
    snprintf(url, sizeof url, "%s/cut", rawserver_url(f.server));
    get(f.client, url, &r, (struct http_options){0});
    CHECK(loop_until(f.loop, &r.done));
    CHECK_INT(r.code, ECONNRESET);
    CHECK(slice_starts(buf_slice(&r.body), "hello"));
    buf_done(&r.body);
    end(&f);
}

TEST(silence_ends_a_request_and_the_next_one_gets_a_new_connection) {
    struct fixture f = begin(serve_hello, NULL);
    struct result silent = {0}, next = {0};
    char url[128];
    snprintf(url, sizeof url, "%s/silent", rawserver_url(f.server));
    get(f.client, url, &silent, (struct http_options){.silence_timeout_us = 500000});
    CHECK(loop_until(f.loop, &silent.done));
    CHECK_INT(silent.code, ETIMEDOUT);
    CHECK_INT(silent.replies, 1);
    CHECK_TEXT(buf_text(&silent.body), "hello");
    get(f.client, rawserver_url(f.server), &next, (struct http_options){0});
    CHECK(loop_until(f.loop, &next.done));
    CHECK_INT(next.status, 200);
    CHECK_INT(rawserver_connections(f.server), 2);
    buf_done(&silent.body);
    buf_done(&next.body);
    end(&f);
}

TEST(several_silent_requests_run_side_by_side_over_http1) {
    struct fixture f = begin(serve_hello, NULL);
    struct result watches[5] = {0}, call = {0};
    char url[128];
    snprintf(url, sizeof url, "%s/silent", rawserver_url(f.server));
    for (int i = 0; i < 5; i++)
        get(f.client, url, &watches[i], (struct http_options){0});
    get(f.client, rawserver_url(f.server), &call, (struct http_options){0});
    CHECK(loop_until(f.loop, &call.done));
    CHECK_INT(call.status, 200);
    for (int i = 0; i < 5; i++) {
        CHECK_TEXT(buf_text(&watches[i].body), "hello");
        CHECK_INT(watches[i].ends, 0);
        http_cancel(watches[i].request);
    }
    loop_for(f.loop, 1000);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(watches[i].ends, 0);
        buf_done(&watches[i].body);
    }
    buf_done(&call.body);
    end(&f);
}

TEST(a_request_may_be_cancelled_from_its_own_data) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r = {0};
    r.cancel_in_data = get(f.client, rawserver_url(f.server), &r, (struct http_options){0});
    loop_for(f.loop, 50000);
    CHECK_TEXT(buf_text(&r.body), "hello");
    CHECK_INT(r.ends, 0);
    buf_done(&r.body);
    end(&f);
}

TEST(refused_data_ends_with_the_users_error) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r = {.refuse = -EMSGSIZE};
    get(f.client, rawserver_url(f.server), &r, (struct http_options){0});
    CHECK(loop_until(f.loop, &r.done));
    CHECK_INT(r.code, EMSGSIZE);
    buf_done(&r.body);
    end(&f);
}

TEST(a_refused_connection_fails_all_that_wait_for_it) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r[3] = {0};
    for (int i = 0; i < 3; i++)
        get(f.client, "http://127.0.0.1:1/", &r[i], (struct http_options){0});
    struct result bad = {0};
    get(f.client, "nonsense", &bad, (struct http_options){0});
    CHECK_INT(bad.ends, 0); /* never from within http_start */
    CHECK(loop_until(f.loop, &r[2].done));
    for (int i = 0; i < 3; i++) {
        CHECK_INT(r[i].code, ECONNREFUSED);
        CHECK_INT(r[i].status, 0);
        buf_done(&r[i].body);
    }
    CHECK_INT(bad.code, EINVAL);
    buf_done(&bad.body);
    end(&f);
}

/* Answers "/lazy" when the test says so: a reply that is there in the turn of its request is read in that turn; so is
 * one that is there when curl's timers of a new connection fire, 200 ms after its start. */
struct held {
    struct rawconn *lazy; /* of the last request */
    int count;
};

static void hold_lazy(void *context, struct rawconn *c, struct slice request) {
    struct held *h = context;
    if (!slice_starts(request, "GET /lazy ")) {
        rawconn_reply(c, 200, "", "hello");
        return;
    }
    h->lazy = c;
    h->count++;
}

/* Returns when the request has reached the server. */
static void get_lazy(struct fixture *f, const struct held *held, struct result *r) {
    int before = held->count;
    char url[128];
    snprintf(url, sizeof url, "%s/lazy", rawserver_url(f->server));
    get(f->client, url, r, (struct http_options){.is_lazy = true});
    for (int i = 0; i < 20000 && held->count == before; i++)
        loop_for(f->loop, 1000);
    loop_for(f->loop, 0);
    CHECK_INT(held->count, before + 1);
}

/* The reply has come, and is read when it is asked for; another request goes its own way meanwhile. */
TEST(a_lazy_reply_waits_until_it_is_asked_for) {
    struct held held = {0};
    struct fixture f = begin(hold_lazy, &held);
    struct result first = {0}, lazy = {0}, other = {0};
    get_lazy(&f, &held, &first);
    http_hurry(first.request);
    rawconn_reply(held.lazy, 200, "", "hello");
    CHECK(loop_until(f.loop, &first.done));
    steer_by(1000000);
    loop_for(f.loop, 1000);
    get_lazy(&f, &held, &lazy); /* over the same connection */
    rawconn_reply(held.lazy, 200, "", "hello");
    get(f.client, rawserver_url(f.server), &other, (struct http_options){0});
    CHECK(loop_until(f.loop, &other.done));
    for (int i = 0; i < 5; i++) {
        steer_by(1000000);
        loop_for(f.loop, 1000);
    }
    CHECK_INT(lazy.replies, 0);
    CHECK_INT(rawserver_connections(f.server), 2);
    int before = wakeups();
    REQUIRE(!lazy.done);
    http_hurry(lazy.request);
    loop_for(f.loop, 0);
    CHECK(lazy.done);
    CHECK_TEXT(buf_text(&lazy.body), "hello");
    CHECK(before > 0 && wakeups() - before <= 2);
    buf_done(&first.body);
    buf_done(&lazy.body);
    buf_done(&other.body);
    end(&f);
}

/* A log's connection speaks HTTP/1.1, so a watch that got it would keep it for itself. */
TEST(a_bulk_requests_connection_serves_bulk_requests_only) {
    struct fixture f = begin(serve_hello, NULL);
    struct result r[3] = {0};
    for (int i = 0; i < 3; i++) {
        get(f.client, rawserver_url(f.server), &r[i], (struct http_options){.is_bulk = i != 1});
        CHECK(loop_until(f.loop, &r[i].done));
        CHECK_TEXT(buf_text(&r[i].body), "hello");
        CHECK_INT(rawserver_connections(f.server), i == 0 ? 1 : 2);
        buf_done(&r[i].body);
    }
    end(&f);
}

TEST(a_lazy_reply_that_is_late_is_read_as_it_comes) {
    struct held held = {0};
    struct fixture f = begin(hold_lazy, &held);
    struct result r = {0};
    get_lazy(&f, &held, &r);
    REQUIRE(!r.done);
    http_hurry(r.request);
    rawconn_drip(held.lazy, true);
    rawconn_reply(held.lazy, 200, "", "hello");
    CHECK(loop_until(f.loop, &r.done));
    CHECK_TEXT(buf_text(&r.body), "hello");
    buf_done(&r.body);
    end(&f);
}

/* A connection that died between two lazy requests is replaced without a hurry: only replies may wait. */
TEST(a_lazy_request_over_a_dead_connection_is_sent_again_at_once) {
    struct held held = {0};
    struct fixture f = begin(hold_lazy, &held);
    for (int i = 0; i < 2; i++) {
        struct result r = {0};
        get_lazy(&f, &held, &r);
        rawconn_reply(held.lazy, 200, "", "hello");
        if (i == 0)
            rawconn_close(held.lazy);
        loop_for(f.loop, 1000);
        if (!r.done)
            http_hurry(r.request);
        CHECK(loop_until(f.loop, &r.done));
        CHECK_INT(r.code, 0);
        buf_done(&r.body);
    }
    CHECK_INT(rawserver_connections(f.server), 2);
    end(&f);
}

/* A server that sends a piece in each turn, without an end: its reader wakes up for some of them. */
struct pieces {
    struct rawconn *to;
    int arrivals;
    size_t arrived_bytes;
};

static void hold_pieces(void *context, struct rawconn *c, struct slice request) {
    (void)request;
    struct pieces *p = context;
    p->to = c;
    rawconn_send(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
}

static int take_pieces(void *context, struct slice bytes) {
    struct pieces *p = context;
    p->arrivals++;
    p->arrived_bytes += bytes.size_bytes;
    return 0;
}

static void ignore_end(void *context, const struct http_reply *reply, const struct error *err) {
    (void)context, (void)reply, (void)err;
}

TEST(a_busy_socket_rests_and_its_pieces_are_read_together) {
    enum { PIECES = 500, PIECE_US = 4000, MAX_ARRIVALS = PIECES * PIECE_US / 40000 + 5 };
    struct pieces p = {0};
    struct fixture f = begin(hold_pieces, &p);
    struct http_options options = {.url = rawserver_url(f.server)};
    http_start(f.client, &options, &(struct http_handler){NULL, take_pieces, ignore_end, &p});
    for (int i = 0; i < 20000 && p.to == NULL; i++)
        loop_for(f.loop, 1000);
    REQUIRE(p.to != NULL);
    loop_for(f.loop, 1000);
    steer_by(1000000);
    rawconn_send(p.to, "!");
    for (int i = 0; i < 3; i++) /* written, readable, read */
        loop_for(f.loop, 0);
    CHECK_INT(p.arrived_bytes, 1); /* the first one at once */
    for (int i = 0; i < PIECES; i++) {
        rawconn_send(p.to, "?");
        for (int turn = 0; turn < 3; turn++)
            loop_for(f.loop, 0);
        steer_by(PIECE_US);
    }
    loop_for(f.loop, 50000);
    CHECK_INT(p.arrived_bytes, PIECES + 1);
    CHECK(p.arrivals <= MAX_ARRIVALS);
    end(&f);
}
