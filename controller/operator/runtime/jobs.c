#include "operator/runtime/jobs.h"

#include "base/hash.h"
#include "base/jsonlog.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/model/evaluate.h"
#include "operator/runtime/json.h"
#include "operator/runtime/last_words.h"
#include "operator/runtime/logs.h"

#include <string.h>

#define MAX_STATUS_BYTES ((size_t)1 << 20)
#define RETRY_US INT64_C(5000000) /* after a failed write, doubling up to ... */
#define RETRY_MAX_US INT64_C(300000000)
#define READY_LOOK_US INT64_C(1000000)
#define BEHIND_LOOK_US INT64_C(100000) /* no event reports that a watch which was resumed is up to date */
#define CONFLICT_US INT64_C(10000000)  /* for the newer object to arrive by the watch */

struct runtime_job {            /* one JobGoodput, the model's user pointer */
    struct cadence_job cadence; /* first: the cadence hands it back */
    struct runtime_jobs *owner;
    struct share *share; /* of its namespace */
    struct model_job *job;
    struct runtime_follow *follows;
    struct runtime_feed *feed;
    struct last_words_job *words;
    struct kube_call *write; /* in flight, or NULL */
    char *held;              /* a body that waits for the archive; NULL */
    struct archive_job *archive;
    int64_t executions; /* as of the last evaluation */
    char resource_version[64], sent_version[64];
    bool server_has_checkpoint;
    int64_t retry_us;
    int64_t queued_us; /* since when it waits to be looked at; 0: it does not */
};

struct runtime_jobs {
    struct kube_client *client;
    struct loop *loop;
    struct model *model;
    struct kube_recorder *recorder;
    struct runtime_watches *watches; /* borrowed */
    const struct kube_lease *lease;  /* borrowed; NULL: no election */
    struct runtime_logs *logs;
    struct runtime_sources *sources;
    struct last_words *words;
    struct runtime_archive *archive; /* borrowed; NULL: there is none */
    struct cadence cadence;
    struct map shares; /* by namespace: struct share */
    struct loop_timer *timer;
    struct buf status, body; /* scratch */
    int64_t writes, write_failures;
    struct histogram queue_duration, work_duration;
    bool is_leading, was_ready;
    bool is_settling; /* the last writes; then settled is called */
    loop_callback *settled;
    void *settled_context;
};

static void pump(void *context);
static void drain(struct runtime_jobs *jobs);

void runtime_jobs_wake(struct runtime_jobs *jobs) {
    loop_defer(jobs->loop, pump, jobs);
}

static void on_wake(void *context) {
    runtime_jobs_wake(context);
}

struct runtime_jobs *runtime_jobs_new(const struct runtime_jobs_options *options) {
    struct runtime_jobs *jobs = mem_new(struct runtime_jobs);
    jobs->client = options->client;
    jobs->loop = kube_client_loop(options->client);
    jobs->model = options->model;
    jobs->recorder = options->recorder;
    jobs->archive = options->archive;
    jobs->logs = runtime_logs_new(options->client, options->max_log_follows, on_wake, jobs);
    jobs->words = last_words_new(options->client, options->max_log_reads, on_wake, jobs);
    jobs->sources = runtime_sources_new(jobs->loop, &options->sources, on_wake, jobs);
    cadence_init(&jobs->cadence, &options->cadence);
    map_init(&jobs->shares, free);
    jobs->timer = loop_timer_new(jobs->loop, pump, jobs);
    buf_init(&jobs->status, MAX_STATUS_BYTES);
    buf_init(&jobs->body, MAX_STATUS_BYTES + 4096);
    return jobs;
}

/* What a namespace's jobs share: of the status writes, and of the time for logs. */
struct share {
    struct cadence_share writes;
    struct log_share logs;
    int jobs;
};

static void observe_log(struct runtime_job *mine) {
    last_words_observe(mine->owner->words, mine->job, &mine->words); /* first: pods that failed are soon deleted */
    runtime_logs_observe(mine->owner->logs, mine->job, &mine->share->logs, &mine->follows);
    runtime_sources_observe(mine->owner->sources, mine->job, &mine->share->logs, &mine->feed);
}

static void drop_log(struct runtime_job *mine) {
    last_words_drop(&mine->words);
    runtime_logs_drop(mine->owner->logs, &mine->follows);
    runtime_sources_drop(&mine->feed);
}

static struct share *share_of(struct runtime_jobs *jobs, const struct model_job *job) {
    struct slice namespace_ = slice_of(model_job_namespace(job));
    struct share *share = map_get(&jobs->shares, namespace_);
    if (share == NULL) {
        share = mem_new(struct share);
        map_put(&jobs->shares, namespace_, share);
    }
    return share;
}

