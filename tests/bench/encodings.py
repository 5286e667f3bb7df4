"""encodings: a list of PODS pods as large as real ones (12 KB, managedFields included) on the real API server that tests/cluster/up.sh
has started, read in protobuf and in JSON in turns: CPU time of the server and of the controller, and the time until it is read.
Then EVENTS changes of pods, RATE a second: CPU time and wake-ups of the controller for each. Then the same in a backlog:
the controller is stopped, BURST pods change, and it is continued.

The pods are bound to a node without a kubelet and tolerate its taints, so nothing changes them. Prints medians; judges
nothing.
"""
import argparse
import json
import os
import re
import signal
import tempfile
import threading
import time

from bench_operator import controller
from losses import Api

NAMESPACE = "encodings"
SLICE = 64
NODE = "encodings"
BURST, BURSTS = 300, 10  # what the socket holds; rounds
SENDERS = 2  # one connection alone does not reach the rate on a busy machine


def pod(i):
    group, member = divmod(i, SLICE)
    jobset = {"jobset-name": "train", "jobset-uid": "aaaaaaaa-2222-3333-4444-000000000001", "replicatedjob-name": "slice", "job-index": group}
    jobset |= {"restart-attempt": 0, "job-key": f"b5b7d0c9c1bcd1b1e4e1c1a4{group}", "job-global-index": group, "replicatedjob-replicas": 199}
    labels = {f"jobset.sigs.k8s.io/{key}": str(value) for key, value in jobset.items()}
    uid = f"11111111-2222-3333-4444-{group:012d}"
    job = {"job-name": f"train-slice-{group}", "controller-uid": uid, "job-completion-index": str(member)}
    labels |= {f"batch.kubernetes.io/{key}": value for key, value in job.items()}
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": job["job-name"], "uid": uid, "controller": True}
    metadata = {"name": f"train-slice-{group}-{member}-x", "labels": labels, "annotations": labels, "ownerReferences": [owner]}
    env = [{"name": f"TRAINER_SETTING_{k:02d}", "value": f"/mnt/datasets/run-{k:02d}/shard-value-{k * 7919}"} for k in range(40)]
    mounts = [{"name": name, "mountPath": f"/mnt/{name}"} for name in ("data", "shm", "cache")]
    chips = {"google.com/tpu": "4", "memory": "300Gi", "cpu": "100"}
    container = {"name": "trainer", "image": "europe-docker.pkg.dev/project/images/maxtext:2026-11-01", "env": env, "volumeMounts": mounts}
    container |= {"command": ["python3", "MaxText/train.py", "base.yml", "steps=100000"], "resources": {"limits": chips, "requests": chips}}
    spec = {"nodeName": NODE, "tolerations": [{"operator": "Exists"}], "restartPolicy": "Never", "automountServiceAccountToken": False, "containers": [container]}
    spec["volumes"] = [{"name": mount["name"], "emptyDir": {}} for mount in mounts]
    return {"metadata": metadata, "spec": spec}


def status(i):
    at = "2026-11-27T18:00:0%dZ"
    types = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [{"type": kind, "status": "True", "lastTransitionTime": at % n} for n, kind in enumerate(types)]
    ran = {"name": "trainer", "ready": True, "restartCount": 0, "image": "maxtext", "imageID": "maxtext@sha256:" + "b" * 64}
    ran |= {"containerID": "containerd://" + "d" * 64, "state": {"running": {"startedAt": at % 6}}}
    addresses = {"hostIP": f"10.0.{i // 250}.{i % 250}", "podIP": f"10.{i // 250}.{i % 250}.7"}
    return {"status": {"phase": "Running", "conditions": conditions, "containerStatuses": [ran], "startTime": at % 5, **addresses}}


def fill(api, count):
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    try:
        api.request("POST", f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", {"metadata": {"name": "default"}})
    except RuntimeError:
        pass  # kube-controller-manager was faster
    api.request("POST", "/api/v1/nodes", {"metadata": {"name": NODE}})
    path = f"/api/v1/namespaces/{NAMESPACE}/pods"
    for i in range(count):
        made = api.request("POST", path, pod(i))
        made |= status(i)
        made = api.request("PUT", f"{path}/{made['metadata']['name']}/status", made)
    return len(json.dumps(made, separators=(",", ":")))


def cpu_seconds(pid):
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def wake_ups(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M).group(1))


