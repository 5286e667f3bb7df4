/* archive: what of a job's ledger waits to be archived: model/archive.c fills it in, and the runtime takes it. */
#ifndef OPERATOR_JOB_ARCHIVE_H
#define OPERATOR_JOB_ARCHIVE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct job_archive {
    bool is_started, is_restart; /* restart: what was archived of this job before is of another count */
    uint64_t target_hash;        /* of the UID of the target that it belongs to */
    int64_t start_ms;            /* of what waits */
    int64_t settled_ms;          /* its end: up to here, all time has settled */
    int64_t end_ms;              /* of `end` */
    struct buf before;           /* what precedes start_ms, until it is taken; empty: it was */
    struct buf parts, end;
    int64_t stored_ms; /* of this target: what settled before is where no restart loses it; 0: not known */
};

void job_archive_done(struct job_archive *archive);

#endif