static void leave_share(struct runtime_jobs *jobs, const struct model_job *job) {
    if (--share_of(jobs, job)->jobs == 0)
        map_remove(&jobs->shares, slice_of(model_job_namespace(job)));
}

static void forget(struct runtime_jobs *jobs, struct model_job *job) {
    struct runtime_job *mine = model_job_user(job);
    if (mine == NULL)
        return;
    model_job_set_user(job, NULL);
    kube_call_cancel(mine->write);
    free(mine->held);
    runtime_archive_drop(mine->archive, jobs->is_leading && model_job_is_deleted(job));
    drop_log(mine);
    cadence_remove(&jobs->cadence, &mine->cadence);
    leave_share(jobs, job);
    free(mine);
}

void runtime_jobs_set_watches(struct runtime_jobs *jobs, struct runtime_watches *watches) {
    jobs->watches = watches;
}

void runtime_jobs_set_lease(struct runtime_jobs *jobs, const struct kube_lease *lease) {
    jobs->lease = lease;
}

static struct runtime_job *known(struct runtime_jobs *jobs, struct model_job *job) {
    struct runtime_job *mine = model_job_user(job);
    if (mine != NULL)
        return mine;
    mine = mem_new(struct runtime_job);
    mine->owner = jobs;
    mine->job = job;
    mine->retry_us = RETRY_US;
    mine->share = share_of(jobs, job);
    mine->share->jobs++;
    cadence_add(&mine->cadence, &mine->share->writes);
    model_job_set_user(job, mine);
    return mine;
}

void runtime_jobs_observed(struct runtime_jobs *jobs, const char *namespace_, const char *name, struct slice object) {
    struct model_job *job = model_job_find(jobs->model, namespace_, name);
    if (job == NULL)
        return;
    struct runtime_job *mine = known(jobs, job);
    uint64_t hash = 0;
    bool has_status = runtime_json_status_hash(object, &hash);
    mine->server_has_checkpoint = runtime_json_has_checkpoint(object);
    runtime_json_resource_version(object, mine->resource_version, sizeof mine->resource_version);
    cadence_observed(&jobs->cadence, &mine->cadence, has_status, hash, loop_now(jobs->loop).us);
}

static bool is_writing(const struct runtime_job *mine) {
    return mine->write != NULL || mine->held != NULL;
}

void runtime_jobs_set_leading(struct runtime_jobs *jobs, bool is_leading) {
    jobs->is_leading = is_leading;
    for (size_t i = 0; i < model_job_count(jobs->model); i++) {
        struct runtime_job *mine = known(jobs, model_job_at(jobs->model, i));
        cadence_mark(&jobs->cadence, &mine->cadence);
        if (is_leading && jobs->was_ready)
            observe_log(mine);
        if (!is_leading && is_writing(mine)) {
            kube_call_cancel(mine->write);
            mine->write = NULL;
            free(mine->held);
            mine->held = NULL;
            cadence_failed(&jobs->cadence, &mine->cadence, 0);
        }
    }
    runtime_jobs_wake(jobs);
}

/* ---- one write ---- */

static void say_last(struct runtime_job *mine);
static void end_if_settled(struct runtime_jobs *jobs);

static void failed(struct runtime_job *mine, int status, const struct error *err) {
    struct runtime_jobs *jobs = mine->owner;
    int64_t now_us = loop_now(jobs->loop).us;
    if (status == 409) { /* somebody wrote meanwhile: compute again from what they wrote */
        bool is_newer_known = strcmp(mine->sent_version, mine->resource_version) != 0;
        jsonlog(JSONLOG_DEBUG, "status write conflict", "namespace", LOG_S(model_job_namespace(mine->job)), "name",
                LOG_S(model_job_name(mine->job)), NULL);
        cadence_failed(&jobs->cadence, &mine->cadence, is_newer_known ? now_us : now_us + CONFLICT_US);
        return;
    }
    jsonlog(JSONLOG_WARNING, "status not written", "namespace", LOG_S(model_job_namespace(mine->job)), "name",
            LOG_S(model_job_name(mine->job)), "http_status", LOG_I(status), "error", LOG_S(error_text(err)), "retry_s",
            LOG_I(mine->retry_us / 1000000), NULL);
    cadence_failed(&jobs->cadence, &mine->cadence, now_us + mine->retry_us);
    mine->retry_us = mine->retry_us * 2 < RETRY_MAX_US ? mine->retry_us * 2 : RETRY_MAX_US;
}

