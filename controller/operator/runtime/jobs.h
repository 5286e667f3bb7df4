/* jobs: drives the model's jobs: drains those that may have changed, steers their logs, evaluates them when the
 * cadence says so, writes their status by server-side apply (one write in flight per job, the object's resource version
 * as the precondition) and records their notices as Events. It does so only while leading; a follower only keeps
 * count, so that it can take over at once. */
#ifndef OPERATOR_RUNTIME_JOBS_H
#define OPERATOR_RUNTIME_JOBS_H

#include "kube/lease.h"
#include "kube/recorder.h"
#include "operator/model/model.h"
#include "operator/runtime/archive.h"
#include "operator/runtime/cadence.h"
#include "operator/runtime/runtime.h"
#include "operator/runtime/sources.h"
#include "operator/runtime/watches.h"

struct runtime_jobs;

struct runtime_jobs_options {
    struct kube_client *client;
    struct model *model;
    struct kube_recorder *recorder;
    struct runtime_archive *archive; /* NULL: there is none */
    struct cadence_options cadence;
    int64_t max_log_follows, max_log_reads;
    struct runtime_sources_options sources;
};

struct runtime_jobs *runtime_jobs_new(const struct runtime_jobs_options *options);
void runtime_jobs_free(struct runtime_jobs *jobs); /* cancels writes under way */

/* The watches whose watermarks the model gets before an evaluation, and which say whether all is synced. Once, before
 * the first pump. */
void runtime_jobs_set_watches(struct runtime_jobs *jobs, struct runtime_watches *watches);
/* The server's state of a JobGoodput, after the model observed it. */
void runtime_jobs_observed(struct runtime_jobs *jobs, const char *namespace_, const char *name, struct slice object);
void runtime_jobs_set_leading(struct runtime_jobs *jobs, bool is_leading);
/* Before the process ends: writes what the logs added since each job's last write, once. Calls done afterwards,
 * whether or not the writes succeeded. Nothing else starts from here on. */
void runtime_jobs_settle(struct runtime_jobs *jobs, loop_callback *done, void *context);
/* Nothing is written while this lease (borrowed) is not held; NULL: there is no election. */
void runtime_jobs_set_lease(struct runtime_jobs *jobs, const struct kube_lease *lease);
/* Fills in what the jobs know of it. */
void runtime_jobs_figures(const struct runtime_jobs *jobs, struct runtime_figures *figures);
/* Asks for a turn of the work before the loop sleeps. */
void runtime_jobs_wake(struct runtime_jobs *jobs);

#endif
