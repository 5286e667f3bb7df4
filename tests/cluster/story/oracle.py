"""The scheduling side of a target's ledger once more, from our own watch alone and by our own clock: at each instant the
first bucket of the table of deploy/docs/concepts/ledger.md that fits. Times are our receipts of the API's events, or the middle of the second that
the object itself names for what happened, where that is earlier: under load events arrive seconds late (and a node's last sign of life is in its lease). Where no field names it, managedFields show when the spec was written. Nothing here rests on what a story planned to do.

A slot is available while its newest pod is bound and has not started to end (deleted, disrupted, a container terminated,
its node dead for good); a slot whose pod succeeded stays available. A node that is silent and comes back with its pod was
there all the time; one that does not was dead from its last sign of life, which is FailureDetection until the pod shows it.
"""
import bisect

import kinds
from cluster import is_workload_of
from kinds import JOBSET_NAME, REPLICATED_JOB
from watch import condition, is_true, unix

QUEUE_NAME = "kueue.x-k8s.io/queue-name"
REPLACEMENT_FOR = "kueue.x-k8s.io/workload-slice-replacement-for"
PROVISIONED = "autoscaling.x-k8s.io/consume-provisioning-request"
FOREVER = float("inf")


def moment(received, stamp):
    """When something happened: within the second that the object names, and before we heard of it."""
    return min(received, unix(stamp) + 0.5) if stamp else received


def created(item):
    return item["metadata"].get("creationTimestamp")


def spec_written(item):
    """When somebody last wrote anything but the status."""
    fields = item["metadata"].get("managedFields") or []
    return max((entry["time"] for entry in fields if entry.get("time") and not entry.get("subresource")), default=None)


def turned(item, kind):
    return condition(item, kind).get("lastTransitionTime")


class Steps:
    """A value that changes at times; `before` holds until the first."""

    def __init__(self, before=None):
        self.times, self.values, self.before = [], [], before

    def add(self, time, value):
        if value != self.last():
            self.times.append(max([time] + self.times[-1:]))
            self.values.append(value)

    def last(self):
        return self.values[-1] if self.values else self.before

    def at(self, time):
        index = bisect.bisect_right(self.times, time)
        return self.values[index - 1] if index else self.before


class Pod:
    def __init__(self, slot, created):
        self.slot, self.created = slot, created
        self.bound = self.lost = self.done = FOREVER
        self.node = None
        self.pulling = self.pulled = None
        self.gated, self.unschedulable, self.running = Steps(False), Steps(False), Steps(False)

    def times(self):
        single = (self.created, self.bound, self.lost, self.done, self.pulling, self.pulled)
        return [t for t in single if t is not None] + self.gated.times + self.unschedulable.times + self.running.times

    def is_available(self, at):
        return self.done <= at or self.bound <= at < self.lost

    def is_pulling(self, at):
        return self.pulling is not None and self.pulling <= at < (self.pulled or FOREVER)


