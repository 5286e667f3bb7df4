"""cluster_test: runs the controller on the cluster that up.sh started, plays the stories, checks what it says.

Called by cluster-test.sh, which has built everything, started the cluster and installed the chart's CRD and RBAC.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time
import traceback

import chaos
import expect
import fleet
import idle
import latency
import refusals
import stories
from api import Api
from cluster import Cluster
from controller import Controller
from tally import Tally
from watch import Recorder, Watch, condition

STRIKE_SECONDS = 120  # the chaos at the end takes no longer, however slow the machine
PATIENCE = 5  # times as long as a quiet machine needs
FINAL_SECONDS = 300  # Finished comes with the final numbers: a log that cannot be read is waited for for a minute


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    chaos.add_arguments(parser)
    parser.add_argument("--strikes", type=int, default=10, help="of the chaos after the stories")
    parser.add_argument("--seed", type=int, help="of the chaos")
    parser.add_argument("--plugin", help="kubectl-goodput")
    parser.add_argument("--earlier-checks", help="file with ok / not ok lines to count in")
    parser.add_argument("--record", help="write the streams to this file")
    parser.add_argument("--idle-seconds", type=int, default=60)
    return parser.parse_args()


def wait_for_the_end(cluster, tally, jobs):
    """The controller must notice each end by itself."""
    for job in jobs:
        try:
            cluster.wait_finished(job.namespace, job.name, FINAL_SECONDS)
        except TimeoutError as error:
            tally.check(False, f"{job.name}: Finished after its end", error)


def check_controller(options, cluster, facts, tally, controller):
    jobs = stories.jobs_of(options)
    wait_for_the_end(cluster, tally, jobs)
    if any(job.name == "plain" for job in jobs):
        cluster.observe("hand", "plain", kind="Job", goodput_name="plain-again", stepLog={"source": "None"})
        duplicate = lambda: condition(cluster.goodput("hand", "plain-again"), "Ready")  # pylint: disable=unnecessary-lambda-assignment
        cluster.watch.wait("plain-again to be judged", duplicate, 30)
    expect.Expectations(tally, cluster, jobs, facts["probe"]).report(facts, options.trainer_logs)
    latency.report(tally, cluster.watch, jobs, facts.get("replays", []), facts["probe"])
    code = controller.stop()
    tally.check(code == 0, "the controller ends with exit code 0 on SIGTERM", code)


def count_earlier(path, tally):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    tally.passed += sum(line.startswith("ok - ") for line in lines)
    tally.failed += sum(line.startswith("not ok - ") for line in lines)


def show_what_people_see(options, tally):
    """The table of `kubectl get` and the plugin's `explain`, as printed; kubectl finds the plugin on PATH."""
    path = os.path.dirname(os.path.abspath(options.plugin)) + os.pathsep + os.environ["PATH"]
    job = next((job for job in stories.jobs_of(options) if job.name == "maxtext"), stories.jobs_of(options)[0])
    of_job = [job.name, "-n", job.namespace]
    required = ["Interrupted", "rescheduled in"] if job.causes else [job.name]
    for command, words in (
        (["get", "jobgoodput", "-A"], [job.name]),
        (["goodput", "explain", *of_job], [job.name]),
        (["goodput", "timeline", *of_job], [job.name]),
        (["get", "events", "-n", job.namespace, "--field-selector", "involvedObject.kind=JobGoodput"], required),
        (["describe", "jobgoodput", *of_job], required),
    ):
        shown = subprocess.run(
            ["kubectl", *command], env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=180, check=False
        )
        lines = shown.stdout.splitlines()
        if command[0] == "describe":  # what is above is the status that was checked already
            lines = lines[next((i for i, line in enumerate(lines) if line.startswith("Events:")), 0) :]
        text = "\n".join(lines)
        print(f"\n$ kubectl {' '.join(command)}\n{text}\n{shown.stderr}")
        right = shown.returncode == 0 and all(word in text for word in words)
        tally.check(right, f"kubectl {' '.join(command)} shows {' and '.join(words)}")


def show_fleet(options, tally):
    path = os.path.dirname(os.path.abspath(options.plugin)) + os.pathsep + os.environ["PATH"]
    shown = subprocess.run(["kubectl", "goodput", "fleet", "capacity"], env={**os.environ, "PATH": path},
                           capture_output=True, text=True, timeout=180, check=False)
    print(f"\n$ kubectl goodput fleet capacity\n{shown.stdout}{shown.stderr}")
    words = ("Capacity", "Idle", "Allocated")
    tally.check(shown.returncode == 0 and all(w in shown.stdout for w in words), "kubectl goodput fleet capacity shows its waterfall")


