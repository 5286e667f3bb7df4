/* Who may read /metrics: what the gate asks the API server, what it makes of each answer, and for how long. */
#include "base/mem.h"
#include "export/gate.h"
#include "harness.h"
#include "io/http.h"
#include "reviews.h"
#include "steer.h"

#include <stdio.h>
#include <string.h>

#define SECOND_US INT64_C(1000000)
#define PROMETHEUS                                                                                                     \
    "{\"username\":\"system:serviceaccount:monitoring:prometheus\",\"uid\":\"u1\",\"groups\":[\"g1\",\"g2\"],"         \
    "\"extra\":{\"pod\":[\"p\"]},\"unknown\":{\"a\":[1]}}"
#define ALLOWED "{\"status\":{\"allowed\":true}}"

struct rig {
    struct loop *loop;
    struct reviews api;
    struct gate *gate;
    struct server *server;
    struct http_client *http;
    int served;         /* requests that came through the gate */
    size_t reply_bytes; /* of what is behind it; 0: a word */
};

struct asked {
    int status;
    struct buf body;
    bool done;
};

static void behind(void *context, const struct server_request *request, struct server_reply *reply) {
    struct rig *r = context;
    r->served++;
    reply->content_type = "application/openmetrics-text";
    buf_format(&reply->body, "metrics as %.*s", SLICE_ARG(request->accept));
    if (request->accept_encoding.size_bytes > 0)
        buf_format(&reply->body, " in %.*s", SLICE_ARG(request->accept_encoding));
    for (size_t i = 0; i < r->reply_bytes && !reply->body.truncated; i += 1024)
        buf_format(&reply->body, "%1024d", 0);
}

static void begin(struct rig *r) {
    *r = (struct rig){.loop = loop_new(NULL)};
    reviews_begin(&r->api, r->loop);
    const struct server_endpoint metrics = {"/metrics", behind, r};
    r->gate = gate_new(r->api.client, &metrics);
    const struct server_endpoint gated = {"/metrics", gate_handle, r->gate};
    struct server_options options = {.address = "127.0.0.1:0", .endpoints = &gated, .endpoint_count = 1};
    r->server = server_new(r->loop, &options, NULL);
    r->http = http_client_new(r->loop);
}

static void end(struct rig *r) {
    http_client_free(r->http);
    server_free(r->server);
    gate_free(r->gate);
    reviews_end(&r->api);
    loop_free(r->loop);
}

static int on_data(void *context, struct slice bytes) {
    struct asked *a = context;
    return a->body.size_bytes < 1024 ? buf_append_slice(&a->body, bytes) : 0;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct asked *a = context;
    a->status = err == NULL ? reply->status : -1;
    a->done = true;
}

static struct http_request *start(struct rig *r, struct asked *a, const char *authorization) {
    CLEANUP_FREE char *url = mem_format("http://127.0.0.1:%d/metrics", server_port(r->server));
    CLEANUP_FREE char *header = mem_format("Authorization: %s", authorization);
    const char *const headers[] = {"Accept: text/x", "Accept-Encoding: gzip", authorization != NULL ? header : NULL,
                                   NULL};
    struct http_options options = {.method = "GET", .url = url, .headers = headers};
    const struct http_handler handler = {NULL, on_data, on_done, a};
    *a = (struct asked){0};
    buf_init(&a->body, 1 << 20);
    return http_start(r->http, &options, &handler);
}

/* The status; the body is compared unless it is NULL. */
static int get(struct rig *r, const char *authorization, const char *body) {
    struct asked a;
    start(r, &a, authorization);
    CHECK(loop_until(r->loop, &a.done));
    if (body != NULL)
        CHECK_TEXT(buf_text(&a.body), body);
    buf_done(&a.body);
    return a.status;
}

static void run_until(struct rig *r, const int *count, int min_count) {
    for (int i = 0; i < 20000 && *count < min_count; i++)
        loop_for(r->loop, 1000);
    CHECK(*count >= min_count);
}

#define METRICS "metrics as text/x in gzip"
#define WHO "a bearer token of this cluster is required: send one in the Authorization header\n"
#define NOT_ALLOWED "this user may not get /metrics: bind it to a role that allows it\n"
#define NOT_ASKED "the API server did not review the token; retry later\n"

TEST(without_a_bearer_token_no_review_is_sent_and_nothing_is_served) {
    struct rig r;
    static const char *const headers[] = {NULL, "Bearer ", "Basic dXNlcjpwYXNz", "Bearer", "token"};
    begin(&r);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        CHECK_INT(get(&r, headers[i], WHO), 401);
    CHECK_INT(r.api.tokens, 0);
    CHECK_INT(r.served, 0);
    end(&r);
}