class Target:
    """One JobSet, Job or group of pods (its Workload) as we saw it."""

    def __init__(self, watch, stream, namespace, name):
        self.watch, self.stream, self.namespace, self.name = watch, stream, namespace, name
        versions = watch.versions(stream, namespace, name)
        self.item = versions[-1].object
        self.begin = moment(versions[0].time, created(self.item))
        ended = [o.time for o in versions if o.type == "DELETED"]
        ended += [moment(o.time, stamp) for o in versions for stamp in kinds.end_stamps(o.object)]
        self.end = min(ended, default=versions[-1].time)
        self.suspended = Steps()
        for observation in versions:
            at = moment(observation.time, spec_written(observation.object))
            self.suspended.add(at, kinds.is_suspended(stream, observation.object))
        is_labeled = QUEUE_NAME in self.item["metadata"].get("labels", {})
        is_labeled = is_labeled and stream != "leaderworkersets"  # Kueue queues each group, by gates of its pods
        self.is_queued = is_labeled or any(self._owns(o.object) for o in list(watch.history["workloads"]))  # of its TrainJob
        self.replicated = self._required(self.item)
        self.sizes = Steps(self._required(versions[0].object))  # an elastic job changes them
        self.indexes = Steps(kinds.indexes(stream, versions[0].object))
        for observation in versions:
            at = moment(observation.time, spec_written(observation.object))
            self.sizes.add(at, self._required(observation.object))
            self.indexes.add(at, kinds.indexes(stream, observation.object))
        self.queue = self._queue() if self.is_queued else Steps()
        self.held_back = self._held_back()
        self.detecting = []  # (a dead node's last sign of life, when its pod showed it)
        self.pods = self._pods()
        self._end_with_nodes()
        self.newest = {}
        for pod in sorted(self.pods.values(), key=lambda pod: pod.created):
            self.newest.setdefault(self._place(pod), []).append(pod)

    def _place(self, pod):
        """A pod without an index takes a free slot of its replicated job, or that which was lost first."""
        job, _, index = pod.slot
        if index is not None:
            return pod.slot
        taken = {slot: lives[-1] for slot, lives in self.newest.items() if slot[0] == job}
        if len(taken) < self.replicated[job]:
            return job, "0", len(taken)
        return min(taken, key=lambda slot: taken[slot].lost)

    def _required(self, item):
        """{replicated job: pods} of those with chips, or of all if none has."""
        found = kinds.replicated_jobs(self.stream, item)
        chips = [name for name, _, spec in found if _asks_for_chips(spec)]
        return {name: count for name, count, _ in found if name in chips or not chips}

    def _queue(self):
        """What Kueue lets it do: Suspended (deactivated by a person), PreemptedWait (evicted, until admitted), QueueWait,
        Provisioning (a ProvisioningRequest is not met) or None (admitted)."""
        steps, is_evicted, replaced = Steps("QueueWait"), False, set()
        seen = [o for o in list(self.watch.history["workloads"]) if self._owns(o.object)]
        is_provisioned = any(_is_provisioned(observation.object) for observation in seen)
        for observation in seen:
            workload = observation.object
            replaced.add(workload["metadata"].get("annotations", {}).get(REPLACEMENT_FOR))
            if f"{self.namespace}/{workload['metadata']['name']}" in replaced:
                continue  # what an elastic job waits for is its next slice
            if not workload["spec"].get("active", True):
                steps.add(moment(observation.time, spec_written(workload)), "Suspended")
            elif is_true(workload, "Evicted") and condition(workload, "Evicted").get("reason") != "Deactivated":
                steps.add(moment(observation.time, turned(workload, "Evicted")), "PreemptedWait")
                is_evicted = True
            elif is_true(workload, "Admitted"):
                steps.add(moment(observation.time, turned(workload, "Admitted")), None)
                is_evicted = False
            elif is_evicted:
                continue
            elif is_provisioned and is_true(workload, "QuotaReserved"):
                steps.add(moment(observation.time, turned(workload, "QuotaReserved")), "Provisioning")
            else:
                steps.add(observation.time, "QueueWait")
        return steps

    def _owns(self, workload):
        return workload["metadata"]["namespace"] == self.namespace and is_workload_of(workload, self.name)

    def _held_back(self):
        """Whether an order of start keeps a required Job from being there (or from being resumed)."""
        steps, live = Steps(False), {}
        jobs = self.item["spec"].get("replicatedJobs", [])
        in_order = bool(jobs) and self.item["spec"].get("startupPolicy", {}).get("startupPolicyOrder") == "InOrder"
        if not in_order and not any(job.get("dependsOn") for job in jobs):
            return steps
        steps.before = True
        required = sum(job["replicas"] for job in jobs if job["name"] in self.replicated)
        for observation in list(self.watch.history["jobs"]):
            job = observation.object
            labels = job["metadata"].get("labels", {})
            if labels.get(JOBSET_NAME) != self.name or labels.get(REPLICATED_JOB) not in self.replicated:
                continue
            live[job["metadata"]["name"]] = observation.type != "DELETED" and not job["spec"].get("suspend")
            written = None if observation.type == "DELETED" else spec_written(job)
            steps.add(moment(observation.time, written), sum(live.values()) < required)
        return steps

    def _pods(self):
        found = {}
        for observation in list(self.watch.history["pods"]):
            pod, at = observation.object, observation.time
            if pod["metadata"]["namespace"] != self.namespace or kinds.target_of(pod) != self.name:
                continue
            slot = kinds.slot_of(pod)
            if slot[0] not in self.replicated:
                continue
            seen = found.setdefault(pod["metadata"]["uid"], Pod(slot, moment(at, created(pod))))
            _observe(seen, pod, FOREVER if observation.type == "DELETED" else at, at)
        for observation in list(self.watch.history["events"]):
            seen = found.get(observation.object["involvedObject"].get("uid"))
            reason = observation.object.get("reason")
            at = moment(observation.time, observation.object.get("lastTimestamp"))
            if seen and reason == "Pulling" and seen.pulling is None:
                seen.pulling = at
            if seen and reason == "Pulled" and seen.pulled is None:
                seen.pulled = at
        return found

    def _end_with_nodes(self):
        for pod in self.pods.values():
            for sign, visible, back in deaths(self.watch, pod.node):
                shown = min(pod.lost, pod.done)
                if pod.bound < visible <= shown <= back:
                    started = [t for t, value in zip(pod.running.times, pod.running.values) if value and t < visible]
                    sign = max([sign, pod.bound] + started)
                    pod.lost = min(pod.lost, sign)
                    self.detecting.append((sign, shown))

    # --- the ledger ---

    def _newest(self, at):
        now, indexes = [], self.indexes.at(at)
        for slot, lives in self.newest.items():
            born = [pod for pod in lives if pod.created <= at]
            is_beyond = slot[0] in indexes and slot[2] is not None and int(slot[2]) >= indexes[slot[0]]
            if born and not is_beyond:
                now.append(born[-1])
        return now

    def _lives(self, pod):
        return next(lives for lives in self.newest.values() if pod in lives)

    def bucket(self, at, has_started):
        pods = self._newest(at)
        if len(pods) >= sum(self.sizes.at(at).values()) and all(pod.is_available(at) for pod in pods):
            if any(pod.is_pulling(at) for pod in pods):
                return "ImagePull"
            return "Running" if all(pod.running.at(at) or pod.done <= at for pod in pods) else "ContainerStart"
        if not self.is_queued and self.suspended.at(at):
            return "Suspended"
        if self.is_queued and self.queue.at(at):
            return self.queue.at(at)
        if any(pod.bound > at and pod.gated.at(at) for pod in pods):
            return "QueueWait"
        if self.held_back.at(at):
            return "DependencyWait"
        if any(pod.bound > at and pod.unschedulable.at(at) for pod in pods):
            return "Provisioning"
        if any(begin <= at < end for begin, end in self.detecting):
            return "FailureDetection"
        has_grown = self.sizes.times and all(pod.is_available(at) or (pod.bound > at and len(self._lives(pod)) == 1) for pod in pods)
        return "Binding" if not has_started or has_grown else "Rescheduling"

    def ledger(self):
        """[(begin, end, bucket)] from the target's creation to its end, without gaps."""
        edges = {self.begin, self.end} | set(self.suspended.times) | set(self.queue.times) | set(self.held_back.times)
        edges |= set(self.sizes.times)
        for pod in self.pods.values():
            edges |= set(pod.times())
        for span in self.detecting:
            edges |= set(span)
        edges = sorted(t for t in edges if self.begin <= t <= self.end)
        spans, has_started = [], False  # it was available, or Kueue has put it out before it was
        for begin, end in zip(edges, edges[1:]):
            bucket = self.bucket(begin, has_started)
            has_started = has_started or bucket in ("ImagePull", "ContainerStart", "Running", "PreemptedWait")
            if spans and spans[-1][2] == bucket:
                spans[-1] = (spans[-1][0], end, bucket)
            else:
                spans.append((begin, end, bucket))
        return spans


