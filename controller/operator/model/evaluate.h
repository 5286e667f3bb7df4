/* evaluate: the one place where a JobGoodput is brought up to date. */
#ifndef OPERATOR_MODEL_EVALUATE_H
#define OPERATOR_MODEL_EVALUATE_H

#include "base/buf.h"
#include "operator/job/result.h"

struct model_job;

/* The whole status object as JSON by deploy/docs/reference/jobgoodput.md (field order fixed, bounded), as known at
 * now_ms. In *summary what decides how soon it must be written. */
void model_job_status(struct model_job *job, int64_t now_ms, struct buf *out, struct model_summary *summary);

/* From this number on, the records that wait for the next evaluation are folded before it. */
#define MODEL_BACKLOG 8192
bool model_job_has_backlog(const struct model_job *job);
/* Evaluates the ledger as the next status will, but writes none: only what is settled changes. */
void model_job_fold_backlog(struct model_job *job, int64_t now_ms);

/* The ledger that its last status was made of, as lines (status/records.h), with the status as of now_ms. Changes no
 * number and no later status. False: none was written yet. */
bool model_job_ledger(struct model_job *job, int64_t now_ms, struct buf *out);

/* Adds status.checkpoint to the status that model_job_status has just written, unless that is final: nobody resumes
 * from it. A separate call: it costs more than the status, and only a status that is really sent needs it. */
void model_job_add_checkpoint(struct model_job *job, int64_t now_ms, struct buf *status);

#endif
