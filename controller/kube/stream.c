#include "kube/stream.h"

#include "base/buf.h"
#include "base/jmembers.h"
#include "base/mem.h"
#include "kube/client_internal.h"
#include "kube/tally.h"

#include <errno.h>
#include <string.h>

struct kube_stream {
    struct kube_client *client;
    struct http_handler handler;
    char *method, *path, *content_type, *accept;
    struct buf body;
    int64_t silence_us, total_us;
    struct kube_credentials_waiter waiter;
    struct loop_timer *patience; /* while it waits */
    bool is_waiting, is_lazy, is_bulk, is_busy, is_counted;
    bool is_answered; /* by the server itself: not with a failure of the server */
    int64_t sent_us;  /* 0: not yet */
    int generation;   /* of the credentials it was sent with */
    struct http_request *request;
    struct error *failure;
};

static void fail(void *context);

static void stream_free(struct kube_stream *s) {
    if (s->is_waiting)
        kube_credentials_wait_cancel(s->client->credentials, &s->waiter);
    loop_timer_free(s->patience);
    loop_defer_cancel(s->client->loop, fail, s);
    http_cancel(s->request);
    free(s->method);
    free(s->path);
    free(s->content_type);
    free(s->accept);
    buf_done(&s->body);
    error_free(s->failure);
    free(s);
}

static void on_reply(void *context, const struct http_reply *reply) {
    struct kube_stream *s = context;
    kube_tally_answer(s->client, s->method, reply->status, s->sent_us);
    s->is_counted = true;
    s->is_answered = reply->status < 500;
    if (s->is_answered)
        kube_tally_hear(s->client, s->sent_us);
    if (reply->status == 401)
        kube_credentials_reject(s->client->credentials, s->generation);
    if (s->handler.on_reply != NULL)
        s->handler.on_reply(s->handler.context, reply);
}

static int on_data(void *context, struct slice bytes) {
    struct kube_stream *s = context;
    if (s->is_answered)
        kube_tally_hear(s->client, loop_now(s->client->loop).us);
    return s->handler.on_data(s->handler.context, bytes);
}

/* Without the user and password that may stand in it. */
static char *proxy_of(const struct kube_client *client) {
    struct slice scheme = {"", 0}, rest = slice_of(client->config->proxy_url);
    const char *mark = slice_find(rest, "://");
    if (mark != NULL) {
        scheme = slice_range(rest.data, mark + 3);
        rest = slice_skip(rest, scheme.size_bytes);
    }
    const char *at = memrchr(rest.data, '@', strcspn(rest.data, "/"));
    return mem_format("%.*s%s", SLICE_ARG(scheme), at != NULL ? at + 1 : rest.data);
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct kube_stream *s = context;
    struct http_handler handler = s->handler;
    struct error *explained CLEANUP_ERROR = NULL;
    s->request = NULL;
    if (!s->is_counted)
        kube_tally_answer(s->client, s->method, 0, s->sent_us);
    if (err != NULL && err->code == EPROTO) /* TLS: the files may have been replaced since they were read */
        kube_credentials_reject(s->client->credentials, s->generation);
    if (err != NULL && s->client->config->proxy_url != NULL) {
        char *proxy CLEANUP_FREE = proxy_of(s->client);
        error_set(&explained, err->code, "through the proxy %s: %s", proxy, err->text);
        err = explained;
    }
    stream_free(s);
    handler.on_done(handler.context, reply, err);
}

static void fail(void *context) {
    struct kube_stream *s = context;
    struct http_handler handler = s->handler;
    struct http_reply none = {.retry_after_us = -1, .date_s = -1, .content_type = ""};
    struct error *err CLEANUP_ERROR = s->failure;
    s->failure = NULL;
    stream_free(s);
    handler.on_done(handler.context, &none, err);
}

static void fail_later(struct kube_stream *s, int code, const char *text) {
    error_set(&s->failure, code, "%s", text);
    loop_defer(s->client->loop, fail, s);
}

