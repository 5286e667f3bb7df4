"""A group of plain pods, which Kueue queues as one Workload: it waits for quota, loses a pod, which a person replaces, and
ends well."""
import time

import shapes
from cluster import uid, uids
from kinds import POD_GROUP

NAMESPACE, NAME, QUEUE = "podgroup", "grouped", "podgroup-cq"


def play(cluster):
    cluster.observe(NAMESPACE, NAME, kind="Workload", stepLog={"source": "None"})
    cluster.stop_queue(QUEUE, "Hold")
    for slot in range(shapes.HOSTS):
        cluster.create(pod(slot, 0))
    cluster.watch.wait(f"the Workload of {NAME}", lambda: cluster.watch.object("workloads", NAMESPACE, NAME), 60)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    pods = cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS)
    time.sleep(3)
    cluster.fail_pod(pods[2], 1)
    time.sleep(2)
    _replace(cluster, pods)
    time.sleep(5)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("workloads", NAMESPACE, NAME, "Finished")


def _replace(cluster, pods):
    """Where Kueue has not seen the failure yet, it deletes the replacement: one pod too many. Then a person tries again."""
    for attempt in range(1, 6):
        name = f"{NAME}-2-{attempt}"
        cluster.create(pod(2, attempt))
        cluster.watch.wait(f"{name} to run or to be deleted", lambda: _others(cluster, uids(pods)) or _is_deleted(cluster, name), 60)
        if _others(cluster, uids(pods)):
            return
        time.sleep(2 * attempt)  # on a busy machine it is seconds behind
    raise AssertionError("Kueue deleted five replacements")


def _is_deleted(cluster, name):
    pods = cluster.api.get("pods", NAMESPACE, None)["items"]
    return all(found["metadata"]["name"] != name or found["metadata"].get("deletionTimestamp") for found in pods)


def _others(cluster, known):
    return [found for found in cluster.pods_of(NAMESPACE, NAME, "Running") if uid(found) not in known]


def pod(slot, attempt):
    """The label of its slot is for our own oracle: Kueue and the controller know no index."""
    template = shapes.pod_template(["tpu-slice-25"])
    labels = {POD_GROUP: NAME, "kueue.x-k8s.io/queue-name": "podgroup-queue", "cluster-test/slot": str(slot)}
    annotations = {**template["metadata"]["annotations"], "kueue.x-k8s.io/pod-group-total-count": str(shapes.HOSTS)}
    metadata = {"namespace": NAMESPACE, "name": f"{NAME}-{slot}-{attempt}", "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