def send_events(options, first, count, rate):
    """Every SENDERS-th change, in a thread: another time of the condition Ready, of one pod after the other."""
    api, started = connect(options), time.time()
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/train-slice-%d-%d-x/status"
    for i in range(first, count, SENDERS):
        time.sleep(max(0, started + i / rate - time.time()))
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        change = {"status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at}]}}
        api.request("PATCH", path % divmod(i % options.pods, SLICE), change, "application/strategic-merge-patch+json")


def change_pods(options, count, rate):
    senders = [threading.Thread(target=send_events, args=(options, first, count, rate)) for first in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()


def events_once(options):
    """(CPU microseconds and wake-ups of the controller an event, events a second, CPU microseconds in a backlog)"""
    with tempfile.TemporaryDirectory() as directory:
        client = controller(os.path.join(options.cluster, "kubeconfig/admin"), directory, f"--watch-namespaces={NAMESPACE}")
        try:
            client.says('"msg":"synced","resource":"pods"')
            client.settle()
            pid, started = client.process.pid, time.time()
            cpu, woken = cpu_seconds(pid), wake_ups(pid)
            change_pods(options, options.events, options.rate)
            rate = options.events / (time.time() - started)
            client.settle()
            each = 1e6 * (cpu_seconds(pid) - cpu) / options.events, (wake_ups(pid) - woken) / options.events, rate
            return *each, backlog_us(options, client)
        finally:
            client.stop()


def backlog_us(options, client):
    pid, total = client.process.pid, 0
    for _ in range(BURSTS):
        os.kill(pid, signal.SIGSTOP)
        change_pods(options, BURST, float("inf"))
        cpu = cpu_seconds(pid)
        os.kill(pid, signal.SIGCONT)
        client.settle()
        total += cpu_seconds(pid) - cpu
    return 1e6 * total / (BURSTS * BURST)


def read_once(options, server, encoding):
    """(CPU seconds of the server, of the controller, seconds until the pods are read)"""
    with tempfile.TemporaryDirectory() as directory:
        before, started = cpu_seconds(server), time.time()
        client = controller(os.path.join(options.cluster, "kubeconfig/admin"), directory, f"--watch-encoding={encoding}", f"--watch-namespaces={NAMESPACE}")
        try:
            client.says('"msg":"synced","resource":"pods"')
            seconds = time.time() - started
            client.settle()
            return cpu_seconds(server) - before, cpu_seconds(client.process.pid), seconds
        finally:
            client.stop()


def connect(options):
    pki = os.path.join(options.cluster, "pki")
    return Api(26443, f"{pki}/ca.crt", (f"{pki}/admin.crt", f"{pki}/admin.key"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cluster", required=True, help="the run folder of tests/cluster (.build/cluster/run)")
    parser.add_argument("--pods", type=int, default=12736)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--events", type=int, default=2500)
    parser.add_argument("--rate", type=float, default=250, help="of the events, a second")
    options = parser.parse_args()
    each_bytes = fill(connect(options), options.pods)
    with open(os.path.join(options.cluster, "pids/kube-apiserver"), encoding="ascii") as file:
        server = int(file.read())
    runs = {"protobuf": [], "json": []}
    for _ in range(options.turns):
        for encoding, taken in runs.items():
            taken.append(read_once(options, server, encoding))
    print(f"{options.pods} pods of {each_bytes} bytes in JSON; medians of {options.turns} turns")
    for encoding, taken in runs.items():
        of_server, ours, seconds = (sorted(values)[len(values) // 2] for values in zip(*taken))
        print(f"    {encoding:9} server {of_server:.2f} CPU seconds, controller {ours:.2f}, read after {seconds:.2f} s")
    cpu_us, woken, rate, backlog = (sorted(values)[options.turns // 2] for values in zip(*(events_once(options) for _ in range(options.turns))))
    print(f"    {rate:.0f} events a second: controller {cpu_us:.0f} us of CPU and {woken:.2f} wake-ups for each")
    print(f"    in a backlog of {BURST}: {backlog:.1f} us of CPU for each")


if __name__ == "__main__":
    main()