static void send_request(struct kube_stream *s) {
    struct kube_client *client = s->client;
    enum { OWN_HEADERS = 4 };
    char **more = client->config->headers;
    size_t count = 0, n = 0;
    while (more != NULL && more[count] != NULL)
        count++;
    const char **headers CLEANUP_FREE = mem_alloc((count + OWN_HEADERS + 1) * sizeof(char *));
    char *accept CLEANUP_FREE = mem_format("Accept: %s", s->accept);
    char *type CLEANUP_FREE = mem_format("Content-Type: %s", s->content_type);
    headers[n++] = accept;
    headers[n++] = client->user_agent; /* its own: the server pretty-prints for curl's */
    if (s->body.size_bytes > 0)
        headers[n++] = type;
    if (kube_credentials_authorization(client->credentials) != NULL)
        headers[n++] = kube_credentials_authorization(client->credentials);
    for (size_t i = 0; i < count; i++)
        headers[n++] = more[i];
    char *url CLEANUP_FREE = mem_format("%s%s", client->config->server, s->path);
    struct http_options options = {.method = s->method,
                                   .url = url,
                                   .headers = headers,
                                   .body = buf_slice(&s->body),
                                   .transport = kube_credentials_transport(client->credentials),
                                   .total_timeout_us = s->total_us,
                                   .silence_timeout_us = s->silence_us,
                                   .is_http1_only = client->is_http1_only,
                                   .is_lazy = s->is_lazy,
                                   .is_bulk = s->is_bulk,
                                   .is_busy = s->is_busy};
    struct http_handler handler = {on_reply, on_data, on_done, s};
    s->generation = kube_credentials_generation(client->credentials);
    s->sent_us = loop_now(client->loop).us;
    s->request = http_start(client->http, &options, &handler);
}

static void credentials_ready(void *context, const struct error *err) {
    struct kube_stream *s = context;
    s->is_waiting = false;
    loop_timer_stop(s->patience);
    if (err != NULL)
        fail_later(s, err->code, err->text);
    else
        send_request(s);
}

/* The plugin continues: its answer may serve the next request. */
static void waited_enough(void *context) {
    struct kube_stream *s = context;
    kube_credentials_wait_cancel(s->client->credentials, &s->waiter);
    s->is_waiting = false;
    error_set(&s->failure, ETIMEDOUT, "the credential plugin has not answered for %lld ms",
              (long long)(s->total_us / 1000));
    fail(s);
}

struct kube_stream *kube_stream_start(struct kube_client *client, const struct kube_stream_options *options,
                                      const struct http_handler *handler) {
    struct kube_stream *s = mem_new(struct kube_stream);
    s->client = client;
    s->handler = *handler;
    s->method = mem_strdup(options->method != NULL ? options->method : "GET");
    s->path = mem_strdup(options->path);
    s->content_type = mem_strdup(options->content_type != NULL ? options->content_type : "application/json");
    s->accept = mem_strdup(options->accept != NULL ? options->accept : "application/json");
    s->silence_us = options->silence_us;
    s->total_us = options->total_us;
    s->is_lazy = options->is_lazy;
    s->is_bulk = options->is_bulk;
    s->is_busy = options->is_busy;
    s->waiter = (struct kube_credentials_waiter){credentials_ready, s, NULL};
    buf_init(&s->body, options->body.size_bytes + 1);
    buf_append_slice(&s->body, options->body);
    struct error *err CLEANUP_ERROR = NULL;
    int r = kube_credentials_get(client->credentials, &err);
    if (r == -EINPROGRESS) {
        s->is_waiting = true;
        s->patience = loop_timer_new(client->loop, waited_enough, s);
        if (s->total_us > 0)
            loop_timer_set(s->patience, s->total_us);
        kube_credentials_wait(client->credentials, &s->waiter);
    } else if (r < 0)
        fail_later(s, -r, error_text(err));
    else
        send_request(s);
    return s;
}

void kube_stream_hurry(struct kube_stream *stream) {
    stream->is_lazy = false; /* if it still waits for credentials */
    http_hurry(stream->request);
}

void kube_stream_cancel(struct kube_stream *stream) {
    if (stream != NULL)
        stream_free(stream);
}

char *kube_status_text(int status, struct slice body, char ret_reason[static 64]) {
    struct status {
        char message[1024], reason[64], kind[16];
    } s = {.message = ""};
    static const struct jmember rows[] = {JMEMBER(struct status, kind, "kind"),
                                          JMEMBER(struct status, message, "message"),
                                          JMEMBER(struct status, reason, "reason")};
    struct jscan j;
    jscan_init(&j, body);
    jmembers_read(&j, JMEMBERS(rows), &s);
    slice_copy(ret_reason, sizeof s.reason, slice_of(s.reason));
    if (strcmp(s.kind, "Status") == 0 && s.message[0] != '\0')
        return mem_strdup(s.message);
    struct slice rest = slice_trim(body), line = {"", 0};
    slice_take_line(&rest, &line);
    if (line.size_bytes > 200)
        line.size_bytes = 200;
    return mem_format("HTTP %d%s%.*s", status, line.size_bytes > 0 ? ": " : "", SLICE_ARG(line));
}
