#include "operator/store/kinds.h"

#include "base/mem.h"

static const struct kind_row rows[] = {
    [TARGET_JOBSET] = {"jobset.x-k8s.io/v1alpha2", "JobSet", TARGET_JOBSET},
    [TARGET_JOB] = {"batch/v1", "Job", TARGET_JOB},
    [TARGET_TRAINJOB] = {"trainer.kubeflow.org/v1alpha1", "TrainJob", TARGET_JOBSET},
};

const struct kind_row *kind_row(enum target_kind kind) {
    return &rows[kind];
}

bool kind_find(struct slice name, enum target_kind *ret) {
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_is(name, rows[i].kind)) {
            *ret = (enum target_kind)i;
            return true;
        }
    return false;
}
