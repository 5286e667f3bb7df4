/* last_words: what containers that failed said last: the ends of their logs and their termination messages, as findings
 * of rootcause/log.h. Which to read next is decided here; who reads is runtime/last_words.h. */
#ifndef OPERATOR_JOB_LAST_WORDS_H
#define OPERATOR_JOB_LAST_WORDS_H

#include "base/slice.h"

#include <stdbool.h>

#define LAST_WORDS_TRIES 3

struct failure;
struct incident;
struct jobs;
struct model_job;

struct model_words { /* of one run of a container; borrowed until the next call for its job */
    const char *namespace_, *pod, *pod_uid, *container;
    int restart_count;
    bool is_previous; /* the container has restarted since */
};

/* Containers of its target failed: cheap. */
bool model_job_has_words(const struct model_job *job);
/* The next log whose end is to be read: asked for from now on. False: there is none. */
bool model_job_words_next(struct model_job *job, struct model_words *words);
/* The end of that log as the API server sent it, with stamps. is_cut: it starts within a line. */
void model_job_words_read(struct model_job *job, const char *pod_uid, const char *container, int restart_count,
                          struct slice tail, bool is_cut);
/* It could not be read; is_certain: it never will be. */
void model_job_words_failed(struct model_job *job, const char *pod_uid, const char *container, int restart_count,
                            bool is_certain);

/* ---- within the model ---- */

/* Some are still to be read, and somebody reads. */
bool job_words_are_pending(const struct model_job *job, const struct incident *incident);
bool job_any_words_are_pending(const struct model_job *job);
/* Of one that was not read: what its status says. */
void job_hear_status(struct jobs *jobs, struct failure *f);

#endif
