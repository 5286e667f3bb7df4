/* Connections that are held open, and bodies that nobody has admitted: they keep nobody out and hold no memory. */
#include "base/mem.h"
#include "harness.h"
#include "io/server.h"
#include "io/server_listen.h"
#include "rawserver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define IDLE_SOCKETS 300
#define BODY_BYTES (8 << 20)

static void hello(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)request;
    buf_append_text(&reply->body, "hello");
}

static int connect_from(const struct server *s, in_addr_t address) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(s)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof from) != 0 ||
        connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        harness_fail(__FILE__, __LINE__, "connect: %s", strerror(errno));
        return -1;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static int connect_to(const struct server *s) {
    return connect_from(s, INADDR_LOOPBACK);
}

static void say(int fd, const char *text) {
    CHECK(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text));
}

/* Runs the loop until the socket has said something with this text in it; false after five seconds. */
static bool hears(struct loop *loop, int fd, const char *text) {
    char heard[4096] = "";
    size_t size = 0;
    for (int i = 0; i < 500; i++) {
        ssize_t n = recv(fd, heard + size, sizeof heard - 1 - size, 0);
        size += n > 0 ? (size_t)n : 0;
        heard[size] = '\0';
        if (strstr(heard, text) != NULL)
            return true;
        loop_for(loop, 10000);
    }
    return false;
}

