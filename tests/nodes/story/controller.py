"""The controller as it runs in the cluster: its pods, its leader, its cost."""
import base64
import datetime
import http.client
import json
import os
import threading
import time

import machines

PATIENCE = 600 * machines.SLOWER  # seconds; stage.py says why
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


def ready(api):
    """How many of its pods are."""
    return len([p for p in pods(api) if all(c["ready"] for c in p["status"]["containerStatuses"])])


def check_pods(tally, api):
    """Installed as a plain `helm install` does: two replicas, ready, one leader, restricted."""
    running = pods(api)
    count = ready(api)
    tally.check(count == 2, "two replicas of the controller are ready, as kubelet probes them", count)
    tally.check(leader(api) is not None, "one of them is the leader", lease(api).get("holderIdentity"))
    namespace = api.request("GET", f"/api/v1/namespaces/{NAMESPACE}")
    enforced = namespace["metadata"]["labels"].get("pod-security.kubernetes.io/enforce")
    tally.check(enforced == "restricted", "their namespace enforces restricted Pod Security", enforced)
    nodes = {pod["spec"]["nodeName"] for pod in running}
    tally.check(len(nodes) == 2, "they run on two nodes", nodes)


def check_helm_test(tally, stage):
    """`helm test` runs its pod on a node, with the controller's own account, and leaves nothing."""
    try:
        output = stage.machines.on("cp", "helm", "test", "goodput", "--namespace", NAMESPACE, timeout=PATIENCE)
    except RuntimeError as error:
        pods_there = stage.kubectl("get", "pods,events", "--namespace", NAMESPACE)
        tally.check(False, "helm test passes", f"{error}\n{pods_there}")
        return
    tally.check("Phase:          Succeeded" in output, "helm test passes", "" if "Succeeded" in output else output)
    left = stage.kubectl("get", "pods", "--namespace", NAMESPACE, "--selector", "app.kubernetes.io/name=goodput-controller-test", "--output=name")
    tally.check(not left, "and leaves no pod behind", left.strip())


def check_uninstall(tally, stage):
    """An upgrade that replaces the pods, then helm uninstall: what stays is the record."""
    helm = ("helm", "--namespace", NAMESPACE)
    kinds = "deployments,replicasets,pods,services,serviceaccounts,poddisruptionbudgets,roles,rolebindings,networkpolicies"
    records = stage.kubectl("get", "jobgoodputs", "--all-namespaces", "--output=name")
    chart = os.path.join(os.path.dirname(machines.HERE), "..", "helm", "goodput-controller")
    before = {pod["metadata"]["uid"] for pod in pods(stage.api)}
    options = ("--set", "logLevel=1", "--wait", f"--timeout={PATIENCE}s", "--reset-then-reuse-values")
    stage.machines.on("cp", *helm, "upgrade", "goodput", chart, *options, timeout=PATIENCE + 30)
    new = {pod["metadata"]["uid"] for pod in pods(stage.api)} - before
    tally.check(len(new) == 2, "helm upgrade brings two new pods of the controller", len(new))
    stage.machines.on("cp", *helm, "uninstall", "goodput", "--wait", "--cascade=foreground", f"--timeout={PATIENCE}s", timeout=PATIENCE + 30)
    selector = "app.kubernetes.io/instance=goodput"
    left = stage.kubectl("get", kinds, "--all-namespaces", "--selector", selector, "--output=name")
    left += stage.kubectl("get", "clusterroles,clusterrolebindings", "--selector", selector, "--output=name")
    tally.check(not left, "helm uninstall leaves none of its objects", left.split())
    after = stage.kubectl("get", "jobgoodputs", "--all-namespaces", "--output=name")
    tally.check(after and after == records, "and every JobGoodput", f"{records.split()} before, {after.split()} after")


def check_restarts(tally, stage):
    """No container of the controller has restarted, but where it could not renew its lease in time: a machine so slow is no
    fault of its, and to end then is what it must do."""
    wrong = []
    for pod in pods(stage.api):
        name, count = pod["metadata"]["name"], pod["status"]["containerStatuses"][0]["restartCount"]
        if not count:
            continue
        last = stage.kubectl("logs", name, "--previous", "--tail=3", "--namespace", NAMESPACE)
        if "lease lost" in last:
            print(f"    {name} restarted {count} times, the last time because this machine was too slow for its lease: {last.strip()[-200:]}")
        else:
            wrong.append(f"{name}: {count}: {last.strip()[-200:]}")
    tally.check(not wrong, "no container of the controller restarted of itself", wrong)


