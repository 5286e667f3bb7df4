"""From our receipt of the API event that caused a change to our receipt of the status version that shows it.

A change is a new phase, one more interruption, or a new execution. Each kind of change names the signs that can cause
it (CAUSES); its cause is the newest of those that we had received before the status. For interruptions the first sign
after the containers last ran is measured as well, as the strictest reading of the same promise.
"""
import threading
import time
from collections import namedtuple

import kinds
from cluster import is_workload_of
from kinds import target_of
from status import execution_number, interruption_total, phase
from watch import condition, is_true

Sign = namedtuple("Sign", "time what")
Change = namedtuple("Change", "time job kind cause latency")

CAUSES = {
    "phase Pending": ("created", "target"),
    "phase Queued": ("created", "target", "workload", "suspend", "resume"),
    "phase Provisioning": ("workload", "resume", "new pod", "unschedulable", "target", "created", "node"),
    "phase Starting": ("created", "target", "workload", "resume", "new pod", "bound", "unschedulable"),
    "phase Training": ("run", "bound", "step"),
    "phase Recovering": ("lost", "gone", "restart", "workload", "resume", "node", "suspend"),
    "phase Suspended": ("suspend", "workload", "created", "target"),
    "phase Completed": ("end",),
    "phase Failed": ("end",),
    "interruption": ("lost", "restart", "workload", "suspend", "node"),
    "execution": ("new pod", "restart", "suspend", "resume", "workload", "node", "lost", "run", "step", "bound", "created", "target"),
}
FIRST_SIGNS = ("lost", "suspend", "node")
HOPELESS = 5  # seconds
BEHIND = 3  # seconds by which our receipt of another stream may be late: 1.9 were seen, with 20 jobs that fail at once


class Probe(threading.Thread):
    """How much later than asked for a sleeper wakes up on this machine: what its load alone adds to any latency."""

    PERIOD = 0.05

    def __init__(self):
        super().__init__(daemon=True, name="load probe")
        self.late = []

    def run(self):
        while True:
            started = time.monotonic()
            time.sleep(self.PERIOD)
            self.late.append(time.monotonic() - started - self.PERIOD)

    def worst(self):
        return percentile(list(self.late) or [0], 0.999)


def eviction_signs(watch, namespace, uids):
    """Where kubelet evicts a pod, its Event may be the only evidence."""
    return [
        Sign(observation.time, "lost")
        for observation in list(watch.history["events"])
        if observation.object.get("reason") == "Evicted"
        and observation.object["metadata"]["namespace"] == namespace
        and observation.object.get("involvedObject", {}).get("uid") in uids
    ]


def pod_signs(watch, namespace, name):
    signs, before = [], {}
    for observation in list(watch.history["pods"]):
        pod = observation.object
        if pod["metadata"]["namespace"] != namespace or target_of(pod) != name:
            continue
        uid = pod["metadata"]["uid"]
        now = _pod_digest(pod)
        if observation.type == "DELETED":
            signs.append(Sign(observation.time, "gone"))
            continue
        if uid not in before:
            signs.append(Sign(observation.time, "new pod"))
        for what, value in now.items():
            if value and value != before.get(uid, {}).get(what):
                signs.append(Sign(observation.time, what))
        before[uid] = now
    return signs + eviction_signs(watch, namespace, before)


def _pod_digest(pod):
    containers = pod["status"].get("containerStatuses", [])
    scheduled = condition(pod, "PodScheduled")
    return {
        "bound": pod["spec"].get("nodeName"),
        "unschedulable": scheduled.get("message") if scheduled.get("reason") == "Unschedulable" else None,
        "run": [c["containerID"] for c in containers if "running" in c.get("state", {})],
        "lost": (
            pod["status"].get("phase") in ("Failed", "Succeeded"),
            bool(pod["metadata"].get("deletionTimestamp")),
            is_true(pod, "DisruptionTarget"),
            any("terminated" in c.get("state", {}) for c in containers),
            sum(c.get("restartCount", 0) for c in containers),
            [c["lastState"] for c in containers if _is_down(c)],
        )
        if pod["status"].get("phase") != "Pending" and _is_lost(pod, containers)
        else None,
    }


def _is_lost(pod, containers):
    return (
        pod["status"].get("phase") in ("Failed", "Succeeded")
        or pod["metadata"].get("deletionTimestamp")
        or is_true(pod, "DisruptionTarget")
        or any("terminated" in c.get("state", {}) or c.get("restartCount") or _is_down(c) for c in containers)
    )


def _is_down(container):
    """Between two runs in place: the count moves with the next start only."""
    return "waiting" in container.get("state", {}) and "terminated" in container.get("lastState", {})


def target_signs(watch, stream, namespace, name):
    signs, before = [], {}
    for observation in watch.versions(stream, namespace, name):
        item = observation.object
        now = {
            "suspend": kinds.is_suspended(stream, item),
            "resume": not kinds.is_suspended(stream, item),
            "restart": item.get("status", {}).get("restarts"),
            "end": bool(kinds.end_stamps(item)) or observation.type == "DELETED",
        }
        if not before:
            signs.append(Sign(observation.time, "target"))
        for what, value in now.items():
            if value and value != before.get(what):
                signs.append(Sign(observation.time, what))
        before = now
    return signs


def workload_signs(watch, namespace, name):
    signs, before = [], None
    for observation in list(watch.history["workloads"]):
        workload = observation.object
        if workload["metadata"]["namespace"] != namespace or not is_workload_of(workload, name):
            continue
        conditions = workload.get("status", {}).get("conditions") or []
        now = sorted((c["type"], c["status"], c["reason"]) for c in conditions)
        if now != before:
            signs.append(Sign(observation.time, "workload"))
        before = now
    return signs


