"""The cluster's history as etcd holds it: every version of every object in the order of its writes, with the time at which
we received it. A kill of the API server cannot hide anything from it, nor can a kill of etcd: it resumes after the last revision that it has received. Needs an API server that stores JSON (up.sh).
"""
import base64
import http.client
import json
import os
import ssl
import threading
import time

from watch import Observation, Watch

STREAM_OF = (
    ("/registry/jobset.x-k8s.io/jobsets/", "jobsets"),
    ("/registry/jobs/", "jobs"),
    ("/registry/pods/", "pods"),
    ("/registry/minions/", "nodes"),
    ("/registry/leases/kube-node-lease/", "leases"),
    ("/registry/events/", "events"),
    ("/registry/kueue.x-k8s.io/workloads/", "workloads"),
    ("/registry/goodput.dev/jobgoodputs/", "jobgoodputs"),
)
EVERYTHING = {"key": base64.b64encode(b"/registry/").decode(), "range_end": base64.b64encode(b"/registry0").decode()}


class EtcdWatch(Watch):
    def __init__(self, address, pki_dir, recorder):
        super().__init__(None, recorder)
        host, port = address.split(":")
        self.host, self.port = host, int(port)
        self.tls = ssl.create_default_context(cafile=os.path.join(pki_dir, "ca.crt"))
        self.tls.load_cert_chain(os.path.join(pki_dir, "etcd-client.crt"), os.path.join(pki_dir, "etcd-client.key"))
        self.revision = 0
        self.gaps = []  # what makes this history incomplete

    def start(self):
        self._list()
        threading.Thread(target=self._follow, daemon=True, name="watch etcd").start()

    def _post(self, path, body, timeout):
        connection = http.client.HTTPSConnection(self.host, self.port, context=self.tls, timeout=timeout)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            raise OSError(f"etcd {path}: {answer.status} {answer.read()[:200]}")
        return answer

    def stored_revision(self):
        """The newest revision that etcd itself knows."""
        key = {"key": EVERYTHING["key"], "limit": 1}
        return int(json.loads(self._post("/v3/kv/range", key, 10).read())["header"]["revision"])

    def _list(self):
        listed = json.loads(self._post("/v3/kv/range", EVERYTHING, 60).read())
        now = time.time()
        for pair in listed.get("kvs", []):
            self._take(now, "ADDED", pair)
        self.revision = int(listed["header"]["revision"])

    def _follow(self, *_):
        while not self.stopping:
            try:
                self._watch_etcd()
            except Exception as error:  # pylint: disable=broad-except # etcd is killed and started again meanwhile
                self.errors.append(str(error))
                time.sleep(0.05)

    def _watch_etcd(self):
        if self.stored_revision() < self.revision:
            self.gaps.append(f"etcd went back behind revision {self.revision}: it has lost what it had acknowledged")
        request = {**EVERYTHING, "start_revision": str(self.revision + 1), "prev_kv": True}
        answer = self._post("/v3/watch", {"create_request": request}, 3600)
        while not self.stopping:
            line = answer.readline()
            received = time.time()
            if not line:
                return
            message = json.loads(line)
            result = message.get("result")
            if result is None:
                raise OSError(f"etcd: {message}")
            if result.get("canceled"):
                self.gaps.append(f"etcd ended the watch behind revision {self.revision}: {result}")
                self.revision = max(self.revision, int(result.get("compact_revision", 1)) - 1)
                return
            for event in result.get("events", []):
                self._take_event(received, event)

    def _take_event(self, received, event):
        pair = event["kv"]
        if event.get("type") == "DELETE":
            if "prev_kv" in event:
                self._take(received, "DELETED", {**event["prev_kv"], "mod_revision": pair["mod_revision"]})
        else:
            kind = "ADDED" if pair["create_revision"] == pair["mod_revision"] else "MODIFIED"
            self._take(received, kind, pair)
        self.revision = max(self.revision, int(pair["mod_revision"]))

    def _take(self, received, kind, pair):
        key = base64.b64decode(pair["key"]).decode()
        stream = next((stream for prefix, stream in STREAM_OF if key.startswith(prefix)), None)
        if stream is None:
            return
        item = json.loads(base64.b64decode(pair["value"]))
        item["metadata"]["resourceVersion"] = pair["mod_revision"]
        item.setdefault("status", {})
        self._observe(stream, Observation(received, kind, item))
