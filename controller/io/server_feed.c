#include "io/server_feed.h"

#include "base/mem.h"
#include "io/server_request_internal.h"

#include <string.h>

enum {
    MESSAGE_MAX_BYTES = 1 << 20,
    RECEIVE_MAX_BYTES = 256, /* a browser has nothing to say but pongs */
};

/* A browser sends the page's origin; another site's page must not read ours. Programs send none. */
static bool is_own_origin(struct lws *wsi) {
    char origin_space[HEADER_MAX_BYTES], host_space[HEADER_MAX_BYTES];
    struct slice origin = server_header(wsi, WSI_TOKEN_ORIGIN, origin_space, sizeof origin_space);
    struct slice host = server_header(wsi, WSI_TOKEN_HOST, host_space, sizeof host_space);
    if (origin.size_bytes == 0)
        return true;
    return (slice_take_prefix(&origin, "http://") || slice_take_prefix(&origin, "https://")) &&
           slice_equal(origin, host);
}

/* Whether the one who asks may read; kept with the connection. */
static bool is_admitted(const struct server *s, struct lws *wsi) {
    char authorization[AUTHORIZATION_MAX_BYTES], cookie[AUTHORIZATION_MAX_BYTES], peer[PEER_SIZE];
    struct connection *c = lws_get_opaque_user_data(wsi);
    const struct server_request request = {
        .peer = server_peer(wsi, peer),
        .authorization = server_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, authorization, sizeof authorization),
        .cookie = server_header(wsi, WSI_TOKEN_HTTP_COOKIE, cookie, sizeof cookie)};
    if (s->feed.admit == NULL)
        return true;
    if (c == NULL || c->who != NULL)
        return false;
    c->release = s->feed.release;
    c->who = s->feed.admit(s->feed.context, &request);
    return c->who != NULL;
}

static int check_peer(struct lws *wsi) {
    const struct server *s = server_of_connection(wsi);
    char path[HEADER_MAX_BYTES];
    bool is_feed = s != NULL && s->feed.path != NULL &&
                   slice_is(server_header(wsi, WSI_TOKEN_GET_URI, path, sizeof path), s->feed.path);
    /* A quarter of the connections stays for requests. */
    if (!is_feed || connections_of_feed(s->shared) >= s->max_connections * 3 / 4)
        return -1;
    return server_is_host_served(s, wsi) && is_own_origin(wsi) && is_admitted(s, wsi) ? 0 : -1;
}

static int send_news(struct lws *wsi, struct peer *peer) {
    const struct server *s = server_of_connection(wsi);
    const struct connection *c = lws_get_opaque_user_data(wsi);
    CLEANUP_BUF struct buf message;
    buf_init(&message, LWS_PRE + MESSAGE_MAX_BYTES);
    if (s == NULL)
        return -1;
    static const char room[LWS_PRE];
    buf_append(&message, room, LWS_PRE);
    int r = s->feed.next(s->feed.context, c->who, &peer->cursor, &message);
    if (r <= 0)
        return r;
    size_t size = message.size_bytes - LWS_PRE;
    if (message.truncated || lws_write(wsi, (unsigned char *)message.data + LWS_PRE, size, LWS_WRITE_TEXT) < (int)size)
        return -1;
    lws_callback_on_writable(wsi); /* until there is no more */
    return 0;
}

int server_on_feed(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    struct peer *peer = user;
    struct connection *c = lws_get_opaque_user_data(wsi);
    (void)in;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return check_peer(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        if (c == NULL)
            return -1;
        *peer = (struct peer){.wsi = wsi, .next = c->shared->peers};
        c->shared->peers = peer;
        connection_enter(c, CONNECTION_FEED);
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        if (c != NULL)
            MEM_UNLINK(c->shared->peers, peer);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_news(wsi, peer);
    case LWS_CALLBACK_RECEIVE:
        peer->received_bytes += size;
        return peer->received_bytes > RECEIVE_MAX_BYTES ? -1 : 0;
    default:
        return 0;
    }
}