static bool answers(struct loop *loop, const struct server *s) {
    int fd = connect_to(s);
    say(fd, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
    bool is_heard = hears(loop, fd, "hello");
    close(fd);
    return is_heard;
}

TEST(idle_sockets_do_not_block_others) {
    const struct server_endpoint endpoint = {"/hello", hello, NULL};
    const struct server_options options = {
        .address = "127.0.0.1:0", .endpoints = &endpoint, .endpoint_count = 1, .max_connections = 16};
    struct loop *loop = loop_new(NULL);
    struct server *crowded = server_new(loop, &options, NULL), *other = server_new(loop, &options, NULL);
    REQUIRE(crowded != NULL && other != NULL);
    int idle[IDLE_SOCKETS];
    for (int i = 0; i < IDLE_SOCKETS; i++) {
        idle[i] = connect_to(crowded);
        if (i % 8 == 0)
            say(idle[i], "GET /hello HTTP/1.1\r\nHost: loc"); /* a slow one */
        loop_for(loop, 500);
    }
    CHECK(answers(loop, crowded));
    CHECK(answers(loop, other));
    CHECK(answers(loop, crowded));
    for (int i = 0; i < IDLE_SOCKETS; i++)
        close(idle[i]);
    server_free(crowded);
    server_free(other);
    loop_free(loop);
}

/* The kubelet's probe waits for its turn while a pod opens sockets faster than the loop turns. */
TEST(sockets_of_one_address_evict_no_socket_of_another) {
    const struct server_endpoint endpoint = {"/hello", hello, NULL};
    const struct server_options options = {
        .address = "127.0.0.1:0", .endpoints = &endpoint, .endpoint_count = 1, .max_connections = 16};
    struct loop *loop = loop_new(NULL);
    struct server *crowded = server_new(loop, &options, NULL);
    REQUIRE(crowded != NULL);
    int idle[IDLE_SOCKETS], probes[3];
    for (int i = 0; i < IDLE_SOCKETS; i++) {
        if (i % 100 == 50)
            probes[i / 100] = connect_to(crowded);
        idle[i] = connect_from(crowded, INADDR_LOOPBACK + 65);
        if (i % 60 == 59)
            loop_for(loop, 5000);
    }
    for (int i = 0; i < 3; i++) {
        say(probes[i], "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
        CHECK(hears(loop, probes[i], "hello"));
        close(probes[i]);
    }
    for (int i = 0; i < IDLE_SOCKETS; i++)
        close(idle[i]);
    server_free(crowded);
    loop_free(loop);
}

struct gatekeeper {
    struct server_ticket *ticket;
    size_t announced_bytes;
    int asked, dropped;
    bool is_handled;
    size_t handled_bytes;
    int token;
};

static void ask_later(void *context, const struct server_request *request, size_t body_bytes,
                      struct server_ticket *ticket) {
    struct gatekeeper *g = context;
    CHECK_INT((int)request->body.size_bytes, 0);
    CHECK_TEXT(request->peer, "127.0.0.1");
    g->asked++;
    g->ticket = ticket;
    g->announced_bytes = body_bytes;
}

static void on_drop(void *admitted) {
    struct gatekeeper *g = admitted;
    g->dropped++;
}

static void take(void *context, const struct server_request *request, struct server_reply *reply) {
    struct gatekeeper *g = context;
    CHECK(request->admitted == &g->token || request->admitted == NULL);
    g->is_handled = true;
    g->handled_bytes = request->body.size_bytes;
    buf_append_text(&reply->body, "taken");
}

struct posting {
    struct loop *loop;
    struct server *server;
    struct gatekeeper keeper;
    int fd;
    size_t sent;
};

static void post(struct posting *p, void (*handle)(void *, const struct server_request *, struct server_reply *)) {
    static struct server_endpoint endpoint;
    char head[200];
    endpoint = (struct server_endpoint){"/take", handle, &p->keeper};
    const struct server_options options = {.address = "127.0.0.1:0",
                                           .endpoints = &endpoint,
                                           .endpoint_count = 1,
                                           .max_body_bytes = BODY_BYTES,
                                           .admit = ask_later};
    *p = (struct posting){.loop = loop_new(NULL)};
    endpoint.context = &p->keeper;
    p->server = server_new(p->loop, &options, NULL);
    p->fd = connect_to(p->server);
    snprintf(head, sizeof head, "POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", BODY_BYTES);
    say(p->fd, head);
}

static void send_body(struct posting *p, int turns) {
    static const char piece[65536];
    for (int i = 0; i < turns && p->sent < BODY_BYTES; i++) {
        size_t left = BODY_BYTES - p->sent;
        ssize_t n = send(p->fd, piece, left < sizeof piece ? left : sizeof piece, MSG_NOSIGNAL);
        p->sent += n > 0 ? (size_t)n : 0;
        loop_for(p->loop, 2000);
    }
}

static void end(struct posting *p) {
    close(p->fd);
    loop_for(p->loop, 50000);
    server_free(p->server);
    loop_free(p->loop);
}

TEST(a_body_waits_in_the_socket_until_it_is_admitted) {
    struct posting p;
    post(&p, take);
    send_body(&p, 300);
    CHECK_INT(p.keeper.asked, 1);
    CHECK_INT((int)p.keeper.announced_bytes, BODY_BYTES);
    CHECK(p.sent < BODY_BYTES); /* the rest does not fit into the kernel's buffers */
    CHECK(!p.keeper.is_handled);
    server_admit(p.keeper.ticket, &(struct server_admission){.status = 200, .admitted = &p.keeper.token});
    send_body(&p, 5000);
    CHECK_INT((int)p.sent, BODY_BYTES);
    CHECK(hears(p.loop, p.fd, "taken"));
    CHECK_INT((int)p.keeper.handled_bytes, BODY_BYTES);
    end(&p);
}

TEST(a_body_that_is_refused_is_dropped_and_answered) {
    struct posting p;
    post(&p, take);
    send_body(&p, 20);
    CHECK_INT(p.keeper.asked, 1);
    server_admit(p.keeper.ticket, &(struct server_admission){.status = 401, .text = "who is this?\n"});
    send_body(&p, 5000);
    CHECK(hears(p.loop, p.fd, "who is this?"));
    CHECK(!p.keeper.is_handled);
    end(&p);
}

TEST(what_was_admitted_is_dropped_with_its_connection) {
    struct posting p;
    post(&p, take);
    send_body(&p, 20);
    CHECK_INT(p.keeper.asked, 1);
    server_admit(p.keeper.ticket, &(struct server_admission){.status = 200, .admitted = &p.keeper, .drop = on_drop});
    send_body(&p, 5);
    end(&p);
    CHECK_INT(p.keeper.dropped, 1);
    CHECK(!p.keeper.is_handled);
}

TEST(an_admission_may_come_after_the_connection_has_ended) {
    struct posting p;
    post(&p, take);
    send_body(&p, 20);
    struct server_ticket *ticket = p.keeper.ticket;
    end(&p);
    CHECK_INT(p.keeper.asked, 1);
    server_admit(ticket, &(struct server_admission){.status = 200, .admitted = &p.keeper, .drop = on_drop});
    CHECK_INT(p.keeper.dropped, 1);
}

static void admit_at_once(void *context, const struct server_request *request, size_t body_bytes,
                          struct server_ticket *ticket) {
    struct gatekeeper *g = context;
    (void)request;
    g->announced_bytes = body_bytes;
    server_admit(ticket, &(struct server_admission){.status = 200, .admitted = &g->token, .drop = on_drop});
}

TEST(an_empty_body_and_one_with_its_headers_are_admitted_too) {
    static const char *const requests[] = {"POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
                                           "POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"};
    for (size_t i = 0; i < 4; i++) {
        struct gatekeeper keeper = {0};
        const struct server_endpoint endpoint = {"/take", take, &keeper};
        const struct server_options options = {.address = "127.0.0.1:0",
                                               .endpoints = &endpoint,
                                               .endpoint_count = 1,
                                               .max_body_bytes = 100,
                                               .admit = i < 2 ? admit_at_once : ask_later};
        struct loop *loop = loop_new(NULL);
        struct server *server = server_new(loop, &options, NULL);
        int fd = connect_to(server);
        say(fd, requests[i % 2]);
        if (i >= 2) {
            for (int k = 0; k < 500 && keeper.asked == 0; k++)
                loop_for(loop, 10000);
            REQUIRE(keeper.asked == 1);
            server_admit(keeper.ticket, &(struct server_admission){.status = 200, .admitted = &keeper.token});
        }
        CHECK(hears(loop, fd, "taken"));
        CHECK_INT((int)keeper.handled_bytes, i % 2 ? 3 : 0);
        CHECK_INT(keeper.dropped, 0);
        close(fd);
        server_free(server);
        loop_free(loop);
    }
}

/* A full queue drops the next connection's first packet, which is sent again after a second: as long as a probe waits.
 */
TEST(a_burst_of_connections_waits_for_the_loop) {
    enum { BURST = 300 };
    int port, connected = 0, fds[BURST];
    int listener = server_listen("127.0.0.1:0", &port, NULL);
    REQUIRE(listener >= 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < BURST; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        connect(fds[i], (struct sockaddr *)&to, sizeof to);
        struct pollfd p = {.fd = fds[i], .events = POLLOUT};
        connected += poll(&p, 1, 20) == 1 && (p.revents & POLLERR) == 0;
    }
    CHECK_INT(connected, BURST);
    for (int i = 0; i < BURST; i++)
        close(fds[i]);
    close(listener);
}
