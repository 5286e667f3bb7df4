/* runtime: the controller process: client, leader election, watches, jobs and health put together on one loop, from
 * start to SIGTERM. The work itself is in runtime_jobs; what is computed is in model.h. Exporters (metrics, the page)
 * are not known here: they are given to runtime_run. */
#ifndef OPERATOR_RUNTIME_H
#define OPERATOR_RUNTIME_H

#include "base/buf.h"
#include "kube/client.h"
#include "operator/runtime/archive.h"
#include "operator/runtime/flags.h"

struct runtime;

struct runtime_exports {
    /* Once the client exists; a negative return ends the start with that error. `runtime` is for runtime_figures. */
    int (*start)(void *context, const struct runtime *runtime, struct kube_client *client,
                 const struct runtime_flags *flags, struct error **err);
    /* The server has answered: requests may begin. */
    void (*begin)(void *context);
    void (*stop)(void *context);
    void *context;
};

struct runtime_figures { /* counts since the start */
    bool is_leading, is_synced;
    int64_t queue_depth, queue_adds, queue_retries; /* of the work queue of JobGoodputs */
    int64_t status_writes, status_failures, jobs, log_follows;
    struct histogram queue_duration; /* from an event of a job to the look at it */
    struct histogram work_duration;  /* of one look */
    const struct kube_count *requests;
    int request_count;
    const struct kube_duration *durations;
    int duration_count;
    const struct kube_stream_count *streams;
    int stream_count;
    int64_t log_bytes, dropped_lines, clock_steps;
    bool has_archive;
    struct archive_figures archive;
    const struct endpoint_figures
        *ingest; /* of the recorders' endpoint (recorder/endpoint.h); NULL: it is not served */
    const struct push_figures *const *pushes; /* of what pushes numbers elsewhere (export/push/push.h) */
    int push_count;
};
void runtime_figures(const struct runtime *runtime, struct runtime_figures *figures);

/* Runs until SIGTERM or SIGINT (0), or until the lease is lost or the start fails (1, the reason as one line on
 * stderr). */
int runtime_run(const struct runtime_flags *flags, const struct runtime_exports *exports);

/* By the clock of this moment: a process that was stopped beyond its lease does not lead. */
bool runtime_is_leading(const struct runtime *runtime);

/* The steps and saves of one job's log, as model_job_trace() writes them; false if there is no such job here. One who
 * does not lead reads no logs: then it is empty. */
bool runtime_trace(const struct runtime *runtime, const char *namespace_, const char *name, struct buf *json);

/* One job's ledger, as model_job_ledger() writes it. */
enum runtime_ledger_answer {
    RUNTIME_LEDGER_WRITTEN,
    RUNTIME_LEDGER_NO_JOB,
    RUNTIME_LEDGER_NOT_YET /* this process does not lead, or has not evaluated the job yet */
};
enum runtime_ledger_answer runtime_ledger(const struct runtime *runtime, const char *namespace_, const char *name,
                                          struct buf *lines);

#endif
