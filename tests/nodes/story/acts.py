"""The acts: each is a job, something that happens to it, and what its JobGoodput must say in the end.

GROUPS: acts of a group run side by side; groups, one after the other.
"""
import json
import os
import time

import acts_deaths
import acts_guides
import acts_nodes
import acts_page
import jobs
import ledgers
import truth
from stage import PATIENCE
from watch import condition, unix


def failing(how, step=13):
    """step: None fails it when it receives the word."""
    return json.dumps({"how": how, **({} if step is None else {"step": step})})


# Who fails by FAIL_AT, and whom `kill(name, 0)` kills.
FIRST = {"replicatedJob": "slice", "jobIndex": 0, "completionIndex": 0, "container": "trainer", "symptomOnly": False, "unread": 0}


def smoke(stage):
    """A trainer killed by the kernel, then a pod of the job evicted; both times it starts again from its checkpoint."""
    name = "smoke"
    stage.submit(name, STEPS=40)
    stage.wait_step(name, 1, 13)  # saved at 9
    stage.kill(name, 0)
    stage.wait_step(name, 2, 23)  # saved at 19
    stage.cluster.evict(stage.pod(name, 1))
    stage.wait_end(name)
    stage.judge(name, {"ApplicationError": 1, "Eviction": 1})
    stage.judge_root_cause(name, 1, {"class": "Unknown", "reason": "SIGKILL", "owner": "Unknown", **FIRST})
    stage.judge_root_cause(name, 2, None)  # the eviction says who ended it


def exception(stage):
    stage.submit("exception", STEPS=25, FAIL_AT=failing("exception"))
    stage.wait_end("exception")
    stage.judge("exception", {"ApplicationError": 1})
    expected = {"class": "UserException", "reason": "RuntimeError", "owner": "Tenant", "basis": "Observed", "line": "RuntimeError: the loss is not a number", "frame": "train.py:"}
    stage.judge_root_cause("exception", 1, {**expected, **FIRST})


def shard(stage):
    """A file of the data is missing."""
    stage.submit("shard", STEPS=25, FAIL_AT=failing("shard"))
    stage.wait_end("shard")
    stage.judge("shard", {"ApplicationError": 1})
    stage.judge_root_cause("shard", 1, {"class": "DataError", "reason": "NotFound", "owner": "Tenant", "basis": "Observed", "frame": "train.py:", **FIRST})


def segfault(stage):
    """A crash leaves no words: the exit code names it."""
    stage.submit("segfault", STEPS=25, FAIL_AT=failing("segfault"))
    stage.wait_end("segfault")
    stage.judge("segfault", {"ApplicationError": 1})
    stage.judge_root_cause("segfault", 1, {"class": "CrashSignal", "reason": "SIGSEGV", "owner": "Unknown", "basis": "Derived", **FIRST})


def memory(stage):
    """More memory than the container may have: the kernel kills it."""
    stage.submit("memory", STEPS=25, FAIL_AT=failing("memory"), memory="64Mi")
    stage.wait_end("memory")
    stage.judge("memory", {"OutOfMemory": 1})
    stage.judge_root_cause("memory", 1, {"class": "HostOOM", "reason": "OOMKilled", "owner": "Tenant", "basis": "Observed", **FIRST})


def _evicted_by_kubelet(name):
    """Its root cause: of the whole pod, not of a container."""
    line = f"Pod {name}-slice-0-0-"
    return {**FIRST, "class": "StorageError", "reason": "Evicted", "owner": "Tenant", "basis": "Observed", "line": line, "container": None}


def kubelet_evicted(stage):
    """More on a volume than it may hold: kubelet evicts the pod, and only its Event and the pod's message show it."""
    name = "kubelet-evicted"
    stage.submit(name, STEPS=25, FAIL_AT=failing("disk"), scratch={"sizeLimit": "16Mi"})
    stage.wait_step(name, 2, 0)
    stage.wait_end(name)
    stage.judge(name, {"Eviction": 1})
    stage.judge_root_cause(name, 1, _evicted_by_kubelet(name))


def evicted_for_good(stage):
    """The same where the job may not restart: what it fails of is not an interruption."""
    name = "evicted-for-good"
    stage.submit(name, STEPS=25, restarts=0, FAIL_AT=failing("disk"), scratch={"sizeLimit": "16Mi"})
    stage.wait_for(f"{name}: the JobSet to fail", lambda: condition(stage.watch.object("jobsets", jobs.NAMESPACE, name) or {}, "Failed").get("status") == "True")
    stage.wait_end(name)
    ledgers.causes(stage.tally, name, stage.goodput(name), {})
    stage.judge_root_cause(name, 1, _evicted_by_kubelet(name))


