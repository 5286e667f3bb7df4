#include "kube/reflector.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "kube/reflector_take.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    FAILURES_BEFORE_TROUBLE = 3,
    BAD_STREAMS_BEFORE_RELIST = 3, /* resuming leads nowhere: the version may be from before an etcd restore */
    WATCH_MIN_S = 1800, /* up to twice as long, as the server's own default; client-go's 5 to 10 minutes would
                         * be a third of all wake-ups of an idle process */
};
#define MARKER_SILENCE_US INT64_C(20000000) /* without a byte before the marker: no streaming list here */
#define RESUMED_US INT64_C(2000000)
#define SHORT_WATCH_US INT64_C(1000000) /* a watch that ends sooner, without an event, counts as a failure */

static void start(struct kube_reflector *r);

static void try_in(struct kube_reflector *r, int64_t wait_us) {
    loop_timer_set(r->timer, wait_us);
}

static void want_list(struct kube_reflector *r) {
    r->phase = r->is_paged_only ? PHASE_PAGED_LIST : PHASE_STREAM_LIST;
    free(r->continue_token);
    r->continue_token = NULL;
    r->known.generation++;
}

/* Something failed: the same again, later. */
static void fail(struct kube_reflector *r, const char *text, bool is_certain, int64_t retry_after_us) {
    r->failures++;
    r->is_refused = is_certain && r->status == 403;
    try_in(r, max_of(kube_backoff_next(&r->backoff), retry_after_us));
    if (is_certain || r->failures >= FAILURES_BEFORE_TROUBLE)
        kube_reflector_trouble(r, text);
}

/* Something failed that resuming from the same version may not get over. */
static void fail_stream(struct kube_reflector *r, const char *text) {
    if (++r->bad_streams >= BAD_STREAMS_BEFORE_RELIST) {
        if (r->phase == PHASE_STREAM_LIST)
            r->is_paged_only = true;
        r->bad_streams = 0;
        want_list(r);
    }
    fail(r, text, false, -1);
}

/* An old version, or a continue token that has expired. */
static void expired(struct kube_reflector *r) {
    kube_reflector_notify(r, "expired");
    want_list(r);
    r->failures++;
    try_in(r, r->failures > 1 ? kube_backoff_next(&r->backoff) : 0);
}

static void go_absent(struct kube_reflector *r) {
    r->failures = 0;
    kube_backoff_reset(&r->backoff);
    want_list(r);
    try_in(r, kube_common_wait(loop_now(r->loop).us, r->absent_retry_us));
    if (!kube_reflector_sweep(r, true))
        return;
    kube_reflector_trouble(r, NULL);
    if (!r->is_dead)
        kube_reflector_absent(r, true);
}

/* A reply other than success. */
static void refused(struct kube_reflector *r, const struct http_reply *reply) {
    char reason[64];
    struct slice body = buf_slice(&r->refusal);
    if (r->is_protobuf)
        body = kube_protobuf_one(&r->protobuf, body);
    char *text CLEANUP_FREE = kube_status_text(reply->status, body, reason);
    bool is_first_401 = reply->status == 401 && r->unauthorized++ == 0;
    if (reply->status == 404)
        go_absent(r);
    else if (reply->status == 410)
        expired(r);
    else if (r->phase == PHASE_STREAM_LIST && (reply->status == 400 || reply->status == 422)) {
        r->is_paged_only = true;
        want_list(r);
        try_in(r, 0);
    } else if (is_first_401)
        try_in(r, 0); /* the credentials are read again for it */
    else
        fail(r, text, reply->status == 401 || reply->status == 403, reply->retry_after_us);
}

static void page_ended(struct kube_reflector *r) {
    if (!kube_list_is_whole(&r->list)) {
        kube_reflector_notify(r, "truncated");
        fail_stream(r, "the list is not whole");
        return;
    }
    kube_reflector_progress(r);
    if (r->is_dead)
        return;
    free(r->continue_token);
    r->continue_token = r->list.continue_token;
    r->list.continue_token = NULL;
    if (r->continue_token != NULL && r->continue_token[0] != '\0') {
        start(r);
        return;
    }
    slice_copy(r->resource_version, sizeof r->resource_version, slice_of(r->list.resource_version));
    r->phase = PHASE_WATCH;
    try_in(r, 0);
    if (kube_reflector_sweep(r, false))
        kube_reflector_synced(r);
}

