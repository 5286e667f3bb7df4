/* The connections of a listener: how many there may be, how long each may take, and which one makes room for another.
 * So sockets that are held open or fed slowly keep nobody out, and no listener takes another's share of what
 * libwebsockets may hold (io/loop.c). */
#include "base/mem.h"
#include "io/loop_lws.h"
#include "io/server_internal.h"
#include "io/server_tls.h"

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

/* The one that has waited longest of those that have nothing under way, or that nobody vouches for yet. */
static struct connection *oldest_idle(const struct shared *shared) {
    struct connection *found = NULL;
    for (struct connection *c = shared->oldest; c != NULL; c = c->newer) {
        bool is_idle = c->state == CONNECTION_WAITS || (c->state == CONNECTION_RECEIVES && !c->is_admitted);
        if (is_idle && !c->is_dying && (found == NULL || c->since_us < found->since_us))
            found = c;
    }
    return found;
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
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    (void)events;
    if (accepted < 0)
        return;
    if (shared->connections > s->max_connections) { /* the server itself is one of them */
        struct connection *idle = oldest_idle(shared);
        if (idle != NULL)
            kill_connection(idle);
        /* One that dies is still counted until lws's next turn: twice as many are never held. */
        if (idle == NULL || shared->connections > s->max_connections + s->max_connections / 4) {
            close(accepted);
            return;
        }
    }
    struct lws *wsi = lws_adopt_socket_vhost(s->vhost, accepted); /* closes it if it refuses */
    if (wsi == NULL)
        return;
    struct connection *c = mem_new(struct connection);
    *c = (struct connection){.shared = shared, .wsi = wsi, .older = shared->newest};
    *(c->older != NULL ? &c->older->newer : &shared->oldest) = c;
    shared->newest = c;
    shared->connections++;
    connection_enter(c, CONNECTION_WAITS);
    lws_set_opaque_user_data(wsi, c);
    if (!loop_timer_is_set(shared->sweep))
        loop_timer_set(shared->sweep, SWEEP_US);
}

void connection_end(struct lws *wsi) {
    struct connection *c = lws_get_opaque_user_data(wsi);
    if (c == NULL)
        return;
    *(c->older != NULL ? &c->older->newer : &c->shared->oldest) = c->newer;
    *(c->newer != NULL ? &c->newer->older : &c->shared->newest) = c->older;
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

void shared_drop(struct shared *shared) {
    if (--shared->connections > 0)
        return;
    server_tls_free(shared->tls);
    free(shared);
}
