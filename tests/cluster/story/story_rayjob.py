"""A RayJob of KubeRay, of a head and four workers: it waits for quota, a worker is evicted, the program fails and gets another
RayCluster (backoffLimit), a person takes it out of its queue and puts it back, and it ends well. Ray itself does not run:
what it would report of the program is an annotation of the RayCluster (modules/operators/kuberay.go)."""
import time

import shapes
from cluster import uids
from kinds import JOB_NAME, labels_of

NAMESPACE, NAME, QUEUE, POOL = "rayjob", "rayed", "rayjob-cq", "tpu-slice-28"
PROGRAM = "cluster-test/ray-program"
PODS = shapes.HOSTS + 2  # and the head, and what submits the program


def play(cluster):
    cluster.observe(NAMESPACE, NAME, kind="RayJob", stepLog={"source": "None"})
    cluster.stop_queue(QUEUE, "Hold")
    cluster.create(rayjob())
    cluster.watch.wait(f"the Workload of {NAME}", lambda: cluster.workload_of(NAMESPACE, NAME), 60)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    pods = cluster.wait_running(NAMESPACE, NAME, PODS)
    known = uids(pods)
    time.sleep(3)
    cluster.evict(next(pod for pod in pods if labels_of(pod).get("ray.io/group") == "workers"))
    cluster.wait_replaced(NAMESPACE, NAME, PODS, known)
    time.sleep(3)
    _end_program(cluster, "FAILED", 1)
    pods = cluster.wait_running(NAMESPACE, NAME, PODS, known)
    known |= uids(pods)
    time.sleep(3)
    cluster.activate(NAMESPACE, NAME, False)
    cluster.wait_deleted(NAMESPACE, NAME)
    time.sleep(5)
    cluster.activate(NAMESPACE, NAME, True)
    cluster.wait_running(NAMESPACE, NAME, PODS, known)
    time.sleep(3)
    _end_program(cluster, "SUCCEEDED", 0)
    cluster.watch.wait(f"{NAME} to be Complete", lambda: _status(cluster).get("jobDeploymentStatus") == "Complete", 60)
    cluster.mark(f"{NAME}: Complete")


def _status(cluster):
    return cluster.watch.object("rayjobs", NAMESPACE, NAME).get("status", {})


def _end_program(cluster, state, code):
    """What submits the program ends with it."""
    cluster.mark(f"the program of {NAME} has {state}")
    cluster.api.annotate("rayclusters", NAMESPACE, _status(cluster)["rayClusterName"], {PROGRAM: f"{state} {int(time.time() * 1000)}"})
    cluster.end_pods([pod for pod in cluster.pods_of(NAMESPACE, NAME) if JOB_NAME in labels_of(pod)], code)


def rayjob():
    without_chips = shapes.pod_template([POOL], has_chips=False)
    workers = {"groupName": "workers", "replicas": shapes.HOSTS, "minReplicas": shapes.HOSTS, "maxReplicas": shapes.HOSTS, "rayStartParams": {}}
    cluster = {
        "headGroupSpec": {"rayStartParams": {}, "template": without_chips},
        "workerGroupSpecs": [{**workers, "template": shapes.pod_template([POOL])}],
    }
    spec = {
        "entrypoint": "python train.py",
        "shutdownAfterJobFinishes": True,
        "backoffLimit": 1,
        "submitterConfig": {"backoffLimit": 0},
        "submitterPodTemplate": without_chips,
        "rayClusterSpec": cluster,
    }
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"namespace": NAMESPACE, "name": NAME, "labels": {"kueue.x-k8s.io/queue-name": "rayjob-queue"}},
        "spec": spec,
    }
