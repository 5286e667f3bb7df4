/* spool: the complete objects in an archive's folder (archive/object.h) that wait to be uploaded. Calls block: they
 * belong on a thread (io/work.h). */
#ifndef OBJECTSTORE_SPOOL_H
#define OBJECTSTORE_SPOOL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define SPOOL_MAX_FILES 1000 /* of a list */

struct spool_file {
    char *key; /* its path below the root: the key in the store; heap */
    int64_t size_bytes;
    int64_t completed_ms; /* Unix time at which it was renamed into its folder */
};

struct spool_list {
    struct spool_file files[SPOOL_MAX_FILES];
    size_t count;
};

/* Some of them, at most SPOOL_MAX_FILES. A folder that does not exist yet has none. */
int spool_list(const char *root, struct spool_list *list, struct error **err);
void spool_list_done(struct spool_list *list);

/* The whole content (heap). */
int spool_read(const char *root, const char *key, size_t max_bytes, char **ret_bytes, size_t *ret_size_bytes,
               struct error **err);
/* One that was deleted already is deleted. Deletes its folders too, once they are empty and older than `today`
 * ("YYYY-MM-DD", UTC). */
int spool_delete(const char *root, const char *key, const char *today, struct error **err);

#endif
