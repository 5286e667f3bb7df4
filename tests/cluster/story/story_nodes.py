"""A machine that is taken away: its Node object and its lease are deleted under a running pod. Kubernetes collects the
orphaned pod a minute later; the replacement waits for a new machine."""
import copy
import time

import shapes
from cluster import uids

NAMESPACE = "nodes"
NAME = "node-gone"
POOL = "tpu-slice-6"


def play(cluster):
    cluster.observe(NAMESPACE, NAME, stepLog={"source": "None"})
    cluster.create(shapes.jobset(NAMESPACE, NAME, [shapes.replicated_job("slice", [POOL])]))
    pods = cluster.wait_running(NAMESPACE, NAME, 4)
    time.sleep(4)
    deleted = pods[2]["spec"]["nodeName"]
    machine = copy.deepcopy(cluster.watch.object("nodes", None, deleted))
    cluster.delete_node(deleted)
    cluster.watch.wait(f"{NAME} to want a machine", lambda: cluster.unschedulable(NAMESPACE, NAME), 150)
    cluster.mark(f"{NAME}: unschedulable")
    time.sleep(4)
    cluster.add_node(machine, deleted + "-new")
    cluster.wait_running(NAMESPACE, NAME, 4, uids(pods))
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobsets", NAMESPACE, NAME, "Completed")
