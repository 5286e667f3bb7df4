"""A LeaderWorkerSet of two groups of two: both wait for quota, a worker is evicted and a leader's container restarts, each of
which makes LeaderWorkerSet create the group again, the queue is drained by a person, and the set is deleted."""
import time

import shapes
from cluster import uids

NAMESPACE, NAME, QUEUE, POOL = "leaderworkerset", "serve", "leaderworkerset-cq", "tpu-slice-27"
GROUPS, SIZE = 2, 2
PODS = GROUPS * SIZE


def play(cluster):
    cluster.observe(NAMESPACE, NAME, kind="LeaderWorkerSet", stepLog={"source": "None"})
    cluster.stop_queue(QUEUE, "Hold")
    cluster.create(leaderworkerset())
    _wait_gated(cluster)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    pods = cluster.wait_running(NAMESPACE, NAME, PODS)
    known = uids(pods)
    time.sleep(3)
    cluster.evict(_pod(pods, f"{NAME}-1-1"))
    pods = cluster.wait_replaced(NAMESPACE, NAME, PODS, known, SIZE)
    time.sleep(3)
    cluster.restart_in_place(_pod(pods, f"{NAME}-0"))
    cluster.wait_replaced(NAMESPACE, NAME, PODS, known, SIZE)
    time.sleep(3)
    cluster.stop_queue(QUEUE, "HoldAndDrain")
    _wait_gated(cluster)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    cluster.wait_running(NAMESPACE, NAME, PODS, known)
    time.sleep(3)
    cluster.mark(f"a person deletes {NAME}")
    cluster.api.delete("leaderworkersets", NAMESPACE, NAME)
    cluster.wait_deleted(NAMESPACE, NAME)


def _pod(pods, name):
    return next(pod for pod in pods if pod["metadata"]["name"] == name)


def _wait_gated(cluster):
    def gated():
        pods = cluster.pods_of(NAMESPACE, NAME)
        return len(pods) == PODS and all(pod["spec"].get("schedulingGates") for pod in pods)

    cluster.watch.wait(f"the pods of {NAME} to be held by gates", gated, 60)
    cluster.mark(f"{NAME}: {PODS} pods are held by gates")


def leaderworkerset():
    template = {"size": SIZE, "restartPolicy": "RecreateGroupOnPodRestart", "workerTemplate": shapes.pod_template([POOL], restart_policy="Always")}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"namespace": NAMESPACE, "name": NAME, "labels": {"kueue.x-k8s.io/queue-name": "leaderworkerset-queue"}},
        "spec": {"replicas": GROUPS, "leaderWorkerTemplate": template},
    }
