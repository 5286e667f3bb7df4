#include "kube/podlog.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "kube/backoff.h"
#include "kube/client_internal.h"
#include "kube/lines.h"
#include "kube/podlog_cursor.h"
#include "kube/stream.h"
#include "kube/tally.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

enum { STAMP_BYTES = 64, FAILURES_BEFORE_TROUBLE = 3 };
/* After the container's end the follow should end by itself; one that is silent this long is ended by us
 * (kubernetes/kubernetes#28369). While bytes come it is read on: what was printed before the end may lag behind. */
#define END_GRACE_US INT64_C(5000000)
/* A follow that stays silent this long is opened again: after a rotation it may never speak again (k/k#115701). */
#define REOPEN_US INT64_C(600000000)

struct kube_podlog {
    struct kube_client *client;
    struct loop *loop;
    struct kube_podlog_handler handler;
    char *base_path; /* ".../log?container=x&timestamps=true" */
    bool reads_once;
    struct podlog_cursor cursor;

    /* From the pod watch. */
    bool is_observed, is_running, has_ended, pod_exists;
    int latest; /* its restart count */

    /* The container being read. */
    int at;
    bool is_started, is_complete;
    bool was_clean; /* the last stream of it ended by itself */

    struct kube_stream *stream;
    bool is_final;    /* asked for after the container's end: where it ends, the log ends */
    bool is_previous; /* ... of the instance before the one that is there now */
    int status;
    struct lines lines;
    struct buf refusal;
    char *notice; /* what the kubelet said in place of a log */
    int64_t last_byte_us, line_count;
    struct kube_drip drip;
    struct loop_timer *timer;
    struct kube_backoff backoff;
    int failures, unauthorized;
    char *trouble;
    int callback_depth;
    bool is_dead;
};

static void step(struct kube_podlog *p);

/* The callbacks. Each returns false if the user freed the podlog meanwhile. */

static void notify_stream(struct kube_podlog *p, const char *reason) {
    if (reason != NULL)
        kube_tally_add(p->client, "log", "pods", reason);
}

static bool notify_trouble(struct kube_podlog *p, const char *text) {
    if (text == NULL ? p->trouble == NULL : p->trouble != NULL && strcmp(text, p->trouble) == 0)
        return !p->is_dead;
    free(p->trouble);
    p->trouble = mem_strdup(text);
    if (p->handler.on_trouble != NULL)
        p->handler.on_trouble(p->handler.context, text);
    return !p->is_dead;
}

static bool complete(struct kube_podlog *p, const char *lost) {
    p->is_complete = true;
    p->failures = p->unauthorized = 0;
    kube_backoff_reset(&p->backoff);
    if (p->handler.on_end != NULL)
        p->handler.on_end(p->handler.context, p->at, lost);
    return !p->is_dead;
}

static int take_line(void *context, struct slice line, bool is_cut) {
    struct kube_podlog *p = context;
    p->line_count++;
    if (is_cut)
        notify_stream(p, "oversized");
    struct slice text = line;
    int64_t stamp_ns;
    bool has_stamp = rfc3339_take(&text, &stamp_ns, NULL);
    if (has_stamp && text.size_bytes > 0 && !slice_take_char(&text, ' '))
        has_stamp = false;
    if (!has_stamp && (slice_starts(line, "unable to retrieve container logs for ") ||
                       slice_starts(line, "failed to try resolving symlinks"))) {
        free(p->notice);
        p->notice = slice_dup(line);
        return 0;
    }
    if (has_stamp && !podlog_cursor_take(&p->cursor, stamp_ns))
        return 0;
    p->failures = p->unauthorized = 0;
    kube_backoff_reset(&p->backoff);
    p->handler.on_line(p->handler.context, p->at, has_stamp ? stamp_ns : INT64_MIN, has_stamp ? text : line);
    return p->is_dead ? -ECANCELED : 0;
}

/* Ends of streams. */

static bool is_over(const struct kube_podlog *p) {
    return p->latest > p->at || p->has_ended || !p->pod_exists;
}

static void again(struct kube_podlog *p, int64_t min_wait_us) {
    int64_t wait_us = kube_backoff_next(&p->backoff);
    loop_timer_set(p->timer, wait_us > min_wait_us ? wait_us : min_wait_us);
}

static void failed(struct kube_podlog *p, const char *text, bool is_certain, int64_t retry_after_us) {
    p->was_clean = false;
    p->failures++;
    again(p, retry_after_us);
    if (is_certain || p->failures >= FAILURES_BEFORE_TROUBLE)
        notify_trouble(p, text);
}