TEST(a_user_who_may_get_the_path_is_served_and_both_reviews_say_who_and_what) {
    struct rig r;
    begin(&r);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    CHECK_INT(get(&r, "Bearer t0k\"en", METRICS), 200);
    CHECK_TEXT(buf_text(&r.api.last_token), "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                                            "\"spec\":{\"token\":\"t0k\\\"en\"}}");
    CHECK_TEXT(buf_text(&r.api.last_access),
               "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\",\"spec\":{\"user\":"
               "\"system:serviceaccount:monitoring:prometheus\",\"uid\":\"u1\",\"groups\":[\"g1\",\"g2\"],\"extra\":{"
               "\"pod\":[\"p\"]},\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"}}}");
    end(&r);
}

TEST(an_allowed_token_is_asked_about_once_a_minute_and_a_withdrawn_right_holds_no_longer) {
    struct rig r;
    begin(&r);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    CHECK_INT(get(&r, "Bearer a", METRICS), 200);
    r.api.access = (struct review_answer){201, "{\"status\":{\"allowed\":false}}"};
    steer_by(50 * SECOND_US);
    CHECK_INT(get(&r, "Bearer a", METRICS), 200);
    CHECK_INT(r.api.tokens, 1);
    CHECK_INT(r.api.accesses, 1);
    steer_by(10 * SECOND_US);
    CHECK_INT(get(&r, "Bearer a", NOT_ALLOWED), 403);
    CHECK_INT(r.api.tokens, 2);
    CHECK_INT(r.served, 2);
    end(&r);
}

TEST(refusals_hold_for_ten_seconds_and_for_their_own_token) {
    struct rig r;
    begin(&r);
    CHECK_INT(get(&r, "Bearer a", WHO), 401);
    reviews_know(&r.api, PROMETHEUS);
    CHECK_INT(get(&r, "Bearer b", NOT_ALLOWED), 403);
    r.api.access = (struct review_answer){201, ALLOWED};
    CHECK_INT(get(&r, "Bearer a", WHO), 401);
    CHECK_INT(get(&r, "Bearer b", NOT_ALLOWED), 403);
    CHECK_INT(r.api.tokens, 2);
    CHECK_INT(get(&r, "Bearer c", METRICS), 200); /* another one is another one */
    steer_by(10 * SECOND_US);
    CHECK_INT(get(&r, "Bearer a", METRICS), 200);
    CHECK_INT(get(&r, "Bearer b", METRICS), 200);
    CHECK_INT(r.api.tokens, 5);
    end(&r);
}

/* Deny, unless the server allows it explicitly. */
TEST(an_answer_that_does_not_say_so_allows_nothing) {
    static const char *const tokens[] = {"{}",
                                         "null",
                                         "[]",
                                         "{\"status\":[]}",
                                         "{\"status\":{\"user\":" PROMETHEUS "}}",
                                         "{\"status\":{\"authenticated\":\"true\",\"user\":" PROMETHEUS "}}",
                                         "{\"status\":{\"authenticated\":true}}",
                                         "{\"status\":{\"authenticated\":true,\"user\":" PROMETHEUS};
    static const char *const accesses[] = {"{}",
                                           "",
                                           "{\"status\":{}}",
                                           "{\"status\":{\"allowed\":\"true\"}}",
                                           "{\"status\":{\"allowed\":1}}",
                                           "{\"spec\":{\"allowed\":true}}",
                                           "{\"status\":{\"allowed\":true,\"allowed\":false}}",
                                           "{\"status\":{\"allowed\":true"};
    struct rig r;
    char bearer[32];
    begin(&r);
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        r.api.token = (struct review_answer){201, tokens[i]};
        r.api.access = (struct review_answer){201, ALLOWED};
        snprintf(bearer, sizeof bearer, "Bearer t%zu", i);
        if (get(&r, bearer, WHO) != 401)
            harness_fail(__FILE__, __LINE__, "%s is not refused", tokens[i]);
    }
    CHECK_INT(r.api.accesses, 0);
    reviews_know(&r.api, PROMETHEUS);
    for (size_t i = 0; i < sizeof accesses / sizeof accesses[0]; i++) {
        r.api.access = (struct review_answer){201, accesses[i]};
        snprintf(bearer, sizeof bearer, "Bearer a%zu", i);
        if (get(&r, bearer, NOT_ALLOWED) != 403)
            harness_fail(__FILE__, __LINE__, "%s is not refused", accesses[i]);
    }
    CHECK_INT(r.served, 0);
    end(&r);
}

