"""Acts on nodes and on the controller itself. One at a time: each touches all that runs."""
import os
import signal
import threading
import time

import controller
import jobs
import status as read
import truth
from watch import condition


def steady(stage):
    """What must not show as an interruption: kubelet and containerd restarted under a running trainer, the leader of the
    controller killed, the controller upgraded by helm."""
    name = "steady"
    stage.submit(name, STEPS=150)
    stage.wait_step(name, 1, 10)
    node = stage.pod(name, 0)["spec"]["nodeName"]
    stage.cluster.mark(f"kubelet of {node} restarts")
    stage.machines.restart(node, "kubelet")
    stage.wait_step(name, 1, 30)
    stage.cluster.mark(f"containerd of {node} restarts")
    stage.machines.restart(node, "containerd")
    stage.wait_step(name, 1, 50)
    kill_leader(stage)
    stage.wait_step(name, 1, 90)
    upgrade(stage)
    stage.wait_end(name)
    stage.judge(name, {})
    controller.check_pods(stage.tally, stage.api)


def short_tokens(stage):
    """Everything that comes until the act `renewed` is watched with tokens that live ten minutes."""
    controller.shorten_tokens(stage)


def renewed(stage):
    """A job that is read after the token of the controller's start has run out."""
    controller.wait_token_renewed(stage)
    stage.submit("renewed", STEPS=12)
    stage.wait_end("renewed")
    stage.judge("renewed", {})
    controller.check_restarts(stage.tally, stage)


def names(stage):
    """From a pod on each node: the cluster's DNS knows the API server and the controller's pods, and the Service network
    leads to the API server. (The controller itself needs no DNS: it goes to the address that kubelet gives it.)"""
    service = "goodput-controller-metrics.goodput-system.svc.cluster.local"
    program = (
        "import socket, ssl, http.client as c\n"
        f"print(len({{a[4][0] for a in socket.getaddrinfo('{service}', 8443, proto=socket.IPPROTO_TCP)}}), end=' ')\n"
        "print(socket.gethostbyname('kubernetes.default'), end=' ')\n"
        "here = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt'\n"
        "k = c.HTTPSConnection('kubernetes.default.svc', context=ssl.create_default_context(cafile=here))\n"
        "k.request('GET', '/version')\n"
        "print(k.getresponse().status, end=' ')\n"
        f"m = c.HTTPSConnection('{service}', 8443, context=ssl._create_unverified_context())\n"
        "m.request('GET', '/metrics')\n"
        "print(m.getresponse().status)\n"
    )
    for node in ("n1", "n2"):
        name = f"names-{node}"
        container = {"name": "look", "image": f"{jobs.REGISTRY}/trainer:1", "command": ["python3", "-c", program]}
        spec = {"nodeName": node, "restartPolicy": "Never", "containers": [container]}
        stage.api.create("pods", {"metadata": {"name": name, "namespace": jobs.NAMESPACE}, "spec": spec})
        ended = stage.wait_for(f"{name} to end", lambda n=name: _ended(stage, n))
        output = stage.kubectl("logs", name, "--namespace", jobs.NAMESPACE).strip()
        # Two pods of the controller; the first address of the Service network; allowed; a stranger's request for metrics refused.
        stage.tally.check(output == "2 10.96.0.1 200 401", f"{node}: DNS and the Service network lead a pod to both", f"{ended}: {output}")


def _ended(stage, name):
    phase = (stage.watch.object("pods", jobs.NAMESPACE, name) or {}).get("status", {}).get("phase")
    return phase if phase in ("Succeeded", "Failed") else None


def kill_leader(stage):
    pod = stage.wait_for("a leader", lambda: controller.leader(stage.api))
    before = controller.lease(stage.api)
    pid = stage.machines.process_of(pod, "goodput-controller")
    stage.cluster.mark(f"SIGKILL to the leader {pod['metadata']['name']}")
    os.kill(pid, signal.SIGKILL)
    deadline = time.time() + 120
    while time.time() < deadline:
        now = controller.lease(stage.api)
        if now.get("acquireTime") != before.get("acquireTime") and now.get("holderIdentity"):
            stage.cluster.mark(f"the lease is {now['holderIdentity']}'s")
            return
        time.sleep(0.5)
    stage.tally.check(False, "a new leader took the lease within 120 s of the old one's death", controller.lease(stage.api))


def upgrade(stage):
    chart = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "helm", "goodput-controller")
    stage.cluster.mark("helm upgrade")
    stage.machines.on(
        "cp", "helm", "upgrade", "goodput", chart, "--namespace", "goodput-system", "--reset-then-reuse-values",
        "--set", "podAnnotations.upgraded=yes", "--wait", "--timeout", "600s", timeout=630,
    )  # fmt: skip
    stage.cluster.mark("helm upgrade is done")


