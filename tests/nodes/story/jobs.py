"""The objects of the acts: queues, and JobSets of trainers that go through them."""
NAMESPACE = "train"
REGISTRY = "172.30.0.1:5000"
KUEUE = "kueue.x-k8s.io/v1beta2"


def queue_objects(name, chips):
    """A queue with room for that many chips (and plenty of memory), in which a higher priority preempts."""
    room = [{"name": "google.com/tpu", "nominalQuota": chips}, {"name": "memory", "nominalQuota": "64Gi"}]
    group = {"coveredResources": [each["name"] for each in room], "flavors": [{"name": "any", "resources": room}]}
    spec = {"namespaceSelector": {}, "resourceGroups": [group], "preemption": {"withinClusterQueue": "LowerPriority"}}
    return [
        {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec},
        {
            "apiVersion": KUEUE,
            "kind": "LocalQueue",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"clusterQueue": name},
        },
    ]


def queues():
    """A wide queue, and one with room for one job of two pods."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "any"}},
        *queue_objects("wide", 256),
        *queue_objects("narrow", 8),
        {"apiVersion": KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": "low"}, "value": 100},
        {"apiVersion": KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": "high"}, "value": 1000},
    ]


def jobset(name, truth, pods=2, chips=4, queue="wide", priority="low", restarts=3, image="trainer:1", memory=None, grace=10, scratch=None, node=None, command=("python3", "/trainer/train.py"), mounts=None, **env):  # fmt: skip
    """A JobSet of one slice; the trainer's settings by keyword (in capitals). scratch: an emptyDir; mounts: {path: folder of the
    host}, to be read."""
    settings = {"RUN": name, "TRUTH": "/truth", "PYTHONUNBUFFERED": "1", **{key: str(value) for key, value in env.items()}}
    limits = {"google.com/tpu": chips, **({"memory": memory} if memory else {})}
    container = {
        "name": "trainer",
        "image": f"{REGISTRY}/{image}",
        "command": list(command),
        "env": [{"name": key, "value": value} for key, value in settings.items()],
        "resources": {"limits": limits},
        "volumeMounts": [{"name": "truth", "mountPath": "/truth"}],
    }
    pod = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": grace,
        "containers": [container],
        "volumes": [{"name": "truth", "hostPath": {"path": truth}}],
        # One pod a node, where there is a choice.
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"run": name}},
            }
        ],
    }
    for path, folder in (mounts or {}).items():
        container["volumeMounts"].append({"name": path.strip("/"), "mountPath": path, "readOnly": True})
        pod["volumes"].append({"name": path.strip("/"), "hostPath": {"path": folder}})
    if node:
        pod["nodeSelector"] = {"kubernetes.io/hostname": node}
    if scratch:
        container["volumeMounts"].append({"name": "scratch", "mountPath": "/scratch"})
        pod["volumes"].append({"name": "scratch", "emptyDir": scratch})
    template = {"metadata": {"labels": {"run": name}}, "spec": pod}
    job = {"parallelism": pods, "completions": pods, "backoffLimit": 0, "template": template}
    labels = {"kueue.x-k8s.io/queue-name": queue, "kueue.x-k8s.io/priority-class": priority}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels},
        "spec": {
            "failurePolicy": {"maxRestarts": restarts},
            "replicatedJobs": [{"name": "slice", "replicas": 1, "template": {"spec": job}}],
        },
    }
