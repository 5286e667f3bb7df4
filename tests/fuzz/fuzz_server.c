/* server: whatever a client sends and however it leaves, the connection ends once the client has left, memory stays
 * valid, and the next client is served. Input: the first byte says after how many bytes the rest comes in another piece
 * (0: at once). */
#include "io/server.h"
#include "reach.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SENT_MAX_BYTES = 32768, WAIT_US = 60000000, PAUSE_US = 500 };

static struct loop *loop;
static struct server *server, *poster; /* with GET and a feed; with POST */
static struct loop_timer *next_piece, *too_long;
static struct server_ticket *tickets[64];
static int ticket_count;
static bool is_probe; /* a request of this target's own, which no seed is to be credited with */

struct client {
    int fd;
    struct slice rest; /* to be sent */
    char got[64];      /* the first of what came back */
    size_t got_bytes;
};

/* Reads each byte of what it is shown. */
static void echo(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context;
    if (!is_probe && request->query.size_bytes > 0)
        REACHED("a query");
    if (!is_probe && request->body.size_bytes > 0)
        REACHED("a body");
    buf_append_slice(&reply->body, request->query);
    buf_append_slice(&reply->body, request->accept);
    buf_append_slice(&reply->body, request->authorization);
    buf_append_slice(&reply->body, request->body);
}

static void answer_later(void *context) {
    (void)context;
    for (int i = 0; i < ticket_count; i++) {
        struct server_reply reply = {.status = 403};
        buf_init(&reply.body, 64);
        REACHED("a reply that comes later");
        buf_append_text(&reply.body, "later\n");
        server_answer(tickets[i], &reply);
        buf_done(&reply.body);
    }
    ticket_count = 0;
}

static void later(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)reply;
    if (ticket_count < 64)
        tickets[ticket_count++] = server_reply_later(request);
    loop_defer(loop, answer_later, NULL);
}

static int news(void *context, void *who, int64_t *cursor, struct buf *message) {
    (void)context, (void)who;
    REACHED("a message of the feed");
    buf_append_text(message, "{}");
    return ++*cursor <= 2;
}

static void send_rest(void *context) {
    struct client *c = context;
    if (c->rest.size_bytes > 0)
        send(c->fd, c->rest.data, c->rest.size_bytes, MSG_NOSIGNAL);
    shutdown(c->fd, SHUT_WR);
}

static void give_up(void *context) {
    (void)context;
    assert(false && "the connection of a client that has left stays");
}

static void on_reply(void *context, int fd, int events) {
    struct client *c = context;
    char more[4096];
    (void)events;
    ssize_t n = read(fd, more, sizeof more);
    for (ssize_t i = 0; i < n && c->got_bytes < sizeof c->got - 1; i++)
        c->got[c->got_bytes++] = more[i];
    if (n == 0 || (n < 0 && errno != EAGAIN))
        loop_stop(loop, 0);
}

static void begin(void) {
    static const struct server_endpoint endpoints[] = {{"/echo", echo, NULL}, {"/later", later, NULL}};
    static const struct server_feed feed = {.path = "/feed", .next = news};
    struct server_options options = {
        .address = "127.0.0.1:0", .endpoints = endpoints, .endpoint_count = 2, .feed = &feed, .is_for_browsers = true};
    struct error *err = NULL;
    loop = loop_new(&err);
    server = loop != NULL ? server_new(loop, &options, &err) : NULL;
    options.feed = NULL;
    options.max_body_bytes = SENT_MAX_BYTES / 2;
    poster = server != NULL ? server_new(loop, &options, &err) : NULL;
    assert(poster != NULL);
}

static void visit(const struct server *at, struct slice first, struct slice rest, char got[static 64]) {
    struct client c = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .rest = rest};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(at))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool is_connected = connect(c.fd, (struct sockaddr *)&to, sizeof to) == 0;
    if (!is_connected && errno == EINTR) /* libFuzzer's clock; connecting continues */
        is_connected = poll(&(struct pollfd){.fd = c.fd, .events = POLLOUT}, 1, WAIT_US / 1000) != 0;
    assert(is_connected);
    struct loop_fd *watch = loop_fd_add(loop, c.fd, LOOP_READ, on_reply, &c);
    next_piece = loop_timer_new(loop, send_rest, &c);
    too_long = loop_timer_new(loop, give_up, &c);
    send(c.fd, first.data, first.size_bytes, MSG_NOSIGNAL);
    loop_timer_set(next_piece, rest.size_bytes > 0 ? PAUSE_US : 0);
    loop_timer_set(too_long, WAIT_US);
    loop_run(loop);
    loop_timer_free(next_piece);
    loop_timer_free(too_long);
    loop_fd_remove(watch);
    close(c.fd);
    memcpy(got, c.got, sizeof c.got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int visits;
    char got[64];
    if (loop == NULL)
        begin();
    if (size == 0)
        return 0;
    size_t cut = data[0], all = size - 1 < SENT_MAX_BYTES ? size - 1 : SENT_MAX_BYTES;
    cut = cut == 0 || cut > all ? all : cut;
    struct slice first = {(const char *)data + 1, cut}, rest = {(const char *)data + 1 + cut, all - cut};
    visit(server, first, rest, got);
    visit(poster, first, rest, got);
    if (++visits % 16 == 1) {
        is_probe = true;
        visit(server, slice_of("GET /echo?alive HTTP/1.0\r\nHost: localhost\r\n\r\n"), slice_of(""), got);
        assert(strncmp(got, "HTTP/1.", 7) == 0 && strncmp(got + 8, " 200", 4) == 0);
        visit(poster, slice_of("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"),
              slice_of(""), got);
        assert(strncmp(got, "HTTP/1.1 200", 12) == 0);
        is_probe = false;
    }
    return 0;
}
