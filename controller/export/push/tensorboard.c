/* Writes TensorBoard's event files in a separate thread: at most one point per job and --tensorboard-interval, at the
 * job's present step. A point waits for the next step (or the final numbers), so that a step's point holds its last
 * numbers and is written once. */
#include "export/push/tensorboard.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "export/push/tensorboard_file.h"
#include "io/work.h"

#include <stdlib.h>
#include <string.h>

#define AGAIN_US INT64_C(30000000)         /* after a write that failed */
#define HANGS_US INT64_C(60000000)         /* a write that takes longer is logged */
#define KEEP_FINISHED_MS INT64_C(86400000) /* jobs that ended longer ago are not written */

struct run {
    char *namespace_, *name;
    struct tensorboard_place place;
    struct tensorboard_point *held;    /* point of the newest step; NULL: none */
    struct tensorboard_point *pending; /* point to be written; NULL: none */
    int64_t spaced_us;                 /* the earliest time for the next pending point */
    int64_t retry_us;                  /* the earliest next write after a failure */
    int64_t start_ms;                  /* start of the run in `place` */
    bool is_deleted;                   /* forgotten once all is written */
};

struct tensorboard {
    struct loop *loop;
    char *root;
    int64_t interval_us;
    struct work_pool *pool;
    struct work_task *task;
    struct tensorboard_write *write; /* of the task */
    int64_t began_us;
    size_t turn;     /* index of the next run */
    struct map runs; /* "namespace/name" */
    struct fleet_numbers *numbers;
    struct push_figures figures;
    bool is_in_trouble;
};

static void start_next(struct tensorboard *t);

static void run_free(void *value) {
    struct run *r = value;
    free(r->namespace_);
    free(r->name);
    free(r->held);
    free(r->pending);
    free(r);
}

static char *key_of(const char *namespace_, const char *name) {
    return mem_format("%s/%s", namespace_, name);
}

/* ---- the fleet's changes ---- */

static bool is_there(const struct run *r, const struct tensorboard_point *p) {
    return r->place.has_points && r->start_ms == p->start_ms && p->at_ms <= r->place.last_at_ms;
}

/* The held point becomes pending once there is a newer one, unless another point is still pending. */
static void hold(struct tensorboard *t, struct run *r, const struct tensorboard_point *p) {
    int64_t now_us = loop_now(t->loop).us;
    bool is_further = r->held != NULL && (r->held->step != p->step || r->held->start_ms != p->start_ms);
    if (is_there(r, p))
        return;
    if (is_further && r->pending == NULL && now_us >= r->spaced_us) {
        r->pending = r->held;
        r->held = NULL;
        r->spaced_us = now_us + t->interval_us;
    }
    if (r->held == NULL)
        r->held = mem_new(struct tensorboard_point);
    *r->held = *p;
}

static bool is_old(const struct tensorboard *t, const struct tensorboard_point *p) {
    return p->is_final && wall_ms(loop_wall(t->loop)) - p->at_ms > KEEP_FINISHED_MS;
}

static void changed(void *context, const struct fleet_job *job) {
    struct tensorboard *t = context;
    CLEANUP_FREE char *key = key_of(job->namespace_, job->name);
    CLEANUP_FREE struct tensorboard_point *p = mem_new(struct tensorboard_point);
    struct run *r = map_get(&t->runs, slice_of(key));
    if (!fleet_read_numbers(fleet_object(job), t->numbers) ||
        !tensorboard_point_read(t->numbers, fleet_is_final(t->numbers), p) || is_old(t, p))
        return;
    if (r == NULL) {
        r = mem_new(struct run);
        r->namespace_ = mem_strdup(job->namespace_);
        r->name = mem_strdup(job->name);
        map_put(&t->runs, slice_of(key), r);
    }
    r->is_deleted = false;
    hold(t, r, p);
    start_next(t);
}

static void deleted(void *context, const struct fleet_job *job) {
    struct tensorboard *t = context;
    CLEANUP_FREE char *key = key_of(job->namespace_, job->name);
    struct run *r = map_get(&t->runs, slice_of(key));
    if (r == NULL)
        return;
    if (r->held == NULL && r->pending == NULL)
        map_remove(&t->runs, slice_of(key));
    else
        r->is_deleted = true;
    start_next(t);
}

/* ---- writing ---- */