static void on_written(void *context, int status, struct slice body, const struct error *err) {
    struct runtime_job *mine = context;
    struct runtime_jobs *jobs = mine->owner;
    mine->write = NULL;
    if (err != NULL) {
        jobs->write_failures++;
        failed(mine, status, err);
    } else {
        jobs->writes++;
        runtime_json_written_version(body, mine->sent_version, mine->resource_version, sizeof mine->resource_version);
        mine->retry_us = RETRY_US;
        if (mine->archive != NULL)
            runtime_archive_written(mine->archive, mine->executions, model_job_is_final(mine->job));
        cadence_wrote(&jobs->cadence, &mine->cadence, loop_now(jobs->loop).us);
    }
    if (jobs->is_settling) {
        if (err == NULL) /* steps may have come in since it was sent */
            say_last(mine);
        end_if_settled(jobs);
    }
    runtime_jobs_wake(jobs);
}

static void send(struct runtime_job *mine, struct slice body) {
    char namespace_[256], name[256];
    if (!kube_escape(namespace_, sizeof namespace_, model_job_namespace(mine->job)) ||
        !kube_escape(name, sizeof name, model_job_name(mine->job)))
        return;
    CLEANUP_FREE char *path = mem_format("/apis/goodput.dev/v1alpha1/namespaces/%s/jobgoodputs/%s/status"
                                         "?fieldManager=goodput-controller&force=true",
                                         namespace_, name);
    struct kube_request request = {.method = "PATCH",
                                   .path = path,
                                   .body = body,
                                   .content_type = "application/apply-patch+yaml",
                                   .may_retry = true};
    mine->write = kube_call(mine->owner->client, &request, on_written, mine);
}

static void on_archived(void *context) {
    struct runtime_job *mine = context;
    CLEANUP_FREE char *body = mine->held;
    mine->held = NULL;
    if (body != NULL)
        send(mine, slice_of(body));
}

/* Behind its spans: whoever continues from its checkpoint finds them in the archive. */
static void write_status(struct runtime_job *mine, struct slice status) {
    struct runtime_jobs *jobs = mine->owner;
    buf_clear(&jobs->body);
    runtime_json_apply(&jobs->body, mine->job, mine->resource_version, status);
    memcpy(mine->sent_version, mine->resource_version, sizeof mine->sent_version);
    if (jobs->archive != NULL && runtime_archive_take(jobs->archive, &mine->archive, mine->job, on_archived, mine))
        mine->held = mem_strdup(buf_text(&jobs->body));
    else
        send(mine, buf_slice(&jobs->body));
}

/* ---- one evaluation ---- */

static uint64_t summary_key(const struct model_summary *summary) {
    const uint64_t parts[] = {summary->conditions_hash,      (uint64_t)summary->interruptions,
                              (uint64_t)summary->executions, summary->waiting_hash,
                              summary->causes_hash,          summary->is_final};
    return hash_local(hash_local(0, slice_of(summary->phase)), HASH_BYTES(&parts));
}

static void send_notices(struct runtime_job *mine) {
    struct kube_object_reference regarding = {"goodput.dev/v1alpha1", "JobGoodput", model_job_namespace(mine->job),
                                              model_job_name(mine->job), model_job_uid(mine->job)};
    const struct model_notice *notice;
    while ((notice = model_job_next_notice(mine->job)) != NULL) {
        jsonlog(JSONLOG_INFO, "notice", "namespace", LOG_S(regarding.namespace_), "name", LOG_S(regarding.name),
                "reason", LOG_S(notice->reason), "note", LOG_S(notice->note), NULL);
        struct kube_happening happening = {notice->id,   notice->type,     notice->reason,
                                           notice->note, notice->first_ms, notice->last_ms};
        kube_recorder_record(mine->owner->recorder, &regarding, &happening);
    }
}

/* Writes its status into jobs->status; false: there is nothing to write, which was logged. */
static bool compute(struct runtime_job *mine, struct cadence_evaluation *evaluation) {
    struct runtime_jobs *jobs = mine->owner;
    struct model_summary summary = {0};
    uint64_t printed;
    buf_clear(&jobs->status);
    model_job_status(mine->job, wall_ms(loop_wall(jobs->loop)), &jobs->status, &summary);
    *evaluation = (struct cadence_evaluation){.key = summary_key(&summary),
                                              .hash = runtime_json_hash_of_status(buf_slice(&jobs->status), &printed),
                                              .has_new_steps = summary.has_new_steps,
                                              .is_ending = summary.has_ended && !summary.is_final,
                                              .is_final = summary.is_final,
                                              .awaits_ms = summary.awaits_ms};
    evaluation->printed = printed;
    mine->executions = summary.executions;
    if (jobs->status.truncated || evaluation->hash == 0) {
        jsonlog(JSONLOG_ERROR, "status is not JSON", "name", LOG_S(model_job_name(mine->job)), "bytes",
                LOG_I(jobs->status.size_bytes), NULL);
        return false;
    }
    if (summary.is_final && mine->server_has_checkpoint)
        evaluation->hash ^= 1;                /* the same numbers, but not yet the last word */
    return mine->resource_version[0] != '\0'; /* else there is nothing to hold a write against */
}

