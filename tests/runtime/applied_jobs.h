/* applied_jobs: a Job, its JobGoodput and its pods, as they stand at the embedded API server. Times are seconds after
 * applied_begin(), which sets them to begin two minutes ago: older interruptions are not announced. */
#ifndef TESTS_RUNTIME_APPLIED_JOBS_H
#define TESTS_RUNTIME_APPLIED_JOBS_H

#include "apiserver/apiserver.h"

#include <stdbool.h>

struct apiserver *applied_begin(void);                /* a server with the CRD */
const char *applied_time(int second);                 /* RFC 3339; a ring of 8 */
bool applied_object(struct apiserver *s, char *json); /* frees it */
/* Job NAME, uid job-NAME, of that many pods, and a JobGoodput without a log. */
bool applied_job(struct apiserver *s, const char *name, int pods);

/* A pod NAME of JOB, uid pod-NAME, bound a second after it was made. */
struct applied_pod {
    const char *job, *name, *node;
    int index, made;
    const char *phase, *state; /* members of the state of its container */
};
bool applied_pod(struct apiserver *s, const struct applied_pod *pod);
/* JOB-INDEX on that node, which ran from 3 s to 50 s and exited with 1. */
bool applied_failure(struct apiserver *s, const char *job, int index, const char *node);

#endif
