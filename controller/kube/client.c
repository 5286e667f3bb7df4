#include "kube/client.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "kube/backoff.h"
#include "kube/client_internal.h"
#include "kube/config_load.h"
#include "kube/stream.h"
#include "kube/tally.h"

#include <errno.h>
#include <string.h>

enum { REPLY_MAX_BYTES = 4 << 20, MAX_TRIES = 10 };
#define CALL_TIMEOUT_US INT64_C(30000000)
#define BACKOFF_MIN_US INT64_C(100000)
#define BACKOFF_MAX_US INT64_C(10000000)

struct kube_call {
    struct kube_client *client;
    char *method, *path, *content_type;
    struct buf body, reply;
    int64_t deadline_us;
    bool may_retry, was_refused; /* refused: one 401 was forgiven */
    bool is_lazy;
    int tries;
    struct kube_backoff backoff;
    struct loop_timer *timer;
    struct kube_stream *stream;
    kube_done *done;
    void *context;
};

static void try_now(void *context);

struct kube_client *kube_client_new(struct loop *loop, const struct kube_options *options, struct error **err) {
    struct kube_client *c = mem_new(struct kube_client);
    c->loop = loop;
    c->is_http1_only = options->is_http1_only;
    c->is_json_only = options->is_json_only;
    c->user_agent = mem_format("User-Agent: %s", options->user_agent != NULL ? options->user_agent : "goodput");
    if (kube_config_load(options->kubeconfig, options->context, &c->config, err) == 0)
        c->credentials = kube_credentials_new(loop, c->config, err);
    if (c->credentials == NULL) {
        kube_client_free(c);
        return NULL;
    }
    c->http = http_client_new(loop);
    return c;
}

void kube_client_free(struct kube_client *client) {
    if (client == NULL)
        return;
    http_client_free(client->http);
    kube_credentials_free(client->credentials);
    kube_config_free(client->config);
    free(client->user_agent);
    free(client->counts);
    free(client->tallies);
    free(client->durations);
    free(client);
}

const char *kube_client_server(const struct kube_client *client) {
    return client->config->server;
}

bool kube_client_reads_json(const struct kube_client *client) {
    return client->is_json_only;
}

struct loop *kube_client_loop(const struct kube_client *client) {
    return client->loop;
}

int kube_client_counts(const struct kube_client *client, const struct kube_count **counts) {
    *counts = client->counts;
    return (int)client->count_count;
}

int kube_client_durations(const struct kube_client *client, const struct kube_duration **durations) {
    *durations = client->durations;
    return (int)client->duration_count;
}

int64_t kube_client_heard_us(const struct kube_client *client) {
    return client->heard_us;
}

int64_t kube_client_log_bytes(const struct kube_client *client) {
    return client->log_bytes;
}

int kube_client_streams(const struct kube_client *client, const struct kube_stream_count **counts) {
    *counts = client->tallies;
    return (int)client->tally_count;
}

/* Calls. */

static void call_free(struct kube_call *call) {
    kube_stream_cancel(call->stream);
    loop_timer_free(call->timer);
    free(call->method);
    free(call->path);
    free(call->content_type);
    buf_done(&call->body);
    buf_done(&call->reply);
    free(call);
}

static int on_data(void *context, struct slice bytes) {
    struct kube_call *call = context;
    return buf_append_slice(&call->reply, bytes);
}

static bool is_worth_retrying(const struct http_reply *reply, const struct error *err) {
    if (err != NULL)
        return err->code == ECONNREFUSED || err->code == ECONNRESET || err->code == ETIMEDOUT ||
               err->code == EHOSTUNREACH || err->code == EIO;
    return reply->status == 429 || (reply->status >= 500 && reply->status != 501);
}

/* True if another try is on its way. */
static bool retry(struct kube_call *call, const struct http_reply *reply, const struct error *err) {
    int64_t left_us = call->deadline_us - loop_now(call->client->loop).us, wait_us = 0;
    if (err == NULL && reply->status == 401 && !call->was_refused) {
        call->was_refused = true;
    } else {
        if (!call->may_retry || call->tries >= MAX_TRIES || !is_worth_retrying(reply, err))
            return false;
        wait_us = max_of(kube_backoff_next(&call->backoff), reply->retry_after_us);
    }
    if (wait_us >= left_us)
        return false;
    loop_timer_set(call->timer, wait_us);
    return true;
}

