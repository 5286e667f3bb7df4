/* Who sees what on the shared page: what the API server is asked, and what each reader gets of it. */
#include "harness.h"

#include "base/mem.h"
#include "export/page.h"
#include "export/viewers.h"
#include "io/http.h"
#include "reviews.h"
#include "steer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_US INT64_C(1000000)
#define ANNA "{\"username\":\"anna\",\"groups\":[\"team\"]}"

struct rig {
    struct loop *loop;
    struct reviews api;
    struct fleet fleet, rollups;
    struct viewers *viewers;
    struct page *page;
    struct http_client *http;
};

struct asked {
    int status;
    struct buf body;
    bool done;
};

static int write_ledger(void *context, const char *namespace_, const char *name, struct buf *lines) {
    (void)context;
    if (strcmp(name, "late") == 0)
        return 503;
    if (strcmp(name, "absent") == 0)
        return 404;
    buf_format(lines, "{\"name\":\"%s/%s\"}\n", namespace_, name);
    while (strcmp(name, "long") == 0 && !lines->truncated)
        buf_format(lines, "{\"name\":\"%65536d\"}\n", 0);
    return 200;
}

static void put(struct rig *r, const char *namespace_, const char *name) {
    CLEANUP_FREE char *text = mem_format("{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"}}", namespace_, name);
    CHECK_INT(fleet_put(&r->fleet, namespace_, name, slice_of(text)), 0);
}

static void begin(struct rig *r) {
    *r = (struct rig){.loop = loop_new(NULL)};
    reviews_begin(&r->api, r->loop);
    fleet_init(&r->fleet);
    fleet_init(&r->rollups);
    put(r, "a", "mine");
    put(r, "b", "theirs");
    put(r, "a", "mine-too");
    CHECK_INT(fleet_put(&r->rollups, "", "all", SLICE("{\"metadata\":{\"name\":\"all\"}}")), 0);
    r->viewers = viewers_new(r->api.client, &r->fleet);
    const struct page_options options = {.loop = r->loop,
                                         .address = "127.0.0.1:0",
                                         .fleet = &r->fleet,
                                         .rollups = &r->rollups,
                                         .ledgers = {write_ledger, NULL},
                                         .viewers = r->viewers};
    r->page = page_new(&options, NULL);
    r->http = http_client_new(r->loop);
}

static void end(struct rig *r) {
    http_client_free(r->http);
    page_free(r->page);
    viewers_free(r->viewers);
    reviews_end(&r->api);
    fleet_done(&r->fleet);
    fleet_done(&r->rollups);
    loop_free(r->loop);
}

static int on_data(void *context, struct slice bytes) {
    return buf_append_slice(&((struct asked *)context)->body, bytes);
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct asked *a = context;
    a->status = err == NULL ? reply->status : -1;
    a->done = true;
}

static struct http_request *start(struct rig *r, struct asked *a, const char *path, const char *header) {
    CLEANUP_FREE char *url = mem_format("http://127.0.0.1:%d%s", page_port(r->page), path);
    const char *const headers[] = {header, NULL};
    struct http_options options = {.method = "GET", .url = url, .headers = headers};
    const struct http_handler handler = {NULL, on_data, on_done, a};
    *a = (struct asked){0};
    buf_init(&a->body, 1 << 20);
    return http_start(r->http, &options, &handler);
}

/* "200 BODY" */
static void check_get(struct rig *r, const char *path, const char *header, const char *answer) {
    struct asked a;
    start(r, &a, path, header);
    CHECK(loop_until(r->loop, &a.done));
    CLEANUP_FREE char *found = mem_format("%d %s", a.status, buf_text(&a.body));
    CHECK_TEXT(found, answer);
    buf_done(&a.body);
}

static bool shows_sign_in(struct rig *r, const char *header) {
    struct asked a;
    start(r, &a, "/", header);
    CHECK(loop_until(r->loop, &a.done));
    bool is = a.status == 401 && strstr(buf_text(&a.body), "<form id=\"form\">") != NULL &&
              strstr(buf_text(&a.body), "mine") == NULL;
    buf_done(&a.body);
    return is;
}

#define SIGN_IN "401 sign in, or send a bearer token of this cluster in the Authorization header\n"
#define NOT_ASKED "503 the API server did not review the token; retry later\n"
#define NO_JOB "404 no such JobGoodput\n"
#define MINE "/job?namespace=a&name=mine"
#define THEIRS "/job?namespace=b&name=theirs"
#define MINE_FOUND "200 {\"metadata\":{\"namespace\":\"a\",\"name\":\"mine\"}}"