def evicted_unsaved(stage):
    """SIGTERM ends the trainer at once: what it did since its last checkpoint is lost."""
    name = "evicted-unsaved"
    stage.submit(name, STEPS=25)
    stage.wait_step(name, 1, 15)
    stage.cluster.evict(stage.pod(name, 0))
    stage.wait_end(name)
    stage.judge(name, {"Eviction": 1})
    stage.judge_root_cause(name, 1, None)


def evicted_saved(stage):
    """SIGTERM lets the trainer finish its step and save: nothing is lost."""
    name = "evicted-saved"
    stage.submit(name, STEPS=25, SAVE_ON_SIGTERM=1, grace=30)
    stage.wait_step(name, 1, 15)
    stage.cluster.evict(stage.pod(name, 0))
    stage.wait_end(name)
    stage.judge(name, {"Eviction": 1})
    stage.judge_root_cause(name, 1, None)
    lost = [e.get("lostSteps", 0) for e in stage.goodput(name)["status"].get("executions", [])]
    stage.tally.check(sum(lost) == 0, f"{name}: no step is lost", lost)


def hang(stage):
    """A trainer stopped by SIGSTOP, until a person deletes its pod. Ten seconds without a step count as a hang."""
    name = "hang"
    stage.submit(name, goodput={"hangAfterSeconds": 10}, STEPS=25, grace=5)
    stage.wait_step(name, 1, 13)
    pod = stage.pod(name, 0)
    stage.cluster.mark(f"SIGSTOP to the container of {pod['metadata']['name']}")
    stage.machines.signal_container(pod, "SIGSTOP")
    time.sleep(25)  # the act itself: nobody notices for so long
    deleted = stage.cluster.mark(f"a person deletes the pod {pod['metadata']['name']}")
    stage.api.delete("pods", jobs.NAMESPACE, pod["metadata"]["name"])
    stage.wait_end(name)
    found = truth.attempts(stage.truth, name)
    found[0].killed = deleted  # until then it was there, in the step that it had started
    stage.judge(name, {"Hang": 1}, found=found)


def late_image(stage):
    """The image is pushed only when kubelet has failed to pull it."""
    name = "late-image"
    submitted = stage.submit(name, STEPS=12, image="late:1")

    def refused():
        for pod in stage.cluster.pods_of(jobs.NAMESPACE, name):
            for status in pod["status"].get("containerStatuses", []):
                if status.get("state", {}).get("waiting", {}).get("reason") in ("ErrImagePull", "ImagePullBackOff"):
                    return pod
        return None

    stage.wait_for(f"{name}: the pull to fail", refused)
    failed = stage.cluster.mark(f"{name}: kubelet could not pull the image; it is pushed now")
    stage.push("trainer", "late:1")
    pushed = stage.cluster.mark(f"{name}: the image is pushed")
    stage.wait_end(name)
    stage.judge(name, {})
    pulling, started = stage.bucket(name, "ImagePull"), truth.attempts(stage.truth, name)[0].started
    seen = f"{pulling:.1f} s; {pushed - failed:.1f} s passed until it was pushed, {started - submitted:.1f} s from submission to start"
    stage.tally.check(pushed - failed - 1 <= pulling <= started - submitted + 1, f"{name}: the wait is ImagePull", seen)


def long_log(stage):
    """12 MiB of lines at once: kubelet rotates the log under the controller's follow."""
    name = "long-log"
    stage.submit(name, STEPS=60, FAIL_AT=failing("lines", None))
    stage.wait_for(f"{name}: the controller to read", lambda: _last_read(stage, name) > 0)
    stage.send_word(name, "now")
    pod = stage.pod(name, 0)
    folder = f"/var/log/pods/{jobs.NAMESPACE}_{pod['metadata']['name']}_{pod['metadata']['uid']}/trainer"
    deadline = time.time() + PATIENCE
    while len(stage.machines.on(pod["spec"]["nodeName"], "ls", folder).split()) < 2 and time.time() < deadline:
        time.sleep(0.5)
    files = stage.machines.on(pod["spec"]["nodeName"], "ls", folder).split()
    stage.tally.check(len(files) > 1, f"{name}: kubelet has rotated the log", files)
    stage.wait_step(name, 1, truth.last_step(stage.truth, name)[1] + 10)
    stage.wait_end(name)
    stage.judge(name, {})
    last, trained = _last_read(stage, name), truth.last_step(stage.truth, name)[1]
    stage.tally.check(last == trained, f"{name}: the step lines after the rotation are read", f"{last} of {trained}")


