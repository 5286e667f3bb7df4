/* archive: writes what settles of each job's ledger to the archive's volume (archive/volume.h), on threads. It holds at
 * most a bound of bytes in memory, tries again what failed, and delays a status only until its spans are on the volume,
 * for a second at most. Beyond the bound spans are dropped: the job's archive begins again with sums of that time. */
#ifndef OPERATOR_RUNTIME_ARCHIVE_H
#define OPERATOR_RUNTIME_ARCHIVE_H

#include "io/loop.h"

struct model;
struct model_job;
struct runtime_archive;
struct archive_job; /* of one JobGoodput */

struct archive_figures {
    int64_t objects, failures, lost, pending_bytes; /* lost: how often spans were dropped */
    int64_t lost_ms;                                /* of jobs' time, whose spans are in no archive */
    int64_t failing_since_ms; /* TIME_UNKNOWN: the last write to the volume, and to the store, succeeded */
    const char *why;          /* of the newest failure of what fails longest; borrowed until the next turn; "" */
    bool has_store;
    int64_t uploads, waiting; /* objects that went to the store, and that are to */
};

struct runtime_flags;

/* With a store as --archive, what is complete on the volume --archive-spool is moved there (objectstore/uploader.h).
 * NULL: a flag is wrong. The flags are borrowed forever. */
struct runtime_archive *runtime_archive_new(struct loop *loop, const struct runtime_flags *flags, struct error **err);
void runtime_archive_free(struct runtime_archive *archive);
/* Once all JobGoodputs are in the model, and before any of their spans is taken: completes what is left of others. */
void runtime_archive_complete_orphans(struct runtime_archive *archive, const struct model *model);
void runtime_archive_figures(const struct runtime_archive *archive, struct archive_figures *figures);

/* After an evaluation and its checkpoint, and before they are written: takes what has settled. True: `ready` is called
 * once it is on the volume, or takes too long; until then the status must wait. *mine: NULL at first. */
bool runtime_archive_take(struct runtime_archive *archive, struct archive_job **mine, struct model_job *job,
                          loop_callback *ready, void *context);
/* The status that followed the last take was written. executions: how many the job had in it. */
void runtime_archive_written(struct archive_job *mine, int64_t executions, bool is_final);
/* For other objects than the jobs' (fleet_archive.h). */
struct archive_place {
    struct loop *loop;
    struct work_pool *pool;
    const char *dir, *cluster;  /* the volume's folder; borrowed forever */
    struct object_store *store; /* NULL: the volume is the archive */
};
struct archive_place runtime_archive_place(const struct runtime_archive *archive);
/* An object was put on the volume: with a store, it is moved there. */
void runtime_archive_note_put(struct runtime_archive *archive);
/* What was on the volume at that time is where no restart loses it. */
bool runtime_archive_is_stored(const struct runtime_archive *archive, struct mono_time at);

/* The job is not followed any more. is_deleted: its JobGoodput is; else a successor continues. NULL-safe. */
void runtime_archive_drop(struct archive_job *mine, bool is_deleted);

#endif