static void log_trouble(struct tensorboard *t, const char *text) {
    if (text != NULL && !t->is_in_trouble)
        jsonlog(JSONLOG_ERROR, "cannot write TensorBoard events; everything else continues", "error", LOG_S(text),
                "again_in_seconds", LOG_I(AGAIN_US / 1000000), NULL);
    else if (text == NULL && t->is_in_trouble)
        jsonlog(JSONLOG_INFO, "events for TensorBoard are written again", "folder", LOG_S(t->root), NULL);
    t->is_in_trouble = text != NULL;
}

static void finish(struct tensorboard *t, struct run *r, const struct tensorboard_write *w) {
    r->place = w->place;
    r->start_ms = w->point.start_ms;
    if (w->error[0] != '\0') {
        r->retry_us = loop_now(t->loop).us + AGAIN_US;
        return;
    }
    free(r->pending);
    r->pending = NULL;
}

static void on_written(void *context) {
    struct tensorboard *t = context;
    struct tensorboard_write *w = t->write;
    CLEANUP_FREE char *key = key_of(w->namespace_, w->name);
    struct run *r = map_get(&t->runs, slice_of(key));
    t->task = NULL;
    t->write = NULL;
    log_trouble(t, w->error[0] != '\0' ? w->error : NULL);
    if (w->error[0] != '\0') {
        t->figures.retried++;
    } else if (w->was_written) {
        t->figures.delivered++;
        t->figures.points_delivered += w->point.count;
        t->figures.last_delivery_ms = wall_ms(loop_wall(t->loop));
    }
    if (r != NULL)
        finish(t, r, w);
    if (r != NULL && r->is_deleted && r->held == NULL && r->pending == NULL)
        map_remove(&t->runs, slice_of(key));
    tensorboard_write_free(w);
    start_next(t);
}

/* The last point of an ended job is due at once. */
static bool is_due(struct run *r, int64_t now_us) {
    if (r->pending == NULL && r->held != NULL && (r->held->is_final || r->is_deleted)) {
        r->pending = r->held;
        r->held = NULL;
    }
    return r->pending != NULL && now_us >= r->retry_us;
}

static void start_write(struct tensorboard *t, struct run *r) {
    struct tensorboard_write *w = mem_new(struct tensorboard_write);
    w->root = mem_strdup(t->root);
    w->namespace_ = mem_strdup(r->namespace_);
    w->name = mem_strdup(r->name);
    w->point = *r->pending;
    w->file_bytes = TENSORBOARD_FILE_BYTES;
    if (r->start_ms == r->pending->start_ms)
        w->place = r->place;
    t->write = w;
    t->began_us = loop_now(t->loop).us;
    t->task = work_start(t->pool, tensorboard_file_run, w, on_written, t, tensorboard_write_free);
}

static void start_next(struct tensorboard *t) {
    int64_t now_us = loop_now(t->loop).us;
    for (size_t i = 0; i < t->runs.count && t->task == NULL; i++) {
        t->turn = t->turn < t->runs.count ? t->turn : 0;
        struct run *r = map_at(&t->runs, t->turn++);
        if (is_due(r, now_us))
            start_write(t, r);
    }
}

static void tick(void *context) {
    struct tensorboard *t = context;
    if (t->task != NULL && loop_now(t->loop).us - t->began_us > HANGS_US && !t->is_in_trouble) {
        CLEANUP_FREE char *text = mem_format("the volume of %s does not answer: writing takes longer than %d s",
                                             t->root, (int)(HANGS_US / 1000000));
        t->figures.failed++;
        log_trouble(t, text);
    }
    start_next(t);
}

static void tensorboard_free(void *context) {
    struct tensorboard *t = context;
    work_cancel(t->task);
    work_pool_free(t->pool);
    map_done(&t->runs);
    free(t->root);
    free(t->numbers);
    free(t);
}

int tensorboard_make(const struct push_options *options, struct push_exporter *exporter, struct error **err) {
    (void)err; /* a folder that is not writable is logged at the first write, and stops nothing else */
    if (options->flags->tensorboard_dir == NULL)
        return 0;
    struct tensorboard *t = mem_new(struct tensorboard);
    t->loop = options->loop;
    t->root = mem_strdup(options->flags->tensorboard_dir);
    t->interval_us = options->flags->tensorboard_interval_us;
    t->pool = work_pool_new(t->loop, 1);
    t->numbers = mem_new(struct fleet_numbers);
    t->figures.exporter = "tensorboard";
    map_init(&t->runs, run_free);
    *exporter = (struct push_exporter){changed, deleted, tick, tensorboard_free, &t->figures, t};
    return 1;
}
