"""Acts on nodes and on the controller itself. One at a time: each touches all that runs."""
import os
import signal
import time

import controller
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
        "cp", "helm", "upgrade", "goodput", chart, "--namespace", "goodput-system", "--reuse-values",
        "--set", "podAnnotations.upgraded=yes", "--wait", "--timeout", "300s", timeout=330,
    )  # fmt: skip
    stage.cluster.mark("helm upgrade is done")


def drain(stage):
    """A node is drained for maintenance and comes back. The job goes on on the other node meanwhile."""
    name = "drain"
    stage.submit(name, STEPS=25)
    stage.wait_step(name, 1, 13)
    node = stage.pod(name, 0)["spec"]["nodeName"]
    stage.cluster.mark(f"kubectl drain {node}")
    stage.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=240s")
    stage.wait_step(name, 2, 12)
    stage.kubectl("uncordon", node)
    stage.cluster.mark(f"kubectl uncordon {node}")
    stage.wait_end(name)
    stage.judge(name, {"Eviction": 1})


def partition(stage):
    """A node's cable is cut for 30 s: its pods go on training, and nobody sees it."""
    name = "partition"
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
    """A node's object is deleted, as an autoscaler does when the machine is gone; its pods are cleaned up after it."""
    name = "node-deleted"
    stage.submit(name, STEPS=25)
    stage.wait_step(name, 1, 13)
    node = stage.pod(name, 0)["spec"]["nodeName"]
    stage.cluster.mark(f"{node} is gone: kubelet and its containers stop, the node is deleted")
    pod = stage.pod(name, 0)
    stage.machines.stop(node, "kubelet")
    stage.kills[name].append(time.time())
    stage.machines.signal_container(pod, "SIGKILL")
    stage.api.delete("nodes", None, node)
    stage.wait_step(name, 2, 12)
    stage.machines.start(node, "kubelet")
    stage.wait_for(f"{node} to come back", lambda: condition(stage.watch.object("nodes", None, node) or {}, "Ready").get("status") == "True")
    chips = {"status": {"capacity": {"google.com/tpu": "64"}}}
    stage.api.merge("nodes", None, node, chips, "status")
    stage.wait_end(name)
    stage.judge(name, {"NodeFailure": 1})