static void write_now(struct runtime_job *mine) {
    struct runtime_jobs *jobs = mine->owner;
    size_t size_bytes = jobs->status.size_bytes;
    struct positions positions;
    model_job_add_checkpoint(mine->job, wall_ms(loop_wall(jobs->loop)), &jobs->status);
    runtime_watches_positions(jobs->watches, model_job_namespace(mine->job), &positions);
    if (jobs->status.size_bytes > size_bytes)
        positions_append(&positions, &jobs->status);
    write_status(mine, buf_slice(&jobs->status));
}

static void evaluate(struct runtime_job *mine) {
    struct runtime_jobs *jobs = mine->owner;
    int64_t now_us = loop_now(jobs->loop).us;
    struct cadence_evaluation evaluation;
    if (!compute(mine, &evaluation)) {
        cadence_skip(&jobs->cadence, &mine->cadence, now_us);
        return;
    }
    if (cadence_decide(&jobs->cadence, &mine->cadence, &evaluation, now_us))
        write_now(mine);
    send_notices(mine);
    if (evaluation.is_final)
        drop_log(mine);
}

/* ---- the last words ---- */

static void say_last(struct runtime_job *mine) {
    struct runtime_jobs *jobs = mine->owner;
    struct cadence_evaluation evaluation;
    if (!is_writing(mine) && !model_job_is_final(mine->job) && cadence_has_more(&mine->cadence) &&
        compute(mine, &evaluation) &&
        cadence_decide_last(&jobs->cadence, &mine->cadence, &evaluation, loop_now(jobs->loop).us))
        write_now(mine);
}

static void end_if_settled(struct runtime_jobs *jobs) {
    bool is_any = false;
    for (size_t i = 0; i < model_job_count(jobs->model) && !is_any; i++)
        is_any = is_writing(known(jobs, model_job_at(jobs->model, i)));
    if (!is_any && jobs->settled != NULL) {
        loop_defer(jobs->loop, jobs->settled, jobs->settled_context);
        jobs->settled = NULL;
    }
}

void runtime_jobs_settle(struct runtime_jobs *jobs, loop_callback *done, void *context) {
    jobs->is_settling = true;
    jobs->settled = done;
    jobs->settled_context = context;
    drain(jobs);
    if (jobs->is_leading && jobs->was_ready && (jobs->lease == NULL || kube_lease_is_held(jobs->lease))) {
        runtime_watches_report_watermarks(jobs->watches);
        for (size_t i = 0; i < model_job_count(jobs->model); i++)
            say_last(known(jobs, model_job_at(jobs->model, i)));
    }
    end_if_settled(jobs);
}

/* ---- a turn ---- */

static void queue(struct runtime_job *mine) {
    if (mine->queued_us == 0)
        mine->queued_us = loop_now(mine->owner->loop).us;
    cadence_mark(&mine->owner->cadence, &mine->cadence);
}

static void look_at(struct runtime_job *mine) {
    struct runtime_jobs *jobs = mine->owner;
    int64_t started_us = loop_clock(jobs->loop).us;
    if (mine->queued_us > 0)
        histogram_add(&jobs->queue_duration, started_us - mine->queued_us);
    mine->queued_us = 0;
    evaluate(mine);
    mine->cadence.cost_us = loop_clock(jobs->loop).us - started_us;
    histogram_add(&jobs->work_duration, mine->cadence.cost_us);
}

static void drain(struct runtime_jobs *jobs) {
    struct model_job *job;
    while ((job = model_next_dirty(jobs->model)) != NULL) {
        if (model_job_is_deleted(job)) {
            forget(jobs, job);
            continue;
        }
        struct runtime_job *mine = known(jobs, job);
        queue(mine);
        if (jobs->is_leading && jobs->was_ready && !jobs->is_settling && !model_job_is_final(job))
            observe_log(mine);
        if (model_job_has_backlog(job)) /* a long log is read in less time than lies between two statuses */
            model_job_fold_backlog(job, wall_ms(loop_wall(jobs->loop)));
    }
}

