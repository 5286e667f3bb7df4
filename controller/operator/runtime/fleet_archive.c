#include "operator/runtime/fleet_archive.h"

#include "archive/object.h"
#include "archive/volume.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "fleet/roll_archive.h"
#include "io/work.h"
#include "objectstore/store.h"

#include <errno.h>
#include <unistd.h>

#define MAX_OBJECT_BYTES ((size_t)1 << 20)

struct task {                /* of a thread: all its own */
    char *root, *key, *text; /* text NULL: the object is read into it */
    bool is_absent;          /* there is no such file */
    int code;
    struct error *err;
};

struct fleet_archive {
    struct runtime_archive *archive;
    struct archive_place place;
    const char *name;
    struct roll *roll;
    uint64_t key;
    loop_callback *changed;
    void *context;
    struct work_task *running;
    struct task *task;
    struct object_call *call;
    char *object;                                       /* the key of what is read; heap */
    int64_t reading_ms;                                 /* where the slot that is read starts */
    int64_t closed_until_ms, put_from_ms, put_until_ms; /* put: the slot that is written; until when all are */
    struct mono_time put;                               /* when the last one was */
    bool has_read;                                      /* all was read, or could not be, once */
    bool read_failed, put_failed;                       /* since the last roll-up */
    char trouble[512];                                  /* why the newest unread day is not read */
    int reported;                                       /* the code of the trouble that was logged; 0: none */
};

static void next(struct fleet_archive *f);

/* ---- on a thread ---- */

static void run_put(void *data) {
    struct task *t = data;
    t->code = archive_volume_put(t->root, t->key, slice_of(t->text), &t->err);
}

static void run_read(void *data) {
    struct task *t = data;
    CLEANUP_FREE char *path = mem_format("%s/%s", t->root, t->key);
    t->code = file_read(path, MAX_OBJECT_BYTES, &t->text, &t->err);
    t->is_absent = t->code < 0 && access(path, F_OK) != 0 && errno == ENOENT;
}

static void task_free(void *data) {
    struct task *t = data;
    if (t == NULL)
        return;
    free(t->root);
    free(t->key);
    free(t->text);
    error_free(t->err);
    free(t);
}

/* ---- what happened ---- */

static void fail(struct fleet_archive *f, bool is_reading, const struct error *err) {
    *(is_reading ? &f->read_failed : &f->put_failed) = true;
    if (is_reading)
        slice_copy(f->trouble, sizeof f->trouble, slice_of(error_text(err)));
    if (f->reported != err->code)
        jsonlog(JSONLOG_ERROR,
                is_reading ? "sums of a fleet not read from the archive: its window is shorter, and it is tried again"
                           : "sums of a fleet not archived: the status keeps them, and it is tried again",
                "fleetgoodput", LOG_S(f->name), "error", LOG_S(error_text(err)), NULL);
    f->reported = err->code;
    if (is_reading && !f->has_read)
        f->changed(f->context);
    f->has_read |= is_reading;
}

static int explain_text(struct fleet_archive *f, int r, struct error **err) {
    if (r == -ESTALE)
        return error_set(err, ESTALE,
                         "%s: it is of another version of the controller: run the newest version that wrote to the "
                         "archive",
                         f->object);
    return error_set(err, EBADMSG, "%s: it is damaged: restore it from a copy", f->object);
}

static void take_text(struct fleet_archive *f, struct slice text) {
    CLEANUP_ERROR struct error *err = NULL;
    const struct roll_archived *slot = roll_archive_unread(f->roll);
    if (slot == NULL || slot->from_ms != f->reading_ms) { /* the window has left it behind */
        next(f);
        return;
    }
    int r = roll_archive_read(f->roll, f->key, slot, text);
    if (r < 0) {
        explain_text(f, r, &err);
        fail(f, true, err);
    }
    next(f);
}

static void on_got(void *context, enum object_outcome outcome, struct slice body, int64_t retry_after_us,
                   const struct error *err) {
    struct fleet_archive *f = context;
    (void)retry_after_us;
    f->call = NULL;
    if (outcome == OBJECT_DONE) {
        take_text(f, body);
        return;
    }
    fail(f, true, err);
    next(f);
}

