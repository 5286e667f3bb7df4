"""Real jobs of PyTorch (torchrun, four pods) and of JAX (two pods) that die in the ways of tests/deaths: what the controller writes of
each into status.executions[].rootCause must have the right class, and the right pod as the first that failed."""
import os
import subprocess
import sys
import threading

import jobs
from machines import HERE

ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(ROOT, "tests", "deaths")
sys.path.append(PROGRAMS)

# pylint: disable=wrong-import-position # they are found only now
from job_folder import JobFolder, argv, environment
from table import ANY, DEATHS, NONE

NAMES = "exception device-oom host-oom nan disk-full checkpoint missing-shard segfault hang watchdog hang-barrier network rendezvous flag".split()
PYTHON = os.path.join(ROOT, ".build", "deaths", "venv", "bin", "python")
SITE = os.path.join(ROOT, ".build", "nodes", "deaths")
LIMITS = {"torch": "2Gi", "jax": "1Gi"}  # of a container that takes more
SMALL_DISK = {"medium": "Memory", "sizeLimit": "512Ki"}
PORT = 29500
AT_ONCE = 3  # jobs: a rank of PyTorch takes half a gigabyte
INDEX = "$(JOB_COMPLETION_INDEX)"  # kubelet puts in the number
room = threading.Semaphore(AT_ONCE)


def command(name, death):
    words = argv(death, "python3", "/deaths", f"/truth/{name}", "/scratch", INDEX, f"{name}-slice-0-0.{name}", PORT)
    if death.name != "rendezvous":
        return words
    return ["sh", "-c", f'[ $JOB_COMPLETION_INDEX != {death.victim} ] || exec sleep infinity; exec "$@"', "sh", *words]


def submit(stage, name, death):
    memory = LIMITS[death.framework] if death.name == "host-oom" else None
    stage.submit(
        name, pods=death.count, restarts=0, grace=5, memory=memory, scratch=SMALL_DISK, command=command(name, death),
        mounts={"/deaths": PROGRAMS, "/site": os.path.realpath(SITE)}, PYTHONPATH="/site", HOME="/tmp", USER="trainer",
        **environment(death, f"/truth/{name}/gate"),
    )  # fmt: skip
    stage.names.remove(name)  # its programs note no truth, which the latencies are measured from


def cut_network(stage, name, death):
    """Once all ranks train, the cable of the victim's pod is cut where the node has its other end."""
    for rank in range(death.count):
        pod = stage.pod(name, rank)["metadata"]["name"]
        stage.wait_for(f"{name}: rank {rank} to train", lambda p=pod: "step: 4" in stage.kubectl("logs", p, "--namespace", jobs.NAMESPACE))
    pod = stage.pod(name, death.victim)
    enter = ["nsenter", f"--net=/proc/{stage.machines.process_of(pod, 'python3')}/ns/net"]
    own = subprocess.run([*enter, "ip", "-o", "link", "show", "eth0"], check=True, capture_output=True, text=True).stdout
    index = own.split("eth0@if")[1].split(":")[0]  # as the node counts
    cards = stage.machines.on(pod["spec"]["nodeName"], "ip", "-o", "link")
    card = next(line.split()[1].split("@")[0] for line in cards.splitlines() if line.startswith(f"{index}:"))
    stage.machines.on(pod["spec"]["nodeName"], "ip", "link", "set", card, "down")
    stage.cluster.mark(f"{name}: the cable of {pod['metadata']['name']} is cut")


def is_right_rank(death, cause):
    """A symptom claims no rank; it may name the one that it waits for."""
    if death.rank is NONE:
        return cause.get("symptomOnly") and death.may_wait_for(cause.get("waitsFor", ""))
    ranks = death.ranks() if death.rank == ANY else [death.rank]
    return cause.get("completionIndex") in ranks


def judge(stage, name, death):
    executions = stage.goodput(name)["status"].get("executions") or [{}]
    cause = executions[-1].get("rootCause") or {}
    is_right = cause.get("class") in death.classes and cause.get("symptomOnly") == (death.rank is NONE)
    expected = " or ".join(death.classes) + (", a symptom" if death.rank is NONE else "")
    stage.tally.check(is_right, f"{name}: its class is {expected}", cause)
    stage.tally.check(is_right_rank(death, cause), f"{name}: its first failing rank is {death.rank}{f', it waits for {death.victim}' if death.is_named else ''}", cause)
    stage.tally.check(cause.get("unread") == 0, f"{name}: the last words of all that failed are read", cause.get("unread"))


def act(death):
    name = f"{death.framework}-{death.name}"

    def play(stage):
        with room:
            JobFolder(death, os.path.join(stage.truth, name), PYTHON).prepare()
            submit(stage, name, death)
            if death.name == "network":
                cut_network(stage, name, death)
            stage.wait_end(name)
            judge(stage, name, death)

    play.__name__ = name
    return play


def chosen():
    """All, or those of $DEATHS: names as torch-nan, or a framework."""
    words = os.environ.get("DEATHS", "").split()
    deaths = [death for death in DEATHS if death.name in NAMES]
    return [d for d in deaths if not words or d.framework in words or f"{d.framework}-{d.name}" in words]


ALL = tuple(map(act, chosen()))
