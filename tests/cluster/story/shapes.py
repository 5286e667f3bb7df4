"""JobSets as the later stories need them: slices of four hosts with four chips each."""

TOLERATIONS = [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}]
HOSTS = 4


def pod_template(pools, has_chips=True, annotations=None, restart_policy="Never", container="train"):
    """Its pods go to these node pools; without chips it stands for a loader or a driver."""
    chips = {"google.com/tpu": 4} if has_chips else {"cpu": "1"}
    affinity = {"matchExpressions": [{"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": list(pools)}]}
    pod_spec = {
        "restartPolicy": restart_policy,
        "tolerations": TOLERATIONS,
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [affinity]}}},
        "containers": [{"name": container, "image": "registry.example/train:v1", "resources": {"requests": chips, "limits": chips}}],
    }
    return {"metadata": {"annotations": annotations or {"cluster-test/pull": "2s"}}, "spec": pod_spec}


def replicated_job(name, pools, replicas=1, hosts=HOSTS, has_chips=True, annotations=None, restart_policy="Never", **job_spec):
    template = pod_template(pools, has_chips, annotations, restart_policy)
    spec = {"parallelism": hosts, "completions": hosts, "backoffLimit": 0, **job_spec, "template": template}
    return {"name": name, "replicas": replicas, "template": {"spec": spec}}


def jobset(namespace, name, jobs, strategy="Recreate", restarts=3, queue=None, **spec):
    metadata = {"namespace": namespace, "name": name}
    if queue:
        metadata["labels"] = {"kueue.x-k8s.io/queue-name": queue, "kueue.x-k8s.io/priority-class": "low"}
    failure = {"maxRestarts": restarts, "restartStrategy": strategy, **spec.pop("failurePolicy", {})}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": metadata,
        "spec": {"failurePolicy": failure, "replicatedJobs": jobs, **spec},
    }
