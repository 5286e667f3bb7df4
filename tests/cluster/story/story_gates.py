"""A queue with an admission check, whose controller this story plays: a job waits for the check, runs, is deactivated by a
person, activated again, waits for the check again, and completes."""
import datetime
import time

import shapes
from cluster import uids
from watch import is_true

NAMESPACE = "gates"
NAME = "checked"
CHECK = "cluster-test"


def play(cluster):
    _be_active(cluster)
    cluster.observe(NAMESPACE, NAME, stepLog={"source": "None"})
    slices = shapes.replicated_job("slice", ["tpu-slice-14"])
    cluster.create(shapes.jobset(NAMESPACE, NAME, [slices], queue="gates-queue"))
    _pass_check(cluster)
    pods = cluster.wait_running(NAMESPACE, NAME, 4)
    time.sleep(4)
    cluster.activate(NAMESPACE, NAME, False)
    cluster.wait_suspended(NAMESPACE, NAME, True)
    cluster.wait_deleted(NAMESPACE, NAME)
    time.sleep(4)
    cluster.activate(NAMESPACE, NAME, True)
    _pass_check(cluster)
    cluster.wait_running(NAMESPACE, NAME, 4, uids(pods))
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobsets", NAMESPACE, NAME, "Completed")


def _be_active(cluster):
    """The check's controller says that it is there; without that the queue admits nothing."""
    found = {"type": "Active", "status": "True", "reason": "Active", "message": "the story plays it", "lastTransitionTime": _now()}
    cluster.api.merge("admissionchecks", None, CHECK, {"status": {"conditions": [found]}}, "status")


def _pass_check(cluster):
    def pending():
        workload = cluster.workload_of(NAMESPACE, NAME)
        if not workload or not is_true(workload, "QuotaReserved") or is_true(workload, "Admitted"):
            return None
        states = [check["state"] for check in workload["status"].get("admissionChecks", [])]
        return workload if states == ["Pending"] else None

    workload = cluster.watch.wait(f"{NAME} to wait for its admission check", pending, 60)
    cluster.mark(f"{NAME}: quota is reserved, the admission check is pending")
    time.sleep(5)
    passed = {"name": CHECK, "state": "Ready", "message": "let it pass", "lastTransitionTime": _now()}
    cluster.api.merge("workloads", NAMESPACE, workload["metadata"]["name"], {"status": {"admissionChecks": [passed]}}, "status")
    cluster.mark(f"{NAME}: the admission check is Ready")


def _now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
