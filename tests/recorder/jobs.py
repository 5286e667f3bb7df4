"""A Job, its pod and its JobGoodput on the embedded API server, as a trainer's life moves them."""
import datetime
import json
import subprocess
import time

from rig import BIN, JOBGOODPUTS

PYTHON = ".build/parity/venv/bin/python"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def client(environment, mode, *more):
    done = subprocess.run([PYTHON, "tests/recorder/client.py", mode, *more], env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"client.py {mode}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else None


class Job:
    def __init__(self, rig, name, step_log):
        self.rig, self.name, self.last = rig, name, {}
        rig.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"}, "spec": {
            "parallelism": 1, "completions": 1, "completionMode": "Indexed", "template": {"spec": {"containers": [{"name": "c"}]}}}}
        uid = rig.ask("POST", "/apis/batch/v1/namespaces/default/jobs", job)["metadata"]["uid"]
        rig.ask("POST", "/api/v1/namespaces/default/pods", {
            "apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "n", "containers": [{"name": "c"}]}, "metadata": {
                "name": name + "-0", "namespace": "default",
                "labels": {"batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": name, "batch.kubernetes.io/job-completion-index": "0"},
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}]}})
        self.began = self.started = now()
        self.set_pod("Running", {"state": {"running": {"startedAt": self.began}}})
        rig.ask("POST", f"{JOBGOODPUTS}/namespaces/default/jobgoodputs", {
            "apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": name, "namespace": "default"},
            "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": name}, "stepLog": step_log}})

    def set_pod(self, phase, container):
        self.rig.ask("PATCH", f"/api/v1/namespaces/default/pods/{self.name}-0/status", {"status": {
            "phase": phase, "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": self.began}],
            "containerStatuses": [{"name": "c", "restartCount": 1 if self.last else 0, **container, **self.last}]}}, "application/merge-patch+json")

    def restart(self):
        """The container of the first attempt dies; the kubelet starts it again."""
        self.last = {"lastState": {"terminated": {"exitCode": 1, "startedAt": self.started, "finishedAt": now()}}}
        time.sleep(1.2)
        self.started = now()
        self.set_pod("Running", {"state": {"running": {"startedAt": self.started}}})

    def end(self):
        ended = now()
        self.set_pod("Succeeded", {"state": {"terminated": {"exitCode": 0, "startedAt": self.started, "finishedAt": ended}}})
        self.rig.ask("PATCH", f"/apis/batch/v1/namespaces/default/jobs/{self.name}/status", {"status": {
            "succeeded": 1, "completedIndexes": "0", "startTime": self.began, "completionTime": ended,
            "conditions": [{"type": "Complete", "status": "True", "lastTransitionTime": ended}]}}, "application/merge-patch+json")

    def status(self):
        return self.rig.get("default", self.name).get("status", {})

    def finished(self, step):
        status = self.status()
        ends = [c for c in status.get("conditions", []) if c["type"] == "Finished" and c["status"] == "True"]
        return status if ends and status.get("steps", {}).get("last") == step else None

    def condition(self, kind):
        return next((c for c in self.status().get("conditions", []) if c["type"] == kind), {})


def bucket(status, name):
    return sum(b["milliseconds"] for b in status["badput"] if b["bucket"] == name)


def compare(tally, status, library):
    """The controller's ledger and the library's own calculator, on the same entries."""
    steps, time_, percent = status["steps"], status["time"], library["badput_percent"]
    tally.check("every step of the recorder is in the status, each once", (steps["retained"], steps["last"]) == (30, 29), steps)
    tally.check("as many interruptions as the library finds disruptions", status["interruptions"]["total"] == library["disruptions"] == 1, status)
    init, theirs = bucket(status, "AcceleratorInit") / 1000, percent["TPU_INITIALIZATION"] * library["total_s"] / 100
    tally.check("initialization as long as the library says", abs(init - theirs) < 0.01, (init, theirs))
    ours = (time_["productiveMilliseconds"] + bucket(status, "ProgramStartup")) / 1000
    theirs = (library["goodput_percent"] + percent["PROGRAM_STARTUP"]) * library["total_s"] / 100
    tally.check("steps as long as the library says, compilation included", abs(ours - theirs) < 0.1 + 0.02 * theirs, (ours, theirs))
    tally.check("the parts make the wall time", time_["productiveMilliseconds"] + sum(b["milliseconds"] for b in status["badput"]) == time_["wallMilliseconds"], status)
