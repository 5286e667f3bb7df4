/* records: a job's ledger as JSON lines, from which anybody can compute its status again:
 * deploy/docs/how-to/recompute.md describes every field, and deploy/sql/ computes. The lines are, in this order: one of
 * the job, which says from when on the ledger is complete; the sums of the time before that; a line for each span; one
 * for each interruption; one of the steps; and the status. */
#ifndef OPERATOR_RECORDS_H
#define OPERATOR_RECORDS_H

#include "ledger/entries.h"
#include "ledger/evaluate.h"
#include "operator/status/view.h"

#define RECORDS_MAX_BYTES ((size_t)64 << 20)
#define RECORDS_SCHEMA 1 /* of the lines: a reader refuses a newer one */

struct records_job {                     /* NULL: not known, as for logs without a cluster */
    const char *cluster;                 /* of --cluster-name */
    const char *namespace_, *name, *uid; /* of the JobGoodput */
    const char *labels;                  /* JSON */
};

void records_write(const struct view *v, const struct ledger_entries *entries, const struct records_job *job,
                   struct buf *out);
/* The last line: the status, JSON, as it was written for the same time. */
void records_write_status(struct slice status, struct buf *out);

/* The same in parts, as time settles: all parts together have the lines of a whole ledger. Work that was lost after it
 * had settled is in later parts, as `settled` lines with differences. */
struct records_owner { /* who owns what */
    const struct owners_policy *policy;
    const char *queue;
    const struct job_root_causes *root_causes;
};
/* What an archive starts from: the job, and the sums of the time before, whose parts are not there. */
void records_write_head(const struct records_job *job, const char *target_uid, int64_t start_ms, int64_t complete_ms,
                        struct buf *out);
void records_write_before(const struct ledger_settled_part *before, const struct records_owner *owner, struct buf *out);
void records_write_part(const struct ledger_settled_part *part, const struct records_owner *owner, struct buf *out);
/* The last part: entries with keeps_changes. The status follows. */
void records_write_end(const struct view *v, const struct ledger_entries *entries, struct buf *out);

#endif
