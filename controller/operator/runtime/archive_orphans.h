/* archive_orphans: a task for a thread (io/work.h) that completes what is left in an archive's .open/ of jobs that
 * ended while no controller ran: JobGoodputs that are deleted or final, and targets that were replaced. */
#ifndef OPERATOR_RUNTIME_ARCHIVE_ORPHANS_H
#define OPERATOR_RUNTIME_ARCHIVE_ORPHANS_H

#include "base/error.h"

#include <stdint.h>

struct model;

struct archive_orphans {
    struct archive_orphans_jobs *jobs; /* those that are not orphans */
    char *root, *cluster;
    int64_t now_s;
    int code, count; /* objects that were completed */
    struct error *err;
};

/* All JobGoodputs of these namespaces ("a,b"; "": all) are in the model. */
struct archive_orphans *archive_orphans_new(const char *root, const char *cluster, const char *namespaces,
                                            const struct model *model, int64_t now_s);
void archive_orphans_run(void *orphans);
void archive_orphans_free(void *orphans); /* NULL-safe */

#endif