static bool is_partial(const struct kube_reflector *r) {
    return r->lines.head.size_bytes > 0 || kube_protobuf_is_partial(&r->protobuf);
}

/* The end of a stream of events: of what it held, all whole lines were taken. */
static void stream_ended(struct kube_reflector *r, const struct error *err) {
    int64_t now_us = loop_now(r->loop).us, lasted_us = now_us - r->started_us;
    bool is_empty = r->frames == 0;
    kube_reflector_notify(r, kube_tally_reason(err, is_partial(r)));
    if (err == NULL && is_empty && lasted_us < SHORT_WATCH_US)
        kube_reflector_notify(r, "short");
    if (err != NULL && err->code == ESTALE && r->error_code == 410)
        expired(r);
    else if (err != NULL && err->code == ESTALE) {
        kube_reflector_notify(r, "error");
        fail_stream(r, r->error_text);
    } else if (err != NULL && err->code == EOPNOTSUPP) {
        r->is_paged_only = true;
        want_list(r);
        try_in(r, 0);
    } else if (err != NULL && (err->code == EBADMSG || (is_empty && err->code == ETIMEDOUT)))
        fail_stream(r, err->code == EBADMSG ? "the server sent a malformed object" : err->text);
    else if (r->phase == PHASE_STREAM_LIST) {
        want_list(r);
        fail_stream(r, err != NULL ? err->text : "the streaming list ended before its end");
    } else if (is_empty && (err != NULL || lasted_us < SHORT_WATCH_US)) {
        if (now_us - r->opened_us >= r->backoff.max_us) { /* open for as long as one waits at most: the server works */
            r->failures = 0;
            kube_backoff_reset(&r->backoff);
        }
        fail(r, err != NULL ? err->text : "watches end at once", false, -1);
    } else
        try_in(r, 0);
}

/* Callbacks of the stream. */

static void on_reply(void *context, const struct http_reply *reply) {
    struct kube_reflector *r = context;
    r->status = reply->status;
    r->is_protobuf = kube_protobuf_is(reply->content_type);
    r->opened_us = r->last_byte_us = loop_now(r->loop).us;
}

static int take_json(void *context, struct slice json) {
    struct kube_reflector *r = context;
    return r->phase == PHASE_PAGED_LIST ? kube_list_feed(&r->list, json, kube_reflector_take_item, r)
                                        : lines_feed(&r->lines, json, kube_reflector_take_line, r);
}

static int take_protobuf(struct kube_reflector *r, struct slice bytes) {
    int left_out = r->protobuf.left_out;
    int result = r->phase == PHASE_PAGED_LIST ? kube_protobuf_feed_list(&r->protobuf, bytes, take_json, r)
                                              : kube_protobuf_feed_watch(&r->protobuf, bytes, take_json, r);
    if (r->protobuf.left_out != left_out)
        kube_reflector_left_out(r);
    return result;
}

static int on_data(void *context, struct slice bytes) {
    struct kube_reflector *r = context;
    r->last_byte_us = loop_now(r->loop).us;
    if (r->status != 200) {
        buf_append_slice(&r->refusal, bytes);
        return 0;
    }
    r->callback_depth++;
    int frames_before = r->frames;
    int result = r->is_protobuf ? take_protobuf(r, bytes) : take_json(r, bytes);
    r->callback_depth--;
    if (kube_drip_feed(&r->drip, r->frames != frames_before, is_partial(r), r->last_byte_us))
        kube_reflector_notify(r, "slow");
    return r->is_dead ? -ECANCELED : result;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct kube_reflector *r = context;
    r->stream = NULL;
    loop_timer_stop(r->timer);
    r->callback_depth++; /* a user who frees it from a callback leaves it to us until we are through */
    if (reply->status == 0)
        fail(r, error_text(err), false, -1);
    else if (reply->status != 200)
        refused(r, reply);
    else if (r->phase != PHASE_PAGED_LIST)
        stream_ended(r, err);
    else if (err == NULL)
        page_ended(r);
    else {
        kube_reflector_notify(r, kube_tally_reason(err, false));
        if (err->code == EBADMSG)
            fail_stream(r, "the server sent a malformed object");
        else
            fail(r, err->text, false, -1); /* the same page again; what was shown is known */
    }
    r->callback_depth--;
}

