#include "operator/store/kinds.h"

#include "base/mem.h"
#include "operator/store/kind_leaderworkerset.h"
#include "operator/store/kind_podgroup.h"
#include "operator/store/kind_pytorchjob.h"
#include "operator/store/kind_rayjob.h"
#include "operator/store/store.h"

#define NO_PART RESOURCE_COUNT

/* Any pod may bear a JobSet's labels: its Job decides, once that is known. JobSet before 0.9 writes its UID to no pod.
 */
static struct target *jobset_of_pod(struct store *store, struct object_meta *pod) {
    const struct kube_job *job = store_find_job(store, pod->namespace_, pod->controller_uid);
    bool is_of_job = pod->owner_uid.size_bytes == 0 || slice_is(pod->owner_kind, "Job");
    bool is_job_known = job != NULL && job->name != NULL;
    if (is_of_job && !is_job_known && pod->jobset_uid.size_bytes > 0)
        return store_target(store, TARGET_JOBSET, pod->jobset_uid, pod->namespace_, pod->jobset_name);
    return is_of_job && job != NULL && job->target->kind == TARGET_JOBSET ? job->target : NULL;
}

static struct target *plain_job_of_pod(struct store *store, struct object_meta *pod) {
    const struct kube_job *known = store_find_job(store, pod->namespace_, pod->controller_uid);
    bool is_of_another = known != NULL && known->target->kind != TARGET_JOB;
    if (pod->controller_uid.size_bytes == 0 || !slice_is(pod->owner_kind, "Job") || is_of_another)
        return NULL;
    return store_target(store, TARGET_JOB, pod->controller_uid, pod->namespace_, pod->owner_name);
}

static const struct kind_row rows[TARGET_KIND_COUNT] = {
    [TARGET_JOBSET] = {"jobset.x-k8s.io/v1alpha2", "JobSet", TARGET_JOBSET, RESOURCE_JOBSET, RESOURCE_JOB,
                       "jobset.sigs.k8s.io/jobset-controller", object_jobset_parse, jobset_of_pod, false},
    [TARGET_JOB] = {"batch/v1", "Job", TARGET_JOB, RESOURCE_JOB, NO_PART, "kubernetes.io/job-controller", NULL,
                    plain_job_of_pod, false},
    [TARGET_TRAINJOB] = {"trainer.kubeflow.org/v1alpha1", "TrainJob", TARGET_JOBSET, RESOURCE_JOBSET, RESOURCE_JOB, "",
                         NULL, NULL, false},
    [TARGET_RAYJOB] = {"ray.io/v1", "RayJob", TARGET_RAYJOB, RESOURCE_RAYJOB, RESOURCE_RAYCLUSTER,
                       "ray.io/kuberay-operator", rayjob_parse, rayjob_of_pod, false},
    [TARGET_RAYCLUSTER] = {"ray.io/v1", "RayCluster", TARGET_RAYCLUSTER, RESOURCE_RAYCLUSTER, NO_PART,
                           "ray.io/kuberay-operator", raycluster_parse, NULL, false},
    [TARGET_LEADERWORKERSET] = {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", TARGET_LEADERWORKERSET,
                                RESOURCE_LEADERWORKERSET, NO_PART, "", leaderworkerset_parse, leaderworkerset_of_pod,
                                true},
    [TARGET_PYTORCHJOB] = {"kubeflow.org/v1", "PyTorchJob", TARGET_PYTORCHJOB, RESOURCE_PYTORCHJOB, NO_PART,
                           "kubeflow.org/training-operator", pytorchjob_parse, pytorchjob_of_pod, false},
    [TARGET_PODGROUP] = {"kueue.x-k8s.io/v1beta2", "Workload", TARGET_PODGROUP, RESOURCE_WORKLOAD, NO_PART, "",
                         podgroup_parse, podgroup_of_pod, true},
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

bool kind_is_of(enum target_kind kind, enum resource resource) {
    return resource != NO_PART && (rows[kind].resource == resource || rows[kind].part == resource);
}

const struct kind_row *kind_shown_by(enum resource resource, enum target_kind *ret) {
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].resource == resource && rows[i].parse != NULL) {
            *ret = (enum target_kind)i;
            return &rows[i];
        }
    return NULL;
}
