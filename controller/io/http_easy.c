#include "io/http_easy.h"

#include "base/mem.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>

enum {
    CONNECT_TIMEOUT_MS = 10000,
    KEEPALIVE_IDLE_S = 30, /* as client-go's HTTP/2 ping: 30 s idle, then 15 s */
    KEEPALIVE_INTERVAL_S = 15,
    DEAD_PEER_MS = 45000, /* sent bytes, keepalive probes included, unacknowledged for this long end the connection */
    CA_CACHE_S = 60,      /* curl's default of 24 hours would outlive a rotation */
};

struct url_parts {
    struct slice origin, host, port, rest; /* "https://h:1", "h" or "[::1]", "1" or "", "/path" */
};

/* curl fills its buffer up to 100 times before it looks at the next stream (lib/transfer.c, maxloops). */
#define BULK_BUFFER_BYTES 4096L

static bool url_split(const char *url, struct url_parts *parts) {
    struct slice s = slice_of(url);
    const char *mark = slice_find(s, "://");
    if (mark == NULL)
        return false;
    struct slice after = slice_skip(s, (size_t)(mark + 3 - s.data));
    size_t n = strcspn(after.data, "/?#");
    struct slice authority = {after.data, n};
    parts->origin = (struct slice){s.data, (size_t)(after.data + n - s.data)};
    parts->rest = slice_skip(after, n);
    const char *closed = slice_find_char(authority, ']');
    struct slice tail = closed == NULL ? authority : slice_range(closed, authority.data + n);
    const char *colon = slice_find_char(tail, ':');
    parts->host = colon == NULL ? authority : slice_range(authority.data, colon);
    parts->port = colon == NULL ? (struct slice){"", 0} : slice_range(colon + 1, authority.data + n);
    return n > 0;
}

/* TCP detects a dead peer by itself, without waking the process: also while unacknowledged bytes are on their way. */
static int on_socket_made(void *context, curl_socket_t fd, curlsocktype purpose) {
    (void)purpose;
    struct http_request *r = context;
    r->is_connecting = true; /* also when curl tries again by itself, on a connection that had died */
    unsigned int timeout_ms = DEAD_PEER_MS;
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
    return CURL_SOCKOPT_OK;
}

static void set_blob(CURL *easy, CURLoption option, struct slice bytes) {
    struct curl_blob blob = {(void *)(uintptr_t)bytes.data, bytes.size_bytes, CURL_BLOB_COPY};
    curl_easy_setopt(easy, option, &blob);
}