TEST(without_a_token_there_is_a_sign_in_and_nothing_else) {
    struct rig r;
    static const char *const headers[] = {NULL,
                                          "Authorization: Bearer ",
                                          "Authorization: Basic dXNlcjpwYXNz",
                                          "Cookie: token=x",
                                          "Cookie: goodput-token=",
                                          "Cookie: goodput-tokens=x"};
    begin(&r);
    for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
        CHECK(shows_sign_in(&r, headers[i]));
        check_get(&r, MINE, headers[i], SIGN_IN);
        check_get(&r, "/fleets", headers[i], SIGN_IN);
    }
    CHECK_INT(r.api.tokens, 0);
    CHECK(shows_sign_in(&r, "Cookie: x=y; goodput-token=junk")); /* asked about, and unknown */
    CHECK_INT(r.api.tokens, 1);
    CHECK_INT(r.api.accesses, 0);
    end(&r);
}

TEST(a_reader_sees_the_namespaces_where_they_may_list) {
    struct rig r;
    begin(&r);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "\"namespace\":\"a\"";
    check_get(&r, MINE, "Cookie: x=y; goodput-token=t; z", MINE_FOUND);
    CHECK_TEXT(buf_text(&r.api.last_token), "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                                            "\"spec\":{\"token\":\"t\"}}");
    CHECK_INT(r.api.accesses, 4); /* all, fleets, a and b */
    check_get(&r, THEIRS, "Authorization: Bearer t", NO_JOB);
    check_get(&r, "/job?namespace=b&name=absent", "Authorization: Bearer t", NO_JOB); /* no difference */
    check_get(&r, "/fleets", "Authorization: Bearer t", "200 {\"items\":[]}");
    CHECK_INT(r.api.tokens, 1);
    CHECK_INT(r.api.accesses, 4);
    end(&r);
}

TEST(a_reader_gets_the_ledgers_of_their_namespaces_alone) {
    struct rig r;
    begin(&r);
    check_get(&r, "/ledger?namespace=a&name=mine", NULL, SIGN_IN);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "\"namespace\":\"a\"";
    for (int i = 0; i < 6; i++) /* more than are on their way at once */
        check_get(&r, "/ledger?namespace=a&name=mine", "Authorization: Bearer t", "200 {\"name\":\"a/mine\"}\n");
    check_get(&r, "/ledger?namespace=b&name=theirs", "Authorization: Bearer t", NO_JOB);
    check_get(&r, "/ledger?namespace=a&name=absent", "Authorization: Bearer t", NO_JOB);
    check_get(&r, "/ledger?name=mine", "Authorization: Bearer t", NO_JOB);
    check_get(&r, "/ledger?namespace=a&name=late", "Authorization: Bearer t",
              "503 this replica does not lead, has not evaluated the job yet, or is busy; retry later\n");
    end(&r);
}

TEST(a_comparison_says_which_ledger_is_too_long_and_not_to_retry) {
    struct rig r;
    begin(&r);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "\"namespace\":\"a\"";
    check_get(&r, "/compare?namespace=a&name=long&otherNamespace=a&otherName=mine", "Authorization: Bearer t",
              "500 the ledger of long is longer than 16 MiB: compare logs or archives with kubectl goodput compare\n");
    check_get(&r, "/compare?namespace=a&name=late&otherNamespace=a&otherName=mine", "Authorization: Bearer t",
              "503 this replica does not lead, has not evaluated the job yet, or is busy; retry later\n");
    end(&r);
}

TEST(a_reader_of_all_is_asked_about_no_namespace) {
    struct rig r;
    begin(&r);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "goodputs\""; /* both kinds, without a namespace too */
    check_get(&r, "/fleets", "Authorization: Bearer t", "200 {\"items\":[{\"metadata\":{\"name\":\"all\"}}]}");
    CHECK_INT(r.api.accesses, 2);
    CHECK_TEXT(
        buf_text(&r.api.last_access),
        "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SubjectAccessReview\",\"spec\":{\"user\":\"anna\","
        "\"groups\":[\"team\"],\"resourceAttributes\":{\"group\":\"goodput.dev\",\"resource\":\"fleetgoodputs\","
        "\"verb\":\"list\"}}}");
    check_get(&r, THEIRS, "Authorization: Bearer t", "200 {\"metadata\":{\"namespace\":\"b\",\"name\":\"theirs\"}}");
    end(&r);
}

TEST(a_right_that_is_withdrawn_ends_within_a_minute) {
    struct rig r;
    begin(&r);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "\"namespace\":\"a\"";
    check_get(&r, MINE, "Authorization: Bearer t", MINE_FOUND);
    r.api.allowed = "nothing";
    steer_by(50 * SECOND_US);
    check_get(&r, MINE, "Authorization: Bearer t", MINE_FOUND);
    steer_by(10 * SECOND_US);
    check_get(&r, MINE, "Authorization: Bearer t", NO_JOB);
    CHECK_INT(r.api.tokens, 2);
    end(&r);
}