def _last_read(stage, name):
    return (stage.goodput(name).get("status") or {}).get("steps", {}).get("last", -1)


def preempted(stage):
    """A job of higher priority takes the queue's room; the first one comes back when it is done."""
    stage.submit("low", queue="narrow", STEPS=25)
    stage.wait_step("low", 1, 13)
    stage.submit("high", queue="narrow", priority="high", STEPS=12)
    stage.wait_end("high")
    stage.wait_end("low")
    stage.judge("high", {})
    stage.judge("low", {"KueuePreemption": 1})
    stage.judge_root_cause("low", 1, None)
    waited, away = stage.bucket("low", "PreemptedWait"), _away(stage, "low")
    stage.tally.check(0 < waited <= away + 2, "low: it waited as long as Kueue kept it out, at most", f"{waited:.1f} s of {away:.1f} s")


def _away(stage, name):
    """Seconds from a job's eviction by Kueue until it had its quota again, as Kueue says (in whole seconds)."""
    evicted = returned = 0
    for observation in list(stage.watch.history["workloads"]):
        owners = observation.object["metadata"].get("ownerReferences", [])
        if not any(owner["name"] == name for owner in owners):
            continue
        eviction, quota = (condition(observation.object, kind) for kind in ("Evicted", "QuotaReserved"))
        if eviction.get("status") == "True":
            evicted, returned = unix(eviction["lastTransitionTime"]), 0
        elif evicted and not returned and quota.get("status") == "True":
            returned = unix(quota["lastTransitionTime"])
    return returned - evicted


def jax(stage):
    """Real training: JAX and Orbax, killed twice between checkpoints. Its step lines and Orbax's own lines are all there is."""
    name = "jax"
    stage.push("trainer-jax", "trainer-jax:1")
    stage.submit(name, STEPS=60, image="trainer-jax:1", FRAMEWORK="jax", LAYERS=20)
    stage.wait_step(name, 1, 16)
    stage.kill(name, 0)
    stage.wait_step(name, 2, 36)
    stage.cluster.evict(stage.pod(name, 0))
    stage.wait_end(name, 600)
    stage.judge(name, {"ApplicationError": 1, "Eviction": 1})
    stage.judge_root_cause(name, 1, {"class": "Unknown", "reason": "SIGKILL", "owner": "Unknown", **FIRST})
    stage.judge_root_cause(name, 2, None)


def maxtext(stage):
    """MaxText's own training program, killed and evicted between its checkpoints: all its lines are its own and Orbax's."""
    name = "maxtext"
    stage.push("trainer-maxtext", "trainer-maxtext:1")
    site = os.path.join(os.path.dirname(stage.run), "maxtext")
    stage.submit(name, STEPS=45, image="trainer-maxtext:1", command=("python3", "/trainer/train_maxtext.py"), mounts={"/site": site}, JAX_PLATFORMS="cpu")
    stage.wait_step(name, 1, 16, 1800)
    stage.kill(name, 0)
    stage.wait_step(name, 2, 26, 1800)
    stage.cluster.evict(stage.pod(name, 0))
    stage.wait_end(name, 1800)
    stage.judge(name, {"ApplicationError": 1, "Eviction": 1})


GROUPS = {
    "smoke": (smoke, acts_page.dashboard),
    "short-tokens": (acts_nodes.short_tokens,),
    "trainers": (exception, shard, segfault, memory, long_log, late_image, kubelet_evicted, evicted_for_good),
    "pods": (evicted_unsaved, evicted_saved, preempted, hang),
    "names": (acts_nodes.names,),
    "jax": (jax,),
    "maxtext": (maxtext,),
    "deaths": acts_deaths.ALL,
    "renewed": (acts_nodes.renewed,),
    "steady": (acts_nodes.steady,),
    "drain": (acts_nodes.drain,),
    "last-words": (acts_nodes.last_words,),
    "partition": (acts_nodes.partition,),
    "node-deleted": (acts_nodes.node_deleted,),
    "guides": (acts_guides.all_guides,),
}
