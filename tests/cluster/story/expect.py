"""What the JobGoodputs must say, against times that this test observed itself: its own receipt of the API's events, the
objects' own times, and the truth recorded next to the MaxText logs."""
import json
import os
import re
from collections import namedtuple

import compare
import kinds
import status as read
import story_node_signals
import story_provisioning
from cluster import RESOURCES
from watch import condition, unix

# What each JobGoodput must say in the end. causes: [(causes, any of which fits, count)]
Job = namedtuple("Job", "story stream namespace name reason phase causes executions")
NODE_LOSS = ("NodeFailure", "NodeMaintenance", "Eviction")
ERROR, SUSPEND = ("ApplicationError",), ("UserSuspend",)


def _causes(publisher):
    return [(ERROR, 2)] if publisher.loses == story_node_signals.EXITS else [(ERROR, 1), (NODE_LOSS, 1)]


ALL_JOBS = (
    Job("queue", "jobsets", "train", "train-a", "Succeeded", "Completed", [(ERROR, 1), (("KueuePreemption",), 1), (NODE_LOSS, 2)], 5),
    Job("queue", "jobsets", "train", "train-b", "Succeeded", "Completed", [(ERROR, 1)], 2),
    Job("queue", "jobsets", "train", "train-c", "Failed", "Failed", [], 1),
    Job("training", "jobsets", "llm", "maxtext", "Succeeded", "Completed", [(ERROR, 2)], 3),
    Job("training", "jobsets", "llm", "queued", "Succeeded", "Completed", [], 1),
    Job("hand", "jobsets", "hand", "by-hand", "Succeeded", "Completed", [(SUSPEND, 1), (("NodeFailure",), 1)], 3),
    Job("hand", "jobs", "hand", "plain", "Succeeded", "Completed", [(ERROR, 1)], 2),
    Job("failures", "jobsets", "failures", "oom", "Succeeded", "Completed", [(("OutOfMemory",), 1)], 2),
    Job("failures", "jobsets", "failures", "pull-trouble", "Succeeded", "Completed", [], 1),
    Job("failures", "jobsets", "failures", "gives-up", "Failed", "Failed", [(ERROR, 1)], 2),
    Job("failures", "jobsets", "failures", "by-rule", "Failed", "Failed", [(ERROR, 2)], 3),
    Job("failures", "jobsets", "failures", "restart-job", "Succeeded", "Completed", [(ERROR, 1)], 2),
    Job("failures", "jobsets", "failures", "in-place", "Succeeded", "Completed", [(ERROR, 1)], 2),
    Job("order", "jobsets", "order", "depends", "Succeeded", "Completed", [], 1),
    Job("order", "jobsets", "order", "in-order", "Succeeded", "Completed", [], 1),
    Job("gates", "jobsets", "gates", "checked", "Succeeded", "Completed", [(SUSPEND, 1)], 2),
    Job("cohort", "jobsets", "cohort", "borrower", "Succeeded", "Completed", [(("KueuePreemption",), 1), (("KueueEviction/ClusterQueueStopped",), 1)], 3),
    Job("cohort", "jobsets", "cohort", "owner", "Succeeded", "Completed", [], 1),
    Job("provisioning", "jobsets", "provisioning", "provisioned", "Succeeded", "Completed", [(("KueueEviction/AdmissionCheck",), 1)], 2),
    Job("trainjob", "jobsets", "trainjob", "trained", "Succeeded", "Completed", [(ERROR, 1), (("KueueEviction/ClusterQueueStopped",), 1)], 3),
    Job("podgroup", "workloads", "podgroup", "grouped", "Succeeded", "Completed", [(ERROR, 1)], 2),
    Job("pytorchjob", "pytorchjobs", "pytorchjob", "torch", "Succeeded", "Completed", [(NODE_LOSS, 1), (ERROR, 1), (SUSPEND, 1)], 4),
    Job("leaderworkerset", "leaderworkersets", "leaderworkerset", "serve", "Deleted", "Deleted", [(NODE_LOSS, 1), (ERROR, 1), (("KueueEviction/ClusterQueueStopped",), 1)], 4),
    Job("rayjob", "rayjobs", "rayjob", "rayed", "Succeeded", "Completed", [(NODE_LOSS, 1), (ERROR, 1), (SUSPEND, 1)], 4),
    Job("hotswap", "jobsets", "hotswap", "swapped", "Succeeded", "Completed", [(("NodeFailure", "KueueEviction/NodeFailures"), 1)], 2),
    Job("hotswap", "jobsets", "hotswap", "cornered", "Succeeded", "Completed", [(("KueueEviction/NodeFailures",), 1)], 2),
    Job("elastic", "jobs", "elastic", "stretched", "Succeeded", "Completed", [], 1),
    Job("elastic", "jobsets", "elastic", "widened", "Succeeded", "Completed", [], 1),
    Job("claims", "jobsets", "claims", "claimed", "Succeeded", "Completed", [(NODE_LOSS, 1)], 2),
    Job("nodes", "jobsets", "nodes", "node-gone", "Succeeded", "Completed", [(("NodeFailure",), 1)], 2),
    *(Job("node_signals", "jobsets", story_node_signals.NAMESPACE, p.name, "Succeeded", "Completed", _causes(p), 3) for p in story_node_signals.PUBLISHERS),
)
WAITED = re.compile(r"Waited ([0-9.]+) seconds for step (\d+) to finish before starting checkpointing")


