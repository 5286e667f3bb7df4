#include "operator/runtime/archive.h"

#include "archive/volume.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "io/work.h"
#include "objectstore/uploader.h"
#include "operator/model/archive.h"
#include "operator/model/model.h"
#include "operator/runtime/archive_orphans.h"
#include "operator/runtime/flags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAIT_US INT64_C(1000000)  /* how long a status waits for the volume */
#define RETRY_US INT64_C(5000000) /* after a failure, doubling up to ... */
#define RETRY_MAX_US INT64_C(300000000)
#define OBJECT_MS INT64_C(3600000) /* an object has at most this much time of a running job */

enum { THREADS = 2 };

struct task { /* of a thread: all texts are its own */
    char *root, *cluster, *namespace_, *name, *uid, *target_uid;
    char *ended_uid; /* of the target before, which has no more spans; NULL */
    int64_t now_s;
    struct archive_piece piece; /* without lines: completes the object */
    bool is_last;
    int code, completed;
    int64_t end_ms; /* of the object: before the piece; or that was completed */
    struct error *err;
};

struct waiting_piece { /* a piece in memory */
    struct archive_piece piece;
    char *target_uid; /* own */
    size_t size_bytes;
};

struct archive_job {
    struct runtime_archive *owner;
    struct archive_job *next;
    struct model_job *job; /* NULL: not followed any more */
    char *namespace_, *name, *uid, *target_uid;
    struct waiting_piece *pieces;
    size_t count, capacity;
    struct work_task *running;
    struct task *task;
    loop_callback *ready; /* NULL: no status waits */
    void *context;
    struct loop_timer *timer;     /* of who waits, else of the next try */
    int64_t taken, written;       /* takes that had pieces; as of the last written status */
    int64_t executions;           /* when the last object was completed */
    int64_t started_ms, retry_us; /* of the object: its first piece */
    int64_t completed_ms;         /* where the newest complete object ends; 0: there is none */
    struct mono_time completed;   /* when it was */
    bool has_time, must_complete, is_last;
};

struct runtime_archive {
    struct loop *loop;
    struct work_pool *pool;
    const char *dir, *cluster, *namespaces;
    size_t max_bytes, bytes;
    struct archive_job *jobs;
    struct archive_figures figures;
    struct object_store *store; /* NULL: the volume is the archive */
    struct uploader *uploader;
    struct mono_time emptied;        /* all that was complete then is in the store */
    struct archive_orphans *orphans; /* while they are completed, nothing else is written */
    struct work_task *orphans_task;
    uint64_t reported; /* hash of the trouble that was logged */
    char *why;         /* of the newest failure; heap; NULL */
    bool is_late;      /* the volume took too long: no status waits until it answers */
};

static void on_emptied(void *context, struct mono_time at) {
    struct runtime_archive *a = context;
    a->emptied = at;
    for (struct archive_job *j = a->jobs; j != NULL; j = j->next)
        if (j->job != NULL && j->completed_ms > 0 && j->completed.us <= at.us)
            model_job_archive_stored(j->job, j->completed_ms);
}

static int start_uploader(struct runtime_archive *a, const struct runtime_flags *flags, struct error **err) {
    const struct object_store_options options = {.url = flags->archive,
                                                 .endpoint = flags->archive_endpoint,
                                                 .region = flags->archive_region,
                                                 .ca_file = flags->archive_ca,
                                                 .google_credentials = flags->google_credentials};
    if (flags->archive_spool == NULL)
        return error_set(err, EINVAL,
                         "--archive %s needs --archive-spool DIR: a folder for the objects that are not uploaded yet",
                         flags->archive);
    if (flags->archive_ca != NULL && access(flags->archive_ca, R_OK) != 0)
        return error_set(err, errno, "--archive-ca %s: %s", flags->archive_ca, strerror(errno));
    a->dir = flags->archive_spool;
    a->store = object_store_new(a->loop, &options, err);
    if (a->store == NULL)
        return error_wrap(err, EINVAL, "--archive");
    a->uploader = uploader_new(a->loop, a->store, a->dir, a->max_bytes, on_emptied, a);
    return 0;
}

struct runtime_archive *runtime_archive_new(struct loop *loop, const struct runtime_flags *flags, struct error **err) {
    struct runtime_archive *a = mem_new(struct runtime_archive);
    *a = (struct runtime_archive){.loop = loop,
                                  .pool = work_pool_new(loop, THREADS),
                                  .dir = flags->archive,
                                  .cluster = flags->cluster_name,
                                  .namespaces = flags->watch_namespaces,
                                  .max_bytes = (size_t)flags->archive_memory_mib << 20,
                                  .figures.failing_since_ms = TIME_UNKNOWN};
    if (object_store_is_url(flags->archive) && start_uploader(a, flags, err) < 0) {
        runtime_archive_free(a);
        return NULL;
    }
    return a;
}

