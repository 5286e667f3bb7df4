"""What the JobGoodputs must say, against times that this test saw itself: its own receipt of the API's events, the
objects' own times, and the truth recorded beside the MaxText logs."""
import json
import os
import re

import slots
import status as read
from cluster import JOB_NAME, JOBSET_NAME
from watch import condition, unix

# (stream of the target, namespace, target, JobGoodput, reason of Finished, phase)
JOBS = (
    ("jobsets", "train", "train-a", "train-a", "Succeeded", "Completed"),
    ("jobsets", "train", "train-b", "train-b", "Succeeded", "Completed"),
    ("jobsets", "train", "train-c", "train-c", "Failed", "Failed"),
    ("jobsets", "llm", "maxtext", "maxtext", "Succeeded", "Completed"),
    ("jobsets", "llm", "queued", "queued", "Succeeded", "Completed"),
    ("jobsets", "hand", "by-hand", "by-hand", "Succeeded", "Completed"),
    ("jobs", "hand", "plain", "plain", "Succeeded", "Completed"),
)
WAITED = re.compile(r"Waited ([0-9.]+) seconds for step (\d+) to finish before starting checkpointing")
NODE_LOSS = ("NodeFailure", "NodeMaintenance", "Eviction")


class Expectations:
    def __init__(self, tally, cluster):
        self.tally = tally
        self.cluster = cluster
        self.watch = cluster.watch

    def report(self, facts, log_directory):
        self.every_ledger_adds_up()
        for _, namespace, _, name, reason, phase in JOBS:
            goodput = self.cluster.goodput(namespace, name)
            finished = condition(goodput, "Finished")
            seen = f"{finished.get('status')}/{finished.get('reason')}, phase {read.phase(goodput)}"
            right = finished.get("status") == "True" and finished.get("reason") == reason and read.phase(goodput) == phase
            self.tally.check(right, f"{name}: Finished for the reason {reason}, phase {phase}", seen)
        self.train_a()
        self.train_b()
        self.train_c()
        self.queued()
        self.by_hand(facts)
        self.plain()
        self.maxtext(facts, log_directory)

    # --- times that we saw ---

    def first(self, stream, namespace, name, holds):
        """When we first received a version of the object for which holds(object) is true."""
        return next((o.time for o in self.watch.versions(stream, namespace, name) if holds(o.object)), None)

    def workload_times(self, namespace, target, kind):
        """[(our receipt, status)] of each change of a condition of the target's Workload."""
        name = (self.cluster.workload_of(namespace, target) or self._gone_workload(namespace, target))["metadata"]["name"]
        changes, before = [], None
        for observation in self.watch.versions("workloads", namespace, name):
            now = condition(observation.object, kind).get("status")
            if now != before:
                changes.append((observation.time, now))
            before = now
        return changes

    def _gone_workload(self, namespace, target):
        seen = [o.object for o in list(self.watch.history["workloads"]) if o.object["metadata"]["namespace"] == namespace]
        return next(w for w in seen if any(r["name"] == target for r in w["metadata"].get("ownerReferences", [])))

    def ended(self, stream, namespace, name):
        """When we first saw the target at its end."""
        kinds = ("Completed", "Complete", "Failed")
        return self.first(stream, namespace, name, lambda item: any(condition(item, kind).get("status") == "True" for kind in kinds))

    # --- each job ---

    def every_ledger_adds_up(self):
        versions, wrong = 0, []
        for observation in list(self.watch.history["jobgoodputs"]):
            gap = read.ledger_gap_ms(observation.object)
            if gap is None:
                continue
            versions += 1
            if gap:
                meta = observation.object["metadata"]
                wrong.append(f"{meta['name']} version {meta['resourceVersion']}: {gap} ms")
        seen = f"{versions} versions, {len(wrong)} wrong {' '.join(wrong[:5])}"
        self.tally.check(versions and not wrong, "badput and productive time add up to wall time in every version", seen)
        self.every_time_is_in_order()

    def every_time_is_in_order(self):
        """0 <= P <= A <= W in every version, no bucket below 0, and W never goes back."""
        wrong, before = [], {}
        for observation in list(self.watch.history["jobgoodputs"]):
            goodput, uid = observation.object, observation.object["metadata"]["uid"]
            wall = read.time_ms(goodput, "wallMs")
            if wall is None:
                continue
            available = read.time_ms(goodput, "availableMs") or 0
            productive = read.time_ms(goodput, "productiveMs") or 0
            buckets = [entry["ms"] for entry in read.status(goodput).get("badput") or []]
            if not 0 <= productive <= available <= wall or min(buckets, default=0) < 0 or wall < before.get(uid, 0):
                name = goodput["metadata"]["name"]
                wrong.append(f"{name}: P {productive} A {available} W {wall}, W before {before.get(uid, 0)}")
            before[uid] = wall
        self.tally.check(not wrong, "P <= A <= W in every version, and W never goes back", "; ".join(wrong[:5]))

    def causes(self, name, goodput, expected):
        """expected: [(causes, any of which fits, count)]."""
        seen = read.interruptions(goodput)
        right = all(sum(seen.get(cause, 0) for cause in causes) == count for causes, count in expected)
        total = sum(count for _, count in expected)
        right = right and sum(seen.values()) == total and read.interruption_total(goodput) == total
        wanted = ", ".join(f"{count} {'/'.join(causes)}" for causes, count in expected) or "none"
        self.tally.check(right, f"{name}: interruptions are {wanted}", f"{read.interruption_total(goodput)} of {seen}")

    def executions(self, name, goodput, expected):
        seen = read.execution_number(goodput)
        self.tally.check(seen == expected, f"{name}: {expected} executions", seen)

    def time_of_slots(self, stream, namespace, name, required, executions):
        """Available time and ImagePull against our own view of the pods. A pod's end is stamped in whole seconds."""
        goodput = self.cluster.goodput(namespace, name)
        pods = slots.lives(self.watch, namespace, name)
        end = self.ended(stream, namespace, name)
        available = read.time_ms(goodput, "availableMs")
        expected = slots.available_seconds(pods, required, end)
        self.tally.near(f"{name}: available time", expected, available and available / 1000, 0.5 + executions)
        pulling = slots.pulling_seconds(pods, required, end)
        if pulling:
            measured = read.bucket_seconds(goodput, "ImagePull")
            self.tally.near(f"{name}: ImagePull, {executions} executions", pulling, measured, 0.7 * executions)

    def train_a(self):
        goodput = self.cluster.goodput("train", "train-a")
        expected = [(("ApplicationError",), 1), (("KueuePreemption",), 1), (NODE_LOSS, 2)]
        self.causes("train-a", goodput, expected)
        self.executions("train-a", goodput, 5)
        evidence = " ".join(str(e.get("evidence")) for e in read.status(goodput).get("executions") or [])
        self.tally.check("134" in evidence, "train-a: the evidence names exit code 134", evidence[:300])
        evicted = [at for at, now in self.workload_times("train", "train-a", "Evicted") if now == "True"]
        admitted = [at for at, now in self.workload_times("train", "train-a", "Admitted") if now == "True"]
        if self.tally.check(evicted and len(admitted) == 2, "train-a: we saw it evicted and admitted again"):
            waited = admitted[1] - evicted[0]
            self.tally.near("train-a: PreemptedWait", waited, read.bucket_seconds(goodput, "PreemptedWait"), 2)
        self.time_of_slots("jobsets", "train", "train-a", 8, 5)
        self._wall("jobsets", "train", "train-a")

    def _wall(self, stream, namespace, name):
        """From the target's creation to its end, both stamped in whole seconds."""
        item = self.watch.versions(stream, namespace, name)[-1].object
        ends = [condition(item, kind) for kind in ("Completed", "Complete", "Failed")]
        end = next(c["lastTransitionTime"] for c in ends if c.get("status") == "True")
        wall = unix(end) - unix(item["metadata"]["creationTimestamp"])
        measured = read.time_ms(self.cluster.goodput(namespace, name), "wallMs")
        self.tally.near(f"{name}: wall time", wall, None if measured is None else measured / 1000, 1)

    def train_b(self):
        goodput = self.cluster.goodput("train", "train-b")
        self.causes("train-b", goodput, [(("ApplicationError",), 1)])
        self.executions("train-b", goodput, 2)
        self.time_of_slots("jobsets", "train", "train-b", 4, 2)
        versions = [o.object for o in self.watch.versions("jobgoodputs", "train", "train-b")]
        missing = [v for v in versions if condition(v, "Ready").get("status") == "False"]
        named = any("train-b" in condition(v, "Ready").get("message", "") for v in missing)
        seen = read.describe(missing[0], "Ready") if missing else "never Ready=False"
        self.tally.check(named, "train-b: before its target existed, Ready=False named it", seen)
        refused = [v for v in versions if condition(v, "StepLogAttached").get("status") == "False"]
        named = [v for v in refused if "no-such-container" in condition(v, "StepLogAttached").get("message", "")]
        seen = read.describe((named or refused or [{}])[-1], "StepLogAttached")
        self.tally.check(named, "train-b: StepLogAttached=False names the container that does not exist", seen)
        scheduling = read.status(goodput).get("goodput", {}).get("scheduling")
        self.tally.check(scheduling, "train-b: the scheduling side went on", scheduling)
        runtime = read.status(goodput).get("goodput", {}).get("runtime")
        self.tally.check(runtime is None, "train-b: without step evidence runtime goodput is absent", runtime)

    def train_c(self):
        goodput = self.cluster.goodput("train", "train-c")
        self.causes("train-c", goodput, [])
        admitted = next(at for at, now in self.workload_times("train", "train-c", "Admitted") if now == "True")
        bound = self._last_bound("train", "train-c")
        measured = read.bucket_seconds(goodput, "Provisioning") + read.bucket_seconds(goodput, "Binding")
        self.tally.near("train-c: Provisioning and Binding, from admission until all pods are bound", bound - admitted, measured, 2)
        provisioning = read.bucket_seconds(goodput, "Provisioning")
        self.tally.check(provisioning >= 5, "train-c: most of it is Provisioning", f"{provisioning:.2f} s")

    def _last_bound(self, namespace, name):
        first = {}
        for observation in list(self.watch.history["pods"]):
            labels = observation.object["metadata"].get("labels", {})
            ours = name in (labels.get(JOBSET_NAME), labels.get(JOB_NAME))
            if ours and observation.object["metadata"]["namespace"] == namespace and observation.object["spec"].get("nodeName"):
                first.setdefault(observation.object["metadata"]["uid"], observation.time)
        return max(first.values())

    def queued(self):
        goodput = self.cluster.goodput("llm", "queued")
        created = self.first("jobsets", "llm", "queued", lambda _: True)
        admitted = next(at for at, now in self.workload_times("llm", "queued", "Admitted") if now == "True")
        self.tally.near("queued: QueueWait", admitted - created, read.bucket_seconds(goodput, "QueueWait"), 1)
        self.causes("queued", goodput, [])
        self.executions("queued", goodput, 1)
        self.time_of_slots("jobsets", "llm", "queued", 4, 1)

    def by_hand(self, facts):
        goodput = self.cluster.goodput("hand", "by-hand")
        self.causes("by-hand", goodput, [(("UserSuspend",), 1), (("NodeFailure", "Eviction"), 1)])
        self.executions("by-hand", goodput, 3)
        suspended = self.first("jobsets", "hand", "by-hand", lambda j: j["spec"].get("suspend"))
        resumed = next(
            (o.time for o in self.watch.versions("jobsets", "hand", "by-hand") if o.time > suspended and not o.object["spec"].get("suspend")),
            suspended,
        )
        self.tally.near("by-hand: Suspended", resumed - suspended, read.bucket_seconds(goodput, "Suspended"), 2)
        visible = self.first("nodes", None, facts["cut node"], lambda n: condition(n, "Ready").get("status") == "Unknown")
        unseen = visible - unix(facts["last sign of life"])
        measured = read.bucket_seconds(goodput, "FailureDetection", "Scheduling")
        self.tally.near("by-hand: FailureDetection, from the last lease renewal until the node was not Ready", unseen, measured, 2)

    def plain(self):
        goodput = self.cluster.goodput("hand", "plain")
        self.causes("plain", goodput, [(("ApplicationError",), 1)])
        self.executions("plain", goodput, 2)
        self._wall("jobs", "hand", "plain")
        self.time_of_slots("jobs", "hand", "plain", 2, 2)
        second = self.cluster.goodput("hand", "plain-again")
        found = condition(second, "Ready")
        right = found.get("status") == "False" and found.get("reason") == "Duplicate"
        self.tally.check(right, "a second JobGoodput for one target is a Duplicate", read.describe(second, "Ready"))

    # --- MaxText against its truth ---

    def maxtext(self, facts, log_directory):
        goodput = self.cluster.goodput("llm", "maxtext")
        self.causes("maxtext", goodput, [(("ApplicationError",), 2)])
        self.executions("maxtext", goodput, 3)
        self.time_of_slots("jobsets", "llm", "maxtext", 4, 3)
        status = read.status(goodput)
        self.tally.check(status.get("steps", {}).get("last") == 29, "maxtext: the last step is 29", status.get("steps"))
        seen = status.get("target", {}).get("logFormat")
        self.tally.check(seen == "MaxText", "maxtext: the format is recognised", seen)
        with open(os.path.join(log_directory, "truth.json"), encoding="utf-8") as file:
            truth = json.load(file)
        rows = maxtext_table(goodput, truth, facts["replays"])
        print_table(rows)
        for row in rows:
            self.tally.near(*row)


