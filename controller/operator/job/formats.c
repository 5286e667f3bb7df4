#include "operator/job/formats.h"

#include "steplog/shipped.h"

#include <stdlib.h>

void format_free(void *value) {
    struct format *f = value;
    if (f == NULL)
        return;
    userformat_free(f->user);
    free(f->name);
    free(f);
}

const struct userformat *job_user_format(const struct model_job *job, const char **ret_trouble) {
    const struct format *f = map_get(&job->jobs->formats, slice_of(job->spec.log.format));
    if (ret_trouble != NULL)
        *ret_trouble = f == NULL ? NULL : f->trouble;
    if (f != NULL)
        return f->user;
    const struct shipped *shipped = shipped_find(slice_of(job->spec.log.format));
    return shipped == NULL ? NULL : shipped->format;
}

/* Built-in formats begin with a capital, names of objects do not. */
bool job_has_user_format(const struct model_job *job) {
    bool is_capital = job->spec.log.format[0] >= 'A' && job->spec.log.format[0] <= 'Z';
    return steplog_format_of_name(slice_of(job->spec.log.format)) < 0 && !is_capital;
}
