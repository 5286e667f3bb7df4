#include "sources/cloud_logging.h"

#include "base/jwrite.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/urlencode.h"
#include "io/http_call.h"
#include "kube/backoff.h"
#include "sources/entries.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ENDPOINT "https://logging.googleapis.com"
#define SPACING_US INT64_C(1100000) /* 60 requests a minute and project (Cloud Logging's quota) */
#define POLL_US INT64_C(10000000)
#define SETTLE_US INT64_C(5000000)
#define AGAIN_US INT64_C(1000000) /* after a line that was refused */
#define TIMEOUT_US INT64_C(60000000)
#define PAGE_ENTRIES 1000
#define MAX_REPLY ((size_t)16 << 20)
#define FAILURES_BEFORE_TROUBLE 3

struct cloud_logging {
    struct loop *loop;
    struct http_client *http;
    struct gcp_tokens *tokens;
    char *endpoint;
    int64_t free_us; /* from then on the next request may go */
};

struct logging_source {
    struct source base;
    struct cloud_logging *service;
    struct source_handler handler;
    char *project, *logger, *job_name; /* of a name whatever a filter needs escaped is escaped */
    int64_t since_ms, poll_us, settle_us, spacing_us, max_entries, page_entries;
    struct entries_seen seen;
    struct gcp_token_waiter waiter;
    struct http_call *call;
    struct loop_timer *timer;
    struct kube_backoff backoff;
    int64_t from_ns, through_ns; /* of the look under way */
    char page_token[ENTRIES_TOKEN_BYTES];
    int failures, unauthorized;
    bool has_slot; /* the timer waits for a request's turn */
    bool is_in_trouble, was_refused, has_news;
};

struct cloud_logging *cloud_logging_new(struct loop *loop, struct http_client *http, struct gcp_tokens *tokens,
                                        const char *endpoint) {
    struct cloud_logging *c = mem_new(struct cloud_logging);
    *c = (struct cloud_logging){
        .loop = loop, .http = http, .tokens = tokens, .endpoint = mem_strdup(endpoint ? endpoint : ENDPOINT)};
    return c;
}

void cloud_logging_free(struct cloud_logging *service) {
    if (service == NULL)
        return;
    free(service->endpoint);
    free(service);
}

static void notify_trouble(struct logging_source *s, const char *text) {
    if (text == NULL && !s->is_in_trouble)
        return;
    s->is_in_trouble = text != NULL;
    s->handler.on_trouble(s->handler.context, text);
}

/* ---- asking ---- */

static void append_filter(const struct logging_source *s, struct buf *filter) {
    char from[RFC3339_SIZE], through[RFC3339_SIZE];
    rfc3339_format(from, s->from_ns, 9);
    rfc3339_format(through, s->through_ns, 9);
    buf_format(filter,
               "logName=\"projects/%s/logs/%s\" AND jsonPayload.job_name=\"%s\" AND timestamp>=\"%s\" AND "
               "timestamp<=\"%s\"",
               s->project, s->logger, s->job_name, from, through);
}

static void write_request(const struct logging_source *s, struct buf *body) {
    CLEANUP_BUF struct buf filter;
    CLEANUP_FREE char *resource = mem_format("projects/%s", s->project);
    struct jwrite w;
    buf_init(&filter, 8192);
    append_filter(s, &filter);
    jwrite_init(&w, body);
    jwrite_object(&w);
    jwrite_member_array(&w, "resourceNames");
    jwrite_text(&w, resource);
    jwrite_array_end(&w);
    jwrite_member_text(&w, "filter", buf_text(&filter));
    jwrite_member_text(&w, "orderBy", "timestamp asc");
    jwrite_member_int(&w, "pageSize", s->page_entries);
    if (s->page_token[0] != '\0') {
        CLEANUP_FREE char *quoted = mem_format("\"%s\"", s->page_token); /* as it came: JSON text */
        jwrite_key(&w, "pageToken");
        jwrite_raw(&w, slice_of(quoted));
    }
    jwrite_object_end(&w);
}

static void on_reply(void *context, const struct http_reply *reply, struct slice body, const struct error *err);

