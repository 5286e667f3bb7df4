"""Kueue's topology-aware scheduling when a machine is taken away under a running pod. Kueue names it in the Workload's
status.unhealthyNodes (kueue pkg/controller/tas/node_failure_controller.go; feature gates TopologyAwareScheduling and
TASFailedNodeReplacement). First there is a spare node: Kueue gives it the pod's place, and the job continues without
another admission. (Where its first try finds no place, as TASFailedNodeReplacementFailFast wants, it evicts the Workload and
admits it again: the ledger is checked either way.) Then there is none: Kueue evicts the Workload with the reason
NodeFailures, and admits it again once a node is added."""
import time

import pools
import shapes
from cluster import is_workload_of, uids

NAMESPACE, POOL = "hotswap", "hotswap"
SWAPPED, CORNERED = "swapped", "cornered"
HOSTS = 3
UNCONSTRAINED = "kueue.x-k8s.io/podset-unconstrained-topology"


def play(cluster):
    nodes = [f"{POOL}-{i}" for i in range(HOSTS + 1)]
    pools.add_nodes(cluster, POOL, nodes)
    queue = pools.add_queue(cluster, POOL, NAMESPACE, HOSTS + 1, by_topology=True)
    _swap(cluster, queue, nodes)
    _corner(cluster, queue)


def _swap(cluster, queue, nodes):
    pods = _start(cluster, queue, SWAPPED)
    known = uids(pods)
    spare = (set(nodes) - {_node_of(pod) for pod in pods}).pop()
    _delete_a_node(cluster, SWAPPED, pods)
    pods = cluster.wait_replaced(NAMESPACE, SWAPPED, HOSTS, known, timeout=180)
    assert spare in {_node_of(pod) for pod in pods}, f"no pod runs on the spare node {spare}"
    cluster.mark(f"{SWAPPED}: " + ("evicted and admitted again" if _evictions(cluster, SWAPPED) else "replaced without another admission"))
    _complete(cluster, SWAPPED)


def _corner(cluster, queue):
    pods = _start(cluster, queue, CORNERED)
    _delete_a_node(cluster, CORNERED, pods)
    cluster.wait_suspended(NAMESPACE, CORNERED, True, timeout=180)
    time.sleep(5)
    reasons = {eviction["reason"] for eviction in _evictions(cluster, CORNERED)}
    assert reasons == {"NodeFailures"}, f"evicted for the reasons {reasons}"
    pools.add_nodes(cluster, POOL, [f"{POOL}-added"])
    cluster.wait_suspended(NAMESPACE, CORNERED, False, timeout=180)
    cluster.wait_running(NAMESPACE, CORNERED, HOSTS, uids(pods), timeout=180)
    _complete(cluster, CORNERED)


def _start(cluster, queue, name):
    cluster.observe(NAMESPACE, name, stepLog={"source": "None"})
    cluster.create(_jobset(name, queue))
    pods = cluster.wait_running(NAMESPACE, name, HOSTS)
    time.sleep(4)
    return pods


def _delete_a_node(cluster, name, pods):
    deleted = _node_of(pods[1])
    cluster.delete_node(deleted)
    cluster.watch.wait(f"Kueue to name {deleted} in unhealthyNodes, or to have replaced it", lambda: _is_named(cluster, name, deleted), 60)


def _complete(cluster, name):
    time.sleep(3)
    cluster.complete(NAMESPACE, name)
    cluster.wait_condition("jobsets", NAMESPACE, name, "Completed")


def _statuses(cluster, name):
    """Of all versions of its Workload."""
    versions = [o.object for o in list(cluster.watch.history["workloads"])]
    return [w.get("status", {}) for w in versions if w["metadata"]["namespace"] == NAMESPACE and is_workload_of(w, name)]


def _is_named(cluster, name, node):
    """In any version of the Workload: the entry lasts only until the place is given to another node."""
    return any({"name": node} in status.get("unhealthyNodes", []) for status in _statuses(cluster, name))


def _evictions(cluster, name):
    return [one for status in _statuses(cluster, name) for one in status.get("schedulingStats", {}).get("evictions", [])]


def _node_of(pod):
    return pod["spec"]["nodeName"]


def _jobset(name, queue):
    """backoffLimit: the Job replaces the lost pod alone."""
    slices = shapes.replicated_job("slice", [POOL], hosts=HOSTS, annotations={"cluster-test/pull": "2s", UNCONSTRAINED: "true"}, backoffLimit=6)
    return shapes.jobset(NAMESPACE, name, [slices], queue=queue)