/* Requests. */

static void add_parameter(struct buf *url, const char *name, const char *value) {
    char *escaped CLEANUP_FREE = NULL;
    if (value == NULL)
        return;
    size_t size = strlen(value) * 3 + 1;
    escaped = mem_alloc(size);
    bool fits = kube_escape(escaped, size, value);
    assert(fits);
    (void)fits;
    buf_format(url, "%c%s=%s", strchr(buf_text(url), '?') == NULL ? '?' : '&', name, escaped);
}

static void make_url(const struct kube_reflector *r, struct buf *url) {
    char number[32];
    buf_append_text(url, r->path);
    add_parameter(url, "labelSelector", r->label_selector);
    add_parameter(url, "fieldSelector", r->field_selector);
    if (r->phase == PHASE_PAGED_LIST) {
        snprintf(number, sizeof number, "%d", r->page_size);
        add_parameter(url, "limit", number);
        if (r->continue_token != NULL)
            add_parameter(url, "continue", r->continue_token);
        return;
    }
    snprintf(number, sizeof number, "%d", WATCH_MIN_S + (int)kube_random(WATCH_MIN_S));
    add_parameter(url, "watch", "1");
    add_parameter(url, "allowWatchBookmarks", "true");
    add_parameter(url, "timeoutSeconds", number);
    if (r->phase == PHASE_WATCH) {
        add_parameter(url, "resourceVersion", r->resource_version);
        return;
    }
    add_parameter(url, "sendInitialEvents", "true");
    add_parameter(url, "resourceVersionMatch", "NotOlderThan");
}

static void start(struct kube_reflector *r) {
    struct buf url CLEANUP_BUF = {0};
    buf_init(&url, 64 << 10);
    make_url(r, &url);
    buf_clear(&r->refusal);
    lines_clear(&r->lines);
    kube_list_clear(&r->list);
    kube_protobuf_clear(&r->protobuf);
    r->is_protobuf = false;
    r->status = r->frames = 0;
    r->is_resumed = r->phase == PHASE_WATCH && r->is_synced;
    r->drip = (struct kube_drip){0};
    if (r->continue_token == NULL)
        kube_tally_add(r->client, r->phase == PHASE_WATCH ? "watch" : "list", r->path, NULL);
    r->started_us = r->last_byte_us = loop_now(r->loop).us;
    struct kube_stream_options options = {
        .path = buf_text(&url), .accept = r->accept, .silence_us = r->silence_us, .is_busy = r->is_busy};
    struct http_handler handler = {on_reply, on_data, on_done, r};
    r->stream = kube_stream_start(r->client, &options, &handler);
    if (r->phase == PHASE_STREAM_LIST)
        try_in(r, min_of(MARKER_SILENCE_US, r->silence_us));
}

/* The streaming list has been going on for a while. As long as it moves, it may. */
static void wait_for_marker(struct kube_reflector *r) {
    int64_t limit_us = min_of(MARKER_SILENCE_US, r->silence_us);
    int64_t silent_us = loop_now(r->loop).us - r->last_byte_us;
    if (silent_us < limit_us || r->status == 0) {
        try_in(r, silent_us < limit_us ? limit_us - silent_us : limit_us);
        return;
    }
    kube_stream_cancel(r->stream);
    r->stream = NULL;
    r->is_paged_only = true;
    want_list(r);
    start(r);
}

