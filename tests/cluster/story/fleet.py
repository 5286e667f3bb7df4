"""A FleetGoodput with capacity: three machines of a pool, two of which a job holds for a while. The waterfall must be the one
that this computes itself, from the machines that it made and from its own watch of the pods.

Runs next to the stories, in a separate namespace and on separate machines.
"""
import calendar
import threading
import time
import traceback

import shapes
from api import ApiError

NAMESPACE = POOL = "fleet"
JOB = "fleet-a"
CHIPS, NODES, HOSTS = 4, 3, 2
HELD_SECONDS = 30  # that the fleet looks on while the job holds its machines
PATIENCE_SECONDS = 600
TOLERANCE = 0.1  # of the capacity: stamps are whole seconds, and what lies between two looks is spread evenly


def node(name):
    resources = {"cpu": "112", "memory": "192Gi", "pods": "110", "google.com/tpu": str(CHIPS)}
    labels = {"kubernetes.io/hostname": name, "cloud.google.com/gke-nodepool": POOL,
              "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": labels},
        "spec": {"taints": [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}]},
        "status": {"allocatable": resources, "capacity": resources},
    }


def fleet(name, spec):
    return {"apiVersion": "goodput.dev/v1alpha1", "kind": "FleetGoodput", "metadata": {"name": name}, "spec": spec}


def seconds(stamp):
    return calendar.timegm(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S"))


class Fleet:
    def __init__(self, cluster, api, tally):
        self.cluster, self.api, self.tally = cluster, api, tally
        self.thread = threading.Thread(target=self._run, daemon=True, name="fleet")

    def start(self):
        self.thread.start()

    def join(self):
        self.thread.join()

    def _run(self):
        try:
            self._play()
        except Exception as error:  # pylint: disable=broad-except # the stories continue
            traceback.print_exc()
            self.tally.check(False, "fleet: played to its end", error)

    def _status(self, name, what, holds):
        deadline = time.time() + PATIENCE_SECONDS
        while True:
            status = self.api.get("fleetgoodputs", None, name).get("status", {})
            if holds(status):
                return status
            if time.time() > deadline:
                raise TimeoutError(f"{name}: {what}: {status.get('conditions')} {status.get('window')}")
            time.sleep(1)

    def _play(self):
        self.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        for i in range(NODES):
            self.api.create("nodes", node(f"fleet-{i}"))
        self.cluster.observe(NAMESPACE, JOB, stepLog={"source": "None"})
        self.cluster.create(shapes.jobset(NAMESPACE, JOB, [shapes.replicated_job("w", [POOL], hosts=HOSTS)]))
        self.cluster.wait_running(NAMESPACE, JOB, HOSTS)
        selector = {"cloud.google.com/gke-nodepool": POOL}
        self.api.create("fleetgoodputs", fleet("capacity", {
            "selector": {"namespaces": [NAMESPACE]}, "capacity": {"nodeSelector": selector}, "window": {"rolling": "1d"}}))
        self.api.create("fleetgoodputs", fleet("nothing", {"selector": {"namespaces": ["elsewhere"]}}))
        self._refused()
        self._status("capacity", "a first roll-up", lambda s: "since" in s.get("window", {}))
        time.sleep(HELD_SECONDS)
        pods = self.cluster.pods_of(NAMESPACE, JOB)
        self.cluster.complete(NAMESPACE, JOB)
        self.cluster.wait_finished(NAMESPACE, JOB, 120)
        over = time.time()
        status = self._status("capacity", "a roll-up after the end", lambda s: "idle" in s.get("chipSeconds", {}) and
                              seconds(s["window"]["to"]) > over + 1)
        self._check(status, [self.api.get("pods", NAMESPACE, p["metadata"]["name"]) for p in pods])
        nothing = self._status("nothing", "a condition", lambda s: s.get("conditions"))
        ready = next(c for c in nothing["conditions"] if c["type"] == "Ready")
        self.tally.check((ready["status"], ready["reason"]) == ("False", "NothingSelected"),
                         "fleet: a selector that fits nothing is told", ready["message"])

    def _refused(self):
        try:
            self.api.create("fleetgoodputs", fleet("bad", {"window": {"rolling": "32d"}}))
            self.tally.check(False, "fleet: a window of 32 days is refused", "the API server took it")
        except ApiError as error:
            self.tally.check(error.status == 422 and "rolling" in error.message, "fleet: a window of 32 days is refused",
                             error.message)

    def _check(self, status, pods):
        since, to = seconds(status["window"]["since"]), seconds(status["window"]["to"])
        capacity = NODES * CHIPS * (to - since)
        held = sum(CHIPS * (self._ended(pod) - since) for pod in pods)
        chip_seconds, steps = status["chipSeconds"], status["waterfall"]
        near = TOLERANCE * capacity
        self.tally.check(len(pods) == HOSTS, "fleet: the job held its machines", len(pods))
        self.tally.near("fleet: capacity is the machines' chips over the time", capacity, chip_seconds["capacity"], near, "chip-s")
        self.tally.near("fleet: idle is what no job held", capacity - held, chip_seconds["idle"], near, "chip-s")
        named = {s["name"]: s["chipSeconds"] for s in steps}
        self.tally.near("fleet: the waterfall begins with the capacity", capacity, named.get("Capacity"), near, "chip-s")
        self.tally.near("fleet: then the idle chips", capacity - held, named.get("Idle"), near, "chip-s")
        self.tally.near("fleet: and what is allocated", held, named.get("Allocated"), near, "chip-s")
        level = None
        wrong = []
        for step in steps:
            if step.get("total") and level is not None and level != step["chipSeconds"]:
                wrong.append(f"{step['name']} {step['chipSeconds']}, {level} was left")
            level = step["chipSeconds"] if step.get("total") else level - step["chipSeconds"]
        self.tally.check(not wrong, "fleet: a total less the losses after it is the next, to the second", "; ".join(wrong))
        pools = {p["name"] for p in status.get("nodePools", [])}
        self.tally.check(pools == {POOL}, "fleet: the machines are told by pool", sorted(pools))

    @staticmethod
    def _ended(pod):
        return max(seconds(c["state"]["terminated"]["finishedAt"]) for c in pod["status"]["containerStatuses"])

    def clear(self):
        """Nothing of it is left for what comes after: an idle controller is measured."""
        for resource, names in (("fleetgoodputs", ("capacity", "nothing")), ("nodes", [f"fleet-{i}" for i in range(NODES)])):
            for name in names:
                try:
                    self.api.delete(resource, None, name)
                except ApiError:
                    pass