def drain(stage):
    """The node of the controller's leader is drained for maintenance and comes back. The job has a budget that keeps its pods
    until the other replica leads and reads on; then it resumes on the other node as well."""
    name = "drain"
    stage.submit(name, STEPS=25)
    stage.wait_step(name, 1, 13)
    leading = _spread_leader(stage)
    node = leading["spec"]["nodeName"]
    budgets = f"/apis/policy/v1/namespaces/{jobs.NAMESPACE}/poddisruptionbudgets"
    budget = {"minAvailable": 2, "selector": {"matchLabels": {"run": name}}}
    stage.api.request("POST", budgets, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": budget})
    stage.cluster.mark(f"kubectl drain {node}, with {leading['metadata']['name']} on it")
    words = ("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=600s")
    draining = threading.Thread(target=stage.kubectl, args=words, daemon=True)
    draining.start()
    _wait_leader_but(stage, leading)
    since = truth.last_step(stage.truth, name)[1]
    stage.wait_for(f"{name}: the new leader to read", lambda: read.status(stage.goodput(name)).get("steps", {}).get("last", -1) > since)
    stage.api.request("DELETE", f"{budgets}/{name}")
    stage.cluster.mark("another leader reads; the budget is deleted")
    draining.join()
    stage.wait_step(name, 2, 12)
    stage.kubectl("uncordon", node)
    stage.cluster.mark(f"kubectl uncordon {node}")
    stage.wait_end(name)
    stage.judge(name, {"Eviction": 1})
    now = stage.wait_for("a leader", lambda: controller.leader(stage.api))
    moved = now["metadata"]["uid"] != leading["metadata"]["uid"] and now["spec"]["nodeName"] != node
    stage.tally.check(moved, "drain: another pod on the other node leads", f"{leading['metadata']['name']}, then {now['metadata']['name']}")


def last_words(stage):
    """The leader's node is drained with the pod on it whose log it reads, both at once: nobody can read that log afterwards.
    All lines read so far are in the status before the lease is given up, though the next running totals were not due yet."""
    name = "last-words"
    leading = _spread_leader(stage)
    node = leading["spec"]["nodeName"]
    stage.submit(name, STEPS=45, node=node)
    stage.wait_step(name, 1, 5)
    wrote = _steps_reported(stage, name)
    stage.wait_for(f"{name}: running totals", lambda: _steps_reported(stage, name) > wrote)
    stage.wait_step(name, 1, truth.last_step(stage.truth, name)[1] + 12)
    known, reached = _steps_reported(stage, name), truth.last_step(stage.truth, name)[1]
    stage.cluster.mark(f"kubectl drain {node}, with {leading['metadata']['name']} and the pods on it that it reads; the status tells step {known}")
    stage.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=600s")
    _wait_leader_but(stage, leading)
    stage.kubectl("uncordon", node)
    stage.cluster.mark(f"kubectl uncordon {node}")
    stage.wait_step(name, 2, 1)
    stage.wait_end(name)
    first = next((e for e in read.status(stage.goodput(name)).get("executions", []) if e["number"] == 1), {})
    last = first.get("lastStep", -1)
    # The line of a step comes within a moment of its end; two steps are a second.
    seen = f"{last}; the trainer had done {reached} when the drain began, the status told {known}"
    stage.tally.check(last >= reached - 2, f"{name}: every step up to the drain was read and kept", seen)
    found = truth.attempts(stage.truth, name)
    truth.read_until(found[0], last)
    stage.judge(name, {"Eviction": 1}, found=found)


def _steps_reported(stage, name):
    return read.status(stage.goodput(name)).get("steps", {}).get("last", -1)


def _spread_leader(stage):
    """The leader's pod, with the other replica ready on the other node: the chart's budget lets one of them go."""
    while True:
        stage.wait_for("two ready replicas", lambda: controller.ready(stage.api) == 2)
        leading = stage.wait_for("a leader", lambda: controller.leader(stage.api))
        others = [p for p in controller.pods(stage.api) if p["metadata"]["uid"] != leading["metadata"]["uid"]]
        if len(others) == 1 and others[0]["spec"]["nodeName"] != leading["spec"]["nodeName"]:
            return leading
        for pod in others:
            stage.cluster.mark(f"{pod['metadata']['name']} is deleted, as it is on the leader's node")
            stage.api.delete("pods", "goodput-system", pod["metadata"]["name"])


def _wait_leader_but(stage, old):
    deadline = time.time() + controller.PATIENCE
    while time.time() < deadline:
        now = controller.leader(stage.api)
        if now and now["metadata"]["uid"] != old["metadata"]["uid"]:
            return
        time.sleep(0.5)
    raise TimeoutError("no other replica of the controller leads")


def partition(stage):
    """A node's cable is cut for 30 s: its pods continue training, and no watch shows it."""
    name = "partition"
    stage.cut_off.add(name)
    stage.submit(name, STEPS=110)
    stage.wait_step(name, 1, 13)
    node = stage.pod(name, 0)["spec"]["nodeName"]
    stage.cluster.mark(f"the cable of {node} is cut")
    stage.machines.cable(node, "down")
    time.sleep(30)  # the act itself
    stage.machines.cable(node, "up")
    stage.cluster.mark(f"the cable of {node} is mended")
    stage.wait_end(name)
    stage.judge(name, {})


def node_deleted(stage):
    """A node's object is deleted, as an autoscaler does when the machine is deleted; its pods are cleaned up after it."""
    name = "node-deleted"
    stage.submit(name, STEPS=25)
    stage.wait_step(name, 1, 13)
    node = stage.pod(name, 0)["spec"]["nodeName"]
    stage.cluster.mark(f"{node} is gone: kubelet and its containers stop, the node is deleted")
    pod = stage.pod(name, 0)
    stage.machines.stop(node, "kubelet")
    stage.machines.signal_container(pod, "SIGKILL")
    stage.api.delete("nodes", None, node)
    stage.wait_step(name, 2, 12)
    stage.machines.start(node, "kubelet")
    stage.wait_for(f"{node} to come back", lambda: condition(stage.watch.object("nodes", None, node) or {}, "Ready").get("status") == "True")
    chips = {"status": {"capacity": {"google.com/tpu": "64"}}}
    stage.api.merge("nodes", None, node, chips, "status")
    stage.wait_end(name)
    stage.judge(name, {"NodeFailure": 1})
