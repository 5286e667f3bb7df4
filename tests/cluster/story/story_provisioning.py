"""A queue whose admission check asks for a ProvisioningRequest, with Kueue's own controller of such checks. There is no
autoscaler here: the story says in the requests' conditions what one says. The first request fails and Kueue tries again
after a while; the second one gets its capacity, and the job runs."""
import datetime
import re
import time

import shapes

NAMESPACE = "provisioning"
NAME = "provisioned"
CHECK = "capacity"
WAITING = "Capacity is not found, CA will try to find it later."


def play(cluster):
    cluster.observe(NAMESPACE, NAME, stepLog={"source": "None"})
    slices = shapes.replicated_job("slice", ["tpu-slice-24"])
    cluster.create(shapes.jobset(NAMESPACE, NAME, [slices], queue="provisioning-queue"))
    first = _accept(cluster, 1)
    time.sleep(4)
    first.say("Failed", "True", "CapacityIsNotFound", "Capacity is not found in the cluster.")
    second = _accept(cluster, 2)
    time.sleep(4)
    second.say("Provisioned", "True", "CapacityIsFound", "Capacity is found in the cluster.")
    cluster.wait_running(NAMESPACE, NAME, 4)
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobsets", NAMESPACE, NAME, "Completed")


class _Request:
    """A ProvisioningRequest, as the autoscaler writes it."""

    def __init__(self, cluster, name):
        self.cluster, self.name, self.conditions = cluster, name, {}

    def say(self, kind, status, reason, message):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.conditions[kind] = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now}
        self.cluster.mark(f"ProvisioningRequest {self.name}: {kind}={status}")
        patch = {"status": {"conditions": list(self.conditions.values())}}
        self.cluster.api.merge("provisioningrequests", NAMESPACE, self.name, patch, "status")


def _accept(cluster, attempt):
    """The autoscaler takes it up, and has no room for it yet."""

    def made():
        for event in cluster.watch.objects("events", NAMESPACE):
            found = re.search(r'"(.*-%s-%d)"' % (CHECK, attempt), event["message"])
            if event["reason"] == "ProvisioningRequestCreated" and found:
                return found.group(1)
        return None

    request = _Request(cluster, cluster.watch.wait(f"ProvisioningRequest {attempt} of {NAME}", made, 60))
    request.say("Accepted", "True", "Accepted", "ProvisioningRequest is accepted by ClusterAutoscaler.")
    request.say("Provisioned", "False", "CapacityIsNotFound", WAITING)
    return request