static void due(void *context) {
    struct kube_reflector *r = context;
    if (r->stream != NULL)
        wait_for_marker(r);
    else
        start(r);
}

/* The interface. */

struct kube_reflector *kube_reflector_new(struct kube_client *client, const struct kube_reflector_options *options,
                                          const struct kube_reflector_handler *handler) {
    struct kube_reflector *r = mem_new(struct kube_reflector);
    r->client = client;
    r->loop = kube_client_loop(client);
    r->handler = *handler;
    r->path = mem_strdup(options->path);
    r->label_selector = mem_strdup(options->label_selector);
    r->field_selector = mem_strdup(options->field_selector);
    r->page_size = options->page_size > 0 ? options->page_size : 500;
    r->backoff.min_us = options->backoff_min_us > 0 ? options->backoff_min_us : 800000;
    /* client-go waits up to 30 s (60 with its jitter): pods may come and go in that, unobserved. */
    r->backoff.max_us = options->backoff_max_us > 0 ? options->backoff_max_us : 5000000;
    r->silence_us = options->silence_us > 0 ? options->silence_us : 180000000;
    r->absent_retry_us = options->absent_retry_us > 0 ? options->absent_retry_us : 300000000;
    r->is_paged_only = options->no_streaming_list;
    r->is_busy = options->is_busy;
    r->timer = loop_timer_new(r->loop, due, r);
    kube_known_init(&r->known);
    kube_list_init(&r->list);
    lines_init(&r->lines, KUBE_OBJECT_MAX_BYTES);
    kube_protobuf_init(&r->protobuf, options->message);
    r->protobuf.choose = handler->message_of;
    r->protobuf.choice_context = handler->context;
    if (options->message != NULL && !kube_client_reads_json(client))
        r->accept = KUBE_PROTOBUF_ACCEPT;
    buf_init(&r->refusal, 16 << 10);
    want_list(r);
    try_in(r, 0);
    return r;
}

static void free_now(void *context) {
    struct kube_reflector *r = context;
    kube_known_done(&r->known);
    kube_list_done(&r->list);
    lines_done(&r->lines);
    kube_protobuf_done(&r->protobuf);
    buf_done(&r->refusal);
    loop_timer_free(r->timer);
    free(r->path);
    free(r->label_selector);
    free(r->field_selector);
    free(r->continue_token);
    free(r->error_text);
    free(r->trouble);
    free(r);
}

void kube_reflector_free(struct kube_reflector *r) {
    if (r == NULL || r->is_dead)
        return;
    r->is_dead = true;
    kube_stream_cancel(r->stream);
    r->stream = NULL;
    loop_timer_stop(r->timer);
    if (r->callback_depth > 0)
        loop_defer(r->loop, free_now, r);
    else
        free_now(r);
}

void kube_reflector_hurry(struct kube_reflector *r) {
    if (r->is_dead || r->stream != NULL || r->failures == 0)
        return;
    kube_backoff_reset(&r->backoff);
    try_in(r, 0);
}

bool kube_reflector_is_synced(const struct kube_reflector *r) {
    return r->is_synced || r->is_absent;
}

bool kube_reflector_is_current(const struct kube_reflector *r, int64_t for_us) {
    /* One that was resumed has something to catch up with, and a server that comes back is slow. */
    int64_t open_us = r->is_resumed && for_us < RESUMED_US ? RESUMED_US : for_us;
    return r->stream != NULL && r->phase == PHASE_WATCH && r->status == 200 &&
           loop_now(r->loop).us - r->opened_us >= open_us;
}

bool kube_reflector_is_refused(const struct kube_reflector *r) {
    return r->in_trouble && r->is_refused;
}

bool kube_reflector_is_protobuf(const struct kube_reflector *r) {
    return r->is_protobuf;
}

struct wall_time kube_reflector_watermark(const struct kube_reflector *r) {
    return r->watermark;
}

const char *kube_reflector_version(const struct kube_reflector *r) {
    return r->phase == PHASE_WATCH && r->is_synced ? r->resource_version : "";
}
