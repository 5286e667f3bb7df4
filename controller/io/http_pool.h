/* http_pool: the connections of an HTTP client, and which request starts, ends or waits on them. Not for use outside
 * the client: http.c is the interface, http_easy.c sets up a request's curl options.
 *
 * The rule that keeps curl sane: a curl callback only marks (state, error, last byte). curl is called from the loop's
 * own callbacks alone, and requests are started, ended and freed in one place, settle(). */
#ifndef IO_HTTP_POOL_H
#define IO_HTTP_POOL_H

#include "io/http.h"

#include <curl/curl.h>

#define HTTP_READ_AHEAD_BYTES ((size_t)64 << 10) /* taken from a busy socket at once */

enum request_state {
    REQUEST_QUEUED,   /* waits until an earlier one to the same origin has its connection */
    REQUEST_OPENING,  /* given to curl; has no connection yet */
    REQUEST_OPEN,     /* its bytes may flow */
    REQUEST_FINISHED, /* curl is done with it; on_done is due */
    REQUEST_CANCELLED,
};

struct http_socket {
    int required; /* LOOP_READ, LOOP_WRITE: what curl waits for */
    int watched;
    struct loop_fd *watch; /* NULL while nothing is watched */
    bool is_resting;       /* it is not watched for reading until rest_timer fires */
    int64_t read_us;       /* when it last had bytes */
};

/* A curl multi handle and its connections. "Dropping the connections" retires the pool: its requests continue until
 * they end, new ones get a new pool. (curl has no other way to say: not over that connection again.) */
struct http_pool {
    struct http_client *client;
    CURLM *multi;
    struct loop_timer *timer, *rest_timer;
    struct http_socket *sockets; /* by descriptor */
    size_t socket_count;
    bool is_lazy;      /* for lazy requests only */
    bool is_bulk;      /* for bulk requests only: curl would give a connection of HTTP/1.1 that is idle to a watch */
    bool is_busy;      /* for busy requests only */
    size_t body_bytes; /* handed on; it may wrap around */
    int calls;         /* because curl asked to be called, ... */
    int64_t called_us; /* ... in the turn of this time */
    size_t request_count;
    bool is_retired;
    struct http_pool *next;
};

struct http_request {
    struct http_client *client;
    struct http_pool *pool; /* NULL while queued */
    struct http_handler handler;
    enum request_state state;
    CURL *easy;
    struct curl_slist *headers, *connect_to;
    char *origin; /* "https://host:port" */
    char curl_error[CURL_ERROR_SIZE];
    CURLcode result;
    struct error *failure; /* ours, before curl's */
    struct http_reply reply;
    char content_type[128];
    bool is_replied; /* on_reply was called */
    bool had_connection;
    bool is_connecting; /* from a socket's making until a request may go out over it */
    bool is_lazy, is_hurried;
    bool is_busy;
    bool is_bulk, is_paused;
    int64_t silence_timeout_us, last_byte_us;
    struct http_request *next, *previous;
};

struct http_client {
    struct loop *loop;
    struct http_pool *pools; /* one that is not retired takes new requests; it is made when it is needed */
    struct http_request *first, *last;
    struct loop_timer *silence_timer;
    int64_t silence_deadline_us;   /* what the timer is set to */
    struct loop_timer *bulk_timer; /* the next turn */
    size_t bulk_bytes;             /* that they handed on in this turn */
    bool is_settling;
};

/* Starts, ends and frees requests where it is due, before the next wait. */
void http_settle_later(struct http_client *client);
/* Lets curl read what has come over sockets that are not watched. */
void http_pool_read(struct http_pool *pool);
/* Frees all requests and connections, without callbacks. */
void http_pools_free(struct http_client *client);

#endif
