"""How each kind of job is read: what its pods name (the target and their slot in it), and what it says itself: which pods
it wants, whether a person suspended it, and when it ended."""
from collections import namedtuple

from watch import condition, is_true

JOBSET_NAME = "jobset.sigs.k8s.io/jobset-name"
REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
JOB_NAME = "batch.kubernetes.io/job-name"
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
POD_GROUP = "kueue.x-k8s.io/pod-group-name"
SLOT = "cluster-test/slot"  # of a pod that has no index
ENDS = ("Completed", "Complete", "Failed", "Finished", "Succeeded")

Labels = namedtuple("Labels", "target job job_index index")
# The first whose target a pod names. Pods of other kinds may be a Job's or in a group as well. Ray's workers have no index.
LABELS = (
    Labels(JOBSET_NAME, REPLICATED_JOB, "jobset.sigs.k8s.io/job-index", COMPLETION_INDEX),
    Labels("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type", None, "training.kubeflow.org/replica-index"),
    Labels("leaderworkerset.sigs.k8s.io/name", None, "leaderworkerset.sigs.k8s.io/group-index", "leaderworkerset.sigs.k8s.io/worker-index"),
    Labels("ray.io/cluster", "ray.io/group", None, None),
    Labels(JOB_NAME, None, None, COMPLETION_INDEX),
    Labels(POD_GROUP, None, None, SLOT),
)


def labels_of(pod):
    return pod["metadata"].get("labels") or {}


def _labels(pod):
    return next((row for row in LABELS if row.target in labels_of(pod)), None)


def target_of(pod):
    """The name of the job or of the group that the pod is of."""
    row = _labels(pod)
    name = labels_of(pod)[row.target] if row else None
    return name.rpartition("-")[0] if row and row.target == "ray.io/cluster" else name  # KubeRay adds "-" and a word to the RayJob's name


def slot_of(pod):
    """(replicated job, index of the Job, index)."""
    row, labels = _labels(pod), labels_of(pod)
    return labels.get(row.job), labels.get(row.job_index, "0"), labels.get(row.index)


def replicated_jobs(stream, item):
    """[(name, pods, their spec)]."""
    spec = item["spec"]
    if stream == "jobs":
        return [(None, spec["parallelism"], spec["template"]["spec"])]
    if stream == "workloads":
        return [(None, sum(pod_set["count"] for pod_set in spec["podSets"]), spec["podSets"][0]["template"]["spec"])]
    if stream == "pytorchjobs":
        return [(name.lower(), part["replicas"], part["template"]["spec"]) for name, part in spec["pytorchReplicaSpecs"].items()]
    if stream == "leaderworkersets":
        template = spec["leaderWorkerTemplate"]
        return [(None, spec["replicas"] * template["size"], template["workerTemplate"]["spec"])]
    if stream == "rayjobs":
        cluster = spec["rayClusterSpec"]
        head = ("headgroup", 1, cluster["headGroupSpec"]["template"]["spec"])
        return [head] + [(group["groupName"], group["replicas"], group["template"]["spec"]) for group in cluster["workerGroupSpecs"]]
    found = []
    for job in spec["replicatedJobs"]:
        of_job = job["template"]["spec"]
        count = job["replicas"] * min(of_job["parallelism"], of_job.get("completions", of_job["parallelism"]))
        found.append((job["name"], count, of_job["template"]["spec"]))
    return found


def indexes(stream, item):
    """{replicated job: completion indexes of each of its Jobs}; {} where pods have none."""
    if stream == "jobs":
        return {None: item["spec"]["parallelism"]}
    if stream != "jobsets":
        return {}
    specs = {job["name"]: job["template"]["spec"] for job in item["spec"]["replicatedJobs"]}
    return {name: spec.get("completions", spec["parallelism"]) for name, spec in specs.items()}


def is_suspended(stream, item):
    spec = item["spec"].get("runPolicy", {}) if stream == "pytorchjobs" else item["spec"]
    return bool(spec.get("suspend"))


def end_stamps(item):
    """The times at which the job says that it ended."""
    status = item.get("status", {})
    if status.get("jobDeploymentStatus") in ("Complete", "Failed"):  # a RayJob
        return [status["endTime"]]
    return [condition(item, kind).get("lastTransitionTime") for kind in ENDS if is_true(item, kind)]
