/* kinds: the kinds of job that a JobGoodput can name, and what of each is measured. A TrainJob (Kubeflow Trainer v2) is
 * measured as the JobSet of its name that it makes and controls. */
#ifndef OPERATOR_STORE_KINDS_H
#define OPERATOR_STORE_KINDS_H

#include "base/slice.h"

enum target_kind { TARGET_JOBSET, TARGET_JOB, TARGET_TRAINJOB };

struct kind_row {
    const char *api_version, *kind;
    enum target_kind measured; /* whose pods, restarts and end are those of the job */
};

const struct kind_row *kind_row(enum target_kind kind);
static inline const char *kind_name(enum target_kind kind) {
    return kind_row(kind)->kind;
}
/* By the name of the kind. False: it is none of them. */
bool kind_find(struct slice name, enum target_kind *ret);

#endif
