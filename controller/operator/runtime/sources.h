/* sources: keeps a source (sources/source.h) open for each job whose steps are elsewhere than in a pod's log,
 * and hands its lines to the model. */
#ifndef OPERATOR_RUNTIME_SOURCES_H
#define OPERATOR_RUNTIME_SOURCES_H

#include "io/loop.h"
#include "operator/model/model.h"
#include "operator/runtime/log_share.h"

/* Texts are borrowed forever. */
struct runtime_sources_options {
    const char *log_root;               /* NULL: no files are read */
    const char *google_credentials;     /* NULL: the application-default ones */
    const char *cloud_logging_endpoint; /* NULL: Google's */
    const char *ingest_store;           /* NULL: nothing can be pushed */
    const char *cloud_logging_allow;    /* sources/cloud_logging_allow.h; NULL: nothing is read there */
};

struct runtime_sources; /* of the whole process */
struct runtime_feed;    /* of a job; NULL: none */

/* on_change: the model got a line. */
struct runtime_sources *runtime_sources_new(struct loop *loop, const struct runtime_sources_options *options,
                                            loop_callback *on_change, void *context);
void runtime_sources_free(struct runtime_sources *sources); /* after every job's runtime_sources_drop */

/* Opens, changes or closes the job's source by what the model says of it now. share: of its namespace, borrowed until
 * runtime_sources_drop. */
void runtime_sources_observe(struct runtime_sources *sources, struct model_job *job, struct log_share *share,
                             struct runtime_feed **feed);
void runtime_sources_drop(struct runtime_feed **feed);

#endif