def _asks_for_chips(spec):
    return any("google.com/tpu" in container.get("resources", {}).get("limits", {}) for container in spec["containers"])


def _is_provisioned(workload):
    """Whether Kueue shows its pods which ProvisioningRequest made their capacity."""
    updates = [u for check in workload.get("status", {}).get("admissionChecks") or [] for u in check.get("podSetUpdates") or []]
    return any(PROVISIONED in update.get("annotations", {}) for update in updates)


def _observe(seen, pod, alive_at, at):
    statuses = pod["status"].get("containerStatuses", [])
    if pod["spec"].get("nodeName") and seen.bound == FOREVER:
        seen.bound, seen.node = moment(at, turned(pod, "PodScheduled")), pod["spec"]["nodeName"]
    scheduled = condition(pod, "PodScheduled")
    is_gated = scheduled.get("reason") == "SchedulingGated"
    seen.gated.add(moment(at, created(pod)) if is_gated else at, is_gated)
    is_waiting = scheduled.get("status") == "False" and scheduled.get("reason") == "Unschedulable"
    is_waiting = is_waiting and not pod["spec"].get("nodeName")
    seen.unschedulable.add(moment(at, scheduled.get("lastTransitionTime")) if is_waiting else at, is_waiting)
    ended = [c["state"]["terminated"]["finishedAt"] for c in statuses if "terminated" in c.get("state", {})]
    if pod["status"].get("phase") == "Succeeded" and not is_true(pod, "DisruptionTarget"):
        seen.done = min(seen.done, moment(at, max(ended, default=None)))
    elif _ending(pod, statuses) or alive_at == FOREVER:
        asked = turned(pod, "DisruptionTarget") if is_true(pod, "DisruptionTarget") else None
        signs = [stamp for stamp in (max(ended, default=None), asked) if stamp]
        asked_to_go = [_asked_to_go(pod) + 0.5] if pod["metadata"].get("deletionTimestamp") else []
        seen.lost = min([seen.lost, at] + [moment(at, stamp) for stamp in signs] + asked_to_go)
    states = [c.get("state", {}).get("running") or c.get("state", {}).get("terminated") for c in statuses]
    is_running = bool(states) and all(states)  # one that ended has started; its pod is done or lost presently
    started = max(state["startedAt"] for state in states) if is_running else None
    seen.running.add(max(moment(at, started), seen.running.times[-1] if seen.running.times else 0), is_running)


