/* The share of a turn of the loop that bulk requests have together. Before libcurl 8 the size of a request's buffer
 * limits what it hands on (http_easy.c). From 8 on libcurl hands on what a connection has received, of all its
 * streams and whatever their buffers (lib/http2.c), so a request that is beyond the share is paused until the next
 * turn. */
#include "io/http_internal.h"

#define SHARED_READS_SINCE 0x080000
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

bool http_bulk_is_limited(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num >= SHARED_READS_SINCE;
}

void http_bulk_resume(struct http_client *client) {
    size_t count = 0;
    client->bulk_bytes = 0;
    for (const struct http_request *r = client->first; r != NULL; r = r->next)
        count += r->is_paused;
    for (; count > 0; count--) {
        struct http_request *r = first_paused(client);
        move_to_the_end(client, r);
        r->is_paused = false;
        if (r->state == REQUEST_OPEN)
            curl_easy_pause(r->easy, CURLPAUSE_CONT);
    }
}

bool http_bulk_waits(struct http_request *r, size_t size_bytes) {
    struct http_client *client = r->client;
    if (!r->is_bulk || client->bulk_timer == NULL)
        return false;
    if (client->bulk_bytes == 0)
        loop_timer_set(client->bulk_timer, 0);
    r->is_paused = client->bulk_bytes >= TURN_BYTES;
    if (!r->is_paused)
        client->bulk_bytes += size_bytes;
    return r->is_paused;
}