TEST(an_api_server_that_fails_lets_no_one_in_and_is_asked_again) {
    struct rig r;
    begin(&r);
    r.api.token = (struct review_answer){403, "{\"kind\":\"Status\",\"message\":\"no\"}"};
    check_get(&r, MINE, "Authorization: Bearer t", NOT_ASKED);
    reviews_know(&r.api, ANNA);
    r.api.access = (struct review_answer){403, "{\"kind\":\"Status\",\"message\":\"no\"}"};
    check_get(&r, MINE, "Authorization: Bearer t", NOT_ASKED);
    r.api.access = (struct review_answer){201, "{}"}; /* does not say so */
    check_get(&r, MINE, "Authorization: Bearer t", NO_JOB);
    end(&r);
}

TEST(unknown_tokens_are_asked_about_sixteen_at_once_and_each_once) {
    struct rig r;
    struct asked asked[40];
    begin(&r);
    r.api.token.status = 0; /* no answer yet */
    for (int i = 0; i < 16; i++) {
        CLEANUP_FREE char *header = mem_format("Authorization: Bearer t%d", i);
        start(&r, &asked[i], MINE, header);
    }
    for (int i = 16; i < 20; i++)
        start(&r, &asked[i], MINE, "Cookie: goodput-token=t3");
    for (int i = 0; i < 20000 && r.api.tokens < 16; i++)
        loop_for(r.loop, 1000);
    loop_for(r.loop, 50000);
    CHECK_INT(r.api.tokens, 16);
    check_get(&r, MINE, "Authorization: Bearer other", NOT_ASKED);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "\"namespace\":\"a\"";
    reviews_release(&r.api);
    for (int i = 0; i < 20; i++) {
        CHECK(loop_until(r.loop, &asked[i].done));
        CHECK_INT(asked[i].status, 200);
        buf_done(&asked[i].body);
    }
    CHECK_INT(r.api.tokens, 16);
    end(&r);
}

/* A page that goes while a reader waits. */
TEST(questions_may_outlive_the_page) {
    struct rig r;
    struct asked a;
    begin(&r);
    r.api.token.status = 0;
    start(&r, &a, MINE, "Authorization: Bearer t");
    for (int i = 0; i < 20000 && r.api.tokens < 1; i++)
        loop_for(r.loop, 1000);
    page_free(r.page);
    r.page = NULL;
    viewers_free(r.viewers);
    r.viewers = NULL;
    CHECK(loop_until(r.loop, &a.done));
    CHECK(a.status != 200);
    buf_done(&a.body);
    end(&r);
}

static struct viewer *find(struct rig *r, const char *token) {
    CLEANUP_FREE char *header = mem_format("Bearer %s", token);
    const struct server_request request = {.authorization = slice_of(header)};
    struct viewer *viewer = NULL;
    for (int i = 0; i < 20000 && viewers_find(r->viewers, &request, &viewer) == VIEWER_ASKED; i++)
        loop_for(r->loop, 1000);
    return viewer;
}

static const char *news(struct rig *r, const struct viewer *viewer, int64_t *cursor, struct buf *message) {
    buf_clear(message);
    return page_news(&r->fleet, viewer, cursor, message) ? buf_text(message) : "";
}

#define OF(name) "{\"metadata\":{\"namespace\":\"a\",\"name\":\"" name "\"}}"

TEST(the_feed_is_silent_about_what_a_reader_may_not_list) {
    struct rig r;
    CLEANUP_BUF struct buf m;
    int64_t cursor = 0;
    begin(&r);
    buf_init(&m, 1 << 20);
    reviews_know(&r.api, ANNA);
    r.api.allowed = "\"namespace\":\"a\"";
    struct viewer *anna = find(&r, "t");
    REQUIRE(anna != NULL);
    CHECK_TEXT(news(&r, anna, &cursor, &m),
               "{\"reset\":true,\"jobs\":[" OF("mine") "," OF("mine-too") "],\"more\":false}");
    put(&r, "b", "theirs-too");
    fleet_remove(&r.fleet, "b", "theirs");
    CHECK_TEXT(news(&r, anna, &cursor, &m), "");
    fleet_remove(&r.fleet, "b", "theirs-too");
    put(&r, "a", "new");
    put(&r, "b", "more");
    fleet_remove(&r.fleet, "a", "mine");
    CHECK_TEXT(news(&r, anna, &cursor, &m), "{\"reset\":false,\"jobs\":[" OF("new") "],\"more\":true}");
    CHECK_TEXT(news(&r, anna, &cursor, &m), "{\"reset\":false,\"deleted\":[" OF("mine") "],\"more\":false}");
    CHECK_TEXT(news(&r, anna, &cursor, &m), "");
    CHECK(!viewer_is_over(anna, loop_now(r.loop).us + 599 * SECOND_US));
    CHECK(viewer_is_over(anna, loop_now(r.loop).us + 601 * SECOND_US));
    viewer_release(anna);
    end(&r);
}