static void failed(struct logging_source *s, const char *text, bool is_certain, int64_t min_wait_us) {
    int64_t wait_us = kube_backoff_next(&s->backoff);
    s->failures++;
    s->has_slot = false;
    s->page_token[0] = '\0'; /* tokens do not last: from what was handed on */
    loop_timer_set(s->timer, wait_us > min_wait_us ? wait_us : min_wait_us);
    if (is_certain || s->failures >= FAILURES_BEFORE_TROUBLE)
        notify_trouble(s, text);
}

static void on_token(void *context, const char *token, const struct error *err) {
    struct logging_source *s = context;
    CLEANUP_BUF struct buf body = {0};
    if (token == NULL) {
        failed(s, error_text(err), true, 0);
        return;
    }
    CLEANUP_FREE char *url = mem_format("%s/v2/entries:list?prettyPrint=false", s->service->endpoint);
    CLEANUP_FREE char *authorization = mem_format("Authorization: Bearer %s", token);
    const char *const headers[] = {"Content-Type: application/json", authorization, NULL};
    buf_init(&body, 16384);
    write_request(s, &body);
    struct http_call_request request = {.method = "POST",
                                        .url = url,
                                        .headers = headers,
                                        .body = buf_slice(&body),
                                        .max_bytes = MAX_REPLY,
                                        .timeout_us = TIMEOUT_US};
    s->call = http_call_start(s->service->http, &request, on_reply, s);
}

/* A request's turn comes, or is here. */
static void due(void *context) {
    struct logging_source *s = context;
    struct cloud_logging *service = s->service;
    int64_t now_us = loop_now(service->loop).us;
    if (!s->has_slot) {
        int64_t at_us = service->free_us > now_us ? service->free_us : now_us;
        service->free_us = at_us + s->spacing_us;
        s->has_slot = true;
        if (at_us > now_us) {
            loop_timer_set(s->timer, at_us - now_us);
            return;
        }
    }
    s->has_slot = false;
    if (s->page_token[0] == '\0') { /* a new look */
        int64_t known_ns = entries_from_ns(&s->seen), since_ns = s->since_ms * 1000000;
        s->from_ns = known_ns > since_ns ? known_ns : since_ns;
        s->through_ns = (loop_wall(service->loop).us - s->settle_us) * 1000;
    }
    gcp_tokens_get(service->tokens, &s->waiter);
}

/* ---- answers ---- */

static bool on_entry(void *context, const struct entry *e) {
    struct logging_source *s = context;
    if (e->at_ns < s->from_ns || entries_is_seen(&s->seen, e->at_ns, e->id))
        return true;
    CLEANUP_FREE char *line = slice_dup(e->json);
    for (size_t i = 0; i < e->json.size_bytes; i++)
        if (line[i] == '\n' || line[i] == '\r' || line[i] == '\t') /* between the tokens: inside texts there are none */
            line[i] = ' ';
    s->was_refused =
        !s->handler.on_line(s->handler.context, e->at_ns / 1000000, (struct slice){line, e->json.size_bytes});
    if (s->was_refused)
        return false;
    entries_note(&s->seen, e->at_ns, e->id);
    s->has_news = true;
    return true;
}

static void page_read(struct logging_source *s) {
    if (s->has_news) {
        CLEANUP_BUF struct buf cursor;
        buf_init(&cursor, SOURCE_CURSOR_BYTES);
        entries_seen_write(&s->seen, &cursor);
        s->handler.on_cursor(s->handler.context, buf_slice(&cursor));
    }
    s->failures = s->unauthorized = 0;
    kube_backoff_reset(&s->backoff);
    notify_trouble(s, NULL);
    if (s->was_refused) {
        s->page_token[0] = '\0';
        loop_timer_set(s->timer, AGAIN_US < s->poll_us ? AGAIN_US : s->poll_us);
    } else if (s->page_token[0] != '\0') {
        loop_timer_set(s->timer, 0);
    } else {
        if (s->page_entries < s->max_entries)
            s->page_entries *= 2;
        loop_timer_set(s->timer, s->poll_us);
        s->handler.on_read(s->handler.context, s->through_ns / 1000000);
    }
}

