#include "operator/runtime/watched.h"

#include "base/mem.h"

#define SECOND_US INT64_C(1000000)
#define NO_CRD "its CRD is missing: install the chart, or kubectl apply -k deploy"
#define NO_JOBSET "JobSet is not installed: only batch/v1 Jobs are measured"
#define NO_KUBERAY "KubeRay is not installed: without RayJobs, nothing is missing"
#define NO_LWS "LeaderWorkerSet is not installed: without them, nothing is missing"
#define NO_PYTORCHJOB "Kubeflow's training operator is not installed: without PyTorchJobs, nothing is missing"
#define NO_SLICES "without Dynamic Resource Allocation, nothing is missing"
/* Pods of a group that are watched for no other kind: a pod that two watches show would vanish with the list of one. */
#define GROUPED                                                                                                        \
    "kueue.x-k8s.io/pod-group-name,!batch.kubernetes.io/job-name,!leaderworkerset.sigs.k8s.io/name,!ray.io/cluster,"   \
    "!training.kubeflow.org/job-name"
#define NO_KUEUE "this version of Kueue is not installed: without Kueue, nothing is missing"

/* Pods: every pod that a Job made; a JobSet's are among them. Those that another kind of job makes bear its label, and
 * are watched once the entry before is served. Events: what happens to pods (pulls, evictions), and to Jobs that are
 * suspended or whose pods are refused. Those of nodes are in the namespace default; node signals are of any type but
 * Normal (NVSentinel writes the name of its check). */