def node_signs(watch, namespace, name):
    """Of the nodes that the target's pods were ever bound to."""
    signs, before, ours = [], {}, set()
    for observation in list(watch.history["pods"]):
        if observation.object["metadata"]["namespace"] == namespace and target_of(observation.object) == name:
            ours.add(observation.object["spec"].get("nodeName"))
    for observation in list(watch.history["nodes"]):
        node = observation.object
        if node["metadata"]["name"] not in ours:
            continue
        now = None if observation.type == "DELETED" else condition(node, "Ready").get("status")
        if before.get(node["metadata"]["name"], now) != now:
            signs.append(Sign(observation.time, "node"))
        before[node["metadata"]["name"]] = now
    return signs


def step_signs(replays):
    """The first step line of each replayed attempt, when it was there to read."""
    signs = []
    for replay in replays:
        written = [at for at, text in list(replay.written) if "completed step:" in text]
        signs += [Sign(at, "step") for at in written[:1]]
    return signs


def changes_of(watch, namespace, name):
    """(time, kind) of every change that the JobGoodput's versions show."""
    changes, shown = [], (None, 0, 0)
    for observation in watch.versions("jobgoodputs", namespace, name):
        goodput = observation.object
        if observation.type == "DELETED" or not goodput.get("status"):
            continue
        now = (phase(goodput), interruption_total(goodput), execution_number(goodput))
        if now[0] != shown[0]:
            changes.append((observation.time, f"phase {now[0]}"))
        if now[1] > shown[1]:
            changes.append((observation.time, "interruption"))
        if now[2] > shown[2]:
            changes.append((observation.time, "execution"))
        shown = now
    return changes


def cause_of(signs, at, kind, behind):
    """The newest fitting sign that we had received before; one of another stream may be `behind` seconds late with us."""
    fitting = [sign for sign in signs if sign.what in CAUSES.get(kind, ())]
    before = [sign for sign in fitting if sign.time <= at]
    after = [sign for sign in fitting if at < sign.time <= at + behind]
    if after and (not before or at - before[-1].time > 1):
        return Sign(at, after[0].what)
    return before[-1] if before else None


def measure(watch, jobs, replays, behind, steps_of=None):
    """(changes, strict interruption latencies) over jobs whose JobGoodputs have their targets' names. steps_of(name): when
    the first step line of each attempt was there to read, where it is known otherwise than from replays."""
    measured, strict = [], []
    for job in jobs:
        namespace, name = job.namespace, job.name
        signs = pod_signs(watch, namespace, name) + target_signs(watch, job.stream, namespace, name)
        signs += node_signs(watch, namespace, name) + workload_signs(watch, namespace, name)
        signs += step_signs(replays) if name == "maxtext" else []
        signs += [Sign(at, "step") for at in steps_of(name)] if steps_of else []
        signs += [Sign(o.time, "created") for o in watch.versions("jobgoodputs", namespace, name)[:1]]
        signs.sort()
        for at, kind in changes_of(watch, namespace, name):
            cause = cause_of(signs, at, kind, behind)
            measured.append(Change(at, name, kind, cause.what if cause else None, at - cause.time if cause else None))
            if kind == "interruption":
                ran = max((sign.time for sign in signs if sign.time < at and sign.what == "run"), default=0)
                first = [sign.time for sign in signs if ran < sign.time <= at and sign.what in FIRST_SIGNS]
                strict += [at - first[0]] if first else []
    return measured, strict


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def report(tally, watch, jobs, replays, probe):
    measured, strict = measure(watch, jobs, replays, max(BEHIND, 0.1 + 3 * probe.worst()))
    for change in measured:
        if change.latency is None or change.latency >= 1:
            shown = "no cause seen" if change.latency is None else f"{change.latency * 1000:.0f} ms after {change.cause}"
            print(f"    slow: {change.job}: {change.kind}: {shown}")
    values = [change.latency for change in measured if change.latency is not None]
    if not tally.check(values, "changes of phase, interruptions and executions were seen", len(values)):
        return
    for label, chosen in (
        ("phase", [c for c in measured if c.kind.startswith("phase")]),
        ("interruption", [c for c in measured if c.kind == "interruption"]),
        ("execution", [c for c in measured if c.kind == "execution"]),
    ):
        _print_line(label, [c.latency for c in chosen if c.latency is not None])
    _print_line("interruption, from its first sign", strict)
    _print_line("all", values)
    p99 = percentile(values, 0.99)
    load = probe.worst()
    seen = f"{p99 * 1000:.0f} ms of {len(values)}; the machine's own delays {load * 1000:.0f} ms (p99.9 of {len(probe.late)})"
    # Test, API server and etcd share the machine: what it holds up a sleeper, it holds up each of event, write and
    # receipt. The promise is 1 s; only what no load explains fails, so that a busy machine cannot.
    tally.check(p99 < HOPELESS + 10 * load, f"a change is in status soon after its API event (1 s promised, {HOPELESS} s allowed; p99)", seen)


def _print_line(label, values):
    if values:
        p50, p99 = percentile(values, 0.5) * 1000, percentile(values, 0.99) * 1000
        print(f"    latency of {label}: {len(values)} changes, p50 {p50:.0f} ms, p99 {p99:.0f} ms, max {max(values) * 1000:.0f} ms")
