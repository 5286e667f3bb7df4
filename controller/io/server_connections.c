#include "io/server_connections.h"

#include "base/mem.h"
#include "io/server_tls.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_US INT64_C(5000000)
/* From the accept, or the last reply, until a request is there; from its headers until its body is there; from then on
 * until the reply is taken. */
static const int64_t limits_us[] = {
    [CONNECTION_WAITS] = 30000000, [CONNECTION_RECEIVES] = 60000000, [CONNECTION_REPLIES] = 120000000};

static void kill_connection(struct connection *c) {
    c->is_dying = true;
    lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static void sweep(void *context) {
    struct shared *shared = context;
    int64_t now_us = loop_now(shared->server->loop).us;
    for (struct connection *c = shared->oldest; c != NULL; c = c->newer)
        if (!c->is_dying && c->state != CONNECTION_FEED && now_us - c->since_us > limits_us[c->state])
            kill_connection(c);
    if (shared->oldest != NULL)
        loop_timer_set(shared->sweep, SWEEP_US);
}

void connection_enter(struct connection *c, enum connection_state state) {
    if (c == NULL)
        return;
    c->state = state;
    c->is_admitted = false;
    c->since_us = c->shared->server != NULL ? loop_now(c->shared->server->loop).us : 0;
}

/* An IPv4 address as IPv6 writes it; all zero where the peer has none. */
static struct in6_addr peer_of(const struct sockaddr_storage *from) {
    struct in6_addr peer = {0};
    if (from->ss_family == AF_INET6)
        peer = ((const struct sockaddr_in6 *)from)->sin6_addr;
    if (from->ss_family == AF_INET) {
        peer.s6_addr[10] = peer.s6_addr[11] = 0xff;
        memcpy(&peer.s6_addr[12], &((const struct sockaddr_in *)from)->sin_addr, 4);
    }
    return peer;
}

static int held_by(const struct shared *shared, const struct in6_addr *peer) {
    int count = 0;
    for (const struct connection *c = shared->oldest; c != NULL; c = c->newer)
        count += !c->is_dying && memcmp(&c->peer, peer, sizeof *peer) == 0;
    return count;
}

/* Of those that have nothing under way, or that nobody vouches for yet: one of the address that holds most, and of its
 * connections the one that has waited longest. So one address cannot evict another's, however fast it connects. */
static struct connection *make_room(const struct shared *shared, int *ret_held) {
    struct connection *found = NULL;
    *ret_held = 0;
    for (struct connection *c = shared->oldest; c != NULL; c = c->newer) {
        bool is_idle = c->state == CONNECTION_WAITS || (c->state == CONNECTION_RECEIVES && !c->is_admitted);
        if (!is_idle || c->is_dying)
            continue;
        int held = held_by(shared, &c->peer);
        if (found == NULL || held > *ret_held || (held == *ret_held && c->since_us < found->since_us)) {
            found = c;
            *ret_held = held;
        }
    }
    return found;
}

static int alive(const struct shared *shared) {
    int count = 0;
    for (const struct connection *c = shared->oldest; c != NULL; c = c->newer)
        count += !c->is_dying;
    return count;
}

/* True if a connection from there may be taken in. */
static bool has_room(const struct server *s, const struct in6_addr *peer) {
    const struct shared *shared = s->shared;
    int held, max = s->max_connections;
    if (shared->connections <= max) /* the server itself is one of them */
        return true;
    struct connection *idle = make_room(shared, &held);
    /* One that dies is still counted until lws's next turn: twice as many are never held, and of these the second half
     * is for addresses that hold fewer than the greediest. */
    int limit = max + (held_by(shared, peer) < held ? max - 1 : max / 4);
    if (shared->connections > limit)
        return false;
    if (alive(shared) < max) /* those that die make room: a sweep may have ended all of them at once */
        return true;
    if (idle == NULL)
        return false;
    kill_connection(idle);
    return true;
}

int connections_of_feed(const struct shared *shared) {
    int count = 0;
    for (const struct connection *c = shared->oldest; c != NULL; c = c->newer)
        count += c->state == CONNECTION_FEED;
    return count;
}

void connections_accept(void *context, int fd, int events) {
    struct server *s = context;
    struct shared *shared = s->shared;
    struct sockaddr_storage from = {0};
    socklen_t size = sizeof from;
    int accepted = accept4(fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    (void)events;
    if (accepted < 0)
        return;
    const struct in6_addr peer = peer_of(&from);
    if (!has_room(s, &peer)) {
        close(accepted);
        return;
    }
    struct lws *wsi = lws_adopt_socket_vhost(s->vhost, accepted); /* closes it if it refuses */
    if (wsi == NULL)
        return;
    struct connection *c = mem_new(struct connection);
    *c = (struct connection){.shared = shared, .wsi = wsi, .older = shared->newest, .peer = peer};
    *(c->older != NULL ? &c->older->newer : &shared->oldest) = c;
    shared->newest = c;
    shared->connections++;
    connection_enter(c, CONNECTION_WAITS);
    lws_set_opaque_user_data(wsi, c);
    if (!loop_timer_is_set(shared->sweep))
        loop_timer_set(shared->sweep, SWEEP_US);
}

static void shared_drop(struct shared *shared) {
    if (--shared->connections > 0)
        return;
    server_tls_free(shared->tls);
    free(shared);
}

void connection_end(struct lws *wsi) {
    struct connection *c = lws_get_opaque_user_data(wsi);
    if (c == NULL)
        return;
    *(c->older != NULL ? &c->older->newer : &c->shared->oldest) = c->newer;
    *(c->newer != NULL ? &c->newer->older : &c->shared->newest) = c->older;
    if (c->who != NULL)
        c->release(c->who);
    shared_drop(c->shared);
    lws_set_opaque_user_data(wsi, NULL);
    free(c);
}

struct shared *shared_new(struct server *server) {
    struct shared *shared = mem_new(struct shared);
    *shared = (struct shared){.server = server, .connections = 1};
    shared->sweep = loop_timer_new(server->loop, sweep, shared);
    return shared;
}

void shared_end(struct shared *shared) {
    shared->server = NULL;
    loop_timer_free(shared->sweep);
    shared->sweep = NULL;
    shared_drop(shared);
}