class Cost(threading.Thread):
    """What all the controller's processes cost, from now on: looked at every few seconds, as any of them may end."""

    PERIOD = 5

    def __init__(self, api, cluster_machines):
        super().__init__(daemon=True, name="cost")
        self.api = api
        self.machines = cluster_machines
        self.started_s = time.time()
        self.processes = {}  # host's pid: (resident KiB at most, seconds of CPU before, seconds of CPU now)
        self.received = {}  # uid of a pod: (bytes before, bytes now)

    def run(self):
        while True:
            try:
                self.look()
            except (OSError, RuntimeError, StopIteration, KeyError, http.client.HTTPException) as error:  # a pod that was just deleted
                print(f"    cost: {error}", flush=True)
            time.sleep(self.PERIOD)

    def look(self):
        first = not self.processes
        for pod in pods(self.api):
            pid = self.machines.process_of(pod, "goodput-controller")
            if not pid:
                continue
            _, peak_kib, cpu, received = machines.cost(pid)
            uid = pod["metadata"]["uid"]
            self.processes[pid] = (peak_kib, self.processes[pid][1] if pid in self.processes else cpu if first else 0, cpu)
            self.received[uid] = (self.received[uid][0] if uid in self.received else received if first else 0, received)

    def print(self):
        """Figures, not checks. What a pod receives comes from the API server, but for probes."""
        self.look()
        seconds = time.time() - self.started_s
        cpu = sum(now - before for _, before, now in self.processes.values())
        received = sum(now - before for before, now in self.received.values())
        print(
            f"    cost of the controller over {seconds:.0f} s, {len(self.processes)} processes in {len(self.received)} pods: at most "
            f"{max(peak_kib for peak_kib, _, _ in self.processes.values()) / 1024:.1f} MiB resident, {cpu:.2f} s of CPU "
            f"({1000 * cpu / seconds:.1f} millicores), {received / 1e6:.2f} MB read from the API server"
        )


# --- the ServiceAccount's token, renewed while the controller runs ---

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"
LIFE = 600  # seconds; Kubernetes grants no shorter life


def shorten_tokens(stage):
    """From now on the controller's tokens live ten minutes (kubelet renews them at 80 %), not about an hour."""
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": LIFE}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
    ]
    container = {"name": "controller", "volumeMounts": [{"name": "token", "mountPath": TOKEN, "readOnly": True}]}
    spec = {"volumes": [{"name": "token", "projected": {"sources": sources}}], "containers": [container]}
    patch = json.dumps({"spec": {"template": {"spec": spec}}})
    stage.kubectl("patch", "deployment", "goodput-controller", "--namespace", NAMESPACE, "--patch", patch)
    stage.kubectl("rollout", "status", "deployment", "goodput-controller", "--namespace", NAMESPACE, f"--timeout={PATIENCE}s")
    # The old leader may still be ending; the change of leaders has separate acts.
    stage.wait_for("the old pods to be gone", lambda: len(stage.api.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods")["items"]) == 2)
    stage.wait_for("a leader", lambda: leader(stage.api))
    stage.cluster.mark(f"tokens of the controller live {LIFE} s from now on")


def _token(pid):
    with open(f"/proc/{pid}/root{TOKEN}/token", encoding="ascii") as file:
        claims = file.read().split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))


def wait_token_renewed(stage):
    """Waits until the leader is older than the token that it began with; returns nothing, checks that it has another."""
    while True:
        pod = stage.wait_for("a leader", lambda: leader(stage.api))
        pid = stage.machines.process_of(pod, "goodput-controller")
        started = pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"]
        started_s = datetime.datetime.fromisoformat(started.replace("Z", "+00:00")).timestamp()
        left = started_s + LIFE + 20 - time.time()
        if left <= 0:
            break
        time.sleep(min(left, 10))
    claims = _token(pid)
    stage.cluster.mark(f"the leader is {time.time() - started_s:.0f} s old, its token {time.time() - claims['iat']:.0f} s")
    stage.tally.check(claims["exp"] - claims["iat"] == LIFE, "the leader's token lives ten minutes", claims["exp"] - claims["iat"])
    stage.tally.check(claims["iat"] > started_s + LIFE / 2, "the token that it began with has run out, and kubelet has brought another")
