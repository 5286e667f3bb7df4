#include "gcp/tokens.h"

#include "base/file.h"
#include "base/mem.h"
#include "gcp/credentials.h"
#include "io/http_call.h"

#include <errno.h>
#include <string.h>

#define MAX_FILE (64 << 10)
#define MAX_REPLY (64 << 10)
#define TIMEOUT_US INT64_C(15000000)
#define SPARE_US INT64_C(225000000) /* as google-auth: renewed so long before it runs out */

struct gcp_tokens {
    struct loop *loop;
    struct http_client *http;
    char *file;
    char *token;
    int64_t holds_until_us;
    struct http_call *call;
    struct gcp_token_waiter *waiters;
};

struct gcp_tokens *gcp_tokens_new(struct loop *loop, struct http_client *http, const char *credentials_file) {
    struct gcp_tokens *t = mem_new(struct gcp_tokens);
    t->loop = loop;
    t->http = http;
    t->file = credentials_file ? mem_strdup(credentials_file) : gcp_credentials_path();
    return t;
}

void gcp_tokens_free(struct gcp_tokens *t) {
    if (t == NULL)
        return;
    http_call_cancel(t->call);
    free(t->file);
    free(t->token);
    free(t);
}

static void notify_all(struct gcp_tokens *t, const struct error *err) {
    struct gcp_token_waiter *w;
    while ((w = t->waiters) != NULL) {
        t->waiters = w->next;
        w->done(w->context, err == NULL ? t->token : NULL, err);
    }
}

static void on_reply(void *context, const struct http_reply *reply, struct slice body, const struct error *err) {
    struct gcp_tokens *t = context;
    CLEANUP_ERROR struct error *mine = NULL;
    int64_t expires_s = 0;
    t->call = NULL;
    free(t->token);
    t->token = NULL;
    if (err != NULL)
        error_set(&mine, EIO, "no access token: %s%s", error_text(err),
                  t->file == NULL ? " (there are no Google credentials but the metadata server's; --google-credentials)"
                                  : "");
    else if (gcp_credentials_reply(body, reply->status, &t->token, &expires_s, &mine) == 0)
        t->holds_until_us = loop_now(t->loop).us + expires_s * 1000000 - SPARE_US;
    notify_all(t, mine);
}

static int start(struct gcp_tokens *t, struct error **err) {
    static const char *const form_headers[] = {"Content-Type: application/x-www-form-urlencoded", NULL};
    static const char *const metadata_headers[] = {"Metadata-Flavor: Google", NULL};
    struct gcp_credentials c;
    CLEANUP_BUF struct buf form;
    CLEANUP_FREE char *url = NULL, *json = NULL;
    buf_init(&form, MAX_FILE);
    if (t->file != NULL && file_read(t->file, MAX_FILE, &json, err) < 0)
        return -EINVAL;
    if (json != NULL && json[0] == '\0')
        return error_set(err, EINVAL, "%s: no credentials: the file is empty", t->file);
    if (gcp_credentials_parse(&c, slice_of(json), err) < 0)
        return t->file ? error_wrap(err, EINVAL, "%s", t->file) : -EINVAL;
    int r = gcp_credentials_request(&c, loop_wall(t->loop).us / 1000000, &url, &form, err);
    gcp_credentials_done(&c);
    if (r < 0)
        return r;
    bool is_form = form.size_bytes > 0;
    struct http_call_request request = {.method = is_form ? "POST" : "GET",
                                        .url = url,
                                        .headers = is_form ? form_headers : metadata_headers,
                                        .body = buf_slice(&form),
                                        .max_bytes = MAX_REPLY,
                                        .timeout_us = TIMEOUT_US};
    t->call = http_call_start(t->http, &request, on_reply, t);
    return 0;
}

void gcp_tokens_get(struct gcp_tokens *t, struct gcp_token_waiter *waiter) {
    CLEANUP_ERROR struct error *err = NULL;
    if (t->token != NULL && t->call == NULL && loop_now(t->loop).us < t->holds_until_us) {
        waiter->done(waiter->context, t->token, NULL);
        return;
    }
    waiter->next = t->waiters;
    t->waiters = waiter;
    if (t->call == NULL && start(t, &err) < 0)
        notify_all(t, err);
}

void gcp_tokens_forget(struct gcp_tokens *t, struct gcp_token_waiter *waiter) {
    MEM_UNLINK(t->waiters, waiter);
}

void gcp_tokens_refused(struct gcp_tokens *t) {
    t->holds_until_us = 0;
}
