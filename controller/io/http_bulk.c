/* The share of a turn of the loop that bulk requests have together. The size of a request's buffer (http_easy.c) does
 * not limit what it hands on: from libcurl 8 on that is what a connection has received, of all its streams
 * (lib/http2.c); 7.88 does so at times. So a request that is beyond the share is paused until the next turn. */
#include "io/http_internal.h"

#define TURN_BYTES ((size_t)160 << 10)

static struct http_request *first_paused(const struct http_client *client) {
    struct http_request *r = client->first;
    while (r != NULL && !r->is_paused)
        r = r->next;
    return r;
}

/* So that the others are served before it is paused again. */
static void move_to_the_end(struct http_client *client, struct http_request *r) {
    if (r->next == NULL)
        return;
    *(r->previous != NULL ? &r->previous->next : &client->first) = r->next;
    r->next->previous = r->previous;
    r->previous = client->last;
    r->next = NULL;
    client->last->next = r;
    client->last = r;
}

void http_bulk_resume(struct http_client *client) {
    size_t count = 0;
    client->bulk_bytes = 0;
    for (const struct http_request *r = client->first; r != NULL; r = r->next)
        count += r->is_paused;
    for (struct http_request *r; count > 0 && (r = first_paused(client)) != NULL; count--) {
        move_to_the_end(client, r);
        r->is_paused = false;
        curl_easy_pause(r->easy, CURLPAUSE_CONT); /* of one that is no longer open the bytes are refused */
    }
}

bool http_bulk_waits(struct http_request *r, size_t size_bytes) {
    struct http_client *client = r->client;
    if (!r->is_bulk)
        return false;
    if (client->bulk_bytes == 0)
        loop_timer_set(client->bulk_timer, 0);
    r->is_paused = client->bulk_bytes >= TURN_BYTES;
    if (!r->is_paused)
        client->bulk_bytes += size_bytes;
    return r->is_paused;
}