static void set_transport(CURL *easy, const struct http_transport *t) {
    if (t->ca_pem.size_bytes > 0)
        set_blob(easy, CURLOPT_CAINFO_BLOB, t->ca_pem);
    else if (t->ca_file != NULL)
        curl_easy_setopt(easy, CURLOPT_CAINFO, t->ca_file);
    if (t->client_cert_pem.size_bytes > 0)
        set_blob(easy, CURLOPT_SSLCERT_BLOB, t->client_cert_pem);
    else if (t->client_cert_file != NULL)
        curl_easy_setopt(easy, CURLOPT_SSLCERT, t->client_cert_file);
    if (t->client_key_pem.size_bytes > 0)
        set_blob(easy, CURLOPT_SSLKEY_BLOB, t->client_key_pem);
    else if (t->client_key_file != NULL)
        curl_easy_setopt(easy, CURLOPT_SSLKEY, t->client_key_file);
    if (t->proxy_url != NULL && t->proxy_url[0] != '\0')
        curl_easy_setopt(easy, CURLOPT_PROXY, t->proxy_url);
    if (t->is_insecure) {
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

/* Without it OpenSSL takes each record from the socket by two calls, and a change of a pod comes in two records. */
static CURLcode on_tls(CURL *easy, void *tls, void *unused) {
    (void)easy, (void)unused;
    SSL_CTX_set_read_ahead(tls, 1);
    SSL_CTX_set_default_read_buffer_len(tls, HTTP_READ_AHEAD_BYTES);
    return CURLE_OK;
}

static void add_header(struct http_request *r, const char *line) {
    struct curl_slist *longer = curl_slist_append(r->headers, line);
    if (longer != NULL)
        r->headers = longer;
}

/* curl takes the name for SNI and for the certificate's check from the URL alone: so the URL gets that name, the
 * connection goes to the real host, and the Host header says what it would have said. */
static void set_url(struct http_request *r, const char *url, const struct url_parts *u, const char *tls_server_name) {
    if (tls_server_name == NULL || tls_server_name[0] == '\0') {
        curl_easy_setopt(r->easy, CURLOPT_URL, url);
        return;
    }
    bool is_tls = slice_starts(u->origin, "https");
    struct slice port = u->port.size_bytes > 0 ? u->port : slice_of(is_tls ? "443" : "80");
    char *renamed CLEANUP_FREE =
        mem_format("%s://%s:%.*s%.*s", is_tls ? "https" : "http", tls_server_name, SLICE_ARG(port), SLICE_ARG(u->rest));
    char *to CLEANUP_FREE = mem_format("::%.*s:%.*s", SLICE_ARG(u->host), SLICE_ARG(port));
    char *host CLEANUP_FREE =
        mem_format("Host: %.*s%s%.*s", SLICE_ARG(u->host), u->port.size_bytes > 0 ? ":" : "", SLICE_ARG(u->port));
    r->connect_to = curl_slist_append(NULL, to);
    add_header(r, host);
    curl_easy_setopt(r->easy, CURLOPT_URL, renamed);
    curl_easy_setopt(r->easy, CURLOPT_CONNECT_TO, r->connect_to);
}

static void set_method(CURL *easy, const char *method, struct slice body) {
    if (strcmp(method, "GET") == 0)
        return;
    if (strcmp(method, "HEAD") == 0) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (body.size_bytes > 0 || strcmp(method, "DELETE") != 0) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size_bytes);
        curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body.size_bytes > 0 ? body.data : "");
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static long to_ms(int64_t us) {
    return (long)((us + 999) / 1000);
}

static void set_common(struct http_request *r, const struct http_options *o) {
    CURL *easy = r->easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, r);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, r->curl_error);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_socket_made);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, r);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, (long)CA_CACHE_S);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_INTERVAL_S);
    /* Of a stream of HTTP/2 that waits, libcurl 7.88 takes in up to 32 MiB, the window that it granted. */
    bool is_http1 = o->is_http1_only || o->is_bulk;
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(is_http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     o->connect_timeout_us > 0 ? to_ms(o->connect_timeout_us) : CONNECT_TIMEOUT_MS);
    if (o->is_bulk)
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, BULK_BUFFER_BYTES);
    if (o->is_busy)
        curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls);
    if (o->total_timeout_us > 0)
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, to_ms(o->total_timeout_us));
}

int http_easy_prepare(struct http_request *r, const struct http_options *o, struct error **err) {
    struct url_parts parts;
    if (!url_split(o->url, &parts)) {
        r->origin = mem_strdup("");
        return error_set(err, EINVAL, "\"%s\" is not a URL", o->url);
    }
    r->origin = slice_dup(parts.origin);
    r->easy = curl_easy_init();
    if (r->easy == NULL)
        return error_set(err, ENOMEM, "libcurl gave no handle");
    set_common(r, o);
    set_url(r, o->url, &parts, o->transport == NULL ? NULL : o->transport->tls_server_name);
    if (o->transport != NULL)
        set_transport(r->easy, o->transport);
    set_method(r->easy, o->method == NULL ? "GET" : o->method, o->body);
    add_header(r, "Expect:"); /* no "100-continue" round trip */
    for (size_t i = 0; o->headers != NULL && o->headers[i] != NULL; i++)
        add_header(r, o->headers[i]);
    curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
    return 0;
}
