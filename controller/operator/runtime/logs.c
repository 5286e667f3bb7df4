#include "operator/runtime/logs.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "kube/podlog.h"

#include <string.h>

#define TROUBLE_FULL "waits for its turn: --max-log-follows logs are being read"

/* Where more logs are to be read than may be followed, they are read in turns: what a log holds, over a connection that
 * the next turn uses again. A log's turns are as far apart as if each place had one every TURN_US, AGAIN_US at most.
 * One that is open this long gives its place to the next, as soon as no line came for a while or, if they never cease,
 * later. It resumes from there at its next turn. */
#define TURN_US INT64_C(2000000)
#define AGAIN_US INT64_C(30000000)
#define IDLE_US INT64_C(300000)
#define LONGEST_TURN_US INT64_C(15000000)
/* One whose namespace has used its work of this turn of the loop is opened again after so long. */
#define REST_US INT64_C(1000000)

struct follow_queue {
    struct runtime_follow *first, *last;
    int64_t count;
};

struct runtime_follow {
    struct runtime_follow *next; /* of the job */
    struct runtime_logs *owner;
    struct follow_queue *queue; /* that holds it; NULL: none */
    struct runtime_follow *before, *behind;
    struct model_job *job;
    char *pod_uid;
    struct kube_podlog *podlog; /* NULL: none now */
    struct log_share *share;    /* of its namespace */
    struct log_share own_share;
    int64_t started_us, last_line_us, rested_us; /* since when it is in `resting` or `read` */
    int64_t last_stamp_ns, lines_at_last;        /* lines that were read with the newest stamp */
    uint64_t generation;                         /* of the job's logs */
    int ended_through;                           /* the newest instance whose log is read to its end; -1: none */
    bool is_waiting_reported;
};

struct runtime_logs {
    struct kube_client *client;
    int64_t max_follows;
    struct follow_queue open, waiting, resting, read; /* in the order in which they came */
    struct loop_timer *timer;                         /* set while some wait, rest or have had their turn */
    loop_callback *on_change;
    void *context;
};

static void enqueue(struct follow_queue *queue, struct runtime_follow *follow) {
    follow->queue = queue;
    follow->before = queue->last;
    follow->behind = NULL;
    *(queue->last ? &queue->last->behind : &queue->first) = follow;
    queue->last = follow;
    queue->count++;
}

static void dequeue(struct runtime_follow *follow) {
    struct follow_queue *queue = follow->queue;
    if (queue == NULL)
        return;
    *(follow->before ? &follow->before->behind : &queue->first) = follow->behind;
    *(follow->behind ? &follow->behind->before : &queue->last) = follow->before;
    follow->queue = NULL;
    queue->count--;
}

static int64_t now_us(const struct runtime_logs *logs) {
    return loop_now(kube_client_loop(logs->client)).us;
}

static void take_turns(void *context);

struct runtime_logs *runtime_logs_new(struct kube_client *client, int64_t max_follows, loop_callback *on_change,
                                      void *context) {
    struct runtime_logs *logs = mem_new(struct runtime_logs);
    logs->client = client;
    logs->max_follows = max_follows;
    logs->on_change = on_change;
    logs->context = context;
    logs->timer = loop_timer_new(kube_client_loop(client), take_turns, logs);
    return logs;
}

void runtime_logs_free(struct runtime_logs *logs) {
    loop_timer_free(logs->timer);
    free(logs);
}

static void close_follow(struct runtime_follow *follow);

/* Out of its place, in `resting` or `read`. */
static void rest_in(struct follow_queue *queue, struct runtime_follow *follow) {
    struct runtime_logs *logs = follow->owner;
    close_follow(follow);
    follow->rested_us = now_us(logs);
    enqueue(queue, follow);
    if (!loop_timer_is_set(logs->timer))
        loop_timer_set(logs->timer, IDLE_US);
}

static void on_caught_up(void *context) {
    struct runtime_follow *follow = context;
    rest_in(&follow->owner->read, follow);
}

