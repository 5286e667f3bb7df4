"""losses: the time from the deletion of a pod until its interruption is in the status of its JobGoodput.

Half of the pods are lost on quiet watches, half while every connection of the controller is reset every few seconds, so
that all its watches are resumed again and again. Prints the distribution of both halves, and fails where a loss waits for
a running total (a resumed watch is trusted after two seconds, and tries again after at most five).

Without --cluster: on the embedded API server, JobSets of one pod whose trainer logs a step every 30 s. With --cluster: on
the real control plane that tests/cluster/up.sh has started, as batch/v1 Jobs whose pods kwok runs.
"""
import argparse
import asyncio
import http.client
import json
import os
import random
import re
import ssl
import sys
import tempfile
import threading
import time

from bench_operator import STEP_EVERY_S, Fleet, counted, free_port, start_fleet
from programs import ROOT, Client, Server
from recorded import Files, Story

PER_SECOND = 4  # losses: each is one to three urgent writes, of which one namespace gets 15 a second
CUT_EVERY_S = (5, 15)
GIVE_UP_S = 150
QUIET_P99_S, CUT_MAX_S = 1.0, 10.0
NAMESPACE = "train"


class Relay(threading.Thread):
    """TCP from the controller to the server, whose connections can be reset."""

    def __init__(self, port):
        super().__init__(daemon=True, name="relay")
        self.to, self.port, self.writers, self.cuts = port, 0, set(), 0
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        self.start()
        self.ready.wait()

    def run(self):
        self.loop.run_until_complete(self._listen())

    async def _listen(self):
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        async with server:
            await server.serve_forever()

    async def _accept(self, reader, writer):
        there_reader, there = await asyncio.open_connection("127.0.0.1", self.to)
        both = {writer, there}
        self.writers |= both
        await asyncio.gather(self._copy(reader, there), self._copy(there_reader, writer))
        self.writers -= both

    @staticmethod
    async def _copy(reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.transport.abort()

    def cut(self):
        self.cuts += 1
        self.loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in list(self.writers)])


class Api:
    """Requests to the server itself, not through the relay."""

    def __init__(self, port, ca, certificate=None):
        self.port, self.tls = port, ssl.create_default_context(cafile=ca)
        if certificate:
            self.tls.load_cert_chain(*certificate)
        self.connection = None

    def open(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=timeout)

    def request(self, method, path, body=None, kind="application/json"):
        self.connection = self.connection or self.open()
        self.connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": kind})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
        return json.loads(text)


class Statuses(threading.Thread):
    """When each JobGoodput's number of interruptions grew, as a watch of their statuses shows."""

    PATH = f"/apis/goodput.dev/v1alpha1/namespaces/{NAMESPACE}/jobgoodputs"

    def __init__(self, api):
        super().__init__(daemon=True, name="statuses")
        self.connection, self.totals, self.grown = api.open(timeout=None), {}, {}
        self.start()

    def run(self):
        self.connection.request("GET", self.PATH + "?watch=true&timeoutSeconds=7200")
        for line in self.connection.getresponse():
            event = json.loads(line)
            if event["type"] not in ("ADDED", "MODIFIED"):
                continue
            name, now = event["object"]["metadata"]["name"], time.time()
            total = event["object"].get("status", {}).get("interruptions", {}).get("total", 0)
            if total > self.totals.get(name, 0):
                self.grown.setdefault(name, []).extend([now] * (total - self.totals.get(name, 0)))
            self.totals[name] = total


def relayed(kubeconfig, directory):
    """(a relay, a kubeconfig that goes through it)"""
    with open(kubeconfig, encoding="utf-8") as file:
        text = file.read()
    relay = Relay(int(re.search(r"https://127\.0\.0\.1:(\d+)", text).group(1)))
    path = os.path.join(directory, "relayed")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(f"127.0.0.1:{relay.to}", f"127.0.0.1:{relay.port}"))
    return relay, path


class Embedded:
    """As many JobSets as losses: the pod of each is lost once."""

    def __init__(self, options, directory):
        self.count, self.server = options.losses, Server(directory)
        self.kubeconfig = self.server.kubeconfig
        self.fleet, self.lost, self.sent, self.started = Fleet(Story(), Files(directory)), set(), 0, 0
        with open(self.kubeconfig, encoding="utf-8") as file:
            self.api = Api(int(re.search(r"127\.0\.0\.1:(\d+)", file.read()).group(1)), os.path.join(directory, "ca.crt"))

    def start(self, client, port):
        self.fleet.play(self.server, self.count)
        start_fleet(self.server, self.count, port, client.cpu_seconds)
        self.started = time.time()

    def lose(self, number):
        self.lost.add(number)
        self.server.do(f"delete pods {NAMESPACE}/job-{number}-slice-0-0-x")
        return f"job-{number}"

    def between(self, seconds):
        time.sleep(seconds)
        due = range(self.sent, int((time.time() - self.started) * self.count / STEP_EVERY_S))
        self.sent = due.stop
        lines = [self.fleet.step_line(number, self.count) for number in due if number % self.count not in self.lost]
        if lines:
            self.server.do("\n".join(lines))

    def stop(self):
        self.server.stop()