static void finish(struct kube_call *call, const struct http_reply *reply, const struct error *err) {
    struct error *refusal CLEANUP_ERROR = NULL;
    char reason[64];
    if (err != NULL && err->code == EMSGSIZE)
        error_set(&refusal, EMSGSIZE, "the reply is larger than %zu bytes", call->reply.maximum_bytes);
    else if (err != NULL)
        error_set(&refusal, err->code, "%s: %s", call->client->config->server, err->text);
    else if (reply->status < 200 || reply->status > 299) {
        char *text CLEANUP_FREE = kube_status_text(reply->status, buf_slice(&call->reply), reason);
        error_set(&refusal, strcmp(reason, "NotFound") == 0 ? ENOENT : EPROTO, "%s", text); /* else 404: no such path */
    }
    kube_done *done = call->done;
    void *context = call->context;
    struct buf body CLEANUP_BUF = call->reply;
    call->reply = (struct buf){0};
    call_free(call);
    done(context, err != NULL ? 0 : reply->status, buf_slice(&body), refusal);
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct kube_call *call = context;
    call->stream = NULL;
    const char *reason = reply->status != 0 ? kube_tally_reason(err, false) : NULL;
    if (reason != NULL)
        kube_tally_add(call->client, "call", call->method, reason);
    if (!retry(call, reply, err))
        finish(call, reply, err);
}

static void try_now(void *context) {
    struct kube_call *call = context;
    int64_t left_us = call->deadline_us - loop_now(call->client->loop).us;
    struct kube_stream_options options = {.method = call->method,
                                          .path = call->path,
                                          .content_type = call->content_type,
                                          .body = buf_slice(&call->body),
                                          .total_us = max_of(left_us, 1000),
                                          .is_lazy = call->is_lazy};
    struct http_handler handler = {.on_data = on_data, .on_done = on_done, .context = call};
    buf_clear(&call->reply);
    call->tries++;
    call->stream = kube_stream_start(call->client, &options, &handler);
}

struct kube_call *kube_call(struct kube_client *client, const struct kube_request *request, kube_done *done,
                            void *context) {
    struct kube_call *call = mem_new(struct kube_call);
    call->client = client;
    call->method = mem_strdup(request->method != NULL ? request->method : "GET");
    call->path = mem_strdup(request->path);
    call->content_type = mem_strdup(request->content_type);
    call->may_retry = request->may_retry;
    call->is_lazy = request->is_lazy;
    call->done = done;
    call->context = context;
    call->backoff = (struct kube_backoff){.min_us = BACKOFF_MIN_US, .max_us = BACKOFF_MAX_US};
    call->deadline_us = loop_now(client->loop).us + (request->timeout_us > 0 ? request->timeout_us : CALL_TIMEOUT_US);
    call->timer = loop_timer_new(client->loop, try_now, call);
    buf_init(&call->body, request->body.size_bytes + 1);
    buf_append_slice(&call->body, request->body);
    buf_init(&call->reply, request->max_reply_bytes > 0 ? request->max_reply_bytes : REPLY_MAX_BYTES);
    try_now(call);
    return call;
}

void kube_call_hurry(struct kube_call *call) {
    if (call == NULL)
        return;
    call->is_lazy = false; /* its next tries as well */
    if (call->stream != NULL)
        kube_stream_hurry(call->stream);
}

void kube_call_cancel(struct kube_call *call) {
    if (call != NULL)
        call_free(call);
}

bool kube_escape(char *out, size_t out_size, const char *text) {
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;
    for (const char *p = text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        c == '.' || c == '_' || c == '~';
        if (n + (is_plain ? 1 : 3) >= out_size)
            return false;
        if (is_plain)
            out[n++] = (char)c;
        else {
            out[n++] = '%';
            out[n++] = hex[c >> 4];
            out[n++] = hex[c & 15];
        }
    }
    if (out_size == 0)
        return false;
    out[n] = '\0';
    return true;
}
