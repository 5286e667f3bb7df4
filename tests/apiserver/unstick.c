/* unstick: three things that libwebsockets 4.1.6 does not do, two of them for HTTP/2.
 *
 * It can forget that a connection has something to write. A stream that asks to write marks itself and its connection;
 * when it is closed before its turn, the mark of the connection stays, and whoever asks from then on takes it for
 * somebody who waits already (rops_callback_on_writable_h2): the replies and events of all streams lie until something
 * else moves the connection, for up to a minute. So a stream that has waited for two rounds without a byte written is
 * given the socket by hand.
 *
 * It neither reports that the peer has reset a stream, nor closes it: a client that reads ten thousand logs in turns
 * leaves ten thousand follows behind. Only its log has a line for that, so this module reads its log.
 *
 * Nor does it notice before its next write that the peer of a stream of HTTP/1.1 has left it: this module looks. */
#include "srv.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_S 0.05
#define LEAVE_S 0.5

static bool is_waiting(const struct conn *c) {
    bool has_something =
        c->out.size_bytes > c->out_at || c->is_ended || lws_partial_buffered(lws_get_network_wsi(c->wsi));
    return c->is_h2 && c->has_headers && !c->is_struck && c->drip_rate == 0 && has_something;
}

static bool has_waited(struct conn *c) {
    bool is_now = is_waiting(c), has = is_now && c->was_waiting && c->body_sent == c->sent_before;
    c->was_waiting = is_now;
    c->sent_before = c->body_sent;
    return has;
}

/* The connections may be others afterwards. */
static void offer(struct srv *s, struct lws *wsi) {
    struct lws_pollfd p = {.fd = lws_get_socket_fd(lws_get_network_wsi(wsi)), .events = POLLOUT};
    lws_callback_on_writable(wsi);
    if (poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) != 0)
        lws_service_fd(s->context, &p);
}

static void look(void *context) {
    struct srv *s = context;
    struct lws *stuck = NULL;
    bool is_any = false;
    for (struct conn *c = s->conns; c != NULL; c = c->next) {
        if (has_waited(c) && stuck == NULL)
            stuck = c->wsi;
        is_any = is_any || c->was_waiting;
    }
    s->is_looking = is_any;
    if (is_any)
        timer_start(s, &s->look, LOOK_S, look, s);
    if (stuck != NULL)
        offer(s, stuck);
}

/* A client that has ended its side of a stream does not wait for the rest of it. */
static void close_left(void *context) {
    struct srv *s = context;
    for (struct conn *c = s->conns; c != NULL; c = c->next) {
        struct pollfd p = {.fd = lws_get_socket_fd(lws_get_network_wsi(c->wsi)), .events = POLLRDHUP};
        if (c->is_stream && !c->is_h2 && poll(&p, 1, 0) == 1 && (p.revents & POLLRDHUP) != 0)
            lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
    timer_start(s, &s->leave, LEAVE_S, close_left, s);
}

void wire_close_left(struct srv *s) {
    close_left(s);
}

void wire_waits(struct srv *s) {
    if (!s->is_looking)
        timer_start(s, &s->look, LOOK_S, look, s);
    s->is_looking = true;
}

static struct srv *hearing; /* lws's log knows no context */
static int shown;           /* levels of it */

static void hear(int level, const char *line) {
    static const char begin[] = "lws_h2_parse_frame_header: wsi ", reset[] = "received cmd 3\n"; /* RST_STREAM */
    if ((level & shown) != 0)
        lwsl_emit_stderr(level, line);
    const char *at = level == LLL_INFO ? strstr(line, begin) : NULL;
    if (at == NULL || strstr(at, reset) == NULL)
        return;
    void *wsi = (void *)(uintptr_t)strtoull(at + strlen(begin), NULL, 16);
    for (struct conn *c = hearing->conns; c != NULL; c = c->next)
        if (c->wsi == wsi) {
            lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
            return;
        }
}

void wire_hear_resets(struct srv *s) {
    const char *level = getenv("TEST_APISERVER_LWS_LOG");
    shown = level != NULL ? (int)strtol(level, NULL, 0) : LLL_ERR;
    hearing = s;
    lws_set_log_level(shown | LLL_INFO, hear);
}
