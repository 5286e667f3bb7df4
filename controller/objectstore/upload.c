#include "objectstore/upload.h"

#include "aws/sigv4.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "objectstore/spool.h"

#include <errno.h>
#include <string.h>

#define CONFLICT_DIGITS 16

struct file { /* of a thread: its own */
    char *root, *key, *bytes;
    size_t size_bytes, max_bytes;
    char hash[SIGV4_HASH_SIZE], today[RFC3339_SIZE];
    int code;
    struct error *err;
};

struct upload {
    struct upload_options options;
    struct file *file;
    char *key; /* in the store */
    bool was_there, is_conflict;
    struct work_task *task;
    struct object_call *call;
    upload_done *done;
    void *context;
};

/* ---- on a thread ---- */

static void file_free(void *data) {
    struct file *f = data;
    if (f == NULL)
        return;
    free(f->root);
    free(f->key);
    free(f->bytes);
    error_free(f->err);
    free(f);
}

static void read_file(void *data) {
    struct file *f = data;
    f->code = spool_read(f->root, f->key, f->max_bytes, &f->bytes, &f->size_bytes, &f->err);
    if (f->code == 0)
        sigv4_hash(f->hash, (struct slice){f->bytes, f->size_bytes});
}

static void delete_file(void *data) {
    struct file *f = data;
    f->code = spool_delete(f->root, f->key, f->today, &f->err);
}

/* ---- on the loop ---- */

static void upload_free(struct upload *u) {
    file_free(u->file);
    free(u->key);
    free(u);
}

static void finish(struct upload *u, enum upload_outcome outcome, int64_t retry_after_us, const struct error *err) {
    u->done(u->context, outcome, retry_after_us, err);
    upload_free(u);
}

static void start_put(struct upload *u);

static void on_deleted(void *context) {
    struct upload *u = context;
    CLEANUP_ERROR struct error *conflict = NULL;
    u->task = NULL;
    if (u->is_conflict)
        error_set(&conflict, EEXIST,
                  "%s has an object %s with other content: it stays, and the job's spans are stored as %s: compare "
                  "them, and keep one",
                  object_store_url(u->options.store), u->file->key, u->key);
    finish(u,
           u->file->code < 0 ? UPLOAD_FAILED
           : u->is_conflict  ? UPLOAD_CONFLICT
                             : UPLOAD_STORED,
           -1, u->file->code < 0 ? u->file->err : conflict);
}

static void on_got(void *context, enum object_outcome outcome, struct slice body, int64_t retry_after_us,
                   const struct error *err) {
    struct upload *u = context;
    char hash[SIGV4_HASH_SIZE];
    CLEANUP_ERROR struct error *other = NULL;
    u->call = NULL;
    sigv4_hash(hash, body);
    if (outcome == OBJECT_FAILED && (err->code != EMSGSIZE || !u->was_there)) {
        finish(u, UPLOAD_STORE_FAILED, retry_after_us, err);
    } else if (outcome == OBJECT_DONE && strcmp(hash, u->file->hash) == 0) {
        rfc3339_format_s(u->file->today, wall_ms(loop_wall(u->options.loop)));
        u->file->today[10] = '\0';
        u->task = work_start(u->options.pool, delete_file, u->file, on_deleted, u, file_free);
    } else if (u->was_there && !u->is_conflict) {
        char *key = mem_format("%s.conflict-%.*s", u->key, CONFLICT_DIGITS, u->file->hash);
        free(u->key);
        u->key = key;
        u->is_conflict = true;
        start_put(u);
    } else {
        error_set(&other, EBADMSG, "%s gave back other bytes than were stored as %s: the spool keeps the object",
                  object_store_url(u->options.store), u->key);
        finish(u, UPLOAD_FAILED, retry_after_us, other);
    }
}

static void on_put(void *context, enum object_outcome outcome, struct slice body, int64_t retry_after_us,
                   const struct error *err) {
    struct upload *u = context;
    (void)body;
    u->call = NULL;
    if (outcome == OBJECT_FAILED) {
        finish(u, UPLOAD_STORE_FAILED, retry_after_us, err);
        return;
    }
    u->was_there = outcome == OBJECT_EXISTS;
    u->call = object_get(u->options.store, u->key, u->file->size_bytes + 1, on_got, u);
}

static void start_put(struct upload *u) {
    const struct slice bytes = {u->file->bytes, u->file->size_bytes};
    u->call = object_put(u->options.store, u->key, bytes, u->file->hash, on_put, u);
}

static void on_read(void *context) {
    struct upload *u = context;
    u->task = NULL;
    if (u->file->code == -ENOENT) /* another replica stored and deleted it */
        finish(u, UPLOAD_STORED, -1, NULL);
    else if (u->file->code < 0)
        finish(u, UPLOAD_FAILED, -1, u->file->err);
    else
        start_put(u);
}

struct upload *upload_start(const struct upload_options *options, upload_done *done, void *context) {
    struct upload *u = mem_new(struct upload);
    *u = (struct upload){.options = *options, .key = mem_strdup(options->key), .done = done, .context = context};
    u->options.key = u->key;
    u->file = mem_new(struct file);
    *u->file = (struct file){
        .root = mem_strdup(options->root), .key = mem_strdup(options->key), .max_bytes = options->max_bytes};
    u->task = work_start(options->pool, read_file, u->file, on_read, u, file_free);
    return u;
}

void upload_cancel(struct upload *u) {
    if (u == NULL)
        return;
    if (u->task != NULL)
        u->file = NULL; /* the task's own from here on */
    work_cancel(u->task);
    object_call_cancel(u->call);
    upload_free(u);
}
