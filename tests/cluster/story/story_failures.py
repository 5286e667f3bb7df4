"""Failures without Kueue, each job on a separate node pool, all at once: out of memory under BlockingRecreate, an image
that cannot be pulled at first, one job of a set restarted by a failure policy rule, a restart in place of all pods. The jobs
that fail for good, by maxRestarts and by a rule, come after another on its pool."""
import threading
import time

import shapes
from cluster import uids
from watch import condition

NAMESPACE = "failures"
NO_LOG = {"stepLog": {"source": "None"}}
ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt"
BARRIER = "cluster-test/barrier"
MAX_INT32 = 2**31 - 1


def play(cluster):
    pools = ((_oom, _gives_up), (_pull_trouble, _by_rule), (_restart_job,), (_in_place,))
    failures = []

    def run(acts):
        try:
            for act in acts:
                act(cluster)
        except Exception as error:  # pylint: disable=broad-except # reported below; the others continue
            failures.append(error)

    threads = [threading.Thread(target=run, args=(acts,), daemon=True) for acts in pools]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _submit(cluster, jobset):
    name = jobset["metadata"]["name"]
    cluster.observe(NAMESPACE, name, **NO_LOG)
    cluster.create(jobset)
    return name


def _complete(cluster, name):
    time.sleep(3)
    cluster.complete(NAMESPACE, name)
    cluster.wait_condition("jobsets", NAMESPACE, name, "Completed")


def _fail(cluster, name, pods, code):
    time.sleep(3)
    cluster.fail_pod(pods[2], code)
    return cluster.wait_running(NAMESPACE, name, 4, uids(pods))


def _fail_for_good(cluster, name, pods, reason):
    time.sleep(3)
    cluster.fail_pod(pods[1], 1)
    failed = condition(cluster.wait_condition("jobsets", NAMESPACE, name, "Failed"), "Failed")
    if failed["reason"] != reason:
        raise AssertionError(f"{name} failed with {failed['reason']}, not {reason}")


def _oom(cluster):
    slices = shapes.replicated_job("slice", ["tpu-slice-7"])
    name = _submit(cluster, shapes.jobset(NAMESPACE, "oom", [slices], "BlockingRecreate"))
    pods = cluster.wait_running(NAMESPACE, name, 4)
    time.sleep(3)
    cluster.fail_pod(pods[1], 137, "OOMKilled")
    cluster.wait_running(NAMESPACE, name, 4, uids(pods))
    _complete(cluster, name)


def _gives_up(cluster):
    """One restart is allowed: the second failure is the job's end."""
    slices = shapes.replicated_job("slice", ["tpu-slice-7"])
    name = _submit(cluster, shapes.jobset(NAMESPACE, "gives-up", [slices], restarts=1))
    pods = _fail(cluster, name, cluster.wait_running(NAMESPACE, name, 4), 134)
    _fail_for_good(cluster, name, pods, "ReachedMaxRestarts")


def _by_rule(cluster):
    """What its Job's pod failure policy knows is restarted whatever maxRestarts says; anything else ends it, though
    restarts are left."""
    known = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]}
    slices = shapes.replicated_job("slice", ["tpu-slice-8"], podFailurePolicy=known)
    ignored = {"name": "known", "action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}
    ending = {"name": "unknown", "action": "FailJobSet", "onJobFailureReasons": ["BackoffLimitExceeded"]}
    policy = {"rules": [ignored, ending]}
    name = _submit(cluster, shapes.jobset(NAMESPACE, "by-rule", [slices], restarts=1, failurePolicy=policy))
    pods = _fail(cluster, name, cluster.wait_running(NAMESPACE, name, 4), 42)
    pods = _fail(cluster, name, pods, 42)
    _fail_for_good(cluster, name, pods, "FailJobSetFailurePolicyAction")


def _pull_trouble(cluster):
    annotations = {"cluster-test/pull": "2s", "cluster-test/pull-trouble": "5s"}
    slices = shapes.replicated_job("slice", ["tpu-slice-8"], annotations=annotations)
    name = _submit(cluster, shapes.jobset(NAMESPACE, "pull-trouble", [slices]))
    cluster.wait_running(NAMESPACE, name, 4)
    _complete(cluster, name)


def _restart_job(cluster):
    """A pod of slice 1 fails: only that Job is made again, slice 0 continues."""
    slices = shapes.replicated_job("slice", ["tpu-slice-9", "tpu-slice-10"], replicas=2)
    rules = {"rules": [{"name": "oneJob", "action": "RestartJob"}]}
    name = _submit(cluster, shapes.jobset(NAMESPACE, "restart-job", [slices], failurePolicy=rules))
    pods = cluster.wait_running(NAMESPACE, name, 8)
    time.sleep(3)
    cluster.fail_pod(pods[6], 1)
    kept = [pod for pod in pods if "-slice-0-" in pod["metadata"]["name"]]
    lost = [pod for pod in pods if pod not in kept]
    now = cluster.wait_running(NAMESPACE, name, 8, uids(lost))
    if not uids(kept) <= uids(now):
        raise AssertionError("RestartJob made the other Job's pods anew, too")
    _complete(cluster, name)


def _in_place(cluster):
    """The work of JobSet's agent in each pod: announces its attempt, and restarts its container when the set restarts."""
    slices = shapes.replicated_job(
        "slice",
        ["tpu-slice-11"],
        annotations={"cluster-test/pull": "2s", BARRIER: ""},
        restart_policy="OnFailure",
        backoffLimit=MAX_INT32,
        podReplacementPolicy="Failed",
    )
    name = _submit(cluster, shapes.jobset(NAMESPACE, "in-place", [slices], "InPlaceRestart"))
    pods = cluster.wait_running(NAMESPACE, name, 4)
    _announce_attempt(cluster, name, pods, 0)
    time.sleep(3)
    cluster.restart_in_place(pods[2])  # its worker failed
    cluster.annotate(pods[2], {ATTEMPT: "1"})
    cluster.watch.wait("the in-place restart", lambda: _in_place_status(cluster, name, "previousInPlaceRestartAttempt") == 0, 30)
    others = pods[:2] + pods[3:]
    for pod in others:
        cluster.restart_in_place(pod)
    _announce_attempt(cluster, name, others, 1)
    for pod in pods:
        cluster.annotate(pod, {BARRIER: None})
    cluster.watch.wait("all pods to run again", lambda: _restarted(cluster, name), 30)
    cluster.mark(f"{name}: the barrier is lifted, all pods run again")
    _complete(cluster, name)


def _announce_attempt(cluster, name, pods, attempt):
    for pod in pods:
        cluster.annotate(pod, {ATTEMPT: str(attempt)})
    seen = lambda: _in_place_status(cluster, name, "currentInPlaceRestartAttempt") == attempt  # pylint: disable=unnecessary-lambda-assignment
    cluster.watch.wait(f"in-place attempt {attempt} of all pods", seen, 30)
    cluster.mark(f"{name}: all pods are in attempt {attempt}")


def _restarted(cluster, name):
    statuses = [c for pod in cluster.pods_of(NAMESPACE, name) for c in pod["status"]["containerStatuses"]]
    return len(statuses) == 4 and all(c["restartCount"] == 1 and "running" in c["state"] for c in statuses)


def _in_place_status(cluster, name, field):
    return cluster.watch.object("jobsets", NAMESPACE, name).get("status", {}).get(field)
