"""The story of things done by hand, without Kueue: a JobSet suspended and resumed by a person, then one of its nodes cut
off; a batch/v1 Job whose container restarts in place."""
import time

from cluster import uids

NAMESPACE = "hand"


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
    cluster.wait_gone(NAMESPACE, "by-hand")  # one that is over before the JobSet controller hears of it replaces nothing
    time.sleep(8)
    cluster.suspend(NAMESPACE, "by-hand", False)
    pods = cluster.wait_running(NAMESPACE, "by-hand", 4, uids(pods))
    time.sleep(4)
    node = pods[3]["spec"]["nodeName"]
    cluster.cut_off(node)
    cluster.wait_condition("nodes", None, node, "Ready", 60, "Unknown")
    cluster.wait_condition("nodes", None, node, "Ready", 60, "True")
    cluster.wait_running(NAMESPACE, "by-hand", 4, uids(pods))
    time.sleep(4)
    cluster.complete(NAMESPACE, "by-hand")
    cluster.wait_condition("jobsets", NAMESPACE, "by-hand", "Completed")
