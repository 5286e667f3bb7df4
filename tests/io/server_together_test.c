/* Requests that a client sends together, without waiting for the replies (RFC 9112 section 9.3.2). libwebsockets 4.1
 * loops forever over some of them, 4.3 closes the connection in the middle of a reply. */
#include "base/mem.h"
#include "harness.h"
#include "io/server.h"
#include "rawserver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int handled;

static void large(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context;
    handled++;
    for (int i = 0; i < 200000; i++)
        buf_append_slice(&reply->body, request->query);
    buf_append_slice(&reply->body, request->body);
}

/* The same, from another turn of the loop. */
static struct server_ticket *ticket;

static void large_now(void *context) {
    struct slice *query = context;
    struct server_reply reply = {.status = 200};
    buf_init(&reply.body, 1 << 20);
    large(NULL, &(struct server_request){.query = *query}, &reply);
    server_answer(ticket, &reply);
    buf_done(&reply.body);
}

static void large_later(void *context, const struct server_request *request, struct server_reply *reply) {
    static char letter;
    static struct slice query = {&letter, 1};
    (void)reply;
    letter = request->query.data[0];
    ticket = server_reply_later(request);
    loop_defer(context, large_now, &query);
}

static struct server_endpoint endpoints[] = {{"/large", large, NULL}, {"/later", large_later, NULL}};

enum { HALF_CLOSE = 1 };

/* All that comes back until the server ends the connection. */
static void say_to(struct loop *loop, int port, const char *requests, int window_bytes, int how, struct buf *all) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (window_bytes > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window_bytes, sizeof window_bytes);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char piece[65536];
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    CHECK(write(fd, requests, strlen(requests)) == (ssize_t)strlen(requests));
    if (how == HALF_CLOSE)
        shutdown(fd, SHUT_WR);
    for (int i = 0; i < 60000; i++) {
        loop_for(loop, 1000);
        ssize_t got = recv(fd, piece, sizeof piece, MSG_DONTWAIT);
        if (got == 0)
            break;
        if (got > 0)
            buf_append(all, piece, (size_t)got);
    }
    close(fd);
}

static void say(struct loop *loop, int port, const char *requests, struct buf *all) {
    say_to(loop, port, requests, 0, 0, all);
}

static struct server *serve(struct loop *loop, size_t max_body_bytes) {
    struct server_options options = {.address = "127.0.0.1:0",
                                     .endpoints = endpoints,
                                     .endpoint_count = ARRAY_SIZE(endpoints),
                                     .max_body_bytes = max_body_bytes};
    handled = 0;
    endpoints[1].context = loop;
    return server_new(loop, &options, NULL);
}

static int count(const struct buf *all, const char *text) {
    int n = 0;
    for (const char *at = buf_text(all); (at = strstr(at, text)) != NULL; at++)
        n++;
    return n;
}

#define GET_OF(path, more) "GET " path " HTTP/1.1\r\nHost: x\r\n" more "\r\n"
#define GET(query, more) GET_OF("/large?" query, more)
#define POST(query) "POST /large?" query " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"

static void check_replies(const struct buf *all, const char *letters) {
    const char *at = buf_text(all);
    for (const char *l = letters; *l != '\0'; l++) {
        const char letter[] = {*l, '\0'}, *body = strstr(at, "\r\n\r\n");
        REQUIRE(strncmp(at, "HTTP/1.", 7) == 0 && strncmp(at + 8, " 200 ", 5) == 0 && body != NULL);
        CHECK_INT(strspn(body + 4, letter), 200000);
        at = body + 4 + strspn(body + 4, letter);
    }
    CHECK_TEXT(at, "");
}

/* Every request is answered, whole and in order. */
TEST(replies_come_whole) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, 0);
    REQUIRE(s != NULL);
    static const struct {
        const char *requests, *letters;
    } cases[] = {
        {GET("a", "") GET("b", "") GET("c", "Connection: close\r\n"), "abc"},
        {GET_OF("/later?a", "") GET_OF("/later?b", "") GET_OF("/later?c", "Connection: close\r\n"), "abc"},
        {GET_OF("/later?a", "") GET("b", "") GET_OF("/later?c", "Connection: close\r\n"), "abc"},
        {GET("a", "") GET_OF("/later?b", "Connection: close\r\n"), "ab"},
        {GET("a", "Connection: close\r\n") GET("b", ""), "a"},
        {"GET /large?a HTTP/1.0\r\n\r\n", "a"},
        {GET("a", "Connection: close\r\n") "GET /large?b", "a"},
    };
    static const int windows_bytes[] = {0, 4096};
    for (size_t i = 0; i < ARRAY_SIZE(windows_bytes) * ARRAY_SIZE(cases) * 2; i++) {
        CLEANUP_BUF struct buf all;
        size_t n = i / 4;
        buf_init(&all, 1 << 21);
        handled = 0;
        say_to(loop, server_port(s), cases[n].requests, windows_bytes[i % 2], i / 2 % 2, &all);
        check_replies(&all, cases[n].letters);
        CHECK_INT(handled, (int)strlen(cases[n].letters));
    }
    server_free(s);
    loop_free(loop);
}

