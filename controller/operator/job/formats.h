/* formats: the known StepLogFormats; model/formats.c observes them. */
#ifndef OPERATOR_JOB_FORMATS_H
#define OPERATOR_JOB_FORMATS_H

#include "operator/job/job.h"

struct format {
    char *name;
    struct userformat *user; /* NULL: it cannot be used */
    char trouble[256];       /* why not */
    int64_t generation, since_ms;
    int patterns, examples;
    bool is_unreported; /* its status is to be written */
    bool is_installed;  /* a controller made it */
};

void format_free(void *format);
/* The StepLogFormat that the job's spec names: the object of that name, else the shipped one; NULL: it cannot be used.
 * *ret_trouble (may be NULL) says why; NULL: there is none of that name. */
const struct userformat *job_user_format(const struct model_job *job, const char **ret_trouble);
bool job_has_user_format(const struct model_job *job); /* spec.stepLog.format names a StepLogFormat */

#endif
