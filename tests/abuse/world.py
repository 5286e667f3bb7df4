"""A controller with the chart's flags, the embedded API server, and two namespaces: `victim` with one training job, and
`hostile`, which belongs to the attacks."""
import base64
import http.client
import json
import multiprocessing
import os
import re
import resource
import socket
import ssl
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("bench", "recorder", "export")]
from programs import Client, Server  # noqa: E402
from emulator import make_certificate  # noqa: E402

BIN = os.environ.get("GOODPUT_BIN", os.path.join(ROOT, ".build/release/bin"))
CRDS = os.path.join(ROOT, "crds")
JOBGOODPUTS = "/apis/goodput.dev/v1alpha1/namespaces/{}/jobgoodputs"
ATTACKER = "127.0.0.66"  # the hostile pod has a separate address, as the kubelet has
LEASE = "/apis/coordination.k8s.io/v1/namespaces/goodput-system/leases/goodput-controller"


def chart_value(path):
    """A value of the chart, such as resources.limits.memory, without a library for YAML."""
    want, depth_of = path.split("."), []
    with open(os.path.join(ROOT, "helm/goodput-controller/values.yaml"), encoding="utf-8") as lines:
        for line in lines:
            found = re.match(r"( *)([A-Za-z]+):(?: +(.*?))?\s*$", line)
            if not found:
                continue
            depth_of[len(found.group(1)) // 2:] = [found.group(2)]
            if depth_of == want:
                return found.group(3).strip('"')
    raise KeyError(path)


def mebibytes(text):
    number, unit = re.fullmatch(r"([0-9]+)(Mi|Gi)", text).groups()
    return int(number) * (1024 if unit == "Gi" else 1)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def token(namespace, account="trainer"):
    """As the embedded API server's TokenReview reads one."""
    claims = json.dumps({"sub": f"system:serviceaccount:{namespace}:{account}"}).encode()
    return "e30." + base64.urlsafe_b64encode(claims).decode().rstrip("=") + ".signed"


class Api:
    """One connection to the API server; each thread has its own."""

    def __init__(self, folder, port):
        trust = ssl.create_default_context(cafile=folder + "/ca.crt")
        trust.load_cert_chain(folder + "/client.crt", folder + "/client.key")
        self.connection = http.client.HTTPSConnection("127.0.0.1", port, context=trust, timeout=60)

    def ask(self, method, path, body=None, kind="application/json"):
        self.connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": kind})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text)


class Job:
    """A Job of one pod that trains, and its JobGoodput."""

    def __init__(self, api, namespace, name, step_log):
        self.api, self.namespace, self.name, self.lost, self.step = api, namespace, name, 0, 0
        meta = {"namespace": namespace, "name": name}
        self.uid = api.ask("POST", f"/apis/batch/v1/namespaces/{namespace}/jobs", {
            "apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": {
                "parallelism": 1, "completions": 1, "completionMode": "Indexed",
                "template": {"spec": {"containers": [{"name": "c"}]}}}})["metadata"]["uid"]
        self.add_pod()
        api.ask("POST", JOBGOODPUTS.format(namespace), {
            "apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": meta,
            "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": name}, "stepLog": step_log}})

    def add_pod(self):
        """A pod that runs."""
        pods, pod = f"/api/v1/namespaces/{self.namespace}/pods", self.name + "-0"
        self.api.ask("POST", pods, {
            "apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "n", "containers": [{"name": "c"}]}, "metadata": {
                "name": pod, "namespace": self.namespace, "labels": {
                    "batch.kubernetes.io/controller-uid": self.uid, "batch.kubernetes.io/job-name": self.name,
                    "batch.kubernetes.io/job-completion-index": "0"},
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": self.name, "uid": self.uid, "controller": True}]}})
        self.api.ask("PATCH", f"{pods}/{pod}/status", {"status": {
            "phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": now()}],
            "containerStatuses": [{"name": "c", "restartCount": 0, "state": {"running": {"startedAt": now()}}}]}},
            "application/merge-patch+json")

    def delete_pod(self):
        self.api.ask("DELETE", f"/api/v1/namespaces/{self.namespace}/pods/{self.name}-0")
        self.lost += 1

    def train(self, world):
        """The trainer prints its next step."""
        self.step += 1
        world.do(f"log {self.namespace}/{self.name}-0 completed step: {self.step}, seconds: 0.100, TFLOP/s/device: 50.1, loss: 2.1")

    def has_counted(self):
        """The status knows of every interruption."""
        return self.status().get("interruptions", {}).get("total", 0) >= self.lost

    def has_read(self):
        """The status knows of the last step, and that the job trains again."""
        status = self.status()
        return status.get("phase") == "Training" and status.get("steps", {}).get("last") == self.step

    def status(self):
        return self.api.ask("GET", JOBGOODPUTS.format(self.namespace) + "/" + self.name).get("status", {})


