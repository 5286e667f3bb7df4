"""fleet_objects: JobGoodputs of jobs that are over, and a FleetGoodput, at a separate embedded API server."""
import datetime
import json
import os
import re
import tempfile
import urllib.request

from rig import Server

API = "/apis/goodput.dev/v1alpha1"
JOBS = API + "/namespaces/default/jobgoodputs"
FLEET = API + "/fleetgoodputs"


class Fleets:
    SECONDS = 7200  # each job lived so long, half of it without its chips

    def __init__(self, folder):
        self.server = Server(tempfile.mkdtemp(dir=folder))
        with open(self.server.kubeconfig, encoding="utf-8") as f:
            self.url = re.search(r"server: (\S+)\n", f.read()).group(1)

    def ask(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(self.url + path, None if body is None else json.dumps(body).encode(), {"Content-Type": kind}, method=method)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)

    def add_job(self, name, chips, days):
        end = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(days=days)
        start, end = ((end - datetime.timedelta(seconds=back)).strftime("%Y-%m-%dT%H:%M:%SZ") for back in (self.SECONDS, 0))
        ms = self.SECONDS * 1000
        self.ask("POST", JOBS, {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": name, "namespace": "default"},
                                "spec": {"targetRef": {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": name}}})
        self.ask("PATCH", f"{JOBS}/{name}/status", {"status": {
            "phase": "Completed", "target": {"queue": "q", "chips": chips},
            "time": {"start": start, "end": end, "wallMilliseconds": ms, "availableMilliseconds": ms // 2},
            "badput": [{"family": "Scheduling", "bucket": "QueueWait", "milliseconds": ms // 2},
                       {"family": "Runtime", "bucket": "Unattributed", "milliseconds": ms // 2}],
            "conditions": [{"type": "Finished", "status": "True", "reason": "Succeeded", "message": "", "lastTransitionTime": end}],
        }}, "application/merge-patch+json")

    def delete_job(self, name):
        self.ask("DELETE", f"{JOBS}/{name}")

    def create(self, window):
        self.ask("POST", FLEET, {"apiVersion": "goodput.dev/v1alpha1", "kind": "FleetGoodput", "metadata": {"name": "all"},
                                 "spec": {"window": {"rolling": window}}})

    def status(self):
        return self.ask("GET", f"{FLEET}/all").get("status", {})

    def asked(self):
        """Chip-seconds."""
        return self.status().get("chipSeconds", {}).get("asked")

    def reason(self, kind):
        return next((c["reason"] for c in self.status().get("conditions", []) if c["type"] == kind), None)
