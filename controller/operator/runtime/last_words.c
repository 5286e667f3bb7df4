#include "operator/runtime/last_words.h"

#include "base/mem.h"
#include "base/tail.h"
#include "kube/stream.h"

#include <string.h>

#define READ_US INT64_C(10000000)
#define AGAIN_US INT64_C(500000) /* after a failure its place stays taken so long */
#define MAX_OF_JOB 3             /* at once: with what the logs show, the last words of a job take less than 1 MiB */
/* The API's limitBytes counts from the first line that it sends, and would cut the end off. With their times, lines of
 * 34 characters fill the bytes. */
#define TAIL_LINES 1000
#define TAIL_BYTES ((size_t)64 << 10)

struct read {
    struct read *next;
    struct last_words_job *mine;
    char *pod_uid, *container;
    int restart_count, status;
    struct kube_stream *stream; /* NULL: it failed, and waits */
    struct loop_timer *timer;
    struct tail tail;
};

struct last_words_job {
    struct last_words_job *next;
    struct last_words *owner;
    struct model_job *job;
    struct read *reads;
    int count;
    bool is_waiting; /* for room */
};

struct last_words {
    struct kube_client *client;
    int64_t max_reads, count;
    struct last_words_job *jobs;
    loop_callback *on_change;
    void *context;
};

struct last_words *last_words_new(struct kube_client *client, int64_t max_reads, loop_callback *on_change,
                                  void *context) {
    struct last_words *words = mem_new(struct last_words);
    words->client = client;
    words->max_reads = max_reads;
    words->on_change = on_change;
    words->context = context;
    return words;
}

void last_words_free(struct last_words *words) {
    free(words);
}

static void read_free(struct read *r) {
    kube_stream_cancel(r->stream);
    loop_timer_free(r->timer);
    tail_done(&r->tail);
    free(r->pod_uid);
    free(r->container);
    free(r);
}

static void start_more(struct last_words_job *mine);

/* Frees its place, and gives it to whoever waits. */
static void end_read(struct read *r) {
    struct last_words_job *mine = r->mine;
    struct last_words *words = mine->owner;
    MEM_UNLINK(mine->reads, r);
    mine->count--;
    words->count--;
    read_free(r);
    start_more(mine);
    for (struct last_words_job *other = words->jobs; other != NULL && words->count < words->max_reads;
         other = other->next)
        if (other->is_waiting)
            start_more(other);
    words->on_change(words->context);
}

/* ---- one request ---- */

static void on_reply(void *context, const struct http_reply *reply) {
    ((struct read *)context)->status = reply->status;
}

static int on_data(void *context, struct slice bytes) {
    struct read *r = context;
    if (r->status == 200)
        tail_append(&r->tail, bytes);
    return 0;
}

static void give_up(void *context) {
    struct read *r = context;
    model_job_words_failed(r->mine->job, r->pod_uid, r->container, r->restart_count, false);
    end_read(r);
}

/* A refusal other than of an overloaded server repeats itself: the pod is deleted, the log is not there. */
static bool is_certain(int status) {
    return status >= 400 && status < 500 && status != 401 && status != 408 && status != 429;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct read *r = context;
    r->stream = NULL;
    if (err == NULL && reply->status == 200) {
        model_job_words_read(r->mine->job, r->pod_uid, r->container, r->restart_count, tail_slice(&r->tail),
                             r->tail.is_cut);
        end_read(r);
    } else if (is_certain(reply->status)) {
        model_job_words_failed(r->mine->job, r->pod_uid, r->container, r->restart_count, true);
        end_read(r);
    } else {
        tail_done(&r->tail);
        loop_timer_set(r->timer, AGAIN_US);
    }
}

static bool start(struct last_words_job *mine, const struct model_words *w) {
    char namespace_[800], pod[800], container[800];
    struct last_words *words = mine->owner;
    if (!kube_escape(namespace_, sizeof namespace_, w->namespace_) || !kube_escape(pod, sizeof pod, w->pod) ||
        !kube_escape(container, sizeof container, w->container))
        return false;
    CLEANUP_FREE char *path =
        mem_format("/api/v1/namespaces/%s/pods/%s/log?container=%s&timestamps=true&tailLines=%d%s", namespace_, pod,
                   container, TAIL_LINES, w->is_previous ? "&previous=true" : "");
    struct read *r = mem_new(struct read);
    r->mine = mine;
    r->pod_uid = mem_strdup(w->pod_uid);
    r->container = mem_strdup(w->container);
    r->restart_count = w->restart_count;
    r->tail.maximum_bytes = TAIL_BYTES;
    r->timer = loop_timer_new(kube_client_loop(words->client), give_up, r);
    r->next = mine->reads;
    mine->reads = r;
    mine->count++;
    words->count++;
    struct kube_stream_options options = {.path = path, .accept = "*/*", .total_us = READ_US, .is_bulk = true};
    struct http_handler handler = {on_reply, on_data, on_done, r};
    r->stream = kube_stream_start(words->client, &options, &handler);
    return true;
}

/* ---- jobs ---- */

static void start_more(struct last_words_job *mine) {
    struct last_words *words = mine->owner;
    struct model_words w;
    mine->is_waiting = false;
    while (mine->count < MAX_OF_JOB) {
        mine->is_waiting = words->count >= words->max_reads;
        if (mine->is_waiting || !model_job_words_next(mine->job, &w))
            return;
        if (!start(mine, &w))
            model_job_words_failed(mine->job, w.pod_uid, w.container, w.restart_count, true);
    }
}

static struct last_words_job *add(struct last_words *words, struct model_job *job) {
    struct last_words_job *mine = mem_new(struct last_words_job);
    mine->owner = words;
    mine->job = job;
    mine->next = words->jobs;
    return words->jobs = mine;
}

void last_words_observe(struct last_words *words, struct model_job *job, struct last_words_job **mine) {
    if (*mine == NULL && !model_job_has_words(job))
        return;
    if (*mine == NULL)
        *mine = add(words, job);
    start_more(*mine);
}

void last_words_drop(struct last_words_job **mine) {
    struct last_words_job *of = *mine;
    if (of == NULL)
        return;
    for (struct read *r = of->reads, *next; r != NULL; r = next) {
        next = r->next;
        of->owner->count--;
        model_job_words_failed(of->job, r->pod_uid, r->container, r->restart_count, false);
        read_free(r);
    }
    MEM_UNLINK(of->owner->jobs, of);
    free(of);
    *mine = NULL;
}
