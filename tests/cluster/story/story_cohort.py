"""Two queues that share their quota: a job borrows all of it and is put out when the other queue's owner reclaims his, though
not while that queue is held; then its own queue is drained by a person and opened again."""
import time

import shapes
from cluster import uids

NAMESPACE = "cohort"
NO_LOG = {"stepLog": {"source": "None"}}


def play(cluster):
    borrower = shapes.replicated_job("slice", ["tpu-slice-21", "tpu-slice-22"], replicas=2)
    owner = shapes.replicated_job("slice", ["tpu-slice-23"])
    for name in ("borrower", "owner"):
        cluster.observe(NAMESPACE, name, **NO_LOG)
    cluster.create(shapes.jobset(NAMESPACE, "borrower", [borrower], queue="borrower-queue"))
    pods = cluster.wait_running(NAMESPACE, "borrower", 8)
    cluster.stop_queue("owner-cq", "Hold")
    cluster.create(shapes.jobset(NAMESPACE, "owner", [owner], queue="owner-queue"))
    time.sleep(5)
    cluster.stop_queue("owner-cq", "None")
    cluster.wait_suspended(NAMESPACE, "borrower", True)
    cluster.wait_running(NAMESPACE, "owner", 4)
    time.sleep(3)
    cluster.complete(NAMESPACE, "owner")
    cluster.wait_condition("jobsets", NAMESPACE, "owner", "Completed")
    again = cluster.wait_running(NAMESPACE, "borrower", 8, uids(pods))
    time.sleep(3)
    cluster.stop_queue("borrower-cq", "HoldAndDrain")
    cluster.wait_suspended(NAMESPACE, "borrower", True)
    cluster.wait_deleted(NAMESPACE, "borrower")
    time.sleep(5)
    cluster.stop_queue("borrower-cq", "None")
    cluster.wait_running(NAMESPACE, "borrower", 8, uids(pods) | uids(again))
    time.sleep(3)
    cluster.complete(NAMESPACE, "borrower")
    cluster.wait_condition("jobsets", NAMESPACE, "borrower", "Completed")