def _asked_to_go(pod):
    meta = pod["metadata"]
    return unix(meta["deletionTimestamp"]) - meta.get("deletionGracePeriodSeconds", 0)


def _ending(pod, statuses):
    ends = [c["state"]["terminated"]["exitCode"] for c in statuses if "terminated" in c.get("state", {})]
    return bool(pod["metadata"].get("deletionTimestamp") or is_true(pod, "DisruptionTarget") or any(ends))


def deaths(watch, node):
    """[(last sign of life, when it was visible, when it was Ready again)]: a node that is not Ready any more lived until
    its lease was last renewed; one whose object is deleted, until then."""
    found, ready, renewals = [], None, []
    for observation in watch.versions("leases", "kube-node-lease", node):
        renewals.append((observation.time, unix(observation.object["spec"]["renewTime"])))
    for observation in watch.versions("nodes", None, node):
        now = condition(observation.object, "Ready").get("status") == "True"
        if observation.type == "DELETED":
            found.append([observation.time, observation.time, FOREVER])
            now = None
        elif ready and not now:
            visible = moment(observation.time, turned(observation.object, "Ready"))
            found.append([max((t for seen, t in renewals if seen <= observation.time), default=visible), visible, FOREVER])
        elif now and found and found[-1][2] == FOREVER:
            found[-1][2] = moment(observation.time, turned(observation.object, "Ready"))
        ready = now
    return found


def totals(spans):
    """{bucket: (seconds, number of spans)}."""
    found = {}
    for begin, end, bucket in spans:
        seconds, count = found.get(bucket, (0, 0))
        found[bucket] = (seconds + end - begin, count + 1)
    return found
