"""Nodes and a Kueue queue for one story alone: a node pool, and a Topology, ResourceFlavor, ClusterQueue and LocalQueue of its name."""
import copy

import shapes

KUEUE = "kueue.x-k8s.io/v1beta2"
HOSTNAME = "kubernetes.io/hostname"
CHIPS = 4  # of a node


def add_nodes(cluster, pool, names):
    like = copy.deepcopy(cluster.watch.objects("nodes")[0])
    like["metadata"]["labels"]["cloud.google.com/gke-nodepool"] = pool
    for name in names:
        cluster.add_node(like, name)
        cluster.wait_condition("nodes", None, name, "Ready")


def add_queue(cluster, pool, namespace, nodes, by_topology=False):
    """Its quota is the chips of that many nodes. Returns the name of the LocalQueue."""
    flavor = {"nodeLabels": {"cloud.google.com/gke-nodepool": pool}, "tolerations": shapes.TOLERATIONS}
    if by_topology:
        flavor["topologyName"] = pool
        _create(cluster, "topologies", "Topology", pool, {"levels": [{"nodeLabel": HOSTNAME}]})
    _create(cluster, "resourceflavors", "ResourceFlavor", pool, flavor)
    _create(cluster, "clusterqueues", "ClusterQueue", pool, {"namespaceSelector": {}, **_groups(pool, nodes)})
    queue = {"namespace": namespace, "name": f"{pool}-queue"}
    cluster.api.create("localqueues", {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": queue, "spec": {"clusterQueue": pool}})
    return queue["name"]


def set_quota(cluster, pool, nodes):
    cluster.mark(f"an administrator sets the quota of ClusterQueue {pool} to {nodes} nodes")
    cluster.api.merge("clusterqueues", None, pool, {"spec": _groups(pool, nodes)})


def _groups(pool, nodes):
    quota = {"name": pool, "resources": [{"name": "google.com/tpu", "nominalQuota": CHIPS * nodes}]}
    return {"resourceGroups": [{"coveredResources": ["google.com/tpu"], "flavors": [quota]}]}


def _create(cluster, resource, kind, name, spec):
    cluster.api.create(resource, {"apiVersion": KUEUE, "kind": kind, "metadata": {"name": name}, "spec": spec})
