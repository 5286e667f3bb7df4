"""Acts on the cluster, each as a person or a machine would do it, and waits for what follows. Every act is marked."""
import json
import os
import time

import yaml

from api import ApiError, path_of
from kinds import target_of
from watch import condition, is_true

EXIT, REASON, RESTARTS = "cluster-test/exit", "cluster-test/reason", "cluster-test/restarts"
LEASES = "kube-node-lease"
RESOURCES = {
    "JobSet": "jobsets",
    "Job": "jobs",
    "TrainJob": "trainjobs",
    "ClusterTrainingRuntime": "clustertrainingruntimes",
    "PyTorchJob": "pytorchjobs",
    "LeaderWorkerSet": "leaderworkersets",
    "RayJob": "rayjobs",
    "JobGoodput": "jobgoodputs",
    "Pod": "pods",
    "Workload": "workloads",
}
GROUPS = {
    "JobSet": "jobset.x-k8s.io",
    "Job": "batch",
    "TrainJob": "trainer.kubeflow.org",
    "Workload": "kueue.x-k8s.io",
    "PyTorchJob": "kubeflow.org",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io",
    "RayJob": "ray.io",
}


class Cluster:
    def __init__(self, api, watch, recorder, scenario_dir):
        self.api = api
        self.watch = watch
        self.recorder = recorder
        self.scenario_dir = scenario_dir
        self.marks = []  # (Unix seconds, what)

    def mark(self, what):
        now = time.time()
        self.marks.append((now, what))
        self.recorder.write(now, "_", "mark", json.dumps(what).encode())
        stamp = time.strftime("%H:%M:%S", time.gmtime(now))
        print(f"    {stamp}.{int(now % 1 * 1000):03d}  {what}", flush=True)
        return now

    # --- objects ---

    def submit(self, name):
        """Creates the objects of a scenario file."""
        with open(os.path.join(self.scenario_dir, name + ".yaml"), encoding="utf-8") as file:
            for manifest in yaml.safe_load_all(file):
                self.api.create(RESOURCES[manifest["kind"]], manifest)
        return self.mark(f"submit {name}")

    def create(self, manifest):
        """Creates one object that a story made itself."""
        self.api.create(RESOURCES[manifest["kind"]], manifest)
        return self.mark(f"submit {manifest['metadata']['name']}")

    def annotate(self, pod, annotations):
        return self.api.annotate("pods", pod["metadata"]["namespace"], pod["metadata"]["name"], annotations)

    def observe(self, namespace, name, kind="JobSet", goodput_name=None, **spec):
        """Creates the JobGoodput for a target."""
        target = {"apiGroup": GROUPS[kind], "kind": kind, "name": name}
        manifest = job_goodput(namespace, goodput_name or name, target, **spec)
        return self.api.create("jobgoodputs", manifest)

    def goodput(self, namespace, name):
        return self.watch.object("jobgoodputs", namespace, name) or {}

    def pods_of(self, namespace, name, phase=None):
        """The target's pods that are not being deleted, by index."""
        found = []
        for pod in self.watch.objects("pods", namespace):
            if target_of(pod) != name:
                continue
            if pod["metadata"].get("deletionTimestamp") or phase not in (None, pod["status"].get("phase")):
                continue
            found.append(pod)
        return sorted(found, key=lambda pod: pod["metadata"]["name"])

    def workload_of(self, namespace, name):
        for workload in self.watch.objects("workloads", namespace):
            if is_workload_of(workload, name):
                return workload
        return None

    # --- waits ---

    def wait_running(self, namespace, name, count, not_these=(), timeout=60):
        """Waits until `count` pods run, none of them one of `not_these` UIDs; returns them."""

        def running():
            pods = [p for p in self.pods_of(namespace, name, "Running") if uid(p) not in not_these and ready(p)]
            return pods if len(pods) >= count else None

        pods = self.watch.wait(f"{count} pods of {name} to run", running, timeout)
        self.mark(f"{name}: {count} pods run")
        return pods

    def wait_replaced(self, namespace, name, count, known, replaced=1, timeout=60):
        """Waits until `count` pods run of which `replaced` are not of the `known` UIDs; adds those, returns all."""

        def are_replaced():
            pods = [pod for pod in self.pods_of(namespace, name, "Running") if ready(pod)]
            return pods if len(pods) == count and len(uids(pods) - known) == replaced else None

        pods = self.watch.wait(f"{replaced} pods of {name} to be replaced", are_replaced, timeout)
        self.mark(f"{name}: {count} pods run, {replaced} of them new")
        known |= uids(pods)
        return pods

    def wait_condition(self, stream, namespace, name, kind, timeout=60, status="True"):
        def holds():
            item = self.watch.object(stream, namespace, name)
            return item if item and condition(item, kind).get("status") == status else None

        item = self.watch.wait(f"{stream} {namespace}/{name} to be {kind}={status}", holds, timeout)
        self.mark(f"{name}: {kind}={status}")
        return item

    def wait_suspended(self, namespace, name, suspended, timeout=60):
        def is_so():
            jobset = self.watch.object("jobsets", namespace, name)
            return bool(jobset and bool(jobset["spec"].get("suspend")) == suspended)

        self.watch.wait(f"{name} suspend={suspended}", is_so, timeout)
        self.mark(f"{name}: {'suspended' if suspended else 'resumed'}")

    def wait_deleted(self, namespace, name, timeout=60):
        """Waits until none of the target's pods is left."""

        def are_deleted():
            return all(target_of(pod) != name for pod in self.watch.objects("pods", namespace))

        self.watch.wait(f"the pods of {name} to be gone", are_deleted, timeout)
        self.mark(f"{name}: its pods are gone")

    def wait_finished(self, namespace, name, timeout=30):
        """Waits for the JobGoodput's own end."""
        self.watch.wait(f"JobGoodput {name} to be Finished", lambda: is_true(self.goodput(namespace, name), "Finished"), timeout)

    # --- acts ---

    def end_pods(self, pods, code, reason=None):
        annotations = {EXIT: str(code), **({REASON: reason} if reason else {})}
        for pod in pods:
            self.annotate(pod, annotations)

    def fail_pod(self, pod, code, reason=None):
        self.mark(f"pod {pod['metadata']['name']} fails with exit code {code}")
        self.end_pods([pod], code, reason)

    def complete(self, namespace, name):
        self.mark(f"{name}: all pods complete")
        self.end_pods(self.pods_of(namespace, name), 0)

    def restart_in_place(self, pod):
        self.mark(f"pod {pod['metadata']['name']}: container killed, restarts in place")
        self.annotate(pod, {RESTARTS: "1"})

    def evict(self, pod):
        self.mark(f"evict pod {pod['metadata']['name']} (eviction API)")
        self.api.evict(pod["metadata"]["namespace"], pod["metadata"]["name"])

    def taint(self, node, effect):
        self.mark(f"taint {effect} node {node}")
        spec = self.api.get("nodes", None, node)["spec"]
        taints = spec.get("taints", []) + [{"key": "cluster-test/maintenance", "effect": effect}]
        self.api.merge("nodes", None, node, {"spec": {"taints": taints}})

    def untaint(self, node):
        taints = self.api.get("nodes", None, node)["spec"].get("taints", [])
        kept = [taint for taint in taints if taint["key"] != "cluster-test/maintenance"]
        self.api.merge("nodes", None, node, {"spec": {"taints": kept}})
        self.mark(f"untaint node {node}")

    def cordon(self, pool, unschedulable):
        for node in self.watch.objects("nodes"):
            if node["metadata"]["labels"].get("cloud.google.com/gke-nodepool") == pool:
                self.api.merge("nodes", None, node["metadata"]["name"], {"spec": {"unschedulable": unschedulable}})
        self.mark(f"{'cordon' if unschedulable else 'uncordon'} node pool {pool}")

    def suspend(self, namespace, name, suspended):
        self.mark(f"a person sets {name} suspend={str(suspended).lower()}")
        self.api.merge("jobsets", namespace, name, {"spec": {"suspend": suspended}})

    def activate(self, namespace, name, active):
        """As a person does who takes a job out of its queue and puts it back."""
        workload = self.workload_of(namespace, name)["metadata"]["name"]
        self.mark(f"a person sets spec.active={str(active).lower()} of Workload {workload}")
        self.api.merge("workloads", namespace, workload, {"spec": {"active": active}})

    def stop_queue(self, queue, policy):
        """None, Hold or HoldAndDrain, as an administrator sets it."""
        self.mark(f"an administrator sets stopPolicy={policy} of ClusterQueue {queue}")
        self.api.merge("clusterqueues", None, queue, {"spec": {"stopPolicy": policy}})

    def unschedulable(self, namespace, name):
        """Whether a pod of the target has been refused by the scheduler."""
        found = [condition(pod, "PodScheduled") for pod in self.pods_of(namespace, name)]
        return any(c.get("status") == "False" and c.get("reason") == "Unschedulable" for c in found)

    def delete_node(self, node):
        """The Node object and its lease: a machine that was taken away."""
        self.mark(f"node {node} and its lease are deleted")
        self.api.delete("nodes", None, node)
        try:
            self.api.delete("leases", LEASES, node)
        except ApiError as error:
            if error.status != 404:  # it goes with its owner
                raise

    def add_node(self, like, name):
        """Another machine of the same kind and pool."""
        labels = {**like["metadata"]["labels"], "kubernetes.io/hostname": name}
        metadata = {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}}
        taints = [taint for taint in like["spec"].get("taints", []) if taint["key"] == "google.com/tpu"]
        sizes = {key: like["status"][key] for key in ("allocatable", "capacity")}
        self.api.create("nodes", {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": taints}, "status": sizes})
        self.mark(f"node {name} is added")

    def cut_off(self, node):
        """Gives the node's lease to another holder: kwok leaves the node and its pods alone until that lease has run
        out, 30 to 40 s from now, as if the node's network were down for that time. Waits for a renewal first, so that the
        last sign of life, which it returns, is newer than all that happened before."""
        path = path_of("leases", LEASES, node)
        before = self.api.request("GET", path)["spec"]["renewTime"]
        deadline = time.time() + 60
        while self.api.request("GET", path)["spec"]["renewTime"] == before:
            if time.time() > deadline:
                raise TimeoutError(f"waited 60 s for node {node} to renew its lease")
            time.sleep(0.2)
        patch = {"spec": {"holderIdentity": "cut-off"}}
        lease = self.api.request("PATCH", path, patch, "application/merge-patch+json")
        self.mark(f"node {node} is cut off; its lease was last renewed at {lease['spec']['renewTime']}")
        return lease["spec"]["renewTime"]

    def serve_log(self, pod, path, container):
        """Lets kwok serve the file as the log of the pod's container."""
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        open(path, "a", encoding="utf-8").close()
        logs = {"logs": [{"containers": [container], "logsFile": path, "follow": True}]}
        manifest = {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Logs", "metadata": {"name": name, "namespace": namespace}}
        try:
            self.api.create("logs", {**manifest, "spec": logs})
        except ApiError as error:
            if error.status != 409:
                raise


def job_goodput(namespace, name, target, **spec):
    return {
        "apiVersion": "goodput.dev/v1alpha1",
        "kind": "JobGoodput",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"targetRef": target, **spec},
    }


def is_workload_of(workload, name):
    """A group of pods has the name of its Workload."""
    owners = workload["metadata"].get("ownerReferences", [])
    is_group = workload["metadata"].get("annotations", {}).get("kueue.x-k8s.io/is-group-workload") == "true"
    return workload["metadata"]["name"] == name if is_group else any(owner["name"] == name for owner in owners)


def uid(item):
    return item["metadata"]["uid"]


def uids(items):
    return {uid(item) for item in items}


def ready(pod):
    """By its containers: the Ready condition is taken away with a node that is cut off, and kwok does not give it back."""
    containers = pod["status"].get("containerStatuses", [])
    return bool(containers) and all(c.get("ready") and "running" in c.get("state", {}) for c in containers)


def started_at(pod):
    """The whole second in which the first container started, or None."""
    for status in pod["status"].get("containerStatuses", []):
        return status.get("state", {}).get("running", {}).get("startedAt")
    return None