/* Behind another request most of these stopped the process for good. */
TEST(an_unrequested_body_ends_its_connection_only) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, 0);
    REQUIRE(s != NULL);
    static const char *const bodies[] = {
        "Content-Length: 5\r\n\r\nhello" GET("c", ""),
        "Content-Length: 5, 5\r\n\r\n" GET("c", ""),
        "Content-Length: 5\r\nContent-Length: 0\r\n\r\n" GET("c", ""),
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    };
    static const char *const before[] = {"", "HEAD /large?a HTTP/1.1\r\nHost: x\r\n\r\n", GET("a", "")};
    static const char *const methods[] = {"GET", "HEAD", "POST", "PUT"};
    for (size_t i = 0; i < ARRAY_SIZE(bodies) * ARRAY_SIZE(before) * ARRAY_SIZE(methods); i++) {
        const char *body = bodies[i % ARRAY_SIZE(bodies)], *first = before[i / ARRAY_SIZE(bodies) % ARRAY_SIZE(before)];
        const char *method = methods[i / ARRAY_SIZE(bodies) / ARRAY_SIZE(before)];
        char *requests CLEANUP_FREE = mem_format("%s%s /large?b HTTP/1.1\r\nHost: x\r\n%s", first, method, body);
        CLEANUP_BUF struct buf all, after;
        buf_init(&all, 1 << 21);
        buf_init(&after, 1 << 21);
        handled = 0;
        say(loop, server_port(s), requests, &all);
        bool may_end_early = strncmp(first, "GET", 3) == 0; /* with the reply to that one */
        CHECK(count(&all, "HTTP/1.1 40") == 1 || may_end_early);
        CHECK_INT(count(&all, "connection: close"), count(&all, "HTTP/1.1 40"));
        CHECK_INT(handled, first[0] == '\0' ? 0 : 1);
        say(loop, server_port(s), GET("d", "Connection: close\r\n"), &after);
        CHECK_INT(count(&after, "HTTP/1.1 200 "), 1);
    }
    server_free(s);
    loop_free(loop);
}

TEST(one_body_to_a_connection) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, 1000);
    REQUIRE(s != NULL);
    static const char *const after[] = {"", POST("b"), "x", "\r\n\r\n", GET("b", ""), "HEAD / HTTP/1.1\r\n\r\n"};
    for (size_t i = 0; i < ARRAY_SIZE(after) * 2; i++) {
        char *requests CLEANUP_FREE = mem_format("%s%s", POST("a"), after[i / 2]);
        CLEANUP_BUF struct buf all;
        buf_init(&all, 1 << 21);
        handled = 0;
        say_to(loop, server_port(s), requests, 0, i % 2, &all);
        CHECK_INT(count(&all, "HTTP/1.1 200 "), 1);
        CHECK_INT(count(&all, "connection: close"), 1);
        CHECK_INT(count(&all, "ahello"), 1);
        CHECK_INT(handled, 1);
    }
    server_free(s);
    loop_free(loop);
}

/* What a refused body is followed by is not read as a request. */
TEST(a_refused_body_gets_one_answer) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, 4);
    REQUIRE(s != NULL);
    static const char *const after[] = {"", POST("b"), GET("b", "")};
    for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
        char *requests CLEANUP_FREE = mem_format("%s%s", POST("a"), after[i]);
        CLEANUP_BUF struct buf all;
        buf_init(&all, 1 << 21);
        say(loop, server_port(s), requests, &all);
        CHECK_INT(count(&all, "HTTP/1.1 413 "), 1);
        CHECK_INT(count(&all, "HTTP/1.1 "), 1);
        CHECK_INT(handled, 0);
    }
    server_free(s);
    loop_free(loop);
}

/* HTTP/2 without TLS is another protocol with its own faults, and nobody's need here. */
TEST(no_upgrade_to_http2) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, 0);
    REQUIRE(s != NULL);
    CLEANUP_BUF struct buf all;
    buf_init(&all, 1 << 21);
    say(loop, server_port(s),
        GET("a", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"),
        &all);
    CHECK_INT(count(&all, "101"), 0);
    CHECK_INT(handled, 0);
    server_free(s);
    loop_free(loop);
}