TEST(a_server_that_cannot_be_asked_is_unavailable_and_that_is_not_remembered) {
    struct rig r;
    begin(&r);
    r.api.token = (struct review_answer){403, "{\"kind\":\"Status\",\"message\":\"tokenreviews is forbidden\"}"};
    CHECK_INT(get(&r, "Bearer a", NOT_ASKED), 503);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){403, "{\"kind\":\"Status\",\"message\":\"no\"}"};
    CHECK_INT(get(&r, "Bearer a", NOT_ASKED), 503);
    r.api.access = (struct review_answer){201, ALLOWED};
    CHECK_INT(get(&r, "Bearer a", METRICS), 200);
    CHECK_INT(r.api.tokens, 3);
    CHECK_INT(r.api.accesses, 2);
    end(&r);
}

TEST(a_server_that_does_not_answer_is_given_ten_seconds) {
    struct rig r;
    struct asked a;
    begin(&r);
    r.api.token = (struct review_answer){0};
    start(&r, &a, "Bearer a");
    run_until(&r, &r.api.tokens, 1);
    steer_by(9 * SECOND_US);
    loop_for(r.loop, 20000);
    CHECK(!a.done);
    steer_by(2 * SECOND_US);
    CHECK(loop_until(r.loop, &a.done));
    CHECK_INT(a.status, 503);
    CHECK_TEXT(buf_text(&a.body), NOT_ASKED);
    buf_done(&a.body);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    CHECK_INT(get(&r, "Bearer a", METRICS), 200);
    end(&r);
}

TEST(sixteen_unknown_tokens_may_wait_and_the_next_one_is_refused_at_once) {
    enum { WAITING = 16 };
    struct rig r;
    struct asked asked[WAITING];
    char bearer[32];
    begin(&r);
    r.api.token = (struct review_answer){0};
    for (int i = 0; i < WAITING; i++) {
        snprintf(bearer, sizeof bearer, "Bearer %d", i);
        start(&r, &asked[i], bearer);
    }
    run_until(&r, &r.api.tokens, WAITING);
    CHECK_INT(get(&r, "Bearer one-more", NOT_ASKED), 503);
    CHECK_INT(r.api.tokens, WAITING);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    reviews_release(&r.api);
    for (int i = 0; i < WAITING; i++) {
        CHECK(loop_until(r.loop, &asked[i].done));
        CHECK_INT(asked[i].status, 200);
        buf_done(&asked[i].body);
    }
    CHECK_INT(get(&r, "Bearer one-more", METRICS), 200);
    end(&r);
}

TEST(of_more_verdicts_than_are_kept_the_oldest_is_asked_for_again) {
    enum { KEPT = 64 };
    struct rig r;
    char bearer[32];
    begin(&r);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    for (int i = 0; i <= KEPT; i++) {
        snprintf(bearer, sizeof bearer, "Bearer %d", i);
        CHECK_INT(get(&r, bearer, METRICS), 200);
        steer_by(1000);
    }
    CHECK_INT(r.api.tokens, KEPT + 1);
    CHECK_INT(get(&r, "Bearer 1", METRICS), 200);
    CHECK_INT(r.api.tokens, KEPT + 1);
    CHECK_INT(get(&r, "Bearer 0", METRICS), 200);
    CHECK_INT(r.api.tokens, KEPT + 2);
    end(&r);
}

TEST(a_peer_may_leave_before_the_verdict_and_so_may_the_gate) {
    struct rig r;
    struct asked left, cut;
    begin(&r);
    r.api.token = (struct review_answer){0};
    struct http_request *request = start(&r, &left, "Bearer a");
    run_until(&r, &r.api.tokens, 1);
    http_cancel(request);
    loop_for(r.loop, 20000);
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    reviews_release(&r.api);
    run_until(&r, &r.api.accesses, 1);
    run_until(&r, &r.served, 1);
    CHECK_INT(get(&r, "Bearer a", METRICS), 200); /* the verdict is known */
    CHECK_INT(r.api.tokens, 1);
    r.api.token = (struct review_answer){0};
    start(&r, &cut, "Bearer b");
    run_until(&r, &r.api.tokens, 2);
    buf_done(&left.body);
    end(&r); /* with one that waits for its TokenReview */
    buf_done(&cut.body);
    gate_free(NULL);
}

TEST(half_an_answer_is_not_served_behind_the_gate_either) {
    struct rig r;
    begin(&r);
    r.reply_bytes = (size_t)65 << 20;
    reviews_know(&r.api, PROMETHEUS);
    r.api.access = (struct review_answer){201, ALLOWED};
    CHECK_INT(get(&r, "Bearer a", "the answer is too long\n"), 500); /* by way of a review */
    CHECK_INT(get(&r, "Bearer a", "the answer is too long\n"), 500); /* known */
    end(&r);
}
