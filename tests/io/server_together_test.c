/* Requests that a client sends together, without waiting for the replies: legal (RFC 9112 section 9.3.2), and the way
 * to libwebsockets' endless loop. */
#include "base/mem.h"
#include "harness.h"
#include "io/rawserver.h"
#include "io/server.h"

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

static const struct server_endpoint endpoint = {"/large", large, NULL};

/* All that comes back until the server ends the connection. */
static void say_to(struct loop *loop, int port, const char *requests, int window_bytes, struct buf *all) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (window_bytes > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &window_bytes, sizeof window_bytes);
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char piece[65536];
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    CHECK(write(fd, requests, strlen(requests)) == (ssize_t)strlen(requests));
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
    say_to(loop, port, requests, 0, all);
}

static struct server *serve(struct loop *loop, size_t most_body_bytes) {
    struct server_options options = {.address = "127.0.0.1:0",
                                     .endpoints = &endpoint,
                                     .endpoint_count = 1,
                                     .most_body_bytes = most_body_bytes};
    handled = 0;
    return server_new(loop, &options, NULL);
}

static int count(const struct buf *all, const char *text) {
    int n = 0;
    for (const char *at = buf_text(all); (at = strstr(at, text)) != NULL; at++)
        n++;
    return n;
}

#define GET(query, more) "GET /large?" query " HTTP/1.1\r\nHost: x\r\n" more "\r\n"
#define POST(query) "POST /large?" query " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"

/* As many as are answered are answered whole and in order; the connection's end says that the others are not. */
TEST(replies_come_whole) {
    struct loop *loop = loop_new(NULL);
    struct server *s = serve(loop, 0);
    REQUIRE(s != NULL);
    static const int windows_bytes[] = {0, 4096};
    for (size_t i = 0; i < ARRAY_SIZE(windows_bytes); i++) {
        CLEANUP_BUF struct buf all;
        buf_init(&all, 1 << 21);
        handled = 0;
        say_to(loop, server_port(s), GET("a", "") GET("b", "") GET("c", "Connection: close\r\n"), windows_bytes[i], &all);
        CHECK(handled >= 1);
        const char *at = buf_text(&all);
        for (int reply = 0; reply < handled; reply++) {
            char letter[] = {(char)('a' + reply), '\0'};
            const char *body = strstr(at, "\r\n\r\n");
            REQUIRE(strncmp(at, "HTTP/1.1 200 ", 13) == 0 && body != NULL);
            CHECK_INT(strspn(body + 4, letter), 200000);
            at = body + 4 + strspn(body + 4, letter);
        }
        CHECK_TEXT(at, "");
    }
    server_free(s);
    loop_free(loop);
}

/* Behind another request most of these stopped the process for good. */
TEST(a_body_that_nobody_wants_ends_its_connection_only) {
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
        char *requests CLEANUP_FREE =
            mem_format("%s%s /large?b HTTP/1.1\r\nHost: x\r\n%s", first, method, body);
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
    CLEANUP_BUF struct buf all;
    buf_init(&all, 1 << 21);
    say(loop, server_port(s), POST("a") POST("b"), &all);
    CHECK_INT(count(&all, "HTTP/1.1 200 "), 1);
    CHECK_INT(count(&all, "connection: close"), 1);
    CHECK_INT(count(&all, "ahello"), 1);
    CHECK_INT(handled, 1);
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
        GET("a", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"), &all);
    CHECK_INT(count(&all, "101"), 0);
    CHECK_INT(handled, 0);
    server_free(s);
    loop_free(loop);
}
