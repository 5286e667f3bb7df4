#include "objectstore/uploader.h"

#include "base/clock.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "io/work.h"
#include "kube/backoff.h"
#include "objectstore/spool.h"
#include "objectstore/upload.h"

#define IDLE_US INT64_C(30000000) /* for what comes without a wake, such as another replica's on a shared volume */
#define RETRY_US INT64_C(2500000)
#define RETRY_MAX_US INT64_C(150000000)

enum { AT_ONCE = 4, THREADS = 2 };

struct pass { /* of a thread: its own, until it is listed */
    char *root;
    struct spool_list list;
    int code;
    struct error *err;
};

struct slot {
    struct uploader *owner;
    struct upload *upload;
    int64_t bytes;
};

struct uploader {
    struct loop *loop;
    struct object_store *store;
    struct work_pool *pool;
    const char *root;
    int64_t max_bytes, bytes;
    struct loop_timer *timer;
    struct kube_backoff backoff;
    struct work_task *listing;
    struct pass *pass; /* NULL: between passes */
    struct mono_time pass_started;
    uploader_emptied *emptied;
    void *context;
    size_t next;
    struct slot slots[AT_ONCE];
    struct uploader_figures figures;
    bool is_woken, has_failed, is_store_down;
    int64_t retry_after_us;
    int reported; /* the code of the trouble that was logged; 0: none */
    char *why;    /* heap; NULL: nothing has failed yet */
};

static void pass_free(void *data) {
    struct pass *p = data;
    if (p == NULL)
        return;
    spool_list_done(&p->list);
    error_free(p->err);
    free(p->root);
    free(p);
}

static void list_files(void *data) {
    struct pass *p = data;
    p->code = spool_list(p->root, &p->list, &p->err);
}

/* ---- what happened ---- */

static void log_once(struct uploader *u, const struct error *err) {
    if (u->reported != err->code)
        jsonlog(JSONLOG_ERROR, "archive not uploaded: accounting continues, and it is tried again", "error",
                LOG_S(error_text(err)), NULL);
    u->reported = err->code;
}

static int64_t oldest_ms(const struct spool_list *list) {
    int64_t oldest = INT64_MAX;
    for (size_t i = 0; i < list->count; i++)
        oldest = min_of(oldest, list->files[i].completed_ms);
    return oldest;
}

static void fail(struct uploader *u, const struct error *err) {
    u->has_failed = true;
    u->figures.failures++;
    if (u->figures.failing_since_ms == TIME_UNKNOWN)
        u->figures.failing_since_ms = min_of(oldest_ms(&u->pass->list), wall_ms(loop_wall(u->loop)));
    free(u->why);
    u->why = mem_strdup(error_text(err));
    log_once(u, err);
}

static void end_pass(struct uploader *u) {
    bool has_more = u->pass->list.count == SPOOL_MAX_FILES;
    int64_t wait_us = u->is_woken || has_more ? 0 : IDLE_US;
    pass_free(u->pass);
    u->pass = NULL;
    if (u->has_failed) {
        wait_us = kube_backoff_next(&u->backoff);
        if (wait_us < u->retry_after_us)
            wait_us = u->retry_after_us;
    } else {
        if (u->reported != 0)
            jsonlog(JSONLOG_INFO, "archive uploaded again", "store", LOG_S(object_store_url(u->store)), NULL);
        u->reported = 0;
        u->figures.failing_since_ms = TIME_UNKNOWN;
        kube_backoff_reset(&u->backoff);
        if (!has_more)
            u->emptied(u->context, u->pass_started);
    }
    loop_timer_set(u->timer, wait_us);
}

/* ---- a pass ---- */

static void pump(struct uploader *u);

static void on_uploaded(void *context, enum upload_outcome outcome, int64_t retry_after_us, const struct error *err) {
    struct slot *slot = context;
    struct uploader *u = slot->owner;
    slot->upload = NULL;
    u->bytes -= slot->bytes;
    if (outcome == UPLOAD_STORED || outcome == UPLOAD_CONFLICT) {
        u->figures.stored++;
        u->figures.waiting--;
        u->figures.waiting_bytes -= slot->bytes;
    } else {
        fail(u, err);
    }
    if (outcome == UPLOAD_CONFLICT)
        jsonlog(JSONLOG_ERROR, "archive's object exists with other content", "error", LOG_S(error_text(err)), NULL);
    if (outcome == UPLOAD_STORE_FAILED)
        u->is_store_down = true;
    if (retry_after_us > u->retry_after_us)
        u->retry_after_us = retry_after_us;
    pump(u);
}

