/* kinds: the kinds of job that a JobGoodput can name, and how each is read. A new kind is a row here and a file
 * kind_*.c. A TrainJob (Kubeflow Trainer v2) is measured as the JobSet of its name that it makes and controls. */
#ifndef OPERATOR_STORE_KINDS_H
#define OPERATOR_STORE_KINDS_H

#include "base/slice.h"
#include "operator/objects/jobset.h"
#include "operator/objects/resource.h"

enum target_kind {
    TARGET_JOBSET,
    TARGET_JOB,
    TARGET_TRAINJOB,
    TARGET_RAYJOB,
    TARGET_RAYCLUSTER,
    TARGET_LEADERWORKERSET,
    TARGET_PYTORCHJOB,
    TARGET_PODGROUP,
    TARGET_KIND_COUNT
};

struct store;
struct target;

struct kind_row {
    const char *api_version, *kind;
    enum target_kind measured;    /* whose pods, restarts and end are those of the job */
    enum resource resource, part; /* that show it, and what it makes besides pods; RESOURCE_COUNT: none */
    const char *controller;       /* its own, in spec.managedBy */
    /* The rest is of kinds that are read as a JobSet is. */
    int (*parse)(struct slice json, struct object_jobset *run);
    /* The target of a pod that is first observed, and its replicated job and indexes, which are set in `pod`; NULL: it
     * is not of this kind. */
    struct target *(*of_pod)(struct store *store, struct object_meta *pod);
    bool is_named_by_pods; /* they bear its name alone: store_waiting() */
};

const struct kind_row *kind_row(enum target_kind kind);
static inline const char *kind_name(enum target_kind kind) {
    return kind_row(kind)->kind;
}
/* By the name of the kind. False: it is none of them. */
bool kind_find(struct slice name, enum target_kind *ret);
/* Whether objects of that resource are a job of that kind, or what it makes. */
bool kind_is_of(enum target_kind kind, enum resource resource);
/* The kind that is read as a JobSet is, and that the resource shows; NULL: none. */
const struct kind_row *kind_shown_by(enum resource resource, enum target_kind *ret);

#endif
