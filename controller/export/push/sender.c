#include "export/push/sender.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "kube/backoff.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FIRST_US INT64_C(1000000)
#define MAX_WAIT_US INT64_C(60000000)
#define GIVE_UP_US INT64_C(300000000)
#define TIMEOUT_US INT64_C(30000000)
enum { MAX_HEADERS = 32, MAX_REPLY = 256 << 10 };

struct sender {
    struct loop *loop;
    struct http_client *http;
    struct sender_options options;
    struct sender_handler handler;
    struct push_figures *figures;
    struct gcp_token_waiter waiter;
    struct http_request *request;
    struct loop_timer *timer;
    struct kube_backoff backoff;
    struct buf reply;
    char *url, *body;
    size_t body_size;
    const char *const *headers;
    int64_t points, started_us;
    int tries, unauthorized;
    bool is_busy, is_in_trouble;
    char logged[SENDER_TEXT]; /* the last logged text, while the trouble lasts */
};

static void try_now(void *context);

struct sender *sender_new(struct loop *loop, struct http_client *http, const struct sender_options *options,
                          const struct sender_handler *handler, struct push_figures *figures) {
    struct sender *s = mem_new(struct sender);
    *s = (struct sender){.loop = loop, .http = http, .options = *options, .handler = *handler, .figures = figures};
    s->backoff.min_us = options->first_us > 0 ? options->first_us : FIRST_US;
    s->backoff.max_us = s->backoff.min_us > MAX_WAIT_US / 2 ? s->backoff.min_us : MAX_WAIT_US / 2;
    if (s->options.give_up_us <= 0)
        s->options.give_up_us = GIVE_UP_US;
    s->timer = loop_timer_new(loop, try_now, s);
    buf_init(&s->reply, MAX_REPLY);
    return s;
}

static void forget_body(struct sender *s) {
    free(s->url);
    free(s->body);
    s->url = s->body = NULL;
}

void sender_free(struct sender *s) {
    if (s == NULL)
        return;
    if (s->options.tokens != NULL)
        gcp_tokens_forget(s->options.tokens, &s->waiter);
    http_cancel(s->request);
    loop_timer_free(s->timer);
    buf_done(&s->reply);
    forget_body(s);
    free(s);
}

/* Logs the same text once, however often it occurs. */
static void log_trouble(struct sender *s, const char *text) {
    if (text[0] == '\0' || (s->is_in_trouble && strcmp(s->logged, text) == 0))
        return;
    s->is_in_trouble = true;
    snprintf(s->logged, sizeof s->logged, "%s", text);
    jsonlog(JSONLOG_WARNING, "push in trouble", "to", LOG_S(s->options.name), "error", LOG_S(text), NULL);
}

static void finish(struct sender *s, bool is_delivered, int64_t dropped, const char *text) {
    struct push_figures *f = s->figures;
    if (is_delivered) {
        f->delivered++;
        f->points_delivered += s->points - dropped;
        f->last_delivery_ms = wall_ms(loop_wall(s->loop));
        kube_backoff_reset(&s->backoff);
        if (s->is_in_trouble && text[0] == '\0')
            jsonlog(JSONLOG_INFO, "push works again", "to", LOG_S(s->options.name), NULL);
        s->is_in_trouble = s->is_in_trouble && text[0] != '\0';
    } else {
        f->failed++;
        dropped = s->points;
    }
    f->points_dropped += dropped;
    log_trouble(s, text);
    forget_body(s);
    s->is_busy = false;
    s->handler.finished(s->handler.context, is_delivered);
}

static void again(struct sender *s, int64_t min_wait_us, const char *text) {
    int64_t wait_us = kube_backoff_next(&s->backoff);
    wait_us = wait_us > min_wait_us ? wait_us : min_wait_us;
    if (loop_now(s->loop).us + wait_us - s->started_us > s->options.give_up_us) {
        finish(s, false, 0, text);
        return;
    }
    s->figures->retried++;
    log_trouble(s, text);
    loop_timer_set(s->timer, wait_us);
}

/* ---- one try ---- */

static int on_data(void *context, struct slice bytes) {
    struct sender *s = context;
    buf_append_slice(&s->reply, bytes); /* cut at the limit: the status is enough */
    return 0;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct sender *s = context;
    char text[SENDER_TEXT] = "";
    int64_t dropped = 0;
    s->request = NULL;
    if (err != NULL) {
        snprintf(text, sizeof text, "no answer: %s", error_text(err));
        again(s, reply->retry_after_us, text);
        return;
    }
    if (reply->status == 401 && s->options.tokens != NULL && s->unauthorized++ == 0) {
        gcp_tokens_refused(s->options.tokens);
        s->figures->retried++;
        loop_timer_set(s->timer, 0);
        return;
    }
    struct sender_reply whole = {reply->status, buf_slice(&s->reply), s->tries > 1};
    enum sender_verdict verdict = s->handler.judge(s->handler.judge_context, &whole, &dropped, text);
    if (verdict == SENDER_RETRY)
        again(s, reply->retry_after_us, text);
    else
        finish(s, verdict == SENDER_DELIVERED, dropped, text);
}

static void start(struct sender *s, const char *authorization) {
    const char *headers[MAX_HEADERS + 2];
    size_t count = 0;
    while (count < MAX_HEADERS && s->headers[count] != NULL) {
        headers[count] = s->headers[count];
        count++;
    }
    if (authorization != NULL)
        headers[count++] = authorization;
    headers[count] = NULL;
    struct http_transport transport = {.ca_file = s->options.ca_file};
    struct http_options options = {.method = "POST",
                                   .url = s->url,
                                   .headers = headers,
                                   .body = {s->body, s->body_size},
                                   .transport = &transport,
                                   .total_timeout_us = TIMEOUT_US};
    struct http_handler handler = {NULL, on_data, on_done, s};
    buf_clear(&s->reply);
    s->tries++;
    s->request = http_start(s->http, &options, &handler);
}

static void on_token(void *context, const char *token, const struct error *err) {
    struct sender *s = context;
    if (token == NULL) {
        again(s, 0, error_text(err));
        return;
    }
    CLEANUP_FREE char *authorization = mem_format("Authorization: Bearer %s", token);
    start(s, authorization);
}

static void try_now(void *context) {
    struct sender *s = context;
    s->waiter = (struct gcp_token_waiter){.done = on_token, .context = s};
    if (s->options.tokens != NULL)
        gcp_tokens_get(s->options.tokens, &s->waiter);
    else
        start(s, NULL);
}

void sender_post(struct sender *s, const char *url, const char *const *headers, struct slice body, int64_t points) {
    assert(!s->is_busy);
    s->url = mem_strdup(url);
    s->body = slice_dup(body); /* may hold any bytes */
    s->body_size = body.size_bytes;
    s->headers = headers;
    s->points = points;
    s->tries = s->unauthorized = 0;
    s->started_us = loop_now(s->loop).us;
    s->is_busy = true;
    loop_timer_set(s->timer, 0); /* not within the caller's stack */
}
