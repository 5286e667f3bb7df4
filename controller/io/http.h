/* http: outbound HTTP on libcurl's multi interface: HTTP/2 with several requests on one connection, HTTP/1.1 as well,
 * TLS with client certificates and private CAs, proxies. Bytes are handed on as they come; nothing is collected here.
 */
#ifndef IO_HTTP_H
#define IO_HTTP_H

#include "base/slice.h"
#include "io/loop.h"

struct http_client;
struct http_request;

struct http_client *http_client_new(struct loop *loop);
void http_client_free(struct http_client *client); /* cancels what is under way, without callbacks */

/* What a connection is made with. Copied. Requests with equal transports share connections. */
struct http_transport {
    const char *ca_file;                          /* NULL: the system's; or ... */
    struct slice ca_pem;                          /* ... the bytes */
    struct slice client_cert_pem, client_key_pem; /* empty: none */
    const char *client_cert_file, *client_key_file;
    const char *proxy_url;
    const char *tls_server_name;
    bool is_insecure;
};

struct http_options {
    const char *method; /* "GET", ... */
    const char *url;
    const char *const *headers; /* "Name: value", NULL-terminated */
    struct slice body;          /* copied */
    const struct http_transport *transport;
    int64_t connect_timeout_us; /* 0: 10 s */
    int64_t total_timeout_us;   /* 0: none */
    int64_t silence_timeout_us; /* no byte received for this long ends it with -ETIMEDOUT; 0: none */
    bool is_http1_only;
    /* Its reply stays in the socket, without waking the loop, until http_hurry. Lazy requests have separate
     * connections; those are made without delay. */
    bool is_lazy;
    /* Its reply may come faster than it can be read, without an end: less of it is handed on in one turn of the loop,
     * and the rest stays in the socket of its own connection (HTTP/1.1). */
    bool is_bulk;
    /* Its reply never ends and is mostly busy: it has a connection for such requests alone, as HTTP/2 makes libcurl
     * look at each stream of a connection whenever bytes come, and what has come is taken from the socket at once. */
    bool is_busy;
};

struct http_reply {
    int status;               /* 0: there was no reply */
    int64_t retry_after_us;   /* at most five minutes; -1: the header is absent */
    int64_t date_s;           /* the server's clock, Unix time; -1: the header is absent */
    const char *content_type; /* "" if absent; borrowed for the call */
};

/* Never called from within http_start or http_cancel. */
struct http_handler {
    /* Once, before the first data. May be NULL. */
    void (*on_reply)(void *context, const struct http_reply *reply);
    /* Body bytes. A negative return ends the request with that error. */
    int (*on_data)(void *context, struct slice bytes);
    /* Exactly once at the end, unless canceled; the request is freed afterwards. err is NULL if a whole reply came
     * (of whatever status); else what failed, borrowed. */
    void (*on_done)(void *context, const struct http_reply *reply, const struct error *err);
    void *context;
};

struct http_request *http_start(struct http_client *client, const struct http_options *options,
                                const struct http_handler *handler);
/* From now on its reply is read as it comes. What has come already is read before deferred work that is added to the
 * loop after this call. NULL-safe. */
void http_hurry(struct http_request *request);
void http_cancel(struct http_request *request); /* no callback follows; NULL-safe */

#endif
