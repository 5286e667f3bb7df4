/* The endpoints, asked by our own HTTP client on the same loop. */
#include "base/mem.h"
#include "harness.h"
#include "io/http.h"
#include "io/server.h"
#include "rawserver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void hello(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context;
    buf_format(&reply->body, "hello %.*s", SLICE_ARG(request->query));
}

static void large(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)request;
    reply->content_type = "application/json";
    for (int i = 0; i < 300000; i++)
        buf_append_char(&reply->body, (char)('a' + i % 26));
}

static const struct server_endpoint endpoints[] = {{"/hello", hello, NULL}, {"/large", large, NULL}};

static struct server *serve(struct loop *loop, const char *address, struct error **err) {
    struct server_options options = {
        .address = address, .endpoints = endpoints, .endpoint_count = (int)ARRAY_SIZE(endpoints)};
    return server_new(loop, &options, err);
}

struct asked {
    struct buf body;
    int status;
    char content_type[64];
    bool done;
};

static int on_data(void *context, struct slice bytes) {
    return buf_append_slice(&((struct asked *)context)->body, bytes);
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct asked *a = context;
    a->status = err == NULL ? reply->status : -err->code;
    snprintf(a->content_type, sizeof a->content_type, "%s", reply->content_type);
    a->done = true;
}

static void ask(struct loop *loop, struct http_client *client, const char *method, int port, const char *path,
                struct asked *a) {
    char *url CLEANUP_FREE = mem_format("http://127.0.0.1:%d%s", port, path);
    struct http_options options = {.method = method, .url = url, .body = slice_of(method[0] == 'P' ? "x" : "")};
    struct http_handler handler = {.on_data = on_data, .on_done = on_done, .context = a};
    *a = (struct asked){0};
    buf_init(&a->body, 1 << 20);
    http_start(client, &options, &handler);
    CHECK(loop_until(loop, &a->done));
}

TEST(endpoints_answer) {
    struct loop *loop = loop_new(NULL);
    struct http_client *client = http_client_new(loop);
    struct error *err CLEANUP_ERROR = NULL;
    struct server *s = serve(loop, "127.0.0.1:0", &err);
    REQUIRE(s != NULL);
    const struct {
        const char *method, *path, *body;
        int status;
    } cases[] = {{"GET", "/hello?a=b", "hello a=b", 200},
                 {"GET", "/hello?a=b&name=c%2Dd", "hello a=b&name=c-d", 200},
                 {"GET", "/hello", "hello ", 200},
                 {"HEAD", "/hello", "", 200},
                 {"GET", "/nowhere", "not found\n", 404},
                 {"GET", "/hello/", "not found\n", 404},
                 {"PUT", "/hello", "only GET and HEAD\n", 405}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct asked a;
        ask(loop, client, cases[i].method, server_port(s), cases[i].path, &a);
        if (a.status != cases[i].status || strcmp(buf_text(&a.body), cases[i].body) != 0)
            harness_fail(__FILE__, __LINE__, "%s %s: %d %s", cases[i].method, cases[i].path, a.status,
                         buf_text(&a.body));
        buf_done(&a.body);
    }
    struct asked a;
    ask(loop, client, "GET", server_port(s), "/large", &a);
    CHECK_INT(a.body.size_bytes, 300000);
    CHECK_TEXT(a.content_type, "application/json");
    buf_done(&a.body);
    http_client_free(client);
    server_free(s);
    loop_free(loop);
}

TEST(a_reader_that_stops_reading_costs_nothing) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, "127.0.0.1:0", NULL);
    REQUIRE(s != NULL);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(s)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    REQUIRE(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    static const char request[] = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
    CHECK(write(fd, request, sizeof request - 1) > 0);
    loop_for(loop, 50000);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    loop_for(loop, 300000);
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_nvcsw - before.ru_nvcsw < 20);
    CHECK(after.ru_utime.tv_sec * 1000000 + after.ru_utime.tv_usec -
              (before.ru_utime.tv_sec * 1000000 + before.ru_utime.tv_usec) <
          100000);
    close(fd);
    loop_for(loop, 10000);
    server_free(s);
    loop_free(loop);
}