def read_as_json(options, tally):
    """In which encoding the API server answered this controller, and one that asked for JSON. That both encodings give the
    same status is in tests/operator/test_protobuf.c."""
    log_path = os.path.join(options.run, "logs", "json-controller.log")
    controller = Controller(options.controller, options.kubeconfig, log_path, 28193, "--leader-elect=false", "--watch-encoding=json")
    try:
        controller.wait_ready()
        time.sleep(10)
    finally:
        controller.stop()
    encodings = []
    for path in (log_path, os.path.join(options.run, "logs", "idle-controller.log")):
        with open(path, encoding="utf-8") as file:
            events = [json.loads(line) for line in file if '"synced"' in line]
        encodings.append({event["encoding"] for event in events if event["resource"] in ("pods", "nodes", "jobs", "events")})
    tally.check(encodings == [{"json"}, {"protobuf"}], "the API server answers in protobuf and, with --watch-encoding=json, in JSON", str(encodings))


def measure_idle(options, cluster, tally):
    """A controller that starts when all is over: what it costs, and that it leaves final statuses alone."""
    jobs = stories.jobs_of(options)
    # Numbers are final when the checkpoint is deleted; what waits for the rest of a log may be written once more.
    finished = {job.name: numbers(cluster, job) for job in jobs if not numbers(cluster, job, "checkpoint")}
    log_path = os.path.join(options.run, "logs", "idle-controller.log")
    controller = Controller(options.controller, options.kubeconfig, log_path, 28191, "--leader-elect=false")
    try:
        controller.wait_ready()
        # A log that could not be read is given up a minute after its pod was deleted; a checkpoint is kept until then, and
        # the status written once more.
        time.sleep(75)
        kept = [job.name for job in jobs if numbers(cluster, job, "checkpoint")]
        print(f"    finished jobs that still keep a checkpoint: {', '.join(kept) or 'none'}")
        idle.report(tally, controller.pid, options.idle_seconds)
    finally:
        controller.stop()
    read_as_json(options, tally)
    changed = []
    for job in (job for job in jobs if job.name in finished):
        changed += changes(job.name, finished[job.name], numbers(cluster, job))
    seen = f"{len(changed)} changes: {'; '.join(changed[:8])}" if changed else ""
    print(f"    final when it started: {len(finished)} of {len(jobs)}")
    tally.check(finished and not changed, "a controller that starts afterwards leaves the final statuses as they are", seen)


def numbers(cluster, job, field=None):
    """The status but for what only the controller itself reads, or one field of it."""
    status = dict(cluster.goodput(job.namespace, job.name).get("status") or {})
    if field:
        return status.get(field)
    status.pop("checkpoint", None)
    return status


def changes(path, before, now):
    """["path: old -> new"] of everything that differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = sorted(before.keys() | now.keys())
        return [line for key in keys for line in changes(f"{path}.{key}", before.get(key), now.get(key))]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [line for i, pair in enumerate(zip(before, now)) for line in changes(f"{path}[{i}]", *pair)]
    return [] if before == now else [f"{path}: {str(before)[:80]} -> {str(now)[:80]}"]


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through the finally below, so that no controller is left
    tally = Tally()
    if options.earlier_checks:
        count_earlier(options.earlier_checks, tally)
    recorder = Recorder(options.record)
    api = Api(options.api, os.path.join(options.run, "pki"))
    api.use_served_kueue()
    watch = Watch(api, recorder, {job.stream for job in stories.jobs_of(options)})
    watch.patience = PATIENCE
    cluster = Cluster(api, watch, recorder, options.scenario)
    facts = {"probe": latency.Probe()}
    facts["probe"].start()
    controller = None
    try:
        watch.start()
        if options.controller:
            log_path = os.path.join(options.run, "logs", "controller.log")
            flags = ("--leader-elect=true", "--lease-namespace=goodput-system")
            controller = Controller(options.controller, options.kubeconfig, log_path, 28091, *flags)
            controller.wait_ready()
            controller.keep_alive()
            refusals.report(tally, api)
        capacity = fleet.Fleet(cluster, api, tally)
        if controller:
            capacity.start()
        stories.play_all(options, cluster, facts, tally)
        if controller:
            capacity.join()
            show_fleet(options, tally)
            capacity.clear()
            check_controller(options, cluster, facts, tally, controller)
            controller = None
            show_what_people_see(options, tally)
            measure_idle(options, cluster, tally)
            if options.strikes:
                watch.stop()
                chaos.play(options, tally, options.strikes, STRIKE_SECONDS, chaos.a_seed() if options.seed is None else options.seed, False, forgiving=True)
    except Exception as error:  # pylint: disable=broad-except # counted as a failure, then the summary
        traceback.print_exc()
        tally.check(False, "the test came to its end", error)
    finally:
        if controller:
            controller.stop()
        watch.stop()
        recorder.close()
    print(f"{tally.passed} passed, {tally.failed} failed", flush=True)
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