static void on_line(void *context, int restart_count, int64_t stamp_ns, struct slice line) {
    struct runtime_follow *follow = context;
    struct loop *loop = kube_client_loop(follow->owner->client);
    int64_t work = model_job_log_work(follow->job);
    if (log_share_is_used(follow->share, &follow->own_share, loop)) {
        rest_in(&follow->owner->resting, follow);
        return;
    }
    follow->last_line_us = now_us(follow->owner);
    follow->lines_at_last = stamp_ns == follow->last_stamp_ns ? follow->lines_at_last + 1 : 1;
    follow->last_stamp_ns = stamp_ns;
    model_job_log_line(follow->job, follow->pod_uid, restart_count, stamp_ns, line);
    log_share_charge(follow->share, &follow->own_share, loop, model_job_log_work(follow->job) - work);
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
    model_job_log_trouble(follow->job, follow->pod_uid, text);
    follow->owner->on_change(follow->owner->context);
}

static struct runtime_follow *find_or_add(struct runtime_logs *logs, struct model_job *job, struct log_share *share,
                                          const struct model_log *log, struct runtime_follow **list) {
    while (*list != NULL && strcmp((*list)->pod_uid, log->pod_uid) != 0)
        list = &(*list)->next;
    if (*list == NULL) {
        *list = mem_new(struct runtime_follow);
        (*list)->owner = logs;
        (*list)->job = job;
        (*list)->share = share;
        (*list)->pod_uid = mem_strdup(log->pod_uid);
        (*list)->ended_through = log->first_unread - 1;
        (*list)->generation = model_job_log_generation(job);
    }
    return *list;
}

static void close_follow(struct runtime_follow *follow) {
    dequeue(follow);
    if (follow->podlog == NULL)
        return;
    kube_podlog_free(follow->podlog);
    follow->podlog = NULL;
    if (follow->owner->waiting.count > 0)
        loop_timer_set(follow->owner->timer, 0); /* its place is free */
}

static void report_waiting(struct runtime_follow *follow, bool is_waiting) {
    if (follow->is_waiting_reported != is_waiting)
        model_job_log_trouble(follow->job, follow->pod_uid, is_waiting ? TROUBLE_FULL : NULL);
    follow->is_waiting_reported = is_waiting;
}

static void wait_for_turn(struct runtime_follow *follow) {
    if (follow->queue == NULL)
        enqueue(&follow->owner->waiting, follow);
    if (!loop_timer_is_set(follow->owner->timer))
        loop_timer_set(follow->owner->timer, IDLE_US);
}

static int64_t count(const struct runtime_logs *logs) {
    return logs->open.count + logs->waiting.count + logs->resting.count + logs->read.count;
}

static void open_follow(struct runtime_follow *follow, const struct model_log *log) {
    struct runtime_logs *logs = follow->owner;
    if (follow->queue == &logs->read && !log->is_running) /* it holds all that it will */
        dequeue(follow);
    if (follow->queue == &logs->resting || follow->queue == &logs->read)
        return;
    bool is_next = follow->queue == &logs->waiting ? logs->waiting.first == follow : logs->waiting.count == 0;
    if (logs->open.count >= logs->max_follows || !is_next) {
        if (follow->started_us == 0) /* later it is read, if in turns */
            report_waiting(follow, true);
        wait_for_turn(follow);
        return;
    }
    dequeue(follow);
    bool takes_turns = count(logs) >= logs->max_follows;
    report_waiting(follow, false);
    if (log->first_unread > follow->ended_through)
        follow->ended_through = log->first_unread - 1;
    struct kube_podlog_options options = {.namespace_ = log->namespace_,
                                          .pod = log->pod,
                                          .container = log->container,
                                          .since_ns = log->read_through_ns,
                                          .since_lines =
                                              log->read_through_ns == follow->last_stamp_ns ? follow->lines_at_last : 0,
                                          .first_restart_count = follow->ended_through + 1,
                                          .reads_once = takes_turns};
    struct kube_podlog_handler handler = {on_line, on_end, on_trouble, on_caught_up, follow};
    follow->podlog = kube_podlog_new(logs->client, &options, &handler);
    follow->started_us = follow->last_line_us = now_us(logs);
    enqueue(&logs->open, follow);
}