/* All of a reply reaches a peer that reads slowly, also if the connection ends with it. */
static void read_slowly(const char *request, int read_bytes) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, "127.0.0.1:0", NULL);
    REQUIRE(s != NULL);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(s)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    REQUIRE(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    CHECK(write(fd, request, strlen(request)) > 0);
    CLEANUP_BUF struct buf all;
    buf_init(&all, 1 << 20);
    char piece[65536];
    for (int idle = 0; idle < 2000;) {
        loop_for(loop, 1000);
        ssize_t got = recv(fd, piece, (size_t)read_bytes, MSG_DONTWAIT);
        if (got == 0)
            break;
        idle = got > 0 ? 0 : idle + 1;
        if (got > 0)
            buf_append(&all, piece, (size_t)got);
        const char *body = strstr(buf_text(&all), "\r\n\r\n");
        if (body != NULL && all.size_bytes - (size_t)(body + 4 - all.data) >= 300000)
            break;
    }
    const char *body = strstr(buf_text(&all), "\r\n\r\n");
    CHECK(body != NULL && all.size_bytes - (size_t)(body + 4 - all.data) == 300000);
    close(fd);
    loop_for(loop, 10000);
    server_free(s);
    loop_free(loop);
}

TEST(a_slow_reader_gets_all_of_it) {
    static const char *const requests[] = {"GET /large HTTP/1.1\r\nHost: x\r\n\r\n",
                                           "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                                           "GET /large HTTP/1.0\r\nHost: x\r\n\r\n"};
    static const int sizes[] = {1777, 4096, 20000, 65536};
    for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
        for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
            read_slowly(requests[i], sizes[k]);
}

TEST(a_wrong_address_is_an_error) {
    struct loop *loop = loop_new(NULL);
    const struct {
        const char *address, *error;
    } cases[] = {{"nonsense", "\"nonsense\" is not an address; write HOST:PORT, :PORT or [IPV6]:PORT"},
                 {"127.0.0.1:99999", "\"127.0.0.1:99999\" is not an address; write"},
                 {"example.org:80", "\"example.org:80\" is not an address: "},
                 {"192.0.2.1:80", "cannot listen on 192.0.2.1:80: "}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error *err CLEANUP_ERROR = NULL;
        CHECK(serve(loop, cases[i].address, &err) == NULL);
        if (strncmp(error_text(err), cases[i].error, strlen(cases[i].error)) != 0)
            harness_fail(__FILE__, __LINE__, "%s", error_text(err));
    }
    struct error *err CLEANUP_ERROR = NULL;
    CHECK(serve(loop, "0", &err) == NULL && err == NULL);
    CHECK(serve(loop, "", &err) == NULL && err == NULL);
    loop_free(loop);
}

/* What a peer says, and what it is answered: the first bytes, up to the end of the connection or of the loop's time. */
static void talk(struct loop *loop, int port, const char *request, char *answer, size_t size) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    size_t n = 0;
    answer[0] = '\0';
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    CHECK(write(fd, request, strlen(request)) == (ssize_t)strlen(request));
    for (int i = 0; i < 100; i++) {
        loop_for(loop, 5000);
        ssize_t got = recv(fd, answer + n, size - 1 - n, MSG_DONTWAIT);
        if (got == 0 || (n > 0 && got < 0))
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    answer[n] = '\0';
    close(fd);
    loop_for(loop, 5000);
}

/* lws picks a virtual host by the Host header: every connection must stay with the socket that it came by. */
TEST(two_servers_do_not_mix) {
    struct loop *loop = loop_new(NULL);
    struct http_client *client = http_client_new(loop);
    struct server_options options = {.address = "127.0.0.1:0", .endpoints = &endpoints[1], .endpoint_count = 1};
    struct server *first = serve(loop, "127.0.0.1:0", NULL), *second = server_new(loop, &options, NULL);
    REQUIRE(first != NULL && second != NULL);
    struct asked a;
    ask(loop, client, "GET", server_port(first), "/hello", &a);
    CHECK_INT(a.status, 200);
    buf_done(&a.body);
    ask(loop, client, "GET", server_port(second), "/hello", &a);
    CHECK_INT(a.status, 404);
    buf_done(&a.body);
    server_free(first);
    ask(loop, client, "GET", server_port(second), "/large", &a);
    CHECK_INT(a.status, 200);
    buf_done(&a.body);
    http_client_free(client);
    server_free(second);
    loop_free(loop);
}

static int next(void *context, void *who, int64_t *cursor, struct buf *message) {
    const int64_t *newest = context;
    if (*cursor >= *newest)
        return who != NULL ? -1 : 0;
    buf_format(message, "news %d%s", (int)++*cursor, who != NULL ? (const char *)who : "");
    return 1;
}

#define UPGRADE(host, more)                                                                                            \
    "GET /feed HTTP/1.1\r\nHost: " host "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"                            \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" more "\r\n"
#define PROTOCOL "Sec-WebSocket-Protocol: goodput\r\n"

static int released;
static void *admit(void *context, const struct server_request *request) {
    (void)context;
    return slice_is(request->cookie, "a=b; who=me") || slice_is(request->authorization, "me") ? " for me" : NULL;
}
static void release(void *who) {
    CHECK_TEXT(who, " for me");
    released++;
}

TEST(a_feed_that_admits_is_for_those_whom_it_knows) {
    struct loop *loop = loop_new(NULL);
    int64_t newest = 1;
    struct server_feed feed = {"/feed", next, &newest, admit, release};
    struct server_options options = {
        .address = "127.0.0.1:0", .endpoints = endpoints, .endpoint_count = 1, .feed = &feed, .is_for_browsers = true};
    struct server *s = server_new(loop, &options, NULL);
    REQUIRE(s != NULL);
    char answer[4096];
    static const char *const admitted[] = {UPGRADE("localhost:1", PROTOCOL "Cookie: a=b; who=me\r\n"),
                                           UPGRADE("localhost:1", PROTOCOL "Authorization: me\r\n")};
    released = 0;
    for (size_t i = 0; i < ARRAY_SIZE(admitted); i++) {
        talk(loop, server_port(s), admitted[i], answer, sizeof answer);
        CHECK(strstr(answer, "\x81\x0dnews 1 for me") != NULL); /* then next() ends it */
        CHECK_INT(released, (int)i + 1);
    }
    static const char *const refused[] = {UPGRADE("localhost:1", PROTOCOL),
                                          UPGRADE("localhost:1", PROTOCOL "Cookie: who=you\r\n")};
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        talk(loop, server_port(s), refused[i], answer, sizeof answer);
        CHECK(strstr(answer, "news") == NULL);
    }
    server_free(s);
    loop_free(loop);
    CHECK_INT(released, 2);
}