static void refused(struct logging_source *s, int status, int64_t retry_after_us, struct slice body) {
    char explained[512];
    CLEANUP_FREE char *text = NULL;
    entries_error(body, explained, sizeof explained);
    if (status == 401 && s->unauthorized++ == 0) {
        gcp_tokens_refused(s->service->tokens);
        loop_timer_set(s->timer, 0);
        return;
    }
    const char *what =
        status == 401 ? "Cloud Logging does not accept the controller's token"
        : status == 403
            ? "the controller's Google account may not read the log: give it roles/logging.viewer (permission "
              "logging.logEntries.list) on the project"
        : status == 404 ? "Cloud Logging knows no such project"
        : status == 429 ? "Cloud Logging's quota is used up; it is asked less often"
                        : "Cloud Logging fails";
    text = mem_format("%s %s: HTTP status %d%s%s", what, s->project, status, explained[0] ? ": " : "", explained);
    failed(s, text, status >= 400 && status < 500 && status != 429 && status != 408, retry_after_us);
}

static void on_reply(void *context, const struct http_reply *reply, struct slice body, const struct error *err) {
    struct logging_source *s = context;
    CLEANUP_FREE char *text = NULL;
    s->call = NULL;
    s->was_refused = s->has_news = false;
    if (err != NULL && err->code == EMSGSIZE && s->page_entries > 1) {
        s->page_entries = s->page_entries / 8 > 0 ? s->page_entries / 8 : 1;
        s->page_token[0] = '\0';
        loop_timer_set(s->timer, 0);
    } else if (err != NULL) {
        text = mem_format("Cloud Logging cannot be reached: %s", error_text(err));
        failed(s, text, false, reply->retry_after_us);
    } else if (reply->status != 200) {
        refused(s, reply->status, reply->retry_after_us, body);
    } else if (entries_read_page(body, on_entry, s, s->page_token) < 0) {
        failed(s, "Cloud Logging's answer is not a list of entries, or was cut off", false, 0);
    } else {
        page_read(s);
    }
}

/* ---- the interface ---- */

static void logging_free(struct source *source) {
    struct logging_source *s = (struct logging_source *)source;
    gcp_tokens_forget(s->service->tokens, &s->waiter);
    http_call_cancel(s->call);
    loop_timer_free(s->timer);
    free(s->project);
    free(s->logger);
    free(s->job_name);
    free(s);
}

static bool is_name(const char *text, const char *more) {
    for (const char *p = text; *p != '\0'; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              strchr(more, *p) != NULL))
            return false;
    return text[0] != '\0';
}

/* As a log name has it: URL-encoded. */
static char *encode_logger(const char *name) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 4096);
    urlencode(&out, name, "");
    return buf_take(&out);
}

static int check_names(const struct source_cloud_logging_options *o, struct error **err) {
    if (!is_name(o->project, "-.:"))
        return error_set(err, EINVAL, "spec.stepLog.cloudLogging.project is not the name of a project");
    if (o->logger[0] == '\0' || strlen(o->logger) > 512)
        return error_set(err, EINVAL, "spec.stepLog.cloudLogging.logger is not the name of a log");
    /* It is inside quotes: what could end them is in no job's name. */
    for (const char *p = o->job_name; *p != '\0'; p++)
        if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
            return error_set(err, EINVAL,
                             "spec.stepLog.cloudLogging.jobName has a quote, a backslash or a control character");
    return 0;
}

struct source *source_cloud_logging_new(struct cloud_logging *service,
                                        const struct source_cloud_logging_options *options,
                                        const struct source_handler *handler, struct error **err) {
    if (check_names(options, err) < 0)
        return NULL;
    struct logging_source *s = mem_new(struct logging_source);
    s->base.free = logging_free;
    s->service = service;
    s->handler = *handler;
    s->project = mem_strdup(options->project);
    s->logger = encode_logger(options->logger);
    s->job_name = mem_strdup(options->job_name);
    s->since_ms = options->since_ms > 0 ? options->since_ms : 0;
    s->poll_us = options->poll_us > 0 ? options->poll_us : POLL_US;
    s->settle_us = options->settle_us > 0 ? options->settle_us : SETTLE_US;
    s->spacing_us = options->spacing_us > 0 ? options->spacing_us : SPACING_US;
    s->page_entries = s->max_entries = options->page_entries > 0 ? options->page_entries : PAGE_ENTRIES;
    s->waiter = (struct gcp_token_waiter){.done = on_token, .context = s};
    s->backoff = (struct kube_backoff){.min_us = s->poll_us / 2, .max_us = 12 * s->poll_us};
    entries_seen_parse(&s->seen, options->cursor);
    s->timer = loop_timer_new(service->loop, due, s);
    loop_timer_set(s->timer, 0);
    return &s->base;
}
