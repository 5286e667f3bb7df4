#include "operator/runtime_logs.h"

#include "base/mem.h"
#include "kube/podlog.h"

#include <string.h>

#define TROUBLE_FULL "waits for its turn: --max-log-follows logs are being read"
/* A follower that was opened this long ago and does not complain is taken to be connected. */
#define SETTLED_US INT64_C(2000000)
/* Time a line may take from the container to here. */
#define SKEW_MS 200

struct runtime_follow {
    struct runtime_follow *next;
    struct runtime_logs *owner;
    struct model_job *job;
    char *pod_uid;
    int64_t since_ns;           /* of the first instance that is read */
    struct kube_podlog *podlog; /* NULL: none now */
    int64_t started_us;
    int ended_through; /* the newest instance whose log is read to its end; -1: none */
    bool is_in_trouble, is_waiting;
};

struct runtime_logs {
    struct kube_client *client;
    int64_t max_follows, follows;
    loop_callback *on_change;
    void *context;
    bool has_waiting, has_room_again;
};

struct runtime_logs *runtime_logs_new(struct kube_client *client, int64_t max_follows, loop_callback *on_change,
                                      void *context) {
    struct runtime_logs *logs = mem_new(struct runtime_logs);
    logs->client = client;
    logs->max_follows = max_follows;
    logs->on_change = on_change;
    logs->context = context;
    return logs;
}

void runtime_logs_free(struct runtime_logs *logs) {
    free(logs);
}

static void on_line(void *context, int restart_count, int64_t stamp_ns, struct slice line) {
    struct runtime_follow *follow = context;
    model_job_log_line(follow->job, follow->pod_uid, restart_count, stamp_ns, line);
    follow->owner->on_change(follow->owner->context);
}

static void on_end(void *context, int restart_count, const char *lost) {
    struct runtime_follow *follow = context;
    if (restart_count > follow->ended_through)
        follow->ended_through = restart_count;
    model_job_log_end(follow->job, follow->pod_uid, restart_count, lost);
    follow->owner->on_change(follow->owner->context);
}

static void on_trouble(void *context, const char *text) {
    struct runtime_follow *follow = context;
    follow->is_in_trouble = text != NULL;
    model_job_log_trouble(follow->job, follow->pod_uid, text);
    follow->owner->on_change(follow->owner->context);
}

static struct runtime_follow *find_or_add(struct runtime_logs *logs, struct model_job *job, const struct model_log *log,
                                          struct runtime_follow **list) {
    while (*list != NULL && strcmp((*list)->pod_uid, log->pod_uid) != 0)
        list = &(*list)->next;
    if (*list == NULL) {
        *list = mem_new(struct runtime_follow);
        (*list)->owner = logs;
        (*list)->job = job;
        (*list)->pod_uid = mem_strdup(log->pod_uid);
        (*list)->ended_through = log->first_unread - 1;
        (*list)->since_ns = log->read_through_ns;
    }
    return *list;
}

static void close_follow(struct runtime_follow *follow) {
    if (follow->podlog == NULL)
        return;
    kube_podlog_free(follow->podlog);
    follow->podlog = NULL;
    follow->owner->follows--;
    if (follow->owner->has_waiting)
        follow->owner->has_room_again = true;
}

static void set_waiting(struct runtime_follow *follow, bool is_waiting) {
    if (follow->is_waiting != is_waiting)
        model_job_log_trouble(follow->job, follow->pod_uid, is_waiting ? TROUBLE_FULL : NULL);
    follow->is_waiting = is_waiting;
    follow->owner->has_waiting |= is_waiting;
}

static void open_follow(struct runtime_follow *follow, const struct model_log *log) {
    struct runtime_logs *logs = follow->owner;
    set_waiting(follow, logs->follows >= logs->max_follows);
    if (follow->is_waiting)
        return;
    struct kube_podlog_options options = {.namespace_ = log->namespace_,
                                          .pod = log->pod,
                                          .container = log->container,
                                          .since_ns = follow->since_ns,
                                          .first_restart_count = follow->ended_through + 1};
    struct kube_podlog_handler handler = {on_line, on_end, on_trouble, follow};
    follow->podlog = kube_podlog_new(logs->client, &options, &handler);
    follow->started_us = loop_now(kube_client_loop(logs->client)).us;
    logs->follows++;
}

static void observe(struct runtime_follow *follow, const struct model_log *log) {
    bool is_read = follow->ended_through >= log->restart_count && !log->is_running;
    if (is_read || (!log->pod_exists && follow->podlog == NULL)) {
        close_follow(follow);
        return;
    }
    if (follow->podlog == NULL && (log->has_started || log->restart_count > 0))
        open_follow(follow, log);
    if (follow->podlog == NULL)
        return;
    int64_t finished_ns = log->finished_ms == TIME_UNKNOWN ? INT64_MIN : log->finished_ms * 1000000;
    kube_podlog_observe(follow->podlog, log->restart_count, log->is_running, finished_ns, log->pod_exists);
}

void runtime_logs_observe(struct runtime_logs *logs, struct model_job *job, struct runtime_follow **list) {
    int count = model_job_log_count(job);
    for (int i = 0; i < count; i++) {
        struct model_log log;
        model_job_log_get(job, i, &log);
        if (log.pod_uid != NULL && log.pod != NULL && log.container != NULL)
            observe(find_or_add(logs, job, &log, list), &log);
    }
}

/* The model keeps one watermark for all of a job's logs: it may move once every open follower is connected. Logs that
 * have ended are read for good. */
void runtime_logs_tell_watermarks(struct runtime_logs *logs, const struct runtime_follow *list) {
    struct loop *loop = kube_client_loop(logs->client);
    int64_t settled_us = loop_now(loop).us - SETTLED_US;
    for (const struct runtime_follow *f = list; f != NULL; f = f->next)
        if (f->is_waiting || (f->podlog != NULL && (f->is_in_trouble || f->started_us > settled_us)))
            return;
    for (; list != NULL; list = list->next)
        model_job_log_watermark(list->job, list->pod_uid, wall_ms(loop_wall(loop)) - SKEW_MS);
}

void runtime_logs_drop(struct runtime_logs *logs, struct runtime_follow **list) {
    (void)logs;
    while (*list != NULL) {
        struct runtime_follow *follow = *list;
        *list = follow->next;
        close_follow(follow);
        free(follow->pod_uid);
        free(follow);
    }
}

bool runtime_logs_has_room_again(struct runtime_logs *logs) {
    bool has_room_again = logs->has_room_again;
    if (has_room_again)
        logs->has_room_again = logs->has_waiting = false;
    return has_room_again;
}

int64_t runtime_logs_count(const struct runtime_logs *logs) {
    return logs->follows;
}