static void count_headers(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context;
    buf_format(&reply->body, "%zu %zu", request->authorization.size_bytes, request->cookie.size_bytes);
}

TEST(long_tokens_have_room) {
    struct loop *loop = loop_new(NULL);
    const struct server_endpoint endpoint = {"/count", count_headers, NULL};
    const struct server_options options = {.address = "127.0.0.1:0", .endpoints = &endpoint, .endpoint_count = 1};
    struct server *s = server_new(loop, &options, NULL);
    REQUIRE(s != NULL);
    static const struct {
        const char *header, *answer;
        int length;
    } cases[] = {{"Authorization", "\r\n\r\n14000 0", 14000},
                 {"Cookie", "\r\n\r\n0 14000", 14000},
                 {"Authorization", "", 30000}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *request =
            mem_format("GET /count HTTP/1.1\r\nHost: x\r\n%s: %0*d\r\n\r\n", cases[i].header, cases[i].length, 0);
        char answer[4096];
        talk(loop, server_port(s), request, answer, sizeof answer);
        CHECK(*cases[i].answer != '\0' ? strstr(answer, cases[i].answer) != NULL
                                       : strncmp(answer, "HTTP/1.1 200", 12) != 0);
    }
    server_free(s);
    loop_free(loop);
}

TEST(the_feed_is_for_its_own_page) {
    struct loop *loop = loop_new(NULL);
    int64_t newest = 2;
    struct server_feed feed = {.path = "/feed", .next = next, .context = &newest};
    struct server_options options = {
        .address = "127.0.0.1:0", .endpoints = endpoints, .endpoint_count = 1, .feed = &feed, .is_for_browsers = true};
    struct server *s = server_new(loop, &options, NULL);
    REQUIRE(s != NULL);
    char answer[4096];
    /* RFC 6455 section 1.3 has this key's answer; then two text frames. */
    talk(loop, server_port(s), UPGRADE("localhost:1", PROTOCOL "Origin: http://localhost:1\r\n"), answer,
         sizeof answer);
    CHECK(strncmp(answer, "HTTP/1.1 101 ", 13) == 0);
    CHECK(strstr(answer, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") != NULL);
    CHECK(strstr(answer, "\x81\x06news 1\x81\x06news 2") != NULL);
    static const char *const refused[] = {UPGRADE("localhost:1", PROTOCOL "Origin: http://elsewhere.example\r\n"),
                                          UPGRADE("localhost:1", PROTOCOL "Origin: http://localhost:2\r\n"),
                                          UPGRADE("rebound.example", PROTOCOL), UPGRADE("localhost:1", ""),
                                          "GET /hello HTTP/1.1\r\nHost: rebound.example\r\n\r\n"};
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        talk(loop, server_port(s), refused[i], answer, sizeof answer);
        if (strncmp(answer, "HTTP/1.1 101", 12) == 0 || strstr(answer, "hello") != NULL || strstr(answer, "news"))
            harness_fail(__FILE__, __LINE__, "%s was answered: %s", refused[i], answer);
    }
    talk(loop, server_port(s), "GET /hello HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", answer, sizeof answer);
    CHECK(strstr(answer, "hello") != NULL);
    server_feed_wake(s);
    server_free(s);
    loop_free(loop);
}

static struct server_ticket *ticket;
static bool is_at_once;
static void answer_now(void *context) {
    struct server_reply reply = {.status = 401};
    (void)context;
    buf_init(&reply.body, 64);
    buf_append_text(&reply.body, "who?");
    server_answer(ticket, &reply);
    buf_done(&reply.body);
}
static void later(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)reply;
    ticket = server_reply_later(request);
    if (is_at_once)
        answer_now(NULL);
}

