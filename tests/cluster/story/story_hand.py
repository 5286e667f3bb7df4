"""The story of things done by hand, without Kueue: a JobSet suspended and resumed by a person, then one of its nodes cut
off; a batch/v1 Job whose container restarts in place."""
import time

from cluster import ready, uid, uids

NAMESPACE = "hand"
NOT_EVICTED = 20  # seconds; its toleration is 3


def play(cluster):
    no_log = {"stepLog": {"source": "None"}}
    cluster.observe(NAMESPACE, "by-hand", **no_log)
    cluster.observe(NAMESPACE, "plain", kind="Job", **no_log)
    cluster.submit("plain")
    cluster.submit("by-hand")
    plain_pods = cluster.wait_running(NAMESPACE, "plain", 2)
    pods = cluster.wait_running(NAMESPACE, "by-hand", 4)
    time.sleep(3)
    cluster.restart_in_place(plain_pods[0])
    time.sleep(3)
    cluster.complete(NAMESPACE, "plain")
    cluster.wait_condition("jobs", NAMESPACE, "plain", "Complete")

    cluster.suspend(NAMESPACE, "by-hand", True)
    cluster.wait_deleted(NAMESPACE, "by-hand")  # one that is over before the JobSet controller hears of it replaces nothing
    time.sleep(8)
    cluster.suspend(NAMESPACE, "by-hand", False)
    pods = cluster.wait_running(NAMESPACE, "by-hand", 4, uids(pods))
    time.sleep(4)
    node = pods[3]["spec"]["nodeName"]
    cluster.cut_off(node)
    cluster.wait_condition("nodes", None, node, "Ready", 60, "Unknown")
    cluster.wait_condition("nodes", None, node, "Ready", 60, "True")
    _wait_to_go_on(cluster, pods, pods[3])
    time.sleep(4)
    cluster.complete(NAMESPACE, "by-hand")
    cluster.wait_condition("jobsets", NAMESPACE, "by-hand", "Completed")


def _wait_to_go_on(cluster, before, cut_off):
    """With new pods; or, where nobody came to evict it from the node while that was away (the control plane was struck
    meanwhile), with the pod that was cut off."""
    back = time.time()

    def goes_on():
        pods = [pod for pod in cluster.pods_of(NAMESPACE, "by-hand", "Running") if ready(pod)]
        is_outlived = time.time() > back + NOT_EVICTED and uid(cut_off) in uids(pods)
        return len(pods) >= 4 and (is_outlived or not uids(pods) & uids(before))

    cluster.watch.wait("by-hand to run after its node was back", goes_on, 60)
    cluster.mark("by-hand: 4 pods run")