void runtime_archive_figures(const struct runtime_archive *a, struct archive_figures *figures) {
    struct uploader_figures uploads;
    *figures = a->figures;
    figures->pending_bytes = (int64_t)a->bytes;
    figures->why = a->why != NULL ? a->why : "";
    if (a->uploader == NULL)
        return;
    uploader_figures(a->uploader, &uploads);
    figures->has_store = true;
    figures->uploads = uploads.stored;
    figures->waiting = uploads.waiting;
    figures->failures += uploads.failures;
    if (uploads.failing_since_ms != TIME_UNKNOWN &&
        (figures->failing_since_ms == TIME_UNKNOWN || uploads.failing_since_ms < figures->failing_since_ms)) {
        figures->failing_since_ms = uploads.failing_since_ms;
        figures->why = uploads.why;
    }
}

/* ---- on a thread ---- */

static void run_task(void *data) {
    struct task *t = data;
    const struct archive_key key = {t->cluster, t->namespace_, t->name, t->uid, t->target_uid, t->now_s};
    const struct archive_piece *p = &t->piece;
    const struct archive_part part = {p->from_ms, p->to_ms, p->is_final};
    if (t->ended_uid != NULL) {
        const struct archive_key ended = {t->cluster, t->namespace_, t->name, t->uid, t->ended_uid, t->now_s};
        t->code = archive_volume_publish(t->root, &ended, true, &t->completed, &t->end_ms, &t->err);
        if (t->code < 0)
            return;
    }
    t->code = p->lines == NULL ? archive_volume_publish(t->root, &key, t->is_last, &t->completed, &t->end_ms, &t->err)
                               : archive_volume_append(t->root, &key, &part, p->before, slice_of(p->lines),
                                                       p->is_restart, &t->end_ms, &t->err);
}

static void task_free(void *data) {
    struct task *t = data;
    if (t == NULL)
        return;
    free(t->root);
    free(t->cluster);
    free(t->namespace_);
    free(t->name);
    free(t->uid);
    free(t->target_uid);
    free(t->ended_uid);
    archive_piece_done(&t->piece);
    error_free(t->err);
    free(t);
}

/* ---- a job's pieces ---- */

static void pump(struct archive_job *j);

static void release(struct archive_job *j) {
    loop_callback *ready = j->ready;
    j->ready = NULL;
    if (ready != NULL)
        ready(j->context);
}

static void drop_piece(struct archive_job *j, size_t i) {
    struct waiting_piece *w = &j->pieces[i];
    j->owner->bytes -= w->size_bytes;
    archive_piece_done(&w->piece);
    free(w->target_uid);
    j->count--;
    memmove(j->pieces + i, j->pieces + i + 1, (j->count - i) * sizeof *j->pieces);
}

/* Its archive begins again with sums: of what is in memory, only what a thread writes right now is written. */
static void lose(struct archive_job *j, const char *why) {
    while (j->count > (j->running != NULL))
        drop_piece(j, j->count - 1);
    if (j->job == NULL)
        return;
    j->owner->figures.lost++;
    model_job_archive_restart(j->job);
    jsonlog(JSONLOG_WARNING, "spans not archived: the archive continues with their sums", "namespace",
            LOG_S(j->namespace_), "name", LOG_S(j->name), "why", LOG_S(why), NULL);
}

static void job_free(struct archive_job *j) {
    struct archive_job **at = &j->owner->jobs;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    work_cancel(j->running);
    while (j->count > 0)
        drop_piece(j, 0);
    loop_timer_free(j->timer);
    free(j->pieces);
    free(j->namespace_);
    free(j->name);
    free(j->uid);
    free(j->target_uid);
    free(j);
}

static void report(struct archive_job *j, const struct error *err) {
    struct runtime_archive *a = j->owner;
    uint64_t reported = hash_local((uint64_t)err->code, slice_of(a->dir));
    a->figures.failures++;
    if (a->figures.failing_since_ms == TIME_UNKNOWN)
        a->figures.failing_since_ms = wall_ms(loop_wall(a->loop));
    free(a->why);
    a->why = mem_strdup(error_text(err));
    if (a->reported != reported)
        jsonlog(JSONLOG_ERROR, "archive not written: accounting continues, and it is tried again", "error",
                LOG_S(error_text(err)), NULL);
    a->reported = reported;
}

static void failed(struct archive_job *j, const struct error *err) {
    if (err->code == ESTALE) {
        lose(j, error_text(err));
        release(j);
        pump(j);
        return;
    }
    report(j, err);
    release(j);
    loop_timer_set(j->timer, j->retry_us);
    j->retry_us = j->retry_us * 2 < RETRY_MAX_US ? j->retry_us * 2 : RETRY_MAX_US;
}