static void start(struct slot *slot, const struct spool_file *file) {
    struct uploader *u = slot->owner;
    const struct upload_options options = {.loop = u->loop,
                                           .pool = u->pool,
                                           .store = u->store,
                                           .root = u->root,
                                           .key = file->key,
                                           .max_bytes = (size_t)u->max_bytes};
    slot->bytes = file->size_bytes;
    u->bytes += slot->bytes;
    slot->upload = upload_start(&options, on_uploaded, slot);
}

/* Fills the slots; where nothing is left or the store fails, ends the pass once they are empty. */
static void pump(struct uploader *u) {
    const struct spool_list *list = &u->pass->list;
    size_t busy = 0;
    for (size_t i = 0; i < AT_ONCE; i++) {
        bool has_next = !u->is_store_down && u->next < list->count &&
                        (u->bytes == 0 || u->bytes + list->files[u->next].size_bytes <= u->max_bytes);
        if (u->slots[i].upload == NULL && has_next)
            start(&u->slots[i], &list->files[u->next++]);
        busy += u->slots[i].upload != NULL;
    }
    if (busy == 0)
        end_pass(u);
}

static void on_listed(void *context) {
    struct uploader *u = context;
    u->listing = NULL;
    u->figures.waiting = (int64_t)u->pass->list.count;
    u->figures.waiting_bytes = 0;
    for (size_t i = 0; i < u->pass->list.count; i++)
        u->figures.waiting_bytes += u->pass->list.files[i].size_bytes;
    if (u->pass->code < 0)
        fail(u, u->pass->err);
    pump(u);
}

static void start_pass(void *context) {
    struct uploader *u = context;
    struct pass *p = mem_new(struct pass);
    p->root = mem_strdup(u->root);
    u->pass = p;
    u->pass_started = loop_now(u->loop);
    u->next = 0;
    u->retry_after_us = 0;
    u->is_woken = u->has_failed = u->is_store_down = false;
    u->listing = work_start(u->pool, list_files, p, on_listed, u, pass_free);
}

/* ---- what others call ---- */

struct uploader *uploader_new(struct loop *loop, struct object_store *store, const char *root, size_t max_bytes,
                              uploader_emptied *emptied, void *context) {
    struct uploader *u = mem_new(struct uploader);
    *u = (struct uploader){.loop = loop,
                           .store = store,
                           .root = root,
                           .max_bytes = (int64_t)max_bytes,
                           .emptied = emptied,
                           .context = context,
                           .pool = work_pool_new(loop, THREADS),
                           .backoff = {.min_us = RETRY_US, .max_us = RETRY_MAX_US},
                           .figures.failing_since_ms = TIME_UNKNOWN};
    for (size_t i = 0; i < AT_ONCE; i++)
        u->slots[i].owner = u;
    u->timer = loop_timer_new(loop, start_pass, u);
    loop_timer_set(u->timer, 0);
    return u;
}

void uploader_free(struct uploader *u) {
    if (u == NULL)
        return;
    for (size_t i = 0; i < AT_ONCE; i++)
        upload_cancel(u->slots[i].upload);
    if (u->listing != NULL)
        u->pass = NULL; /* the task's own from here on */
    work_cancel(u->listing);
    work_pool_free(u->pool);
    pass_free(u->pass);
    loop_timer_free(u->timer);
    free(u->why);
    free(u);
}

/* While it fails, the next pass keeps its time. */
void uploader_wake(struct uploader *u) {
    if (u == NULL)
        return;
    u->is_woken = true;
    if (u->pass == NULL && !u->has_failed)
        loop_timer_set(u->timer, 0);
}

void uploader_figures(const struct uploader *u, struct uploader_figures *figures) {
    *figures = u->figures;
    figures->why = u->why != NULL ? u->why : "";
}
