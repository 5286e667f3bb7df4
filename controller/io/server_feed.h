/* server_feed: connections of the WebSocket protocol. For io/server.c only. */
#ifndef IO_SERVER_FEED_H
#define IO_SERVER_FEED_H

#include "io/server_connections.h"

struct peer { /* of the feed */
    struct lws *wsi;
    struct peer *next;
    int64_t cursor;
    size_t received_bytes;
};
int server_on_feed(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size);

#endif
