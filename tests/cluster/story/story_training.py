"""The story of a training run: the real MaxText logs, killed at step 17 and after the save of step 20, as the log of the
coordinator of a JobSet that restarts twice and completes; behind it a job that waits in the queue all the while."""
import os
import time

from cluster import started_at, uid, uids
from kinds import COMPLETION_INDEX
from logreplay import Attempt, Replay
from watch import unix

NAMESPACE = "llm"
ATTEMPTS = (1, 2, 3)


def play(cluster, facts, log_directory, pod_logs):
    cluster.observe(NAMESPACE, "maxtext")
    cluster.submit("maxtext")
    time.sleep(2)
    cluster.observe(NAMESPACE, "queued")
    cluster.submit("queued")
    before = set()
    facts["replays"] = []
    for number in ATTEMPTS:
        attempt = Attempt(log_directory, number)
        replay, pods = _begin(cluster, attempt, before, pod_logs)
        facts["replays"].append(replay)
        before |= uids(pods)
        time.sleep(max(0, replay.begin_ns / 10**9 + attempt.duration - time.time()))
        replay.join()
        if attempt.exit_code == 0:
            cluster.complete(NAMESPACE, "maxtext")
        else:
            cluster.fail_pod(_coordinator(pods), attempt.exit_code)
    cluster.wait_condition("jobsets", NAMESPACE, "maxtext", "Completed")
    cluster.wait_running(NAMESPACE, "queued", 4)
    time.sleep(5)
    cluster.complete(NAMESPACE, "queued")
    cluster.wait_condition("jobsets", NAMESPACE, "queued", "Completed")


def _coordinator(pods):
    return next(pod for pod in pods if pod["metadata"]["labels"].get(COMPLETION_INDEX) == "0")


def _begin(cluster, attempt, before, pod_logs):
    """Serves the attempt's log from the moment the coordinator's container runs; returns the replay and the pods."""

    def coordinator(phase):
        found = [p for p in cluster.pods_of(NAMESPACE, "maxtext", phase) if uid(p) not in before]
        return next((p for p in found if p["metadata"]["labels"].get(COMPLETION_INDEX) == "0"), None)

    pod = cluster.watch.wait("the coordinator's pod", lambda: coordinator(None), 60)
    path = os.path.join(pod_logs, f"{NAMESPACE}_{pod['metadata']['name']}_train.log")
    cluster.serve_log(pod, path, "train")
    cluster.watch.wait("the coordinator's container", lambda: coordinator("Running"), 60)
    replay = Replay(attempt, path, time.time())
    replay.start()
    cluster.mark(f"attempt {attempt.number} of the MaxText log begins")
    pods = cluster.wait_running(NAMESPACE, "maxtext", 4, before)
    replay.late = replay.begin_ns / 10**9 - max(unix(started_at(pod)) for pod in pods)
    return replay, pods
