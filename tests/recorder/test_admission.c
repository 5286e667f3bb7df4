/* Who may write and read, as the API server says, and every way to be refused: 400, 401, 403, 413, 429 and 503. */
#include "base/mem.h"
#include "harness.h"
#include "rig.h"
#include "steer.h"

#include <stdio.h>

#define SECOND_US INT64_C(1000000)
#define TRAINER "{\"username\":\"system:serviceaccount:a:trainer\"}"
#define LINE SLICE("step 1\n")
#define PUSH "/v1/push?job=one"

/* Of a token that the API server has to be asked about. */
static int push(struct rig *r, const char *token, const char *part) {
    return call_post(r, PUSH, token, LINE, part);
}

static void check_reviews(struct rig *r, int expected) {
    CHECK_INT(r->api.tokens, expected);
}

TEST(without_a_token_no_review_is_sent) {
    struct rig r;
    rig_begin(&r);
    CHECK_INT(push(&r, NULL, "\"status\":\"UNAUTHENTICATED\""), 401);
    CHECK_INT(push(&r, "", "is required"), 401);
    check_reviews(&r, 0);
    CHECK_INT(endpoint_figures(r.endpoint)->requests[2], 2);
    rig_end(&r);
}

TEST(a_service_account_writes_for_its_namespace_and_is_known_for_a_minute) {
    struct rig r;
    struct call c;
    rig_begin(&r);
    reviews_know(&r.api, TRAINER);
    CHECK_INT(push(&r, "jwt", "{\"lines\":1}"), 200);
    steer_by(50 * SECOND_US);
    CHECK_INT(push(&r, "jwt", "{\"lines\":1}"), 200);
    check_reviews(&r, 1);
    r.api.token = (struct review_answer){201, "{\"status\":{\"authenticated\":false}}"};
    steer_by(10 * SECOND_US);
    CHECK_INT(push(&r, "jwt", "is required"), 401); /* its pod was deleted */
    check_reviews(&r, 2);
    CLEANUP_FREE char *path = mem_format("%s/store/a/one/00000001.jsonl", r.root);
    CLEANUP_FREE char *text = harness_read_file(path, NULL);
    CHECK(text != NULL && strstr(text, "step 1") != NULL);
    call_list(&r, &c, "b", "one", TOKEN_A); /* not its namespace's */
    CHECK(loop_until(r.loop, &c.done));
    CHECK_INT(c.status, 403);
    call_done(&c);
    rig_end(&r);
}

TEST(refusals_are_kept_for_ten_seconds_and_an_api_server_that_fails_is_asked_again) {
    struct rig r;
    rig_begin(&r);
    CHECK_INT(push(&r, "jwt", NULL), 401);
    reviews_know(&r.api, TRAINER);
    CHECK_INT(push(&r, "jwt", NULL), 401);
    check_reviews(&r, 1);
    steer_by(10 * SECOND_US);
    CHECK_INT(push(&r, "jwt", NULL), 200);
    check_reviews(&r, 2);
    r.api.token = (struct review_answer){403, "{\"kind\":\"Status\",\"message\":\"tokenreviews is forbidden\"}"};
    CHECK_INT(push(&r, "other", "\"status\":\"UNAVAILABLE\""), 503);
    reviews_know(&r.api, TRAINER);
    CHECK_INT(push(&r, "other", NULL), 200);
    CHECK_INT(endpoint_figures(r.endpoint)->requests[5], 1);
    rig_end(&r);
}

TEST(an_api_server_that_does_not_answer_is_given_ten_seconds) {
    struct rig r;
    struct call c;
    rig_begin(&r);
    r.api.token = (struct review_answer){0};
    call_start(&r, &c, PUSH, "jwt", LINE);
    rig_until(&r, &r.api.tokens, 1);
    steer_by(9 * SECOND_US);
    loop_for(r.loop, 20000);
    CHECK(!c.done);
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, LINE, NULL), 200); /* who is known does not wait for it */
    steer_by(2 * SECOND_US);
    CHECK(loop_until(r.loop, &c.done));
    CHECK_INT(c.status, 503);
    call_done(&c);
    rig_end(&r);
}

TEST(only_service_accounts_write_and_read) {
    static const char *const users[] = {"{\"username\":\"jane\"}",
                                        "{\"username\":\"system:node:n0\"}",
                                        "{\"username\":\"system:serviceaccount:\"}",
                                        "{\"username\":\"system:serviceaccount:a\"}",
                                        "{\"username\":\"system:serviceaccount::x\"}",
                                        "{\"uid\":\"1\"}",
                                        "{\"username\":7}",
                                        "[]",
                                        ("{\"username\":\"system:serviceaccount:"
                                         "a123456789012345678901234567890123456789012345678901234567890123:x\"}")};
    struct rig r;
    char token[32];
    rig_begin(&r);
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        reviews_know(&r.api, users[i]);
        snprintf(token, sizeof token, "t%zu", i);
        if (push(&r, token, "only ServiceAccounts") != 403)
            harness_fail(__FILE__, __LINE__, "%s is not refused", users[i]);
    }
    CHECK_INT(endpoint_figures(r.endpoint)->requests[2], (int)(sizeof users / sizeof users[0]));
    CHECK_INT(endpoint_figures(r.endpoint)->entries, 0);
    rig_end(&r);
}

/* A token that says that it is for us is asked about as such: one that is for somebody else has to be the API server's.
 */
