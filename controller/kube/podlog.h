/* podlog: follows the log of one container of one pod, without losing or doubling a line: across container restarts
 * (each restart is a new process; `previous` is fetched for the one missed), log rotation, cut connections
 * (resume by sinceTime, which the server cuts to whole seconds; lines already seen are dropped by their nanosecond
 * stamp and content), and pods that come and go. The follower learns from its user, who watches pods, which container
 * instances exist: it never watches by itself. */
#ifndef KUBE_PODLOG_H
#define KUBE_PODLOG_H

#include "kube/client.h"

struct kube_podlog;

struct kube_podlog_handler {
    /* A line of restart_count's container, without newline; stamp in ns since the epoch (INT64_MIN if it had none). */
    void (*on_line)(void *context, int restart_count, int64_t stamp_ns, struct slice line);
    /* All of that container's log was read (it has ended and the stream ended after it). lost: part of it could not be
     * read (rotated away, pod deleted): text says what; else NULL. */
    void (*on_end)(void *context, int restart_count, const char *lost);
    /* The log cannot be read now, and why ("container \"x\" is not valid for pod y"); NULL: it is over. */
    void (*on_trouble)(void *context, const char *text);
    /* With reads_once: all that the running container had printed was read, a line without its end excepted. */
    void (*on_caught_up)(void *context);
    void *context;
};

struct kube_podlog_options {
    const char *namespace_, *pod, *container;
    int64_t since_ns;        /* INT64_MIN: from the start; else lines up to and including this stamp are dropped ... */
    int64_t since_lines;     /* ... of those with just this stamp only this many; 0: all */
    int first_restart_count; /* instances before it are not asked for */
    bool reads_once;         /* a running container's log is read up to what it holds, and not followed */
    size_t max_line_bytes;   /* 0: 65536; longer lines: the head is given */
    int64_t backoff_min_us, backoff_max_us; /* for tests; 0 = 800 ms, 30 s */
};

struct kube_podlog *kube_podlog_new(struct kube_client *client, const struct kube_podlog_options *options,
                                    const struct kube_podlog_handler *handler);
void kube_podlog_free(struct kube_podlog *log); /* no callback follows */
/* What the pod watch observed: the instance now (restartCount), whether it runs or has ended (finishedAt), and whether
 * the pod object still exists. Call on every change; starts, ends and reopens streams as needed. */
void kube_podlog_observe(struct kube_podlog *log, int restart_count, bool is_running,
                         int64_t finished_ns /* INT64_MIN */, bool pod_exists);

#endif
