/* upload: one object of a spool goes to the store: read, put where none is, read back from the store, and deleted from
 * the spool only where the store gave back the same bytes. So neither a lost answer nor a wrong one loses or doubles
 * anything: a process that is killed anywhere starts again with the same file. An object of the same key with other
 * content stays as it is; the file is stored as KEY.conflict-HASH, which no query of an archive reads. */
#ifndef OBJECTSTORE_UPLOAD_H
#define OBJECTSTORE_UPLOAD_H

#include "io/work.h"
#include "objectstore/store.h"

struct upload;

enum upload_outcome {
    UPLOAD_STORED,
    UPLOAD_CONFLICT,     /* stored under the other key; err says so */
    UPLOAD_FAILED,       /* the file is still there; others may succeed */
    UPLOAD_STORE_FAILED, /* the same; so would others */
};
typedef void upload_done(void *context, enum upload_outcome outcome, int64_t retry_after_us, const struct error *err);

struct upload_options { /* borrowed until done, but the key */
    struct loop *loop;
    struct work_pool *pool;
    struct object_store *store;
    const char *root, *key;
    size_t max_bytes; /* of a file */
};
struct upload *upload_start(const struct upload_options *options, upload_done *done, void *context);
void upload_cancel(struct upload *upload); /* no callback follows; NULL-safe */

#endif
