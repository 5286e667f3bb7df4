/* Answers and admissions that come after a while: the peer's connection waits for them. */
#include "base/mem.h"
#include "harness.h"
#include "io/http.h"
#include "io/server.h"
#include "rawserver.h"
#include "steer.h"

#define SECOND_US INT64_C(1000000)

struct rig {
    struct loop *loop;
    struct server *server;
    struct http_client *http;
    struct server_ticket *ticket, *admission;
    bool is_asked; /* one of the two is there */
    int status;
    bool done;
};

static void later(void *context, const struct server_request *request, struct server_reply *reply) {
    struct rig *r = context;
    (void)reply;
    r->ticket = server_reply_later(request);
    r->is_asked = true;
}

static void admit_later(void *context, const struct server_request *request, size_t body_bytes,
                        struct server_ticket *ticket) {
    struct rig *r = context;
    (void)request, (void)body_bytes;
    r->admission = ticket;
    r->is_asked = true;
}

static int on_data(void *context, struct slice bytes) {
    (void)context, (void)bytes;
    return 0;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct rig *r = context;
    r->status = err == NULL ? reply->status : -1;
    r->done = true;
}

/* Asks; the ticket is there when it returns. */
static void begin(struct rig *r, bool is_post, bool is_admitted_later) {
    const struct server_endpoint endpoint = {"/later", later, r};
    struct server_options options = {.address = "127.0.0.1:0",
                                     .endpoints = &endpoint,
                                     .endpoint_count = 1,
                                     .max_body_bytes = is_post ? 100 : 0,
                                     .admit = is_admitted_later ? admit_later : NULL};
    *r = (struct rig){.loop = loop_new(NULL)};
    r->server = server_new(r->loop, &options, NULL);
    r->http = http_client_new(r->loop);
    CLEANUP_FREE char *url = mem_format("http://127.0.0.1:%d/later", server_port(r->server));
    const struct http_options ask = {
        .method = is_post ? "POST" : "GET", .url = url, .body = is_post ? SLICE("body") : (struct slice){0}};
    const struct http_handler handler = {NULL, on_data, on_done, r};
    http_start(r->http, &ask, &handler);
    CHECK(loop_until(r->loop, &r->is_asked));
}

static void end(struct rig *r) {
    http_client_free(r->http);
    server_free(r->server);
    loop_free(r->loop);
}

/* lws would close the connection: it takes a handler that has not answered for one that was forgotten. */
static void wait_a_minute(struct rig *r) {
    for (int i = 0; i < 11 && !r->done; i++) {
        steer_by(5 * SECOND_US);
        loop_for(r->loop, 5000);
    }
    CHECK(!r->done);
}

static void check_answer(struct rig *r) {
    struct server_reply reply = {.status = 202};
    buf_init(&reply.body, 64);
    buf_append_text(&reply.body, "late");
    server_answer(r->ticket, &reply);
    buf_done(&reply.body);
    CHECK(loop_until(r->loop, &r->done));
    CHECK_INT(r->status, 202);
}

TEST(an_answer_to_a_get_may_take_a_minute) {
    struct rig r;
    begin(&r, false, false);
    wait_a_minute(&r);
    check_answer(&r);
    end(&r);
}

TEST(an_answer_to_a_post_may_take_a_minute) {
    struct rig r;
    begin(&r, true, false);
    wait_a_minute(&r);
    check_answer(&r);
    end(&r);
}

TEST(an_admission_may_take_a_minute_and_the_answer_another) {
    struct rig r;
    begin(&r, true, true);
    wait_a_minute(&r);
    r.is_asked = false;
    server_admit(r.admission, &(struct server_admission){.status = 200});
    CHECK(loop_until(r.loop, &r.is_asked));
    wait_a_minute(&r);
    check_answer(&r);
    end(&r);
}
