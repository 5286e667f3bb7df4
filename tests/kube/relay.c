#include "relay.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct pair {
    struct relay *relay;
    int fds[2];
    struct loop_fd *watches[2];
    struct pair *next;
};

struct relay {
    struct loop *loop;
    int fd, port, to_port, accepted;
    bool is_proxy;
    const char *refusal;
    struct loop_fd *watch;
    struct pair *pairs;
};

static void stop_watching(struct pair *p) {
    for (int i = 0; i < 2; i++) {
        loop_fd_remove(p->watches[i]);
        p->watches[i] = NULL;
    }
}

/* Blocking writes: the tests' amounts fit the sockets' buffers. */
static void forward(void *context, int fd, int events) {
    (void)events;
    struct pair *p = context;
    char bytes[65536];
    ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0 && send(p->fds[fd == p->fds[0]], bytes, (size_t)n, MSG_NOSIGNAL) == n)
        return;
    stop_watching(p);
    for (int i = 0; i < 2; i++)
        shutdown(p->fds[i], SHUT_RDWR);
}

static struct sockaddr_in loopback(int port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void reach(struct pair *p, int port) {
    struct sockaddr_in to = loopback(port);
    p->fds[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int connected = connect(p->fds[1], (struct sockaddr *)&to, sizeof to);
    assert(connected == 0);
    (void)connected;
    for (int i = 0; i < 2; i++)
        p->watches[i] = loop_fd_add(p->relay->loop, p->fds[i], LOOP_READ, forward, p);
}

/* The head of a CONNECT comes in one piece here. */
static void read_connect(void *context, int fd, int events) {
    (void)events;
    struct pair *p = context;
    char head[4096], reply[200];
    int port = 0;
    ssize_t n = recv(fd, head, sizeof head - 1, MSG_DONTWAIT);
    head[n > 0 ? n : 0] = '\0';
    stop_watching(p);
    if (sscanf(head, "CONNECT %*[^:]:%d HTTP/1.1", &port) != 1 || p->relay->refusal != NULL) {
        snprintf(reply, sizeof reply, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n",
                 port != 0 ? p->relay->refusal : "405 Only CONNECT");
        send(fd, reply, strlen(reply), MSG_NOSIGNAL);
        shutdown(fd, SHUT_RDWR);
        return;
    }
    send(fd, "HTTP/1.1 200 OK\r\n\r\n", 19, MSG_NOSIGNAL);
    reach(p, port);
}

static void accept_one(void *context, int fd, int events) {
    (void)events;
    struct relay *r = context;
    struct pair *p = mem_new(struct pair);
    *p = (struct pair){.relay = r, .next = r->pairs};
    p->fds[0] = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
    p->fds[1] = -1;
    assert(p->fds[0] >= 0);
    if (r->is_proxy)
        p->watches[0] = loop_fd_add(r->loop, p->fds[0], LOOP_READ, read_connect, p);
    else
        reach(p, r->to_port);
    r->pairs = p;
    r->accepted++;
}

struct relay *relay_new(struct loop *loop, int to_port) {
    struct relay *r = mem_new(struct relay);
    *r = (struct relay){.loop = loop, .to_port = to_port};
    r->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int bound = bind(r->fd, (struct sockaddr *)&address, size);
    assert(bound == 0);
    (void)bound;
    listen(r->fd, 64);
    getsockname(r->fd, (struct sockaddr *)&address, &size);
    r->port = ntohs(address.sin_port);
    r->watch = loop_fd_add(loop, r->fd, LOOP_READ, accept_one, r);
    return r;
}

static void end_pairs(struct relay *r) {
    while (r->pairs != NULL) {
        struct pair *p = r->pairs;
        r->pairs = p->next;
        stop_watching(p);
        close(p->fds[0]);
        if (p->fds[1] >= 0)
            close(p->fds[1]);
        free(p);
    }
}

void relay_free(struct relay *r) {
    end_pairs(r);
    loop_fd_remove(r->watch);
    close(r->fd);
    free(r);
}

int relay_port(const struct relay *r) {
    return r->port;
}

int relay_connections(const struct relay *r) {
    return r->accepted;
}

void relay_freeze(struct relay *r) {
    for (struct pair *p = r->pairs; p != NULL; p = p->next)
        stop_watching(p);
}

void relay_move(struct relay *r, int to_port) {
    end_pairs(r);
    r->to_port = to_port;
}

struct relay *proxy_new(struct loop *loop, const char *refusal) {
    struct relay *r = relay_new(loop, 0);
    r->is_proxy = true;
    r->refusal = refusal;
    return r;
}
