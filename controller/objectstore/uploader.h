/* uploader: moves the complete objects of an archive's folder into a store, a few at once, in passes. What fails stays
 * in the folder for the next pass; after a failure passes are farther and farther apart. Each trouble is logged once.
 */
#ifndef OBJECTSTORE_UPLOADER_H
#define OBJECTSTORE_UPLOADER_H

#include "objectstore/store.h"

struct uploader;

struct uploader_figures {
    int64_t stored, failures;
    int64_t waiting, waiting_bytes; /* of at most SPOOL_MAX_FILES objects, as of the last pass */
    /* TIME_UNKNOWN: the last pass stored all. Else the first failure since, or when the oldest waiting object was
     * completed: also a process that was started again finds that. */
    int64_t failing_since_ms;
    const char *why; /* of the newest failure; borrowed until the next turn of the loop; "" */
};

/* All objects that were complete at that time of the loop's clock are in the store. */
typedef void uploader_emptied(void *context, struct mono_time at);

/* root: borrowed forever. max_bytes: of the objects in memory, all together; a larger one is not stored. */
struct uploader *uploader_new(struct loop *loop, struct object_store *store, const char *root, size_t max_bytes,
                              uploader_emptied *emptied, void *context);
void uploader_free(struct uploader *uploader); /* NULL-safe; what is under way is given up */
void uploader_wake(struct uploader *uploader); /* an object was completed; NULL-safe */
void uploader_figures(const struct uploader *uploader, struct uploader_figures *figures);

#endif