TEST(an_answer_may_come_later) {
    struct loop *loop = loop_new(NULL);
    struct http_client *client = http_client_new(loop);
    struct server_endpoint endpoint = {"/later", later, NULL};
    struct server_options options = {.address = "127.0.0.1:0", .endpoints = &endpoint, .endpoint_count = 1};
    struct server *s = server_new(loop, &options, NULL);
    REQUIRE(s != NULL);
    struct loop_timer *timer = loop_timer_new(loop, answer_now, NULL);
    struct asked a;
    loop_timer_set(timer, 20000);
    ask(loop, client, "GET", server_port(s), "/later", &a);
    CHECK_INT(a.status, 401);
    CHECK_TEXT(buf_text(&a.body), "who?");
    buf_done(&a.body);
    /* Now may be later, too. */
    is_at_once = true;
    ask(loop, client, "GET", server_port(s), "/later", &a);
    is_at_once = false;
    CHECK_INT(a.status, 401);
    CHECK_TEXT(buf_text(&a.body), "who?");
    buf_done(&a.body);
    /* The peer goes away before the answer comes; then the server does. */
    char nothing[16];
    talk(loop, server_port(s), "GET /later HTTP/1.1\r\nHost: x\r\n\r\n", nothing, sizeof nothing);
    answer_now(NULL);
    talk(loop, server_port(s), "GET /later HTTP/1.1\r\nHost: x\r\n\r\n", nothing, sizeof nothing);
    server_free(s);
    answer_now(NULL);
    loop_timer_free(timer);
    http_client_free(client);
    loop_free(loop);
}