/* Only what has been listed whole is judged: half a list looks like a dead job. */
static bool is_ready(struct runtime_jobs *jobs) {
    if (jobs->was_ready)
        return true;
    if (jobs->watches == NULL || !runtime_watches_are_synced(jobs->watches))
        return false;
    jobs->was_ready = true;
    for (size_t i = 0; i < model_job_count(jobs->model); i++)
        queue(known(jobs, model_job_at(jobs->model, i)));
    return true;
}

static void observe_all_logs(struct runtime_jobs *jobs) {
    for (size_t i = 0; i < model_job_count(jobs->model); i++) {
        struct model_job *job = model_job_at(jobs->model, i);
        struct runtime_job *mine = known(jobs, job);
        if (!model_job_is_final(job))
            observe_log(mine);
    }
}

/* Before anything is evaluated. False: the server has been silent, and its answer is waited for. */
static bool learn_watermarks(struct runtime_jobs *jobs) {
    int64_t wait_us;
    if (cadence_pick(&jobs->cadence, loop_now(jobs->loop).us) == NULL && !cadence_is_behind(&jobs->cadence))
        return true;
    if (runtime_watches_await_server(jobs->watches, &wait_us)) {
        loop_timer_set(jobs->timer, wait_us);
        return false;
    }
    runtime_watches_report_watermarks(jobs->watches);
    cadence_known(&jobs->cadence, model_known_ms(jobs->model, wall_ms(loop_wall(jobs->loop))));
    return true;
}

/* A leader that was stopped beyond its lease reads all that waited when it resumes, also its successor's writes: with
 * their resourceVersions it could overwrite them. Nothing is read while a turn of the work lasts, so what it names is
 * from before this look at the clock, and from before any successor. */
static void pump(void *context) {
    struct runtime_jobs *jobs = context;
    if (jobs->is_settling)
        return;
    if (jobs->is_leading && jobs->lease != NULL && !kube_lease_is_held(jobs->lease)) {
        loop_timer_set(jobs->timer, READY_LOOK_US); /* unless the election ends it */
        return;
    }
    drain(jobs);
    bool was_ready = jobs->was_ready;
    if (!is_ready(jobs) || !jobs->is_leading) {
        if (jobs->is_leading) /* what may be missing is given up by the clock */
            loop_timer_set(jobs->timer, READY_LOOK_US);
        return;
    }
    if (!was_ready)
        observe_all_logs(jobs);
    if (!was_ready && jobs->archive != NULL && runtime_watches_list_all_jobgoodputs(jobs->watches))
        runtime_archive_complete_orphans(jobs->archive, jobs->model);

    if (!learn_watermarks(jobs))
        return;
    struct cadence_job *due;
    while ((due = cadence_pick(&jobs->cadence, loop_now(jobs->loop).us)) != NULL)
        look_at((struct runtime_job *)due);
    int64_t wake_us = cadence_wake_us(&jobs->cadence);
    if (cadence_is_behind(&jobs->cadence))
        wake_us = min_of(wake_us, loop_now(jobs->loop).us + BEHIND_LOOK_US);
    if (wake_us == CADENCE_NEVER)
        loop_timer_stop(jobs->timer);
    else
        loop_timer_set(jobs->timer, wake_us > loop_now(jobs->loop).us ? wake_us - loop_now(jobs->loop).us : 0);
}

void runtime_jobs_figures(const struct runtime_jobs *jobs, struct runtime_figures *figures) {
    figures->is_leading = jobs->is_leading;
    figures->is_synced = jobs->was_ready;
    figures->queue_depth = (int64_t)jobs->cadence.marked.count;
    figures->queue_adds = jobs->cadence.adds;
    figures->queue_retries = jobs->cadence.retries;
    figures->queue_duration = jobs->queue_duration;
    figures->work_duration = jobs->work_duration;
    figures->status_writes = jobs->writes;
    figures->status_failures = jobs->write_failures;
    figures->jobs = (int64_t)model_job_count(jobs->model);
    figures->log_follows = runtime_logs_count(jobs->logs);
}

void runtime_jobs_free(struct runtime_jobs *jobs) {
    if (jobs == NULL)
        return;
    jobs->is_leading = false;
    drain(jobs); /* the deleted ones are in no list any more */
    for (size_t i = 0; i < model_job_count(jobs->model); i++)
        forget(jobs, model_job_at(jobs->model, i));
    loop_timer_free(jobs->timer);
    runtime_logs_free(jobs->logs);
    runtime_sources_free(jobs->sources);
    last_words_free(jobs->words);
    cadence_done(&jobs->cadence);
    map_done(&jobs->shares);
    buf_done(&jobs->status);
    buf_done(&jobs->body);
    free(jobs);
}