static void on_read(void *context) {
    struct fleet_archive *f = context;
    struct task *t = f->task;
    f->running = NULL;
    f->task = NULL;
    if (t->is_absent && f->place.store != NULL) {
        f->call = object_get(f->place.store, f->object, MAX_OBJECT_BYTES, on_got, f);
    } else if (t->code < 0) {
        fail(f, true, t->err);
        next(f);
    } else {
        take_text(f, slice_of(t->text));
    }
    task_free(t);
}

static void on_put(void *context) {
    struct fleet_archive *f = context;
    struct task *t = f->task;
    f->running = NULL;
    f->task = NULL;
    if (t->code < 0) {
        fail(f, false, t->err);
    } else {
        f->put_until_ms = f->put_from_ms;
        f->put = loop_now(f->place.loop);
        f->reported = 0;
        runtime_archive_note_put(f->archive);
    }
    task_free(t);
    next(f);
}

/* ---- one after the other ---- */

static char *object_key(const struct fleet_archive *f, int64_t from_ms, int64_t until_ms) {
    CLEANUP_FREE char *since = mem_format("%s %lld", f->name, (long long)f->roll->since_ms);
    return archive_fleet_key(f->place.cluster, f->name, hash_stable(f->key, slice_of(since)), from_ms, until_ms);
}

static void start(struct fleet_archive *f, char *key, char *text, void (*run)(void *), loop_callback *done) {
    struct task *t = mem_new(struct task);
    *t = (struct task){.root = mem_strdup(f->place.dir), .key = key, .text = text};
    f->task = t;
    f->running = work_start(f->place.pool, run, t, done, f, task_free);
}

static void start_read(struct fleet_archive *f, const struct roll_archived *slot) {
    free(f->object);
    f->object = object_key(f, slot->from_ms, slot->until_ms);
    f->reading_ms = slot->from_ms;
    start(f, mem_strdup(f->object), NULL, run_read, on_read);
}

/* What was put before a restart is put again, and is there. */
static void start_put(struct fleet_archive *f, const struct roll_slot *slot) {
    f->put_from_ms = slot->until_ms;
    start(f, object_key(f, slot->from_ms, slot->until_ms), roll_archive_text(f->roll, f->key, slot), run_put, on_put);
}

static void next_put(struct fleet_archive *f) {
    const struct roll_slot *slot = roll_archive_next(f->roll, f->put_until_ms, f->closed_until_ms);
    if (slot != NULL && !f->put_failed)
        start_put(f, slot);
    else if (slot == NULL && f->put_until_ms > 0 && runtime_archive_is_stored(f->archive, f->put))
        roll_archive_done(f->roll, f->put_until_ms);
}

static void next(struct fleet_archive *f) {
    const struct roll_archived *unread = roll_archive_unread(f->roll);
    if (f->running != NULL || f->call != NULL)
        return;
    if (unread != NULL && !f->read_failed) {
        start_read(f, unread);
        return;
    }
    if (unread == NULL && (!f->has_read || f->trouble[0] != '\0')) {
        f->has_read = true;
        f->trouble[0] = '\0';
        f->reported = 0;
        f->changed(f->context);
    }
    next_put(f);
}

void fleet_archive_continue(struct fleet_archive *f, int64_t closed_until_ms) {
    f->closed_until_ms = closed_until_ms;
    f->read_failed = f->put_failed = false;
    next(f);
}

bool fleet_archive_is_reading(const struct fleet_archive *f) {
    return f != NULL && !f->has_read;
}

const char *fleet_archive_trouble(const struct fleet_archive *f) {
    return f != NULL ? f->trouble : "";
}

struct fleet_archive *fleet_archive_new(struct runtime_archive *archive, const char *name, struct roll *roll,
                                        uint64_t key, loop_callback *changed, void *context) {
    struct fleet_archive *f = mem_new(struct fleet_archive);
    *f = (struct fleet_archive){.archive = archive,
                                .place = runtime_archive_place(archive),
                                .name = name,
                                .roll = roll,
                                .key = key,
                                .changed = changed,
                                .context = context};
    return f;
}

void fleet_archive_free(struct fleet_archive *f) {
    if (f == NULL)
        return;
    work_cancel(f->running); /* which has the task from here on */
    object_call_cancel(f->call);
    free(f->object);
    free(f);
}