/* ---- bodies ---- */

static void echo(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context;
    buf_format(&reply->body, "%.*s|%.*s|", SLICE_ARG(request->query), SLICE_ARG(request->authorization));
    buf_append_slice(&reply->body, request->body);
}

static void post(struct loop *loop, struct http_client *client, int port, const char *path, struct slice body,
                 struct asked *a) {
    char *url CLEANUP_FREE = mem_format("http://127.0.0.1:%d%s", port, path);
    const char *const headers[] = {"Authorization: Bearer x", NULL};
    struct http_options options = {.method = "POST", .url = url, .headers = headers, .body = body};
    struct http_handler handler = {.on_data = on_data, .on_done = on_done, .context = a};
    *a = (struct asked){0};
    buf_init(&a->body, 2 << 20);
    http_start(client, &options, &handler);
    CHECK(loop_until(loop, &a->done));
}

TEST(bodies_are_taken_up_to_their_limit) {
    enum { MAX = 1 << 20 };
    struct loop *loop = loop_new(NULL);
    struct http_client *client = http_client_new(loop);
    const struct server_endpoint both[] = {{"/v2/entries:write", echo, NULL}, {"/hello", hello, NULL}};
    struct server_options options = {
        .address = "127.0.0.1:0", .endpoints = both, .endpoint_count = 2, .max_body_bytes = MAX};
    struct server *s = server_new(loop, &options, NULL);
    char *bytes CLEANUP_FREE = mem_alloc(MAX + 2);
    struct asked a;
    REQUIRE(s != NULL);
    memset(bytes, 'b', MAX + 1);
    const struct {
        const char *path;
        size_t size;
        int status;
        const char *begins;
    } cases[] = {{"/v2/entries:write?a=b", 3, 200, "a=b|Bearer x|bbb"},
                 {"/v2/entries:write", 0, 200, "|Bearer x|"},
                 {"/v2/entries:write", MAX - 1, 200, "|Bearer x|bbb"},
                 {"/v2/entries:write", MAX, 200, "|Bearer x|bbb"},
                 {"/v2/entries:write", MAX + 1, 413, "the body is too large\n"},
                 {"/v2/entries:write", 5, 200, "|Bearer x|bbbbb"},
                 {"/nowhere", 5, 404, "not found\n"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {

        post(loop, client, server_port(s), cases[i].path, (struct slice){bytes, cases[i].size}, &a);
        if (a.status != cases[i].status || strncmp(buf_text(&a.body), cases[i].begins, strlen(cases[i].begins)) != 0 ||
            (a.status == 200 && a.body.size_bytes != strlen("|Bearer x|") + cases[i].size + (i == 0 ? 3 : 0)))
            harness_fail(__FILE__, __LINE__, "case %zu: %d %.40s, %zu bytes", i, a.status, buf_text(&a.body),
                         a.body.size_bytes);
        buf_done(&a.body);
    }
    ask(loop, client, "GET", server_port(s), "/v2/entries:write", &a);
    CHECK_INT(a.status, 405);
    CHECK_TEXT(buf_text(&a.body), "only POST\n");
    buf_done(&a.body);
    /* Those that never send the rest: what they were to hold is given back. */
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(s))};
    static const char part[] = "POST /v2/entries:write HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\nabc";
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 80; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
        CHECK(write(fd, part, sizeof part - 1) == (ssize_t)sizeof part - 1);
        loop_for(loop, 2000);
        close(fd);
    }
    loop_for(loop, 20000);
    char reply[512];
    talk(loop, server_port(s), "POST /v2/entries:write HTTP/1.1\r\nHost: x\r\n\r\n", reply, sizeof reply);
    CHECK(strstr(reply, " 411 ") != NULL);
    post(loop, client, server_port(s), "/v2/entries:write", (struct slice){bytes, MAX}, &a);
    CHECK_INT(a.status, 200);
    buf_done(&a.body);
    server_free(s);
    http_client_free(client);
    loop_free(loop);
}
