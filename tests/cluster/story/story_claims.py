"""A JobSet whose pods ask for chips by ResourceClaims alone (Dynamic Resource Allocation). The story publishes the devices,
as a driver does on its nodes; the claims are made, allocated and reserved by Kubernetes' own controller and scheduler. The
chips are known while the job waits, from its ResourceClaimTemplate; an evicted pod gets another claim."""
import time

import shapes
from cluster import uids

NAMESPACE, NAME = "claims", "claimed"
POOL = "tpu-slice-24"
DRIVER = "gpu.nvidia.com"
DEVICES = 4  # of a node, and of a pod
CHIPS = shapes.HOSTS * DEVICES


def play(cluster):
    _publish(cluster)
    cluster.observe(NAMESPACE, NAME, stepLog={"source": "None"})
    cluster.create(_jobset())
    cluster.watch.wait(f"{NAME} to be known with {CHIPS} chips before it has pods", lambda: _target(cluster).get("chips") == CHIPS, 60)
    assert not cluster.pods_of(NAMESPACE, NAME), "a suspended JobSet has no pods"
    time.sleep(4)
    cluster.suspend(NAMESPACE, NAME, False)
    known = uids(cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS))
    _check_claims(cluster)
    time.sleep(3)
    cluster.evict(cluster.pods_of(NAMESPACE, NAME)[1])
    cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS, known)
    _check_claims(cluster)
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobsets", NAMESPACE, NAME, "Completed")
    cluster.watch.wait(f"the chip-hours of {NAME}", lambda: _hours(cluster) > 0, 60)
    assert _target(cluster).get("chips") == CHIPS, "the chips of a finished job stay"


def _target(cluster):
    return cluster.goodput(NAMESPACE, NAME).get("status", {}).get("target", {})


def _hours(cluster):
    return float(cluster.goodput(NAMESPACE, NAME).get("status", {}).get("acceleratorHours", {}).get("allocated", "0"))


def _publish(cluster):
    """What a driver's plugin publishes of each node, and the class by which pods ask for it."""
    selector = {"cel": {"expression": f'device.driver == "{DRIVER}"'}}
    cluster.api.create("deviceclasses", _object("DeviceClass", None, DRIVER, {"selectors": [selector]}))
    request = {"name": "gpus", "exactly": {"deviceClassName": DRIVER, "allocationMode": "ExactCount", "count": DEVICES}}
    template = {"spec": {"devices": {"requests": [request]}}}
    cluster.api.create("resourceclaimtemplates", _object("ResourceClaimTemplate", NAMESPACE, "four", template))
    for node in cluster.watch.objects("nodes"):
        name = node["metadata"]["name"]
        if node["metadata"]["labels"].get("cloud.google.com/gke-nodepool") != POOL:
            continue
        devices = [{"name": f"gpu-{i}"} for i in range(DEVICES)]
        spec = {"driver": DRIVER, "nodeName": name, "pool": {"name": name, "generation": 1, "resourceSliceCount": 1}, "devices": devices}
        cluster.api.create("resourceslices", _object("ResourceSlice", None, f"{name}-{DRIVER}", spec))


def _check_claims(cluster):
    """Each pod has another claim, which the scheduler has allocated and reserved for it."""
    pods = uids(cluster.pods_of(NAMESPACE, NAME))
    served = set()
    for claim in cluster.api.get("resourceclaims", NAMESPACE, None)["items"]:
        given = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
        users = {user["uid"] for user in claim.get("status", {}).get("reservedFor", [])}
        if len(given) == DEVICES:
            served |= users & pods
    assert served == pods and len(pods) == shapes.HOSTS, f"claims are allocated for {len(served)} of {len(pods)} pods"


def _object(kind, namespace, name, spec):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def _jobset():
    slices = shapes.replicated_job("slice", [POOL])
    pod = slices["template"]["spec"]["template"]["spec"]
    pod["resourceClaims"] = [{"name": "gpus", "resourceClaimTemplateName": "four"}]
    pod["containers"][0]["resources"] = {"claims": [{"name": "gpus"}]}
    return shapes.jobset(NAMESPACE, NAME, [slices], suspend=True)
