"""Kueue's topology-aware scheduling with a spare node: a machine is taken away under a running pod, Kueue names it in the
Workload's status.unhealthyNodes and gives the pod's place to the spare, and the job continues without another admission
(kueue pkg/controller/tas/node_failure_controller.go; feature gates TopologyAwareScheduling and TASFailedNodeReplacement).
Where Kueue's first try finds no place (TASFailedNodeReplacementFailFast), it evicts the Workload with the reason
NodeFailures and admits it again: the ledger is checked either way."""
import copy
import time

import shapes
from cluster import uids

NAMESPACE, NAME = "hotswap", "swapped"
POOL, QUEUE = "hotswap", "hotswap-queue"
HOSTNAME = "kubernetes.io/hostname"
HOSTS = 3  # of the four nodes of the pool
UNCONSTRAINED = "kueue.x-k8s.io/podset-unconstrained-topology"
KUEUE = "kueue.x-k8s.io/v1beta2"


def play(cluster):
    nodes = _add_pool(cluster)
    _add_queue(cluster)
    cluster.observe(NAMESPACE, NAME, stepLog={"source": "None"})
    cluster.create(_jobset())
    pods = cluster.wait_running(NAMESPACE, NAME, HOSTS)
    known = uids(pods)
    spare = (set(nodes) - {_node_of(pod) for pod in pods}).pop()
    time.sleep(4)
    deleted = _node_of(pods[1])
    cluster.delete_node(deleted)
    cluster.watch.wait(f"Kueue to name {deleted} in unhealthyNodes, or to have replaced it", lambda: _is_named(cluster, deleted), 60)
    pods = cluster.wait_replaced(NAMESPACE, NAME, HOSTS, known, timeout=180)
    assert spare in {_node_of(pod) for pod in pods}, f"no pod runs on the spare node {spare}"
    was_evicted = any(_evictions(o.object) for o in list(cluster.watch.history["workloads"]))
    cluster.mark(f"{NAME}: " + ("evicted and admitted again" if was_evicted else "replaced without another admission"))
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobsets", NAMESPACE, NAME, "Completed")


def _is_named(cluster, node):
    """In any version of the Workload: the entry lasts only until the place is given to another node."""
    for observation in list(cluster.watch.history["workloads"]):
        workload = observation.object
        if workload["metadata"]["namespace"] == NAMESPACE and {"name": node} in workload.get("status", {}).get("unhealthyNodes", []):
            return True
    return False


def _evictions(workload):
    return workload["metadata"]["namespace"] == NAMESPACE and workload.get("status", {}).get("schedulingStats", {}).get("evictions")


def _node_of(pod):
    return pod["spec"]["nodeName"]


def _add_pool(cluster):
    like = copy.deepcopy(cluster.watch.objects("nodes")[0])
    like["metadata"]["labels"]["cloud.google.com/gke-nodepool"] = POOL
    names = [f"{POOL}-{i}" for i in range(HOSTS + 1)]
    for name in names:
        cluster.add_node(like, name)
        cluster.wait_condition("nodes", None, name, "Ready")
    return names


def _add_queue(cluster):
    flavor = {
        "nodeLabels": {"cloud.google.com/gke-nodepool": POOL},
        "tolerations": shapes.TOLERATIONS,
        "topologyName": POOL,
    }
    quota = {"name": POOL, "resources": [{"name": "google.com/tpu", "nominalQuota": 4 * (HOSTS + 1)}]}
    groups = [{"coveredResources": ["google.com/tpu"], "flavors": [quota]}]
    for resource, kind, spec in (
        ("topologies", "Topology", {"levels": [{"nodeLabel": HOSTNAME}]}),
        ("resourceflavors", "ResourceFlavor", flavor),
        ("clusterqueues", "ClusterQueue", {"namespaceSelector": {}, "resourceGroups": groups}),
    ):
        cluster.api.create(resource, {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": POOL}, "spec": spec})
    queue = {"namespace": NAMESPACE, "name": QUEUE}
    cluster.api.create("localqueues", {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": queue, "spec": {"clusterQueue": POOL}})


def _jobset():
    """backoffLimit: the Job replaces the lost pod alone."""
    slices = shapes.replicated_job("slice", [POOL], hosts=HOSTS, annotations={"cluster-test/pull": "2s", UNCONSTRAINED: "true"}, backoffLimit=6)
    return shapes.jobset(NAMESPACE, NAME, [slices], queue=QUEUE)
