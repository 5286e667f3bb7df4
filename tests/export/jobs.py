"""JobGoodputs in every state, for the tests of the page."""

import copy
import datetime
import json
import re

STORY = json.load(open("tests/data/export/story.json"))
TRAINING = json.load(open("tests/data/export/training.json"))
ITEMS = {j["metadata"]["name"]: j for j in json.load(open("tests/data/cli/fleet.json"))["items"]}
OWNERS = [{"owner": "Scheduler", "milliseconds": 3000, "share": "0.60%", "interruptions": 1, "chipSeconds": 0, "cost": "0.00"},
          {"owner": "Provider", "milliseconds": 20000, "share": "4.00%", "interruptions": 1, "chipSeconds": 5400, "cost": "17.50"}]
FORECAST = {"intervalSeconds": 600, "saveMilliseconds": 2500, "persistMilliseconds": 8000, "runtime": "91.10%", "runtimeFirstOrder": "91.20%", "firstOrderIsValid": True,
            "job": "90.30%", "bestIntervalSeconds": 380, "bestIntervalSteps": 190, "bestFromSeconds": 250, "bestToSeconds": 560, "bestRuntime": "91.40%",
            "meanTimeBetweenFailuresSeconds": 36000, "meanTimeLowSeconds": 20000, "meanTimeHighSeconds": 70000,
            "remainingSteps": 4000, "remainingSeconds": 9000, "remainingDeviationSeconds": 1200, "finishAt": "2026-11-22T01:02:03Z",
            "assumptions": ["To reschedule takes no time: nothing was rescheduled yet."]}
# As long as GKE names them.
CLUSTER = "gke_research-project_us-east5-b_training-production-01"
FLEET = json.load(open("tests/data/cli/fleetgoodput.json"))
FLEET["status"]["byOwner"][0]["byClass"] = [{"class": "Network", "chipSeconds": 180000}, {"class": "TPUHardware", "chipSeconds": 432000}]
# What the page says of it.
FLEET_WORDS = ("Fleet research", "3 jobs", "590.970 interruptions per 1,000 node-days", "lost, USD", "425.00 USD", "2 NodeFailure 120 chip-hours, 300.00 USD",
               "causes of interruptions: 2 TPUHardware; 1", "by owner: Provider 170 chip-hours, 425.00 USD (TPUHardware 120 chip-hours, Network 50.0 chip-hours), interruptions: 3; Tenant 62", "gke-tpu-17, 2 TPUHardware, owner Provider; evil",
               "; others 1", "gke-tpu-17 fails at least 14.6 times",
               "Cost: 1250.00 USD, of these 580.00 lost (100.00% of the chip-hours have a price)")
STAMP = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def parsed(stamp):
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00"))


def named(job, name, namespace="research"):
    job = copy.deepcopy(job)
    job["metadata"] = {"name": name, "namespace": namespace}
    job.get("status", {}).pop("checkpoint", None)
    return job


def shifted(job, seconds_ago):
    """The same job with all its times moved, so that its numbers reach to some seconds ago."""
    by = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago) - parsed(job["status"]["time"]["observedThrough"])
    return json.loads(STAMP.sub(lambda m: (parsed(m.group(0)) + by).strftime("%Y-%m-%dT%H:%M:%S.000Z"), json.dumps(job)))


def interrupted(count=300):
    """A job of ten days; the newest 16 executions are kept, most of them of half a minute."""
    job = named(TRAINING, "interrupted")
    status = job["status"]
    to = parsed("2026-11-21T03:33:04Z")
    at = to - datetime.timedelta(minutes=70)
    stamp = "%Y-%m-%dT%H:%M:%S.000Z"
    status["executions"] = []
    for i in range(16):
        end = at + datetime.timedelta(seconds=30 if i % 4 else 840)
        e = {"number": count - 15 + i, "start": at.strftime(stamp), "availableAt": (at + datetime.timedelta(seconds=2)).strftime(stamp),
             "firstStepAt": (at + datetime.timedelta(seconds=3)).strftime(stamp), "firstStep": 10 * i, "lastStep": 10 * i + 12}
        if i < 15:
            e.update(end=end.strftime(stamp), cause="NodeFailure" if i % 3 else "OutOfMemory", owner="Provider" if i % 3 else "Tenant", node=f"tpu-{i % 3}", nodePool="tpu", lostWorkMilliseconds=4000, lostSteps=2,
                     rootCause={"class": "GPUHardware", "reason": "Xid79", "owner": "Provider", "basis": "Observed", "symptomOnly": False, "replicatedJob": "slice", "jobIndex": 1,
                                "completionIndex": 2, "followers": 63, "unread": 1,
                                "line": "NVRM: Xid (PCI:0000:9b:00): 79, pid=4242, GPU has fallen off the bus. " + "Its registers read as all ones. " * 7}, nodeEvidence=[{"node": f"tpu-{i % 3}", "signal": "Xid79", "role": "Cause"}],
                     evidence="Pod x: " + "the kubelet stopped posting the status of its node " * 8)
        status["executions"].append(e)
        at = end
    start = to - datetime.timedelta(days=10)
    status["time"].update(start=start.strftime(stamp), observedThrough=to.strftime(stamp), wallMilliseconds=864000000, availableMilliseconds=800000000, productiveMilliseconds=700000000)
    status["byOwner"] = OWNERS
    status["interruptions"] = {"byClass": [{"class": "GPUHardware", "count": 198}, {"class": "HostOOM", "count": 99}, {"class": "Unknown", "count": 3}], "total": count, "byCause": [{"cause": "NodeFailure", "count": 200}, {"cause": "OutOfMemory", "count": 100}], "meanTimeBetweenSeconds": 2666}
    return job


def put_jobs(rig):
    rig.put(named(STORY, "done"))
    rig.put(named(TRAINING, "stuck"))
    rig.put(shifted(named(TRAINING, "trains"), 20))
    queued = shifted(named(TRAINING, "queued-again"), 20)
    queued["status"].update(phase="Queued", conditions=[
        {"type": "StepLogAttached", "status": "False", "observedGeneration": 1, "reason": "PodNotFound", "message": "The log's pod is not there.", "lastTransitionTime": "2026-11-21T00:00:00Z"}])
    rig.put(queued)
    rig.put(shifted(named(ITEMS["gemma-eval"], "waits"), 20))
    rig.put(named(ITEMS["no-log"], "blind"))
    rig.put(named(ITEMS["typo"], "typo"))
    rig.put(interrupted())
    digits = named(STORY, "digits")
    digits["status"]["time"].update(wallMilliseconds=100000000, availableMilliseconds=82214950, productiveMilliseconds=82214950)
    digits["status"]["goodput"].update(scheduling="82.22%", runtime="100.00%", job="82.22%")
    digits["status"]["badput"] = [{"bucket": "QueueWait", "family": "Scheduling", "milliseconds": 17785050, "share": "17.79%", "count": 1, "basis": "Observed"}]
    rig.put(digits)