static void observe(struct runtime_follow *follow, const struct model_log *log) {
    bool has_ended = follow->ended_through >= log->restart_count;
    bool is_read = has_ended && (!log->is_running || !log->pod_exists);
    if (!has_ended && !log->pod_exists && follow->podlog == NULL && (log->has_started || log->restart_count > 0)) {
        /* It waited for its turn, or its pod was deleted while the leader changed. Once: an end marks the job dirty,
         * and the last state of a deleted pod's container may be running for good. */
        model_job_log_end(follow->job, follow->pod_uid, log->restart_count,
                          follow->queue == &follow->owner->waiting
                              ? "the pod was deleted before it was the turn of its log"
                              : "the pod was deleted before the end of its log was read");
        follow->ended_through = log->restart_count;
    }
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

void runtime_logs_observe(struct runtime_logs *logs, struct model_job *job, struct log_share *share,
                          struct runtime_follow **list) {
    int count = model_job_source_kind(job) == MODEL_SOURCE_POD_LOG ? model_job_log_count(job) : 0;
    if (*list != NULL && (*list)->generation != model_job_log_generation(job))
        runtime_logs_drop(logs, list);
    for (int i = 0; i < count; i++) {
        struct model_log log;
        model_job_log_get(job, i, &log);
        if (log.pod_uid != NULL && log.pod != NULL && log.container != NULL)
            observe(find_or_add(logs, job, share, &log, list), &log);
    }
}

/* ---- turns ---- */

/* Opens it, or finds that it need not be read any more: either way it leaves the queue. */
static void take_turn(struct runtime_follow *follow) {
    int count = model_job_log_count(follow->job);
    for (int i = 0; i < count; i++) {
        struct model_log log;
        model_job_log_get(follow->job, i, &log);
        if (strcmp(log.pod_uid, follow->pod_uid) != 0)
            continue;
        observe(follow, &log);
        break;
    }
    if (follow->podlog == NULL)
        dequeue(follow);
}

static bool has_had_its_turn(const struct runtime_follow *follow, int64_t at_us) {
    int64_t open_us = at_us - follow->started_us, idle_us = at_us - follow->last_line_us;
    return open_us >= LONGEST_TURN_US || (open_us >= TURN_US && idle_us >= IDLE_US);
}

static void end_rests(struct follow_queue *queue, int64_t rest_us) {
    struct runtime_follow *first;
    while ((first = queue->first) != NULL && now_us(first->owner) - first->rested_us >= rest_us) {
        dequeue(first);
        enqueue(&first->owner->waiting, first);
    }
}

static void take_turns(void *context) {
    struct runtime_logs *logs = context;
    end_rests(&logs->resting, REST_US);
    if (logs->read.count > 0)
        end_rests(&logs->read, min_of(TURN_US * count(logs) / logs->max_follows, AGAIN_US));
    int64_t at_us = now_us(logs), places = logs->max_follows - logs->open.count;
    struct runtime_follow *next;
    for (struct runtime_follow *f = logs->open.first; f != NULL && places < logs->waiting.count; f = next) {
        next = f->behind;
        if (!has_had_its_turn(f, at_us))
            continue;
        rest_in(&logs->read, f);
        places++;
    }
    while (logs->waiting.count > 0 && logs->open.count < logs->max_follows)
        take_turn(logs->waiting.first);
    if (logs->waiting.count > 0 || logs->resting.count > 0 || logs->read.count > 0)
        loop_timer_set(logs->timer, IDLE_US);
    else
        loop_timer_stop(logs->timer);
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

int64_t runtime_logs_count(const struct runtime_logs *logs) {
    return logs->open.count;
}
