#!/usr/bin/env python3
"""npd.py NODE_PROBLEM_DETECTOR BIN: node-problem-detector reads the log of a kernel and writes what it finds to an API
server, and the controller lists it as evidence of a failure on that node.

node-problem-detector is built from its Go module; its rules are those of gpu-monitor.json. The API server is the
embedded one, and the controller is the release build in BIN. A job fails on each of two nodes. On one the kernel
reports Xid 79 before, on the other Xid 31: only the first is a cause."""
import datetime
import json
import os
import signal
import subprocess
import sys
import tempfile

from detector import XID31, XID79, Detector

HERE = os.path.dirname(os.path.abspath(__file__))
NOW = datetime.datetime.now(datetime.timezone.utc)
FAILED_S, FAULT_S = -70, -75
NODES = {"n79": (XID79, "Xid79", "Cause", "GPUHardware"), "n31": (XID31, "Xid31", "Evidence", "CUDAError")}


def at(second):
    return (NOW + datetime.timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Server:
    """The embedded API server, steered by lines of its scenario language."""

    def __init__(self, binary, folder):
        self.kubeconfig = os.path.join(folder, "kubeconfig")
        crd = os.path.join(HERE, "../../crds/goodput.dev_jobgoodputs.yaml")
        self.process = subprocess.Popen([binary, "--port", "0", "--control", "--kubeconfig-out", self.kubeconfig, "--crd", crd],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        _, port, scheme = self.process.stdout.readline().split() # ".ready 1234 http"
        self.url = f"{scheme}://127.0.0.1:{port}"

    def ask(self, lines):
        self.process.stdin.write(lines + "\n.\n")
        self.process.stdin.flush()
        printed = []
        for line in self.process.stdout:
            if line.startswith(".error"):
                raise RuntimeError(line.strip())
            if line == ".ok\n":
                return "".join(printed)
            printed.append(line)
        raise RuntimeError("the API server has ended")

    def apply(self, thing):
        self.ask(f"apply <<END\n{json.dumps(thing)}\nEND")


def node(name):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name},
            "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at(-120)}]}}


def work(name, machine):
    """A job of one pod that fails on that node."""
    labels = {"batch.kubernetes.io/job-name": name, "batch.kubernetes.io/controller-uid": "job-" + name, "batch.kubernetes.io/job-completion-index": "0"}
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": "job-" + name, "controller": True}
    ended = {"exitCode": 1, "reason": "Error", "startedAt": at(-110), "finishedAt": at(FAILED_S)}
    template = {"spec": {"containers": [{"name": "c"}]}}
    return [
        {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": name, "namespace": "default"},
         "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": name}, "stepLog": {"source": "None"}}},
        {"apiVersion": "batch/v1", "kind": "Job",
         "metadata": {"name": name, "namespace": "default", "uid": "job-" + name, "creationTimestamp": at(-120)},
         "spec": {"completionMode": "Indexed", "parallelism": 1, "completions": 1, "template": template}},
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": name + "-0", "namespace": "default", "uid": "pod-" + name, "creationTimestamp": at(-119), "labels": labels, "ownerReferences": [owner]},
         "spec": {"nodeName": machine, "restartPolicy": "Never", "containers": [{"name": "c"}]},
         "status": {"phase": "Failed", "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at(-118)}],
                    "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"terminated": ended}}]}},
    ]


def check(server, machine, signal_name, role, class_):
    server.ask(f"wait 120s field jobgoodputs default/{machine} .status.executions[0].nodeEvidence[0].signal {signal_name}")
    status = json.loads(server.ask(f"get jobgoodputs default/{machine}"))["status"]
    evidence = status["executions"][0]["nodeEvidence"]
    right = all(e["node"] == machine and e["signal"] == signal_name and e["class"] == class_ for e in evidence)
    right = right and evidence[0]["role"] == role and "NVRM: Xid" in json.dumps(evidence)
    print(f"{'ok' if right else 'not ok'} - {machine}: {json.dumps(evidence)}")
    return right


def main():
    binary, release = sys.argv[1:3]
    folder = tempfile.mkdtemp(prefix="goodput-npd-")
    server = Server(os.path.join(release, "test-apiserver"), folder)
    processes, detectors, right = [], {}, 0
    try:
        for machine in NODES:
            server.apply(node(machine))
            for thing in work(machine, machine):
                server.apply(thing)
        detectors = {machine: Detector(binary, server.url, folder, machine) for machine in NODES}
        for machine in NODES:
            server.ask(f"wait 120s field nodes {machine} .status.conditions[1].type GPUXidProblem") # without a problem yet
        processes.append(subprocess.Popen([os.path.join(release, "goodput-controller"), "--kubeconfig", server.kubeconfig, "--health-bind-address=0",
                                           "--leader-elect=false", "--status-interval=1s"]))
        for machine, detector in detectors.items():
            detector.kernel_writes(NODES[machine][0], NOW.timestamp() + FAULT_S)
        right = sum(check(server, machine, *NODES[machine][1:]) for machine in NODES)
    finally:
        for detector in detectors.values():
            detector.stop()
        for process in processes:
            process.send_signal(signal.SIGTERM)
            process.wait()
        server.process.terminate()
    print(f"{right} passed, {len(NODES) - right} failed")
    return right != len(NODES)


if __name__ == "__main__":
    sys.exit(main())