TEST(the_audience_that_a_token_names_is_asked_for) {
    static const struct {
        const char *token;
        bool is_for_us;
    } cases[] = {
        {"h.eyJhdWQiOlsib3RoZXIiLCJnb29kcHV0LWNvbnRyb2xsZXIiXX0.s", true}, /* ["other","goodput-controller"] */
        {"h.eyJhdWQiOiJnb29kcHV0LWNvbnRyb2xsZXIifQ.s", true},              /* "goodput-controller" */
        {"h.eyJzdWIiOiJhIiwiYXVkIjoiZ29vZHB1dC1jb250cm9sbGVyIiwibiI6Ij8_Pz4-PiJ9.s", true}, /* base64url */
        {"h.eyJhdWQiOlsib3RoZXIiXX0.s", false},
        {"h.eyJhdWQiOjcsIngiOjF9.s", false},
        {"h.WzFd.s", false},
        {"h.!!!.s", false},
        {"h..s", false},
        {"h.eyJhdWQiOiJnb29kcHV0LWNvbnRyb2xsZXIifQ", false}, /* two parts */
        {"opaque", false},
    };
    struct rig r;
    rig_begin(&r);
    reviews_know(&r.api, TRAINER);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_INT(push(&r, cases[i].token, NULL), 200);
        bool is_asked = strstr(buf_text(&r.api.last_token), "\"audiences\":[\"goodput-controller\"]") != NULL;
        if (is_asked != cases[i].is_for_us)
            harness_fail(__FILE__, __LINE__, "%s: %s", cases[i].token, buf_text(&r.api.last_token));
    }
    rig_end(&r);
}

TEST(junk_tokens_of_an_address_cost_a_hundred_reviews_and_then_few) {
    enum { BURST = 100 };
    struct rig r;
    char token[32];
    int refused = 0;
    rig_begin(&r);
    for (int i = 0; i < BURST + 50; i++) {
        snprintf(token, sizeof token, "junk%d", i);
        refused += push(&r, token, NULL) == 429;
    }
    CHECK(refused > 0);
    CHECK_INT(r.api.tokens, BURST + 50 - refused);
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, LINE, NULL), 200); /* who is known is not concerned */
    steer_by(20 * SECOND_US);
    CHECK_INT(push(&r, "later", NULL), 401);
    rig_end(&r);
}

TEST(reviews_under_way_are_bounded_and_peers_that_leave_are_forgotten) {
    enum { PENDING = 64 };
    struct rig r;
    struct call calls[PENDING];
    char token[32];
    rig_begin(&r);
    r.api.token = (struct review_answer){0};
    for (int i = 0; i < PENDING; i++) {
        snprintf(token, sizeof token, "t%d", i);
        call_start(&r, &calls[i], PUSH, token, LINE);
    }
    rig_until(&r, &r.api.tokens, PENDING);
    CHECK_INT(push(&r, "one-more", "could not be asked"), 503);
    for (int i = 0; i < PENDING / 2; i++)
        http_cancel(calls[i].request);
    loop_for(r.loop, 20000);
    r.api.token = (struct review_answer){201, "{\"status\":{\"authenticated\":false}}"};
    reviews_release(&r.api);
    for (int i = PENDING / 2; i < PENDING; i++) {
        CHECK(loop_until(r.loop, &calls[i].done));
        CHECK_INT(calls[i].status, 401);
    }
    for (int i = 0; i < PENDING; i++)
        call_done(&calls[i]);
    reviews_know(&r.api, TRAINER);
    CHECK_INT(push(&r, "one-more", NULL), 200);
    r.api.token = (struct review_answer){0};
    call_start(&r, &calls[0], PUSH, "unanswered", LINE);
    rig_until(&r, &r.api.tokens, PENDING + 2);
    rig_end(&r); /* while one waits */
    call_done(&calls[0]);
}

TEST(the_token_of_a_job_is_for_that_job_alone) {
    static const char write[] =
        "{\"logName\":\"projects/a/logs/l\",\"entries\":[{\"jsonPayload\":{\"job_name\":\"one\",\"step_count\":1}},"
        "{\"jsonPayload\":{\"job_name\":\"three\",\"step_count\":1}}]}";
    static const char alone[] = "the token is for job \\\"one\\\" alone";
    struct rig r;
    struct call c;
    rig_begin(&r);
    CHECK_INT(call_post(&r, "/v2/entries:write", TOKEN_A, SLICE(write), alone), 403);
    CHECK_INT(call_post(&r, "/v1/push?job=three", TOKEN_A, LINE, alone), 403);
    call_list(&r, &c, "a", "three", TOKEN_A);
    CHECK(loop_until(r.loop, &c.done));
    CHECK_INT(c.status, 403);
    call_done(&c);
    CHECK_INT(endpoint_figures(r.endpoint)->entries, 0);
    rig_end(&r);
}

static bool is_leading(const void *context) {
    return *(const bool *)context;
}

TEST(a_replica_that_does_not_lead_takes_nothing) {
    struct rig r;
    bool leads = false;
    rig_begin(&r);
    endpoint_serve_while(r.endpoint, is_leading, &leads);
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, LINE, "does not lead"), 503);
    CHECK_INT(call_post(&r, "/v2/entries:list", TOKEN_A, SLICE("{}"), "does not lead"), 503);
    check_reviews(&r, 0);
    leads = true;
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, LINE, NULL), 200);
    rig_end(&r);
}