static void refused(struct kube_podlog *p, const struct http_reply *reply) {
    char reason[64];
    char *text CLEANUP_FREE = kube_status_text(reply->status, buf_slice(&p->refusal), reason);
    bool is_waiting = strstr(text, "is waiting to start") != NULL;
    if (reply->status == 401 && p->unauthorized++ == 0)
        step(p); /* the credentials are read again for it */
    else if (p->is_final && ((p->is_previous && reply->status == 400) || reply->status == 404)) {
        if (complete(p, text))
            step(p);
    } else
        failed(p, text, (reply->status == 400 && !is_waiting) || reply->status == 403, reply->retry_after_us);
}

static void ended_cleanly(struct kube_podlog *p) {
    char *notice CLEANUP_FREE = p->notice;
    p->notice = NULL;
    p->was_clean = notice == NULL;
    if (p->is_final) {
        if (lines_finish(&p->lines, take_line, p) == 0 && complete(p, notice))
            step(p);
    } else if (is_over(p))
        step(p); /* once more, from where we are to the end */
    else if (p->reads_once && notice == NULL)
        p->handler.on_caught_up(p->handler.context);
    else
        again(p, 0); /* the watch reports the end later; or the server cut it off politely */
}

static void on_reply(void *context, const struct http_reply *reply) {
    struct kube_podlog *p = context;
    p->status = reply->status;
    if (reply->status == 200)
        notify_trouble(p, NULL);
}

static int on_data(void *context, struct slice bytes) {
    struct kube_podlog *p = context;
    p->last_byte_us = loop_now(p->loop).us;
    if (p->is_dead)
        return -ECANCELED;
    if (p->status != 200) {
        buf_append_slice(&p->refusal, bytes);
        return 0;
    }
    p->client->log_bytes += (int64_t)bytes.size_bytes;
    p->callback_depth++;
    int64_t lines_before = p->line_count;
    int r = lines_feed(&p->lines, bytes, take_line, p);
    p->callback_depth--;
    bool is_partial = p->lines.head.size_bytes > 0 && !p->lines.is_skipping;
    if (kube_drip_feed(&p->drip, p->line_count != lines_before, is_partial, p->last_byte_us))
        notify_stream(p, "slow");
    return r;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct kube_podlog *p = context;
    p->stream = NULL;
    loop_timer_stop(p->timer);
    p->callback_depth++;
    if (reply->status == 200)
        notify_stream(p, kube_tally_reason(err, !p->is_final && p->lines.head.size_bytes > 0));
    if (reply->status != 0 && reply->status != 200)
        refused(p, reply);
    else if (err != NULL)
        failed(p, err->text, false, -1);
    else
        ended_cleanly(p);
    p->callback_depth--;
}

/* Streams. */

static void open_stream(struct kube_podlog *p, bool is_previous, bool is_final) {
    struct buf url CLEANUP_BUF = {0};
    int64_t since_s;
    buf_init(&url, 16 << 10);
    buf_append_text(&url, p->base_path);
    if (is_previous)
        buf_append_text(&url, "&previous=true");
    if (!is_final && !p->reads_once)
        buf_append_text(&url, "&follow=true");
    if (podlog_cursor_open(&p->cursor, &since_s)) {
        char stamp[RFC3339_SIZE];
        buf_format(&url, "&sinceTime=%s", rfc3339_format_s(stamp, since_s * 1000));
    }
    lines_clear(&p->lines);
    buf_clear(&p->refusal);
    free(p->notice);
    p->notice = NULL;
    p->status = 0;
    p->drip = (struct kube_drip){0};
    p->is_previous = is_previous;
    p->is_final = is_final;
    p->last_byte_us = loop_now(p->loop).us;
    struct kube_stream_options options = {.path = buf_text(&url), .accept = "*/*", .is_bulk = true};
    struct http_handler handler = {on_reply, on_data, on_done, p};
    p->stream = kube_stream_start(p->client, &options, &handler);
    loop_timer_set(p->timer, REOPEN_US);
}

static void begin(struct kube_podlog *p, int restart_count) {
    p->at = restart_count;
    p->is_started = true;
    p->is_complete = p->was_clean = false;
    podlog_cursor_next_container(&p->cursor);
}

/* The pod was deleted, and with it what was not read yet. */
static void pod_deleted(struct kube_podlog *p) {
    complete(p, p->was_clean ? NULL : "the pod was deleted before the end of its log was read");
}