static void count_objects(struct runtime_archive *a, int completed) {
    a->figures.objects += completed;
    if (completed > 0)
        uploader_wake(a->uploader);
}

static void note_completed(struct archive_job *j, int64_t end_ms) {
    j->completed_ms = end_ms;
    j->completed = loop_now(j->owner->loop);
    if (j->owner->uploader == NULL && j->job != NULL)
        model_job_archive_stored(j->job, end_ms);
}

/* A new count begins where another process could not write its last spans, or wrote them to a volume that was lost
 * since: then all is missing that came after the last upload. volume_ms: where the volume's newest object ended. */
static void count_lost(struct archive_job *j, const struct archive_piece *piece, int64_t volume_ms) {
    int64_t kept_ms = volume_ms != TIME_UNKNOWN ? volume_ms : max_of(piece->stored_ms, j->completed_ms);
    if (piece->before == NULL || piece->before[0] == '\0' || kept_ms == 0 || kept_ms >= piece->from_ms)
        return;
    j->owner->figures.lost += !piece->is_restart; /* else that was counted when it was dropped */
    j->owner->figures.lost_ms += piece->from_ms - kept_ms;
    jsonlog(JSONLOG_WARNING, "spans are missing in the archive, which has their sums", "namespace",
            LOG_S(j->namespace_), "name", LOG_S(j->name), "seconds", LOG_I((piece->from_ms - kept_ms) / 1000), "why",
            LOG_S(volume_ms != TIME_UNKNOWN ? "they were not written before another process continued"
                                            : "the volume of the process before is lost, with what was not uploaded"),
            NULL);
}

static void succeeded(struct archive_job *j, const struct task *t) {
    struct runtime_archive *a = j->owner;
    a->is_late = false;
    a->figures.failing_since_ms = TIME_UNKNOWN;
    a->reported = 0;
    j->retry_us = RETRY_US;
    count_objects(a, t->completed);
    if (t->piece.lines == NULL) {
        j->must_complete = j->has_time = false;
        if (t->completed > 0)
            note_completed(j, t->end_ms);
    } else {
        if (t->ended_uid != NULL)
            j->completed_ms = 0;
        count_lost(j, &j->pieces[0].piece, t->end_ms);
        free(j->target_uid);
        j->target_uid = mem_strdup(t->target_uid);
        if (!j->has_time)
            j->started_ms = wall_ms(loop_wall(a->loop));
        j->has_time = true;
        drop_piece(j, 0);
    }
    pump(j);
}

static void on_task_done(void *context) {
    struct archive_job *j = context;
    struct task *t = j->task;
    j->running = NULL;
    j->task = NULL;
    if (t->piece.lines != NULL) { /* back, to be tried again or dropped */
        j->pieces[0].piece = t->piece;
        t->piece = (struct archive_piece){.lines = j->pieces[0].piece.lines};
    }
    if (t->code < 0)
        failed(j, t->err);
    else
        succeeded(j, t);
    t->piece.lines = NULL;
    task_free(t);
}

static void start(struct archive_job *j, bool is_completion) {
    struct runtime_archive *a = j->owner;
    struct task *t = mem_new(struct task);
    *t = (struct task){.root = mem_strdup(a->dir),
                       .cluster = mem_strdup(a->cluster),
                       .namespace_ = mem_strdup(j->namespace_),
                       .name = mem_strdup(j->name),
                       .uid = mem_strdup(j->uid),
                       .target_uid = mem_strdup(is_completion ? j->target_uid : j->pieces[0].target_uid),
                       .now_s = wall_ms(loop_wall(a->loop)) / 1000,
                       .is_last = j->is_last};
    if (!is_completion) {
        if (j->target_uid != NULL && strcmp(j->target_uid, t->target_uid) != 0)
            t->ended_uid = mem_strdup(j->target_uid);
        t->piece = j->pieces[0].piece;
        j->pieces[0].piece = (struct archive_piece){0};
    }
    j->task = t;
    j->running = work_start(a->pool, run_task, t, on_task_done, j, task_free);
}

/* Writes the next piece; without any, completes the object, once the status that contains all its time was written. */
static void pump(struct archive_job *j) {
    if (j->running != NULL || j->owner->orphans_task != NULL)
        return;
    if (j->count > 0) {
        start(j, false);
        return;
    }
    release(j);
    if (j->must_complete && j->written == j->taken && j->target_uid != NULL)
        start(j, true);
    else if (j->job == NULL)
        job_free(j);
}

static void on_timer(void *context) {
    struct archive_job *j = context;
    if (j->ready != NULL && (j->running != NULL || j->owner->orphans_task != NULL)) {
        j->owner->is_late = true;
        release(j);
        return;
    }
    pump(j);
}

