#include "wire.h"

#include "base/mem.h"
#include "srv.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WRITE_BYTES = 8192, OUT_MAXIMUM = 1 << 30 };

struct session {
    struct conn *conn;
};

/* ---- timers ---- */

static void fire(lws_sorted_usec_list_t *sul) {
    struct timer *t = lws_container_of(sul, struct timer, sul);
    t->run(t->context);
}

void timer_start(struct srv *srv, struct timer *t, double seconds, void (*run)(void *context), void *context) {
    t->run = run;
    t->context = context;
    t->srv = srv;
    lws_sul_schedule(srv->context, 0, &t->sul, fire, (lws_usec_t)(seconds * 1e6) + 1);
}

void timer_stop(struct timer *t) {
    if (t->srv != NULL && t->srv->context != NULL)
        lws_sul_schedule(t->srv->context, 0, &t->sul, fire, LWS_SET_TIMER_USEC_CANCEL);
}

/* ---- the raw connection ---- */

static bool is_frozen(const struct srv *s, const struct lws *network) {
    for (int i = 0; i < s->frozen_count; i++)
        if (s->frozen[i] == network)
            return true;
    return false;
}

static void freeze(struct srv *s, struct lws *wsi) {
    struct lws *network = lws_get_network_wsi(wsi);
    if (is_frozen(s, network) || s->frozen_count == (int)ARRAY_SIZE(s->frozen))
        return;
    s->frozen[s->frozen_count++] = network;
    lws_set_timeout(network, NO_PENDING_TIMEOUT, 0);
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
    lws_rx_flow_control(network, 0);
}

static void thaw(struct srv *s, const struct lws *wsi) {
    for (int i = 0; i < s->frozen_count; i++)
        if (s->frozen[i] == wsi)
            s->frozen[i--] = s->frozen[--s->frozen_count];
}

