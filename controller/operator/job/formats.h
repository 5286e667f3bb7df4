/* formats: the StepLogFormats that are known; model/formats.c observes them. */
#ifndef OPERATOR_JOB_FORMATS_H
#define OPERATOR_JOB_FORMATS_H

#include "operator/job/job.h"

struct format {
    struct model *model;
    char *name;
    struct userformat *user; /* NULL: it cannot be used */
    char trouble[256];       /* why not */
    int64_t generation, since_ms;
    int patterns, examples;
    bool is_untold; /* its status is to be written */
};

void format_free(void *format);

#endif
