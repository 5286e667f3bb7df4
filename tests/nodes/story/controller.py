"""The controller as it runs in the cluster: its pods, its leader, its cost."""
import datetime
import os

import machines

PATIENCE = 300  # seconds; stage.py says why
NAMESPACE = "goodput-system"


def pods(api):
    items = api.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods")["items"]
    return [p for p in items if not p["metadata"].get("deletionTimestamp") and p["status"].get("phase") == "Running"]


def lease(api):
    return api.request("GET", f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/goodput-controller")["spec"]


def leader(api):
    """The pod that holds the lease, or None."""
    holder = lease(api).get("holderIdentity") or "nobody"
    return next((pod for pod in pods(api) if holder.startswith(pod["metadata"]["name"])), None)


def check_pods(tally, api):
    """Installed as a plain `helm install` does: two replicas, ready, one leader, restricted."""
    running = pods(api)
    ready = [p for p in running if all(c["ready"] for c in p["status"]["containerStatuses"])]
    tally.check(len(ready) == 2, "two replicas of the controller are ready, as kubelet probes them", len(ready))
    tally.check(leader(api) is not None, "one of them is the leader", lease(api).get("holderIdentity"))
    namespace = api.request("GET", f"/api/v1/namespaces/{NAMESPACE}")
    enforced = namespace["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
    tally.check(enforced == "restricted", "their namespace enforces restricted Pod Security", enforced)
    nodes = {pod["spec"]["nodeName"] for pod in running}
    tally.check(len(nodes) == 2, "they run on two nodes", nodes)


def check_helm_test(tally, stage):
    """`helm test` runs its pod on a node, with the controller's own account, and leaves nothing."""
    try:
        said = stage.machines.on("cp", "helm", "test", "goodput", "--namespace", NAMESPACE, timeout=PATIENCE)
    except RuntimeError as error:
        pods_there = stage.kubectl("get", "pods,events", "--namespace", NAMESPACE)
        tally.check(False, "helm test passes", f"{error}\n{pods_there}")
        return
    tally.check("Phase:          Succeeded" in said, "helm test passes", "" if "Succeeded" in said else said)
    left = stage.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", "app.kubernetes.io/name=goodput-controller-test", "--output=name")
    tally.check(not left, "and leaves no pod behind", left.strip())


def check_uninstall(tally, stage):
    """An upgrade that replaces the pods, then helm uninstall: what stays is the record."""
    helm = ("helm", "--namespace", NAMESPACE)
    kinds = "deployments,replicasets,pods,services,serviceaccounts,poddisruptionbudgets,roles,rolebindings,networkpolicies"
    records = stage.kubectl("get", "jobgoodputs", "--all-namespaces", "--output=name")
    chart = os.path.join(os.path.dirname(machines.HERE), "..", "helm", "goodput-controller")
    before = {pod["metadata"]["uid"] for pod in pods(stage.api)}
    wanted = ("--set", "logLevel=1", "--wait", f"--timeout={PATIENCE}s", "--reuse-values")
    stage.machines.on("cp", *helm, "upgrade", "goodput", chart, *wanted, timeout=PATIENCE + 30)
    new = {pod["metadata"]["uid"] for pod in pods(stage.api)} - before
    tally.check(len(new) == 2, "helm upgrade brings two new pods of the controller", len(new))
    stage.machines.on("cp", *helm, "uninstall", "goodput", "--wait", "--cascade=foreground", f"--timeout={PATIENCE}s", timeout=PATIENCE + 30)
    selector = "app.kubernetes.io/instance=goodput"
    left = stage.kubectl("get", kinds, "--all-namespaces", "--selector", selector, "--output=name")
    left += stage.kubectl("get", "clusterroles,clusterrolebindings", "--selector", selector, "--output=name")
    tally.check(not left, "helm uninstall leaves none of its objects", left.split())
    after = stage.kubectl("get", "jobgoodputs", "--all-namespaces", "--output=name")
    tally.check(after and after == records, "and every JobGoodput", f"{records.split()} before, {after.split()} after")


def check_restarts(tally, api, expected=0):
    restarts = {p["metadata"]["name"]: p["status"]["containerStatuses"][0]["restartCount"] for p in pods(api)}
    tally.check(sum(restarts.values()) == expected, f"the controller's containers restarted {expected} times", restarts)


def print_cost(api, cluster_machines, seconds):
    """Memory and CPU of the leader, and what it read from the API server; figures, not checks."""
    pod = leader(api)
    pid = pod and cluster_machines.process_of(pod, "goodput-controller")
    if not pid:
        print("    cost: the leader's process was not found")
        return
    resident, most, cpu, received = machines.cost(pid)
    started = pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"]
    age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(started.replace("Z", "+00:00"))
    print(
        f"    cost of the leader, {age.total_seconds():.0f} s old: {resident / 1024:.1f} MiB resident (at most {most / 1024:.1f}), "
        f"{cpu:.2f} s of CPU, {received / 1e6:.2f} MB received; the acts took {seconds:.0f} s"
    )