/* connect(AF_UNSPEC) on a TCP socket sends RST at once; closing with linger 0 would not, as lws shuts down first. */
static void reset(struct lws *wsi) {
    struct lws *network = lws_get_network_wsi(wsi);
    struct sockaddr unspecified = {.sa_family = AF_UNSPEC};
    connect(lws_get_socket_fd(network), &unspecified, sizeof unspecified);
    lws_set_timeout(network, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static void cut(struct lws *wsi) {
    struct lws *network = lws_get_network_wsi(wsi);
    shutdown(lws_get_socket_fd(network), SHUT_WR);
    lws_set_timeout(network, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

/* lws has no call for GOAWAY: the frame is written past it, which is safe between its own frames. */
static void goaway(struct lws *wsi) {
    static const unsigned char frame[17] = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    struct lws *network = lws_get_network_wsi(wsi);
    SSL *ssl = lws_get_ssl(network);
    if (ssl != NULL)
        SSL_write(ssl, frame, sizeof frame);
    else if (send(lws_get_socket_fd(network), frame, sizeof frame, MSG_NOSIGNAL) < 0)
        perror("test-apiserver: GOAWAY");
}

void wire_freeze_all(struct srv *srv) {
    for (struct conn *c = srv->conns; c != NULL; c = c->next)
        freeze(srv, c->wsi);
}

void wire_reset_all(struct srv *srv) {
    for (struct conn *c = srv->conns; c != NULL; c = c->next)
        reset(c->wsi);
}

/* ---- replies ---- */

static void want_to_write(struct conn *c) {
    lws_callback_on_writable(c->wsi);
    wire_waits(c->srv);
}

const char *conn_argument(const struct conn *c, const char *name) {
    static char value[8192];
    size_t n = strlen(name);
    for (const char *p = c->query; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
        if (strncmp(p, name, n) == 0 && (p[n] == '=' || p[n] == '\n' || p[n] == '\0')) {
            p += n + (p[n] == '=');
            snprintf(value, sizeof value, "%.*s", (int)strcspn(p, "\n"), p);
            return value;
        }
    }
    return "";
}

bool conn_flag(const struct conn *c, const char *name) {
    const char *v = conn_argument(c, name);
    return strcmp(v, "true") == 0 || strcmp(v, "1") == 0;
}

static int write_headers(struct conn *c, const char *content_type, double retry_after, bool has_length, size_t length) {
    unsigned char space[LWS_PRE + 2048], *p = space + LWS_PRE, *end = space + sizeof space - 1, *start = p;
    char number[32];
    const char *cache = "no-cache, private", *chunked = "chunked";
    if (lws_add_http_header_status(c->wsi, (unsigned)c->status, &p, end) ||
        lws_add_http_header_by_token(c->wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, (const unsigned char *)content_type,
                                     (int)strlen(content_type), &p, end) ||
        lws_add_http_header_by_token(c->wsi, WSI_TOKEN_HTTP_CACHE_CONTROL, (const unsigned char *)cache,
                                     (int)strlen(cache), &p, end))
        return -1;
    if (retry_after >= 0) {
        int n = snprintf(number, sizeof number, "%g", retry_after);
        if (lws_add_http_header_by_token(c->wsi, WSI_TOKEN_HTTP_RETRY_AFTER, (unsigned char *)number, n, &p, end))
            return -1;
    }
    if (has_length ? lws_add_http_header_content_length(c->wsi, length, &p, end)
                   : !c->is_h2 && lws_add_http_header_by_token(c->wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING,
                                                               (const unsigned char *)chunked, 7, &p, end))
        return -1;
    if (c->fault.kind == FAULT_GOAWAY && !c->is_h2 &&
        lws_add_http_header_by_name(c->wsi, (const unsigned char *)"connection:", (const unsigned char *)"close", 5, &p,
                                    end))
        return -1;
    if (lws_finalize_http_header(c->wsi, &p, end))
        return -1;
    enum lws_write_protocol kind = LWS_WRITE_HTTP_HEADERS;
    if (has_length && length == 0)
        kind |= LWS_WRITE_H2_STREAM_END;
    return lws_write(c->wsi, start, (size_t)(p - start), kind) < 0 ? -1 : 0;
}

static void set_logged_status(struct conn *c) {
    if (c->log_index >= 0 && (size_t)c->log_index < c->srv->request_count) {
        c->srv->requests[c->log_index].status = c->status;
        c->srv->requests[c->log_index].is_open = c->is_stream && !c->is_ended;
    }
}

void conn_reply(struct conn *c, int status, const char *content_type, double retry_after, const char *body,
                size_t size) {
    c->status = status;
    c->is_started = c->is_ended = true;
    set_logged_status(c);
    buf_append(&c->out, body, size);
    c->body_total = size;
    struct fault *f = &c->fault;
    bool is_half = f->kind == FAULT_RESET || f->kind == FAULT_CUT || f->kind == FAULT_TRUNCATE;
    for (size_t i = size / 2; f->kind == FAULT_MALFORMED && size > 2 && i < size; i++)
        c->out.data[i] = i % 2 == 0 ? '"' : ']'; /* no string, and no array, reaches the end */
    if (f->kind != FAULT_NONE && !f->is_in_bytes)
        c->fault_at = is_half ? size / 2 : 0;
    if (f->kind == FAULT_TRUNCATE && c->fault_at < size)
        size = c->out.size_bytes = (size_t)c->fault_at;
    if (write_headers(c, content_type, retry_after, true, size) < 0)
        lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    c->has_headers = true;
    want_to_write(c);
}

/* No time-out for the connection of an endless stream. lws counts such streams up to 255 and does not count down when
 * one is killed: after some, the connection is kept whatever ends. */
static void keep_connection(struct lws *wsi) {
    struct lws *network = lws_get_network_wsi(wsi);
    uintptr_t marked = (uintptr_t)lws_get_opaque_user_data(network);
    if (marked == 200)
        return;
    lws_set_opaque_user_data(network, (void *)(marked + 1));
    lws_http_mark_sse(wsi);
}

void conn_begin(struct conn *c, int status, const char *content_type) {
    c->status = status;
    c->is_started = c->is_stream = true;
    set_logged_status(c);
    if (write_headers(c, content_type, -1, false, 0) < 0)
        lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    c->has_headers = true;
    lws_set_timeout(c->wsi, NO_PENDING_TIMEOUT, 0);
    if (c->is_h2)
        keep_connection(c->wsi);
    if (c->fault.kind != FAULT_NONE && !c->fault.is_in_bytes && c->fault.after == 0)
        conn_strike(c);
    lws_callback_on_writable(c->wsi);
}

void conn_send(struct conn *c, const char *data, size_t size) {
    if (c->is_ended)
        return;
    buf_append(&c->out, data, size);
    c->body_total += size;
    want_to_write(c);
}

static bool strikes_mid_line(enum fault_kind kind) {
    return kind == FAULT_RESET || kind == FAULT_CUT || kind == FAULT_TRUNCATE;
}

void conn_strike(struct conn *c) {
    static const char garbage[] = /* found to be so only by one who reads the object to its end */
        "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"ghost\",\"namespace\":\"n\",\"uid\":\"ghost\","
        "\"resourceVersion\":\"1\"},\"status\":{]}}}\n";
    static const char half[] = "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"";
    if (strikes_mid_line(c->fault.kind) && c->events == 0)
        conn_send(c, half, sizeof half - 1);
    if (c->fault.kind == FAULT_MALFORMED)
        conn_send(c, garbage, sizeof garbage - 1);
    if (c->fault.kind == FAULT_EXPIRED || c->fault.kind == FAULT_ERROR) {
        bool is_expired = c->fault.kind == FAULT_EXPIRED;
        char line[300];
        int n = snprintf(line, sizeof line,
                         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                         "\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}}\n",
                         is_expired ? "too old resource version: 1 (100)" : "an error made by the scenario",
                         is_expired ? "Expired" : "InternalError", is_expired ? 410 : c->fault.code);
        conn_send(c, line, (size_t)n);
        conn_end(c);
    }
    c->fault_at = c->body_total;
    c->fault.is_in_bytes = true;
    lws_callback_on_writable(c->wsi);
}

void conn_event(struct conn *c, const char *line, size_t size) {
    bool is_counted = c->fault.kind != FAULT_NONE && !c->fault.is_in_bytes;
    if (c->is_ended)
        return;
    conn_send(c, line, size);
    c->events++;
    if (is_counted && c->events == c->fault.after) {
        if (strikes_mid_line(c->fault.kind))
            conn_send(c, line, size / 2);
        conn_strike(c);
    }
}

void conn_end(struct conn *c) {
    if (c->is_ended)
        return;
    c->is_ended = true;
    set_logged_status(c);
    want_to_write(c);
}

void conn_arm(struct conn *c, const struct fault *fault) {
    c->fault = *fault;
    c->fault_at = fault->is_in_bytes ? (uint64_t)fault->after : UINT64_MAX;
}

/* ---- writing ---- */

static void drip_on(void *context) {
    struct conn *c = context;
    lws_callback_on_writable(c->wsi);
}

static void reset_later(void *context) {
    struct conn *c = context;
    reset(c->wsi);
}

/* The fault strikes now. 1: continue writing; 0: stop for now; -1: close the connection. */
static int strike(struct conn *c) {
    struct fault f = c->fault;
    c->fault = (struct fault){.kind = FAULT_NONE};
    switch (f.kind) {
    case FAULT_RESET: /* a little later: a RST overtakes what the peer has not read yet */
        c->is_struck = true;
        timer_start(c->srv, &c->timer, 0.05, reset_later, c);
        return 0;
    case FAULT_CUT:
        cut(c->wsi);
        return 0;
    case FAULT_SILENT:
        freeze(c->srv, c->wsi);
        return 0;
    case FAULT_DRIP:
        c->drip_rate = f.amount;
        c->drip_left = f.bytes;
        return 1;
    case FAULT_GOAWAY:
    case FAULT_GOAWAY_HARD:
        if (c->is_h2)
            goaway(c->wsi);
        if (f.kind == FAULT_GOAWAY_HARD)
            cut(c->wsi);
        else if (!c->is_h2 && c->is_stream)
            conn_end(c);
        return f.kind == FAULT_GOAWAY;
    case FAULT_TRUNCATE:
    case FAULT_CLOSE:
        conn_end(c);
        return 1;
    default:
        return 1;
    }
}

static void conn_free(struct conn *c) {
    if (c == NULL)
        return;
    timer_stop(&c->timer);
    if (c->on_closed != NULL)
        c->on_closed(c->stream);
    if (c->is_stream && !c->is_ended) {
        c->is_ended = true;
        set_logged_status(c);
    }
    if (c->previous != NULL)
        c->previous->next = c->next;
    else
        c->srv->conns = c->next;
    if (c->next != NULL)
        c->next->previous = c->previous;
    free(c->path);
    free(c->query);
    buf_done(&c->body);
    buf_done(&c->out);
    free(c);
}

static int finish(struct session *session) {
    struct conn *c = session->conn;
    struct lws *wsi = c->wsi;
    session->conn = NULL;
    conn_free(c);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* Writes the next piece of the body, at most n bytes. */
static int write_piece(struct conn *c, size_t n, bool is_last) {
    unsigned char space[LWS_PRE + WRITE_BYTES + 32], *p = space + LWS_PRE;
    size_t size = 0;
    bool is_chunked = c->is_stream && !c->is_h2;
    if (is_chunked && n > 0)
        size += (size_t)snprintf((char *)p, 16, "%zx\r\n", n);
    memcpy(p + size, c->out.data == NULL ? "" : c->out.data + c->out_at, n);
    size += n;
    if (is_chunked && n > 0) {
        memcpy(p + size, "\r\n", 2);
        size += 2;
    }
    if (is_chunked && is_last) {
        memcpy(p + size, "0\r\n\r\n", 5);
        size += 5;
    }
    c->out_at += n;
    c->body_sent += n;
    if (c->out_at == c->out.size_bytes) {
        buf_clear(&c->out);
        c->out_at = 0;
    } else if (c->out_at > (1 << 22)) {
        buf_consume(&c->out, c->out_at);
        c->out_at = 0;
    }
    return lws_write(c->wsi, p, size, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0 ? -1 : 0;
}

/* How much may be written now: the fault's place, the drip, the peer's HTTP/2 window. */
static size_t allowance(struct conn *c) {
    size_t n = c->out.size_bytes - c->out_at;
    if (n > WRITE_BYTES)
        n = WRITE_BYTES;
    if (c->fault.kind != FAULT_NONE && c->fault_at != UINT64_MAX && n > c->fault_at - c->body_sent)
        n = (size_t)(c->fault_at - c->body_sent);
    if (c->drip_rate > 0) {
        size_t piece = c->drip_rate > 20 ? (size_t)(c->drip_rate / 20) : 1;
        if (n > piece)
            n = piece;
        if (c->drip_left > 0 && n > (size_t)c->drip_left)
            n = (size_t)c->drip_left;
    }
    if (c->is_h2) {
        lws_fileofs_t window = lws_get_peer_write_allowance(c->wsi);
        if (window >= 0 && n > (size_t)window)
            n = (size_t)window;
    }
    return n;
}

static int on_writable(struct session *session) {
    struct conn *c = session->conn;
    if (c == NULL || !c->has_headers || c->is_struck || is_frozen(c->srv, lws_get_network_wsi(c->wsi)))
        return 0;
    if (c->fault.kind != FAULT_NONE && c->body_sent >= c->fault_at) {
        int next = strike(c);
        if (next <= 0)
            return next;
    }
    size_t pending = c->out.size_bytes - c->out_at, n = allowance(c);
    bool is_last = c->is_ended && n == pending && (c->fault.kind == FAULT_NONE || c->fault_at > c->body_sent + n);
    if (n == 0 && !is_last) {
        if (pending > 0 || (c->fault.kind != FAULT_NONE && c->fault_at <= c->body_sent))
            lws_callback_on_writable(c->wsi);
        return 0;
    }
    if ((n > 0 || c->is_stream) && write_piece(c, n, is_last) < 0)
        return -1;
    if (is_last)
        return finish(session);
    bool is_due = c->fault.kind != FAULT_NONE && c->fault_at <= c->body_sent;
    if (c->drip_left > 0 && (c->drip_left -= (long)n) == 0)
        c->drip_rate = 0;
    if (c->drip_rate > 0 && !is_due)
        timer_start(c->srv, &c->timer, c->drip_rate > 20 ? 0.05 : 1 / c->drip_rate, drip_on, c);
    else if (c->out.size_bytes > c->out_at || is_due || c->is_ended)
        lws_callback_on_writable(c->wsi);
    return 0;
}

/* ---- requests ---- */

static void copy_header(struct lws *wsi, char *out, size_t size, enum lws_token_indexes token) {
    if (lws_hdr_copy(wsi, out, (int)size, token) < 0)
        out[0] = '\0';
}

static void read_query(struct conn *c) {
    CLEANUP_BUF struct buf all;
    buf_init(&all, 65536);
    char part[8192];
    for (int i = 0; lws_hdr_copy_fragment(c->wsi, part, sizeof part, WSI_TOKEN_HTTP_URI_ARGS, i) >= 0; i++) {
        if (all.size_bytes > 0)
            buf_append_char(&all, '\n');
        buf_append_text(&all, part);
    }
    c->query = mem_strdup(buf_text(&all));
}

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static void decode(const char *from, size_t n, struct buf *out) {
    for (size_t i = 0; i < n; i++) {
        if (from[i] == '%' && i + 2 < n && hex(from[i + 1]) >= 0 && hex(from[i + 2]) >= 0) {
            buf_append_char(out, (char)(hex(from[i + 1]) * 16 + hex(from[i + 2])));
            i += 2;
        } else {
            buf_append_char(out, from[i] == '+' ? ' ' : from[i]);
        }
    }
}

/* lws hands a :path that HPACK's dynamic table repeats on as it is, arguments and all (lws_hpack_use_idx_hdr). */
static void split_path(struct conn *c) {
    char *mark = strchr(c->path, '?');
    if (mark == NULL || !c->is_h2)
        return;
    CLEANUP_BUF struct buf all;
    buf_init(&all, 65536);
    for (const char *p = mark + 1; *p != '\0'; p += *p == '&') {
        size_t n = strcspn(p, "&");
        if (all.size_bytes > 0)
            buf_append_char(&all, '\n');
        decode(p, n, &all);
        p += n;
    }
    *mark = '\0';
    free(c->query);
    c->query = mem_strdup(buf_text(&all));
}

static void read_method(struct conn *c) {
    static const struct {
        enum lws_token_indexes token;
        const char *method;
    } tokens[] = {{WSI_TOKEN_GET_URI, "GET"},     {WSI_TOKEN_POST_URI, "POST"},     {WSI_TOKEN_PUT_URI, "PUT"},
                  {WSI_TOKEN_PATCH_URI, "PATCH"}, {WSI_TOKEN_DELETE_URI, "DELETE"}, {WSI_TOKEN_HEAD_URI, "HEAD"}};
    snprintf(c->method, sizeof c->method, "GET");
    if (lws_hdr_total_length(c->wsi, WSI_TOKEN_HTTP_COLON_METHOD) > 0)
        copy_header(c->wsi, c->method, sizeof c->method, WSI_TOKEN_HTTP_COLON_METHOD);
    else
        for (size_t i = 0; i < ARRAY_SIZE(tokens); i++)
            if (lws_hdr_total_length(c->wsi, tokens[i].token) > 0)
                snprintf(c->method, sizeof c->method, "%s", tokens[i].method);
}

static int on_request(struct session *session, struct lws *wsi, const char *path) {
    struct srv *srv = lws_context_user(lws_get_context(wsi));
    struct conn *c = mem_new(struct conn);
    *c = (struct conn){.srv = srv, .wsi = wsi, .log_index = -1, .fault_at = UINT64_MAX};
    if (session->conn != NULL)
        conn_free(session->conn);
    session->conn = c;
    c->next = srv->conns;
    if (c->next != NULL)
        c->next->previous = c;
    srv->conns = c;
    buf_init(&c->body, 8 << 20);
    buf_init(&c->out, OUT_MAXIMUM);
    c->path = mem_strdup(path);
    c->is_h2 = lws_get_network_wsi(wsi) != wsi;
    read_method(c);
    read_query(c);
    split_path(c);
    copy_header(wsi, c->accept, sizeof c->accept, WSI_TOKEN_HTTP_ACCEPT);
    copy_header(wsi, c->content_type, sizeof c->content_type, WSI_TOKEN_HTTP_CONTENT_TYPE);
    copy_header(wsi, c->authorization, sizeof c->authorization, WSI_TOKEN_HTTP_AUTHORIZATION);
    copy_header(wsi, c->user_agent, sizeof c->user_agent, WSI_TOKEN_HTTP_USER_AGENT);
    union lws_tls_cert_info_results info;
    memset(&info, 0, sizeof info);
    c->has_client_cert = lws_is_ssl(lws_get_network_wsi(wsi)) &&
                         lws_tls_peer_cert_info(lws_get_network_wsi(wsi), LWS_TLS_CERT_INFO_VERIFIED, &info, 0) == 0 &&
                         info.verified;
    char length[32];
    copy_header(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH);
    bool is_writing = c->method[0] == 'P';
    if ((is_writing && (c->is_h2 || length[0] != '\0')) || (length[0] != '\0' && strcmp(length, "0") != 0))
        return 0; /* the body comes */
    c->is_dispatched = true;
    api_handle(c);
    return 0;
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len) {
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS: /* once, of the vhost: user and in are others */
        ((struct srv *)lws_vhost_user(in))->tls = user;
        return 0;
    case LWS_CALLBACK_HTTP:
        return on_request(session, wsi, in);
    case LWS_CALLBACK_HTTP_BODY:
        if (session->conn != NULL)
            buf_append(&session->conn->body, in, len);
        return 0;
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        if (session->conn != NULL && !session->conn->is_dispatched) {
            session->conn->is_dispatched = true;
            api_handle(session->conn);
        }
        return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writable(session);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (session != NULL && session->conn != NULL) {
            conn_free(session->conn);
            session->conn = NULL;
        }
        return 0;
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        ((struct srv *)lws_context_user(lws_get_context(wsi)))->connections++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        thaw(lws_context_user(lws_get_context(wsi)), wsi);
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, len);
    }
}

/* ---- other descriptors ---- */

struct watched {
    void (*run)(void *context);
    void *context;
};

static int callback_fd(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len) {
    (void)user, (void)in, (void)len;
    struct watched *w = lws_get_opaque_user_data(wsi);
    if (reason == LWS_CALLBACK_RAW_RX_FILE && w != NULL)
        w->run(w->context);
    else if (reason == LWS_CALLBACK_RAW_CLOSE_FILE)
        free(w);
    return 0;
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = callback, .per_session_data_size = sizeof(struct session), .rx_buffer_size = 65536},
    {.name = "fd", .callback = callback_fd},
    {.name = NULL},
};

int wire_watch_fd(struct srv *srv, int fd, void (*run)(void *context), void *context) {
    struct watched *w = mem_new(struct watched);
    *w = (struct watched){run, context};
    lws_sock_file_fd_type u = {.filefd = fd};
    struct lws *wsi = lws_adopt_descriptor_vhost(srv->vhost, LWS_ADOPT_RAW_FILE_DESC, u, "fd", NULL);
    if (wsi == NULL)
        return -1;
    lws_set_opaque_user_data(wsi, w);
    return 0;
}

int wire_open(struct srv *srv, const struct wire_options *options, int *port) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    wire_hear_resets(srv);
    info.port = options->port;
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.user = srv;
    memset(&info.gid, 0xff, sizeof info.gid); /* -1: no change; of signed type up to libwebsockets 4.1 */
    memset(&info.uid, 0xff, sizeof info.uid);
    info.max_http_header_data = 16384;
    info.max_http_header_pool = 2048; /* beyond it lws ends the whole connection */
    info.fd_limit_per_thread = 1024;
    info.keepalive_timeout = 120;
    info.timeout_secs = 60;
    info.pt_serv_buf_size = 65536;
    info.options = LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    if (options->is_tls) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = options->certificate_file;
        info.ssl_private_key_filepath = options->key_file;
        info.ssl_ca_filepath = options->client_ca_file;
        if (options->client_ca_file != NULL)
            info.options |=
                LWS_SERVER_OPTION_REQUIRE_VALID_OPENSSL_CLIENT_CERT | LWS_SERVER_OPTION_PEER_CERT_NOT_REQUIRED;
        info.alpn = options->is_http1_only ? "http/1.1" : options->is_h2_only ? "h2" : "h2,http/1.1";
    } else if (options->is_h2_only) {
        info.options |= LWS_SERVER_OPTION_H2_PRIOR_KNOWLEDGE;
    }
    /* lws 4.1.6 keeps only the last argument of a :path in HPACK's dynamic table, so that a repeated URL of a client
     * that indexes it (Go does, nghttp2 does not) reads as that argument and is answered 403. A table of 64 bytes has
     * no room for such a path (RFC 7541 section 4.1: 32 + name + value).
     * A stream that the client has reset counts until lws's next turn (unstick.c); where its successor comes in the
     * same read, lws ends the whole connection with all its watches ("Another stream not allowed"). So more are offered
     * than the 100 that curl has open at once by itself, as with a kube-apiserver. The others are lws's own presets. */
    static const uint32_t settings[7] = {6, 64, 0, 1000000, 0, 16384, 16384};
    memcpy(info.http2_settings, settings, sizeof settings);
    srv->context = lws_create_context(&info);
    srv->vhost = srv->context != NULL ? lws_get_vhost_by_name(srv->context, "default") : NULL;
    if (srv->vhost == NULL) {
        fprintf(stderr, "test-apiserver: cannot listen on port %d: is it in use, are the certificates readable?\n",
                options->port);
        return -1;
    }
    wire_close_left(srv);
    *port = lws_get_vhost_listen_port(srv->vhost);
    return 0;
}

void wire_close(struct srv *srv) {
    struct lws_context *context = srv->context;
    if (context != NULL)
        lws_context_destroy(context);
    srv->context = NULL;
}