class Cluster:
    """batch/v1 Jobs: kube-controller-manager makes another pod for each that is lost."""

    JOBS, PODS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs", f"/api/v1/namespaces/{NAMESPACE}/pods"

    def __init__(self, options, _directory):
        pki = os.path.join(options.cluster, "pki")
        self.kubeconfig = os.path.join(options.cluster, "kubeconfig/controller")
        with open(self.kubeconfig, encoding="utf-8") as file:
            port = int(re.search(r"127\.0\.0\.1:(\d+)", file.read()).group(1))
        certificate = (os.path.join(pki, "admin.crt"), os.path.join(pki, "admin.key"))
        self.api, self.count = Api(port, os.path.join(pki, "ca.crt"), certificate), options.jobs
        self.pods = {}

    def start(self, client, port):
        self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        for number in range(self.count):
            self.api.request("POST", self.JOBS, self._job(f"job-{number}"))
            self.api.request("POST", Statuses.PATH, self._goodput(f"job-{number}"))
        self._wait_running()
        deadline = time.time() + GIVE_UP_S
        while time.time() < deadline:
            items = self.api.request("GET", Statuses.PATH)["items"]
            if sum(item.get("status", {}).get("phase") == "Training" for item in items) == self.count:
                return
            time.sleep(1)
        raise RuntimeError("not every JobGoodput shows phase Training")

    @staticmethod
    def _job(name):
        container = {"name": "main", "image": "registry.example/plain:v1"}
        toleration = {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}
        pod = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "tolerations": [toleration], "containers": [container]}
        spec = {"completionMode": "Indexed", "completions": 1, "backoffLimit": 1000, "template": {"spec": pod}}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}

    @staticmethod
    def _goodput(name):
        spec = {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": name}, "stepLog": {"source": "None"}}
        return {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": name}, "spec": spec}

    def _wait_running(self):
        """Another pod than the one that was lost runs for each Job."""
        deadline = time.time() + 20 * GIVE_UP_S
        while time.time() < deadline:
            running = {}
            for pod in self.api.request("GET", self.PODS)["items"]:
                if pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]:
                    running[pod["metadata"]["labels"]["batch.kubernetes.io/job-name"]] = pod["metadata"]["name"]
            if len(running) == self.count and all(self.pods.get(job) != pod for job, pod in running.items()):
                self.pods = running
                return
            time.sleep(2)
        raise RuntimeError("not every Job has a running pod again")

    def lose(self, number):
        if number and number % self.count == 0:
            self._wait_running()
        name = f"job-{number % self.count}"
        self.api.request("DELETE", f"{self.PODS}/{self.pods[name]}?gracePeriodSeconds=0")
        return name

    def between(self, seconds):
        time.sleep(seconds)

    def stop(self):
        pass


def lose(setup, statuses, numbers, relay):
    """[seconds until it was in status], of those numbers; relay: its connections are reset meanwhile."""
    lost, next_cut = [], time.time()
    for number in numbers:
        if relay and time.time() >= next_cut:
            relay.cut()
            next_cut = time.time() + random.uniform(*CUT_EVERY_S)
        name = setup.lose(number)
        lost.append((name, time.time()))
        setup.between(random.uniform(0.5, 1.5) / PER_SECOND)
    deadline = time.time() + GIVE_UP_S
    delays = []
    for name, at in lost:
        while not (found := [grown for grown in statuses.grown.get(name, []) if grown >= at - 0.2]):
            if time.time() > deadline:
                raise RuntimeError(f"the loss of {name}'s pod is in no status")
            time.sleep(0.05)
        delays.append(max(0.0, found[0] - at))
    return sorted(delays)


def quantile(delays, of_1000):
    return delays[min(len(delays) - 1, len(delays) * of_1000 // 1000)]


def show(what, delays):
    figures = ", ".join(f"{name} {quantile(delays, of):.2f}" for name, of in (("p50", 500), ("p90", 900), ("p99", 990)))
    print(f"    {what}: {len(delays)} losses, in status after {figures}, max {delays[-1]:.2f} s", flush=True)


def run(options, directory, failures):
    setup = (Cluster if options.cluster else Embedded)(options, directory)
    port, client = free_port(), None
    try:
        relay, kubeconfig = relayed(setup.kubeconfig, directory)
        program = os.path.join(os.environ.get("GOODPUT_BIN", os.path.join(ROOT, ".build/bin")), "goodput-controller")
        command = [program, "--kubeconfig", kubeconfig, "--leader-elect=false", "--health-bind-address=127.0.0.1:0", "--page-bind-address=0"]
        command += [f"--status-qps={options.status_qps}", f"--metrics-bind-address=127.0.0.1:{port}"]
        client = Client("controller", command, os.path.join(directory, "controller.log"))
        client.await_ready()
        setup.start(client, port)
        statuses = Statuses(setup.api)
        time.sleep(3)
        half = options.losses // 2
        quiet = lose(setup, statuses, range(half), None)
        show("quiet watches", quiet)
        writes = counted(port, "rest_client_requests_total")
        cut = lose(setup, statuses, range(half, options.losses), relay)
        show(f"watches reset {relay.cuts} times", cut)
        print(f"    {counted(port, 'rest_client_requests_total') - writes} requests in the second half", flush=True)
        if quantile(quiet, 990) > QUIET_P99_S:
            failures.append(f"on quiet watches the p99 is above {QUIET_P99_S} s")
        if cut[-1] > CUT_MAX_S:
            failures.append(f"while watches are reset a loss took more than {CUT_MAX_S} s")
    finally:
        if client:
            client.stop()
        setup.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--losses", type=int, default=1000)
    parser.add_argument("--cluster", help="the run folder of tests/cluster (.build/cluster/run)")
    parser.add_argument("--jobs", type=int, default=250, help="with --cluster")
    parser.add_argument("--status-qps", type=int, default=20, help="the controller's flag")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        run(options, directory, failures)
    for failure in failures:
        print("not ok -", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
