#include "rawserver.h"

#include "base/buf.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum after { STAY, CLOSE, RESET };

struct rawconn {
    struct rawserver *server;
    int fd;
    struct loop_fd *watch;
    struct buf in, out;
    bool is_dripping;
    enum after after;
    struct rawconn *next;
};

struct rawserver {
    struct loop *loop;
    rawserver_handler *handler;
    void *context;
    int fd, accepted;
    struct loop_fd *watch;
    struct rawconn *connections;
    char url[64];
};

static void conn_free(struct rawconn *c) {
    for (struct rawconn **p = &c->server->connections; *p != NULL; p = &(*p)->next)
        if (*p == c) {
            *p = c->next;
            break;
        }
    loop_fd_remove(c->watch);
    if (c->after == RESET) {
        struct linger now = {.l_onoff = 1};
        setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    close(c->fd);
    buf_done(&c->in);
    buf_done(&c->out);
    free(c);
}

static bool flush(struct rawconn *c) {
    while (c->out.size_bytes > 0) {
        ssize_t n = send(c->fd, c->out.data, c->is_dripping ? 1 : c->out.size_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0)
            break;
        buf_consume(&c->out, (size_t)n);
        if (c->is_dripping)
            break;
    }
    if (c->out.size_bytes == 0 && c->after != STAY) {
        conn_free(c);
        return false;
    }
    loop_fd_change(c->watch, LOOP_READ | (c->out.size_bytes > 0 ? LOOP_WRITE : 0));
    return true;
}

static size_t request_size(struct slice in) {
    const char *blank = slice_find(in, "\r\n\r\n");
    if (blank == NULL)
        return 0;
    size_t head = (size_t)(blank + 4 - in.data);
    const char *length = strcasestr(in.data, "\r\ncontent-length:");
    size_t body = length != NULL && length < blank ? strtoul(length + 17, NULL, 10) : 0;
    return in.size_bytes >= head + body ? head + body : 0;
}

static void conn_ready(void *context, int fd, int events) {
    struct rawconn *c = context;
    if ((events & LOOP_READ) != 0) {
        char bytes[65536];
        ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN)) {
            c->after = CLOSE;
            conn_free(c);
            return;
        }
        if (n > 0)
            buf_append(&c->in, bytes, (size_t)n);
    }
    size_t n;
    while (c->after == STAY && (n = request_size(buf_slice(&c->in))) > 0) {
        char *request = slice_dup((struct slice){c->in.data, n}); /* a body may be of any bytes */
        buf_consume(&c->in, n);
        c->server->handler(c->server->context, c, (struct slice){request, n});
        free(request);
    }
    flush(c);
}

static void accept_one(void *context, int fd, int events) {
    (void)events;
    struct rawserver *s = context;
    struct rawconn *c = mem_new(struct rawconn);
    c->server = s;
    c->fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    assert(c->fd >= 0);
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    buf_init(&c->in, 16 << 20);
    buf_init(&c->out, 256 << 20);
    c->watch = loop_fd_add(s->loop, c->fd, LOOP_READ, conn_ready, c);
    c->next = s->connections;
    s->connections = c;
    s->accepted++;
}

struct rawserver *rawserver_new(struct loop *loop, rawserver_handler *handler, void *context) {
    struct rawserver *s = mem_new(struct rawserver);
    *s = (struct rawserver){.loop = loop, .handler = handler, .context = context};
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int r = bind(s->fd, (struct sockaddr *)&address, size);
    assert(r == 0);
    r = listen(s->fd, 64);
    assert(r == 0);
    getsockname(s->fd, (struct sockaddr *)&address, &size);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    s->watch = loop_fd_add(loop, s->fd, LOOP_READ, accept_one, s);
    return s;
}

void rawserver_free(struct rawserver *s) {
    if (s == NULL)
        return;
    while (s->connections != NULL)
        conn_free(s->connections);
    loop_fd_remove(s->watch);
    close(s->fd);
    free(s);
}

const char *rawserver_url(const struct rawserver *s) {
    return s->url;
}

int rawserver_connections(const struct rawserver *s) {
    return s->accepted;
}

void rawconn_send_slice(struct rawconn *c, struct slice bytes) {
    buf_append_slice(&c->out, bytes);
    loop_fd_change(c->watch, LOOP_READ | LOOP_WRITE);
}

void rawconn_send(struct rawconn *c, const char *bytes) {
    rawconn_send_slice(c, slice_of(bytes));
}

void rawconn_reply(struct rawconn *c, int status, const char *extra_headers, const char *body) {
    buf_format(&c->out, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n", status,
               strlen(body), extra_headers);
    rawconn_send(c, body);
}

void rawconn_drip(struct rawconn *c, bool is_on) {
    c->is_dripping = is_on;
}

static void end_conn(struct rawconn *c, enum after after) {
    c->after = after;
    loop_fd_change(c->watch, LOOP_READ | LOOP_WRITE);
}

void rawconn_close(struct rawconn *c) {
    end_conn(c, CLOSE);
}

void rawconn_reset(struct rawconn *c) {
    end_conn(c, RESET);
}

struct waiting {
    struct loop *loop;
    const bool *done;
};

static void check_done(void *context) {
    struct waiting *w = context;
    if (*w->done)
        loop_stop(w->loop, 1);
}

static void time_is_up(void *context) {
    loop_stop(context, 0);
}

/* Turns are cheap here: a timer of no delay looks at *done each turn until it is set. */

struct looker {
    struct waiting waiting;
    struct loop_timer *timer;
};

static void look(void *context) {
    struct looker *l = context;
    check_done(&l->waiting);
    loop_timer_set(l->timer, 1000);
}

bool loop_until(struct loop *loop, const bool *done) {
    struct looker l = {.waiting = {loop, done}};
    l.timer = loop_timer_new(loop, look, &l);
    struct loop_timer *limit = loop_timer_new(loop, time_is_up, loop);
    loop_timer_set(l.timer, 0);
    loop_timer_set(limit, 120000000);
    int r = loop_run(loop);
    loop_timer_free(limit);
    loop_timer_free(l.timer);
    return r == 1;
}

bool loop_for(struct loop *loop, int64_t us) {
    struct loop_timer *limit = loop_timer_new(loop, time_is_up, loop);
    loop_timer_set(limit, us);
    loop_run(loop);
    loop_timer_free(limit);
    return true;
}