class World:
    def __init__(self):
        self.until = 0  # the end of the attack, on the monotonic clock
        self.round = 0  # of attacks: names of their objects are of one
        self.is_alone = True  # one attack runs, not all
        fork = multiprocessing.get_context("fork")
        self.control, self.changes = fork.Lock(), fork.Lock()  # attacks are separate processes
        self.folder = tempfile.mkdtemp(prefix="goodput-abuse-")
        crds = [x for name in ("fleetgoodputs", "steplogformats") for x in ("--crd", f"{CRDS}/goodput.dev_{name}.yaml")]
        self.server = Server(self.folder, *crds)
        with open(self.server.kubeconfig, encoding="utf-8") as text:
            self.api_port = int(re.search(r"server: https://127.0.0.1:([0-9]+)", text.read()).group(1))
        api = self.api()
        for namespace in ("victim", "hostile"):
            api.ask("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        api.ask("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})
        self.start_controller()
        self.victim = Job(api, "victim", "train", {"source": "PodLog", "format": "Auto"})

    def api(self):
        return Api(self.folder, self.api_port)

    def start_controller(self):
        for name in ("certificate", "store"):
            os.mkdir(f"{self.folder}/{name}")
        self.authority = make_certificate(self.folder + "/certificate")[0]
        flags = ["--leader-elect=true", "--lease-namespace=goodput-system", "--health-bind-address=:0",
                 "--metrics-bind-address=:0", "--page-bind-address=127.0.0.1:0", "--ingest-bind-address=:0",
                 f"--ingest-cert-dir={self.folder}/certificate", f"--ingest-store={self.folder}/store",
                 "--status-interval=" + chart_value("statusInterval"), "--status-qps=" + chart_value("statusQPS"),
                 "--max-log-follows=" + chart_value("maxLogFollows")]
        log = self.folder + "/controller.log"
        self.controller = Client("controller", [BIN + "/goodput-controller", "--kubeconfig", self.server.kubeconfig, *flags], log)
        # It gets no more than the chart's container has: what is beyond is refused, and ends it.
        limit_bytes = mebibytes(chart_value("resources.limits.memory")) << 20
        resource.prlimit(self.controller.process.pid, resource.RLIMIT_DATA, (limit_bytes, limit_bytes))
        self.ports = {name: self.controller.port(name) for name in ("health", "metrics", "page", "ingest")}
        self.controller.await_ready()

    def close(self):
        self.controller.stop()
        self.server.stop()

    def do(self, lines):
        """Commands to the embedded API server, one caller after the other."""
        with self.control:
            return self.server.do(lines)

    # ---- what attacks use ----

    def connect(self, listener, is_tls=None):
        """A connection to a listener; TLS where the listener speaks it."""
        plain = socket.create_connection(("127.0.0.1", self.ports[listener]), timeout=10, source_address=(ATTACKER, 0))
        if not (listener in ("metrics", "ingest") if is_tls is None else is_tls):
            return plain
        trust = ssl.create_default_context(cafile=self.authority if listener == "ingest" else None)
        trust.check_hostname = False
        if listener == "metrics":
            trust.verify_mode = ssl.CERT_NONE
        return trust.wrap_socket(plain)

    def post(self, path, body, bearer=None):
        """The status of a POST to the ingest; None if the connection was closed first."""
        try:
            with self.connect("ingest") as tls:
                who = f"Authorization: Bearer {bearer}\r\n" if bearer else ""
                tls.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{who}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                head = tls.recv(4096)
                return int(head.split(b" ")[1]) if head else None
        except OSError:
            return None

    def each(self, kind, key, count, template, per=1):
        """COUNT objects made from a template, PER of them a group; None deletes them. Returns when the server holds them."""
        path = "-"
        if template is not None:
            path = f"{self.folder}/template-{os.getpid()}.json"
            with open(path, "w", encoding="utf-8") as out:
                json.dump(template, out, separators=(",", ":"))
        with self.changes:
            if not self.is_alone and not self.is_on():
                return  # others had the server until the end
            self.do(f"each {kind} {key} {count} {per} {path}")
            while not self.are_changes_made():
                time.sleep(0.05)

    def are_changes_made(self):
        """A moment's wait: others have commands, too."""
        try:
            self.do("wait 0.02s each")
            return True
        except RuntimeError as problem:
            if "has not come true" not in str(problem):
                raise
            return False

    def is_on(self):
        """The attack's time is not over."""
        return time.monotonic() < self.until

    def rest(self):
        time.sleep(max(0, self.until - time.monotonic()))


def in_threads(count, run):
    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    return threads