/* Does the next thing, if nothing is under way. */
static void step(struct kube_podlog *p) {
    while (p->stream == NULL && !p->is_dead && p->is_observed) {
        loop_timer_stop(p->timer);
        if (p->is_complete && p->at >= p->latest)
            return;
        if (p->is_complete)
            begin(p, p->at + 1);
        else if (!p->pod_exists && p->at == p->latest) {
            pod_deleted(p);
            return;
        } else if (p->at < p->latest - 1 || !p->pod_exists)
            complete(p, "the container was restarted again before its log was read");
        else if (p->at == p->latest - 1)
            open_stream(p, true, true);
        else if (p->is_running || p->has_ended)
            open_stream(p, false, !p->is_running);
        else
            return; /* it has not started: the watch reports the start */
    }
}

static void due(void *context) {
    struct kube_podlog *p = context;
    p->callback_depth++;
    int64_t silent_us = loop_now(p->loop).us - p->last_byte_us;
    int64_t limit_us = is_over(p) ? END_GRACE_US : REOPEN_US;
    if (p->stream != NULL && !p->is_final && silent_us < limit_us)
        loop_timer_set(p->timer, limit_us - silent_us);
    else {
        if (p->stream != NULL) {
            p->was_clean = false;
            notify_stream(p, is_over(p) ? "endless" : "silent");
        }
        kube_stream_cancel(p->stream);
        p->stream = NULL;
        step(p);
    }
    p->callback_depth--;
}

/* The interface. */

struct kube_podlog *kube_podlog_new(struct kube_client *client, const struct kube_podlog_options *options,
                                    const struct kube_podlog_handler *handler) {
    struct kube_podlog *p = mem_new(struct kube_podlog);
    char namespace_[800], pod[800], container[800];
    bool fits = kube_escape(namespace_, sizeof namespace_, options->namespace_) &&
                kube_escape(pod, sizeof pod, options->pod) &&
                kube_escape(container, sizeof container, options->container);
    p->client = client;
    p->loop = kube_client_loop(client);
    p->handler = *handler;
    /* A name that does not fit is none of Kubernetes (253 bytes); the server will say so. */
    p->base_path =
        fits ? mem_format("/api/v1/namespaces/%s/pods/%s/log?container=%s&timestamps=true", namespace_, pod, container)
             : mem_strdup("/api/v1/namespaces/-/pods/-/log?timestamps=true");
    p->reads_once = options->reads_once;
    podlog_cursor_init(&p->cursor, options->since_ns, options->since_lines);
    p->at = options->first_restart_count;
    p->latest = -1;
    p->backoff.min_us = options->backoff_min_us > 0 ? options->backoff_min_us : 800000;
    p->backoff.max_us = options->backoff_max_us > 0 ? options->backoff_max_us : 30000000;
    lines_init(&p->lines, (options->max_line_bytes > 0 ? options->max_line_bytes : 65536) + STAMP_BYTES);
    buf_init(&p->refusal, 16 << 10);
    p->timer = loop_timer_new(p->loop, due, p);
    return p;
}

static void free_now(void *context) {
    struct kube_podlog *p = context;
    loop_timer_free(p->timer);
    lines_done(&p->lines);
    buf_done(&p->refusal);
    free(p->base_path);
    free(p->notice);
    free(p->trouble);
    free(p);
}

void kube_podlog_free(struct kube_podlog *p) {
    if (p == NULL || p->is_dead)
        return;
    p->is_dead = true;
    kube_stream_cancel(p->stream);
    p->stream = NULL;
    loop_timer_stop(p->timer);
    if (p->callback_depth > 0)
        loop_defer(p->loop, free_now, p);
    else
        free_now(p);
}

void kube_podlog_observe(struct kube_podlog *p, int restart_count, bool is_running, int64_t finished_ns,
                         bool pod_exists) {
    if (p->is_dead || (p->is_observed && restart_count < p->latest && pod_exists))
        return; /* an old observation */
    if (restart_count < p->at && !p->is_started)
        return; /* before the first that is required */
    bool was_over = p->is_started && is_over(p);
    p->is_observed = true;
    p->latest = restart_count > p->latest ? restart_count : p->latest;
    p->is_running = is_running && pod_exists;
    p->has_ended = !is_running && finished_ns != INT64_MIN;
    p->pod_exists = pod_exists;
    if (!p->is_started)
        begin(p, p->at);
    p->callback_depth++;
    if (p->stream != NULL && !p->is_final && !was_over && is_over(p))
        loop_timer_set(p->timer, END_GRACE_US);
    else if (p->stream == NULL && (!loop_timer_is_set(p->timer) || was_over != is_over(p)))
        step(p);
    p->callback_depth--;
}