class Expectations:
    def __init__(self, tally, cluster, jobs, probe):
        self.tally = tally
        self.cluster = cluster
        self.watch = cluster.watch
        self.jobs = jobs
        self.probe = probe

    def report(self, facts, log_directory):
        self.every_ledger_adds_up()
        for job in self.jobs:
            goodput = self.cluster.goodput(job.namespace, job.name)
            self.end(job, goodput)
            self.causes(job.name, goodput, job.causes)
            self.executions(job.name, goodput, job.executions)
            self.buckets(job, goodput)
            self.events(job, goodput)
        for story, check in (("queue", self.train_a), ("queue", self.train_b), ("hand", self.plain), ("failures", self.failures), ("provisioning", self.provisioning)):
            if any(job.story == story for job in self.jobs):
                check()
        if any(job.story == "node_signals" for job in self.jobs):
            story_node_signals.check(self.tally, self.cluster)
        if any(job.story == "training" for job in self.jobs):
            self.maxtext(facts, log_directory)

    def end(self, job, goodput):
        finished = condition(goodput, "Finished")
        seen = f"{finished.get('status')}/{finished.get('reason')}, phase {read.phase(goodput)}"
        right = finished.get("status") == "True" and finished.get("reason") == job.reason and read.phase(goodput) == job.phase
        self.tally.check(right, f"{job.name}: Finished for the reason {job.reason}, phase {job.phase}", seen)

    def buckets(self, job, goodput):
        """The scheduling side and the start of the containers against our own ledger. The API stamps nearly all in whole
        seconds, so each span may be off by one at either end; we ourselves see things as late as the load makes us."""
        rows = compare.rows(self.watch, job, goodput)
        seen, wrong = [], []
        for row in rows:
            (wrong if row.beyond(2 * self.probe.worst()) else seen).append(row.shown())
        shown = f"{', '.join(seen)}{'; NOT ' + ', '.join(wrong) if wrong else ''}"
        self.tally.check(not wrong, f"{job.name}: seconds expected/measured", shown)

    def events(self, job, goodput):
        """One Event for each interruption, with its cause, and not repeated."""
        versions = {}
        for observation in list(self.watch.history["events"]):
            event = observation.object
            regarding = event["involvedObject"]
            ours = regarding["kind"] == "JobGoodput" and (regarding["namespace"], regarding["name"]) == (job.namespace, job.name)
            if ours and event["reason"] == "Interrupted" and observation.type != "DELETED":
                number = int(event["metadata"]["name"].rpartition("-")[2])
                versions.setdefault(number, []).append(event["message"])
        ended = {e["number"]: e["cause"] for e in read.status(goodput).get("executions") or [] if e.get("cause")}
        missing = [f"#{n} {cause}" for n, cause in ended.items() if n not in versions or not versions[n][-1].startswith(cause)]
        # The failure that ended a job for good looked like an interruption until the job's end was known.
        extra = [n for n in versions if n not in ended and (job.phase != "Failed" or n != len(ended) + 1)]
        often = {n: messages for n, messages in versions.items() if len(messages) > 4}
        seen = "; ".join(messages[-1][:90] for _, messages in sorted(versions.items()))
        right = not missing and not extra and not often
        self.tally.check(right, f"{job.name}: one Event per interruption", seen if right else f"{missing} {extra} {often} {seen}")

    # --- each job ---

    def every_ledger_adds_up(self):
        goodputs = [observation.object for observation in list(self.watch.history["jobgoodputs"])]
        versions = sum(read.time_ms(goodput, "wallMilliseconds") is not None for goodput in goodputs)
        wrong = read.wrong(goodputs)
        seen = f"{versions} versions, {len(wrong)} wrong {' '.join(wrong[:5])}"
        self.tally.check(versions and not wrong, "each number of every version is what its others make it", seen)
        self.every_time_is_in_order()
        self.final_numbers_stay()

    def every_time_is_in_order(self):
        """0 <= P <= A <= W in every version, no bucket below 0, and W never goes back, but once: into the second that the
        stamp of the target's end names, which is reported after it."""
        wrong, before, ended = [], {}, set()
        for observation in list(self.watch.history["jobgoodputs"]):
            goodput, uid = observation.object, observation.object["metadata"]["uid"]
            wall = read.time_ms(goodput, "wallMilliseconds")
            if wall is None:
                continue
            available = read.time_ms(goodput, "availableMilliseconds") or 0
            productive = read.time_ms(goodput, "productiveMilliseconds") or 0
            buckets = [entry["milliseconds"] for entry in read.status(goodput).get("badput") or []]
            went_back = wall < before.get(uid, 0) and (uid in ended or not self.is_of_its_end(goodput))
            if condition(goodput, "Finished").get("status") == "True":
                ended.add(uid)
            if not 0 <= productive <= available <= wall or min(buckets, default=0) < 0 or went_back:
                name = goodput["metadata"]["name"]
                wrong.append(f"{name}: P {productive} A {available} W {wall}, W before {before.get(uid, 0)}")
            before[uid] = wall
        self.tally.check(not wrong, "P <= A <= W in every version, and W never goes back", "; ".join(wrong[:5]))

    def final_numbers_stay(self):
        """Once Finished is reported and no checkpoint is kept, no version differs from that one."""
        final, wrong = {}, []
        for observation in list(self.watch.history["jobgoodputs"]):
            status, meta = dict(read.status(observation.object)), observation.object["metadata"]
            keeps = status.pop("checkpoint", None)
            if final.get(meta["uid"], status) != status:
                wrong.append(meta["name"])
            if condition(observation.object, "Finished").get("status") == "True" and not keeps:
                final.setdefault(meta["uid"], status)
        self.tally.check(final and not wrong, "final numbers never change", f"{len(final)} final; changed: {wrong}")

    def is_of_its_end(self, goodput):
        """Whether its time ends within the second that the target's end is stamped with."""
        through = read.status(goodput).get("time", {}).get("observedThrough")
        kind, meta = goodput["spec"]["targetRef"]["kind"], goodput["metadata"]
        stream = "jobsets" if kind == "TrainJob" else RESOURCES[kind]
        versions = self.watch.versions(stream, meta["namespace"], goodput["spec"]["targetRef"]["name"])
        stamps = {stamp for o in versions for stamp in kinds.end_stamps(o.object)}
        return through is not None and any(0 <= unix(through) - unix(stamp) < 1 for stamp in stamps if stamp)

    def causes(self, name, goodput, expected):
        """expected: [(causes, any of which fits, count)]."""
        seen = read.interruptions(goodput)
        right = all(sum(seen.get(cause, 0) for cause in causes) == count for causes, count in expected)
        total = sum(count for _, count in expected)
        right = right and sum(seen.values()) == total and read.interruption_total(goodput) == total
        required = ", ".join(f"{count} {'/'.join(causes)}" for causes, count in expected) or "none"
        self.tally.check(right, f"{name}: interruptions are {required}", f"{read.interruption_total(goodput)} of {seen}")

    def executions(self, name, goodput, expected):
        seen = read.execution_number(goodput)
        self.tally.check(seen == expected, f"{name}: {expected} executions", seen)

    def train_a(self):
        goodput = self.cluster.goodput("train", "train-a")
        evidence = " ".join(str(e.get("evidence")) for e in read.status(goodput).get("executions") or [])
        self.tally.check("134" in evidence, "train-a: the evidence names exit code 134", evidence[:300])

    def train_b(self):
        goodput = self.cluster.goodput("train", "train-b")
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

    def plain(self):
        second = self.cluster.goodput("hand", "plain-again")
        found = condition(second, "Ready")
        right = found.get("status") == "False" and found.get("reason") == "Duplicate"
        self.tally.check(right, "a second JobGoodput for one target is a Duplicate", read.describe(second, "Ready"))

    def failures(self):
        goodput = self.cluster.goodput("failures", "pull-trouble")
        evidence = [e.get("evidence", "") for e in read.status(goodput).get("badput") or [] if e["bucket"] == "ImagePull"]
        self.tally.check(evidence and "pull-trouble" in evidence[0], "pull-trouble: the evidence of ImagePull names its pod", evidence)

        for name, code in (("gives-up", "134"), ("by-rule", "42")):
            evidence = [e["evidence"] for e in read.status(self.cluster.goodput("failures", name))["executions"] if e.get("cause")]
            self.tally.check(evidence and all(code in line for line in evidence), f"{name}: the evidence names exit code {code}", evidence)

    def provisioning(self):
        goodput = self.cluster.goodput("provisioning", "provisioned")
        evidence = [e.get("evidence", "") for e in read.status(goodput).get("badput") or [] if e["bucket"] == "Provisioning"]
        words = ("Workload jobset-provisioned", "admission check capacity", story_provisioning.WAITING)
        right = evidence and all(word in evidence[0] for word in words)
        self.tally.check(right, "provisioned: the evidence of Provisioning names the check and what the autoscaler said", evidence)

    # --- MaxText against its truth ---

    def maxtext(self, facts, log_directory):
        goodput = self.cluster.goodput("llm", "maxtext")
        status = read.status(goodput)
        self.tally.check(status.get("steps", {}).get("last") == 29, "maxtext: the last step is 29", status.get("steps"))
        seen = status.get("target", {}).get("logFormat")
        self.tally.check(seen == "MaxText", "maxtext: the format is recognized", seen)
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
    productive = read.time_ms(goodput, "productiveMilliseconds")
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