/* ---- what others left ---- */

static void on_orphans_completed(void *context) {
    struct runtime_archive *a = context;
    struct archive_orphans *o = a->orphans;
    a->orphans = NULL;
    a->orphans_task = NULL;
    if (o->count > 0)
        jsonlog(JSONLOG_INFO, "archive: completed what ended while no controller ran", "objects", LOG_I(o->count),
                NULL);
    if (o->code < 0)
        jsonlog(JSONLOG_ERROR,
                "archive: what ended while no controller ran is not complete: the next leader tries again", "error",
                LOG_S(error_text(o->err)), NULL);
    count_objects(a, o->count);
    archive_orphans_free(o);
    for (struct archive_job *j = a->jobs, *next; j != NULL; j = next) {
        next = j->next;
        pump(j);
    }
}

void runtime_archive_complete_orphans(struct runtime_archive *a, const struct model *model) {
    if (a->orphans != NULL)
        return;
    a->orphans = archive_orphans_new(a->dir, a->cluster, a->namespaces, model, wall_ms(loop_wall(a->loop)) / 1000);
    a->orphans_task =
        work_start(a->pool, archive_orphans_run, a->orphans, on_orphans_completed, a, archive_orphans_free);
}

/* ---- what the jobs call ---- */

static struct archive_job *job_new(struct runtime_archive *a, struct model_job *job) {
    struct archive_job *j = mem_new(struct archive_job);
    *j = (struct archive_job){.owner = a,
                              .next = a->jobs,
                              .job = job,
                              .namespace_ = mem_strdup(model_job_namespace(job)),
                              .name = mem_strdup(model_job_name(job)),
                              .uid = mem_strdup(model_job_uid(job)),
                              .retry_us = RETRY_US};
    j->timer = loop_timer_new(a->loop, on_timer, j);
    a->jobs = j;
    return j;
}

static void add_piece(struct archive_job *j, const struct archive_piece *piece) {
    size_t before_bytes = piece->before != NULL ? strlen(piece->before) : 0;
    struct waiting_piece w = {*piece, mem_strdup(piece->target_uid), before_bytes + strlen(piece->lines)};
    MEM_GROW(j->pieces, j->count, j->capacity);
    j->pieces[j->count++] = w;
    j->owner->bytes += w.size_bytes;
}

bool runtime_archive_take(struct runtime_archive *a, struct archive_job **mine, struct model_job *job,
                          loop_callback *ready, void *context) {
    struct archive_piece piece;
    struct archive_job *j = *mine;
    bool is_new = false;
    while (model_job_archive_next(job, &piece)) {
        if (j == NULL)
            *mine = j = job_new(a, job);
        add_piece(j, &piece);
        is_new = true;
    }
    if (!is_new)
        return false;
    j->taken++;
    if (a->bytes > a->max_bytes)
        lose(j, "more waits for the archive's volume than --archive-memory allows");
    pump(j);
    if (a->is_late || a->figures.failing_since_ms != TIME_UNKNOWN || (j->running == NULL && a->orphans_task == NULL))
        return false;
    j->ready = ready;
    j->context = context;
    loop_timer_set(j->timer, WAIT_US);
    return true;
}

void runtime_archive_written(struct archive_job *j, int64_t executions, bool is_final) {
    int64_t now_ms = wall_ms(loop_wall(j->owner->loop));
    bool is_new_execution = j->executions > 0 && executions > j->executions;
    j->written = j->taken;
    if (j->executions == 0 || is_new_execution)
        j->executions = executions;
    if (is_final || is_new_execution || (j->has_time && now_ms - j->started_ms >= OBJECT_MS))
        j->must_complete = true;
    pump(j);
}

void runtime_archive_drop(struct archive_job *j, bool is_deleted) {
    if (j == NULL)
        return;
    j->job = NULL;
    j->ready = NULL;
    if (!is_deleted) {
        job_free(j);
        return;
    }
    j->written = j->taken;
    j->must_complete = j->is_last = true;
    pump(j);
}

struct archive_place runtime_archive_place(const struct runtime_archive *a) {
    return (struct archive_place){a->loop, a->pool, a->dir, a->cluster, a->store};
}

void runtime_archive_note_put(struct runtime_archive *a) {
    count_objects(a, 1);
}

bool runtime_archive_is_stored(const struct runtime_archive *a, struct mono_time at) {
    return a->uploader == NULL || a->emptied.us >= at.us;
}

void runtime_archive_free(struct runtime_archive *a) {
    if (a == NULL)
        return;
    while (a->jobs != NULL)
        job_free(a->jobs);
    work_cancel(a->orphans_task); /* which has the orphans from here on */
    uploader_free(a->uploader);
    object_store_free(a->store);
    work_pool_free(a->pool);
    free(a->why);
    free(a);
}
