"""The embedded API server and a controller, for the tests of what the controller exports."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

BIN = os.environ.get("GOODPUT_BIN", ".build/release/bin")
CRD = "crds/goodput.dev_jobgoodputs.yaml"
FLEET_CRD = "crds/goodput.dev_fleetgoodputs.yaml"
JOBGOODPUTS = "/apis/goodput.dev/v1alpha1"


def wait_for(what, is_so, seconds=180):
    """The deadline only ends a test that has failed."""
    deadline = time.monotonic() + seconds
    while True:
        value = is_so()
        if value:
            return value
        if time.monotonic() > deadline:
            raise SystemExit(f"never came: {what}")
        time.sleep(0.05)


class Rig:
    """is_follower: somebody else holds the Lease, so the controller shows what there is and writes nothing."""

    def __init__(self, is_follower=True, flags=(), scenario=None):
        self.folder = tempfile.mkdtemp(prefix="goodput-export-")
        self.kubeconfig = self.folder + "/kubeconfig"
        self.processes, self.namespaces = [], set()
        more = ["--scenario", scenario] if scenario else []
        self.server_log = self._start("test-apiserver", ["--crd", CRD, "--crd", FLEET_CRD, "--kubeconfig-out", self.kubeconfig] + more)
        wait_for("the API server", lambda: os.path.exists(self.kubeconfig))
        self.url = wait_for("its address", lambda: re.search(r"server: (\S+)\n", self.text(self.kubeconfig))).group(1)
        if is_follower:
            self.ask("POST", "/apis/coordination.k8s.io/v1/namespaces/goodput-system/leases", {
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "goodput-controller", "namespace": "goodput-system"},
                "spec": {"holderIdentity": "another", "leaseDurationSeconds": 36000, "renewTime": "2026-01-01T00:00:00.000000Z"}})
        self.arguments = ["--kubeconfig", self.kubeconfig, f"--leader-elect={str(is_follower).lower()}", "--health-bind-address=0",
                          "--metrics-bind-address=127.0.0.1:0", "--page-bind-address=127.0.0.1:0", *flags]
        self.start_controller()

    def start_controller(self):
        self.log = self._start("goodput-controller", self.arguments)
        self.metrics = f"http://127.0.0.1:{self._port('metrics served')}/metrics"
        self.page = f"http://127.0.0.1:{self._port('page served')}/"

    def restart_controller(self):
        """The newest process is the controller."""
        controller = self.processes.pop()
        controller.terminate()
        controller.wait()
        self.start_controller()

    def _start(self, name, arguments):
        log = f"{self.folder}/{name}.log"
        with open(log, "w") as out:
            self.processes.append(subprocess.Popen([f"{BIN}/{name}", *arguments], stdout=out, stderr=out))
        return log

    def text(self, log):
        with open(log) as lines:
            return lines.read()

    def _port(self, message):
        return wait_for(message, lambda: re.search(f'"{message}","port":([0-9]+)[,}}]', self.text(self.log))).group(1)

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(self.url + path, method=method, headers={"Content-Type": kind},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                print(f"{method} {path}: {error.code} {error.read().decode()[:1000]}")
            raise

    def create(self, path, body):
        """Unless it is there."""
        try:
            self.ask("POST", path, body)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise

    def put(self, job):
        """Creates the JobGoodput, then its status; or replaces the status of one that is there."""
        meta = job["metadata"]
        path = f"{JOBGOODPUTS}/namespaces/{meta['namespace']}/jobgoodputs"
        bare = {k: v for k, v in job.items() if k != "status"}
        bare["metadata"] = {"name": meta["name"], "namespace": meta["namespace"]}
        if meta["namespace"] not in self.namespaces:
            self.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": meta["namespace"]}})
            self.namespaces.add(meta["namespace"])
        self.create(path, bare)
        if "status" in job:
            self.ask("PATCH", f"{path}/{meta['name']}/status", {"status": job["status"]}, "application/merge-patch+json")

    def put_fleet(self, fleet):
        """Creates the FleetGoodput, then its status."""
        path, name = f"{JOBGOODPUTS}/fleetgoodputs", fleet["metadata"]["name"]
        self.create(path, {k: v for k, v in fleet.items() if k != "status"})
        self.ask("PATCH", f"{path}/{name}/status", {"status": fleet["status"]}, "application/merge-patch+json")

    def get(self, namespace, name):
        return self.ask("GET", f"{JOBGOODPUTS}/namespaces/{namespace}/jobgoodputs/{name}")

    def delete(self, namespace, name):
        self.ask("DELETE", f"{JOBGOODPUTS}/namespaces/{namespace}/jobgoodputs/{name}")


def fetch(url, headers=None):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {})) as answer:
        return answer.headers, answer.read().decode()


class Tally:
    """ok - / not ok - lines, and the total that the scripts above count."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, is_so, detail=""):
        self.passed += bool(is_so)
        self.failed += not is_so
        print(("ok - " if is_so else "not ok - ") + name + ("" if is_so else f": {detail}"), flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        raise SystemExit(0 if self.failed == 0 and self.passed > 0 else 1)