def maxtext_table(goodput, truth, replays):
    """(what, expected, measured, tolerance).

    Before it saves, MaxText waits for the step to finish and prints for how long; truth.json counts that wait as blocked
    in the save, the ledger as the step's own time. The tolerances: MaxText prints step N while step N+1 runs, so each
    attempt may gain or lose a step or two (about 0.45 s each), a kill takes the last lines with it; Orbax prints what it
    took, not all that its caller waited; a container's start is known to the second.
    """
    total, attempts = truth["summary"], truth["attempts"]
    lost_excess = total["first_step_excess_s"] - total["first_step_excess_kept_s"]
    waits = [wait for replay in replays for wait in waits_before_saves(replay.attempt)]
    kept = {(step["attempt"], step["step"]) for attempt in attempts for step in attempt["steps"] if step["kept"]}
    kept_waits = sum(seconds for number, step, seconds in waits if (number, step) in kept)
    all_waits = sum(seconds for _, _, seconds in waits)
    productive = read.time_ms(goodput, "productiveMs")
    before_steps = sum(
        read.bucket_seconds(goodput, bucket)
        for bucket in ("AcceleratorInit", "TrainingPreparation", "CheckpointRestore", "ProgramStartup")
    )
    restores = sum(restore_seconds(replay.attempt) for replay in replays)
    return (
        (
            "maxtext: productive time",
            total["productive_s"] + kept_waits - total["first_step_excess_kept_s"],
            productive and productive / 1000,
            1.5,
        ),
        (
            "maxtext: WastedProgress",
            total["lost_s"] + total["cut_s"] + all_waits - kept_waits - lost_excess,
            read.bucket_seconds(goodput, "WastedProgress"),
            1.8,
        ),
        ("maxtext: CheckpointSave", total["save_block_s"] - all_waits, read.bucket_seconds(goodput, "CheckpointSave"), 0.8),
        ("maxtext: CheckpointRestore", restores, read.bucket_seconds(goodput, "CheckpointRestore"), 0.3),
        (
            "maxtext: from the containers' start to the first step's work",
            total["startup_s"] + total["first_step_excess_s"] + sum(replay.late for replay in replays),
            before_steps,
            1.5 * len(attempts),
        ),
    )


def waits_before_saves(attempt):
    """(attempt, step, seconds) of each wait for a step before it was saved, as MaxText printed it."""
    found = [WAITED.search(text) for _, text in attempt.lines]
    return [(attempt.number, int(match.group(2)), float(match.group(1))) for match in found if match]


def print_table(rows):
    print(f"    {'seconds':58} {'expected':>9} {'measured':>9} {'difference':>10} {'tolerance':>9}")
    for what, expected, measured, tolerance in rows:
        measured = measured or 0
        print(f"    {what:58} {expected:9.2f} {measured:9.2f} {measured - expected:+10.2f} {tolerance:9.2f}")


def restore_seconds(attempt):
    """What Orbax itself said of the restores in the attempt's log."""
    marker = "'checkpoint_manager_duration_secs': "
    lines = [text for _, text in attempt.lines if "'event_type': 'restore'" in text and marker in text]
    return sum(float(text.split(marker)[1].rstrip("}").split(",")[0]) for text in lines)
