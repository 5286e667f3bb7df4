"""The story of a queue: train-a is restarted, evicted, preempted by train-b, tainted off a node, and completes; train-c
waits for a cordoned pool and fails with no restarts left."""
import time

from cluster import uids

NAMESPACE = "train"


def play(cluster):
    no_log = {"stepLog": {"source": "None"}}
    cluster.observe(NAMESPACE, "train-a", **no_log)
    # The container does not exist: that must be reported, and scheduling scores must continue.
    cluster.observe(NAMESPACE, "train-b", stepLog={"podLog": {"container": "no-such-container"}})
    cluster.observe(NAMESPACE, "train-c", **no_log)
    time.sleep(2)  # so that their "target not found" is seen first

    cluster.submit("train-a")
    pods = cluster.wait_running(NAMESPACE, "train-a", 8)
    time.sleep(4)
    cluster.fail_pod(pods[6], 134)
    pods = _restarted(cluster, pods)
    cluster.evict(pods[1])
    pods = _restarted(cluster, pods)

    cluster.submit("train-b")
    cluster.wait_suspended(NAMESPACE, "train-a", True)
    _run_train_b(cluster)
    cluster.wait_suspended(NAMESPACE, "train-a", False)
    pods = cluster.wait_running(NAMESPACE, "train-a", 8, uids(pods))
    time.sleep(4)
    node = pods[0]["spec"]["nodeName"]
    cluster.taint(node, "NoExecute")
    cluster.watch.wait("train-a's third restart", lambda: _restarts(cluster, "train-a") == 3, 30)
    cluster.untaint(node)
    pods = cluster.wait_running(NAMESPACE, "train-a", 8, uids(pods))
    time.sleep(4)
    cluster.complete(NAMESPACE, "train-a")
    cluster.wait_condition("jobsets", NAMESPACE, "train-a", "Completed")
    _run_train_c(cluster)


def _restarts(cluster, name):
    return cluster.watch.object("jobsets", NAMESPACE, name)["status"].get("restarts")


def _restarted(cluster, before):
    pods = cluster.wait_running(NAMESPACE, "train-a", 8, uids(before))
    time.sleep(4)
    return pods


def _run_train_b(cluster):
    pods = cluster.wait_running(NAMESPACE, "train-b", 4)
    time.sleep(4)
    cluster.fail_pod(pods[2], 1)
    cluster.wait_running(NAMESPACE, "train-b", 4, uids(pods))
    time.sleep(4)
    cluster.complete(NAMESPACE, "train-b")
    cluster.wait_condition("jobsets", NAMESPACE, "train-b", "Completed")


def _run_train_c(cluster):
    cluster.cordon("tpu-slice-3", True)
    cluster.submit("train-c")
    cluster.watch.wait("train-c to be unschedulable", lambda: cluster.unschedulable(NAMESPACE, "train-c"), 30)
    cluster.mark("train-c: unschedulable")
    time.sleep(6)
    cluster.cordon("tpu-slice-3", False)
    pods = cluster.wait_running(NAMESPACE, "train-c", 4)
    time.sleep(3)
    cluster.fail_pod(pods[3], 1)
    cluster.wait_condition("jobsets", NAMESPACE, "train-c", "Failed")