const struct watched watched_table[] = {
    {RESOURCE_STEPLOGFORMAT, "/apis/goodput.dev/v1alpha1", "steplogformats", WATCHED_CLUSTER, NULL, NULL, true, false,
     10 * SECOND_US, NO_CRD},
    {RESOURCE_JOBGOODPUT, "/apis/goodput.dev/v1alpha1", "jobgoodputs", WATCHED_NAMESPACED, NULL, NULL, false, false,
     10 * SECOND_US, NO_CRD},
    {RESOURCE_JOBSET, "/apis/jobset.x-k8s.io/v1alpha2", "jobsets", WATCHED_NAMESPACED, NULL, NULL, false, false,
     60 * SECOND_US, NO_JOBSET},
    {RESOURCE_JOB, "/apis/batch/v1", "jobs", WATCHED_NAMESPACED, NULL, NULL, false, false, 0, ""},
    {RESOURCE_POD, "/api/v1", "pods", WATCHED_NAMESPACED, "batch.kubernetes.io/job-name", NULL, false, false, 0, ""},
    {RESOURCE_RAYJOB, "/apis/ray.io/v1", "rayjobs", WATCHED_NAMESPACED, NULL, NULL, true, false, 60 * SECOND_US,
     NO_KUBERAY},
    {RESOURCE_RAYCLUSTER, "/apis/ray.io/v1", "rayclusters", WATCHED_NAMESPACED, NULL, NULL, true, false, 60 * SECOND_US,
     NO_KUBERAY},
    {RESOURCE_POD, "/api/v1", "pods", WATCHED_NAMESPACED, "ray.io/cluster,!batch.kubernetes.io/job-name", NULL, true,
     false, 0, ""},
    {RESOURCE_LEADERWORKERSET, "/apis/leaderworkerset.x-k8s.io/v1", "leaderworkersets", WATCHED_NAMESPACED, NULL, NULL,
     true, false, 60 * SECOND_US, NO_LWS},
    {RESOURCE_POD, "/api/v1", "pods", WATCHED_NAMESPACED, "leaderworkerset.sigs.k8s.io/name", NULL, true, false, 0, ""},
    {RESOURCE_PYTORCHJOB, "/apis/kubeflow.org/v1", "pytorchjobs", WATCHED_NAMESPACED, NULL, NULL, true, false,
     60 * SECOND_US, NO_PYTORCHJOB},
    {RESOURCE_POD, "/api/v1", "pods", WATCHED_NAMESPACED, "training.kubeflow.org/job-name", NULL, true, false, 0, ""},
    {RESOURCE_NODE, "/api/v1", "nodes", WATCHED_CLUSTER, NULL, NULL, false, false, 0, ""},
    {RESOURCE_EVENT, "/api/v1", "events", WATCHED_NAMESPACED, NULL, "involvedObject.kind=Pod", true, false, 0, ""},
    {RESOURCE_EVENT, "/api/v1", "events", WATCHED_NAMESPACED, NULL,
     "involvedObject.kind=Job,reason!=SuccessfulCreate,reason!=SuccessfulDelete", true, false, 0, ""},
    {RESOURCE_NODE_EVENT, "/api/v1/namespaces/default", "events", WATCHED_CLUSTER, NULL,
     "involvedObject.kind=Node,type!=Normal", true, false, 0, ""},
    {RESOURCE_RESOURCESLICE, "/apis/resource.k8s.io/v1", "resourceslices", WATCHED_CLUSTER, NULL, NULL, true, false,
     600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCESLICE, "/apis/resource.k8s.io/v1beta2", "resourceslices", WATCHED_CLUSTER, NULL, NULL, true, true,
     600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCESLICE, "/apis/resource.k8s.io/v1beta1", "resourceslices", WATCHED_CLUSTER, NULL, NULL, true, true,
     600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCECLAIM, "/apis/resource.k8s.io/v1", "resourceclaims", WATCHED_NAMESPACED, NULL, NULL, true, false,
     600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCECLAIM, "/apis/resource.k8s.io/v1beta2", "resourceclaims", WATCHED_NAMESPACED, NULL, NULL, true,
     true, 600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCECLAIM, "/apis/resource.k8s.io/v1beta1", "resourceclaims", WATCHED_NAMESPACED, NULL, NULL, true,
     true, 600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCECLAIMTEMPLATE, "/apis/resource.k8s.io/v1", "resourceclaimtemplates", WATCHED_NAMESPACED, NULL,
     NULL, true, false, 600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCECLAIMTEMPLATE, "/apis/resource.k8s.io/v1beta2", "resourceclaimtemplates", WATCHED_NAMESPACED,
     NULL, NULL, true, true, 600 * SECOND_US, NO_SLICES},
    {RESOURCE_RESOURCECLAIMTEMPLATE, "/apis/resource.k8s.io/v1beta1", "resourceclaimtemplates", WATCHED_NAMESPACED,
     NULL, NULL, true, true, 600 * SECOND_US, NO_SLICES},
    {RESOURCE_WORKLOAD, "/apis/kueue.x-k8s.io/v1beta2", "workloads", WATCHED_NAMESPACED, NULL, NULL, true, false,
     60 * SECOND_US, NO_KUEUE},
    {RESOURCE_WORKLOAD, "/apis/kueue.x-k8s.io/v1beta1", "workloads", WATCHED_NAMESPACED, NULL, NULL, true, true,
     60 * SECOND_US, NO_KUEUE},
    {RESOURCE_POD, "/api/v1", "pods", WATCHED_NAMESPACED, GROUPED, NULL, true, false, 0, ""},
};
const size_t watched_count = ARRAY_SIZE(watched_table);

char *watched_path(const struct watched *watched, struct slice namespace_) {
    if (namespace_.size_bytes == 0)
        return mem_format("%s/%s", watched->group_path, watched->plural);
    return mem_format("%s/namespaces/%.*s/%s", watched->group_path, SLICE_ARG(namespace_), watched->plural);
}

bool watched_take_namespace(struct slice *rest, bool is_first, struct slice *ret) {
    bool is_found = false;
    while (!is_found && slice_take_item(rest, ',', ret)) {
        *ret = slice_trim(*ret);
        is_found = ret->size_bytes > 0;
    }
    if (!is_found && is_first)
        *ret = slice_of(NULL);
    return is_found || is_first;
}
