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
};

void records_write(const struct view *v, const struct ledger_entries *entries, const struct records_job *job,
                   struct buf *out);
/* The last line: the status, JSON, as it was written for the same time. */
void records_write_status(struct slice status, struct buf *out);

#endif
