/* source: step logs outside pod logs (sources/source.h). */
#ifndef OPERATOR_JOB_SOURCE_H
#define OPERATOR_JOB_SOURCE_H

#include "base/slice.h"

#include <stdbool.h>

struct model_job;

enum model_source_kind {
    MODEL_SOURCE_NONE,
    MODEL_SOURCE_POD_LOG,
    MODEL_SOURCE_FILE,
    MODEL_SOURCE_CLOUD_LOGGING,
    MODEL_SOURCE_PUSH
};
enum model_source_kind model_source_kind_of(struct slice name); /* spec.stepLog.source */
enum model_source_kind model_job_source_kind(const struct model_job *job);

struct model_source { /* texts are borrowed until the job's next observation */
    enum model_source_kind kind;
    const char *path, *project, *logger, *job_name;
    int64_t created_ms;  /* the target: lines before it do not count */
    struct slice cursor; /* where an earlier controller stopped reading; empty: read all */
};
/* False if there is none to be read now. Call again when model_job_log_generation changes. */
bool model_job_source(const struct model_job *job, struct model_source *source);

/* The calls of source_handler. A line belongs to the run of the log's container in which it was written; false: that is
 * not known yet. */
bool model_job_source_line(struct model_job *job, int64_t stamp_ms, struct slice line);
void model_job_source_cursor(struct model_job *job, struct slice cursor);
bool model_job_source_is_over(struct model_job *job, int64_t written_ms, int64_t now_ms);
void model_job_source_read(struct model_job *job, int64_t through_ms);
void model_job_source_trouble(struct model_job *job, const char *text); /* NULL: over */

#endif
