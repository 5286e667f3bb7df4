"""Chaos: the stories and random lives of jobs, while the controller, the API server, etcd, the JobSet and the Kueue
controllers are killed, paused and restarted; in the end every final status is compared with the truth.

The truth is the oracle's (oracle.py: each bucket once more), from etcd's own history (etcd.py), in which no kill leaves a
gap, by our own clock. What a life may differ by is the resolution of what Kubernetes stamps: per bucket one second a span
and half a second; what is beyond that is a lost second. Main program of `make chaos`; cluster_test calls play() with ten strikes.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import signal
import sys
import threading
import time

import compare
import expect
import latency
import oracle
import status as read
import stories
import stuck
from api import Api, ApiError
from cluster import Cluster
from controller import Controller
from etcd import EtcdWatch
from kubelets import Kubelets
from lives import NAMESPACE, Lives
from reasons import Reasons
from strikes import Striker, unwatched
from tally import Tally
from watch import Recorder, condition, is_true

WORKERS = 6
PATIENCE = 6
GIVE_UP = 120  # a request is tried again for so long
ENDS_WITHIN = 900  # after the last strike
SLOW = 60  # seconds in a wrong bucket that a slow machine may explain
END_OF = {"Completed": ("Succeeded", "Completed"), "Complete": ("Succeeded", "Completed"), "Failed": ("Failed", "Failed")}


class PatientApi(Api):
    """Tries again while the server, or a webhook behind it, is down. What an earlier try did already is done."""

    def request(self, method, path, body=None, content_type="application/json"):
        deadline, again = time.time() + GIVE_UP, False
        while True:
            try:
                return super().request(method, path, body, content_type)
            except ApiError as error:
                if again and ((method == "POST" and error.status == 409) or (method == "DELETE" and error.status == 404)):
                    return None
                if (error.status < 500 and error.status not in (409, 429)) or time.time() > deadline:
                    raise
                again = again or error.status >= 500
            except (OSError, http.client.HTTPException):
                if time.time() > deadline:
                    raise
                again = True
            time.sleep(0.3)


class Mortal:
    """The controller as a strike finds it: a process that is killed and restarted."""

    def __init__(self, options):
        self.options = options
        self.log_path = os.path.join(options.run, "logs", "chaos-controller.log")
        self.controller = None
        self.start()

    @property
    def pid(self):
        return self.controller.pid

    def start(self):
        # Without an election, so that a successor watches at once: what is lost is then lost by it, not by the wait.
        self.controller = Controller(self.options.controller, self.options.kubeconfig, self.log_path, 28092, "--leader-elect=false")

    def wait_watching(self):
        """Until it has read all that there is."""
        self.controller.wait_ready(300)

    def end(self, kind):
        if kind == "kill":
            self.controller.process.kill()
            self.controller.process.wait()
        else:
            self.controller.stop()


def play(options, tally, strikes, seconds, seed, with_stories, forgiving=False):
    """The given number of strikes within the given seconds, then the comparison; checks go to `tally`. Forgiving: what a slow
    machine alone can cause is shown and fails nothing; only what none explains does."""
    print(f"    chaos: seed {seed}, up to {strikes} strikes in {seconds} s", flush=True)
    watch = EtcdWatch(options.etcd, os.path.join(options.run, "pki"), Recorder(options.record_chaos))
    watch.patience = PATIENCE
    cluster = Cluster(PatientApi(options.api, os.path.join(options.run, "pki")), watch, watch.recorder, options.scenario)
    watch.start()
    facts = {"probe": latency.Probe()}
    facts["probe"].start()
    kubelets = Kubelets(watch, Api(options.api, os.path.join(options.run, "pki")))
    kubelets.start()
    controller = Mortal(options)
    try:
        here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        over = threading.Event()
        workers = [Lives(cluster, seed, number, over) for number in range(WORKERS)]
        striker = Striker(seed, strikes, time.time() + seconds, here, options.run, controller)
        started = time.time()
        for thread in [*workers, striker]:
            thread.start()
        if with_stories:
            stories.play_all(options, cluster, facts, tally)
        striker.join()
        over.set()
        print(f"    the strikes are over after {time.time() - started:.0f} s; the lives come to their ends", flush=True)
        deadline = time.time() + ENDS_WITHIN
        for worker in workers:
            worker.join(max(0, deadline - time.time()))
        controller.controller.wait_ready(300)
        jobs = [job for worker in workers for job in expected_ends(cluster, worker)]
        jobs += stories.jobs_of(options) if with_stories else []
        wait_for_ends(cluster, jobs)
        judgment = Judgment(options, tally, cluster, watch, facts, striker, workers)
        judgment.slack = SLOW if forgiving else 0
        judge(judgment, jobs, seed, time.time() - started)
        code = controller.controller.stop()
        tally.check(code == 0, "chaos: the controller still ends with exit code 0 on SIGTERM", code)
    finally:
        kubelets.stop()
        counts = ", ".join(f"{count} {stream}" for stream, count in kubelets.touched.items()) or "none"
        print(f"    objects that kwok or the job controller had forgotten and was reminded of: {counts}")
        if controller.controller.process.poll() is None:
            controller.controller.process.kill()
        watch.stop()
        watch.recorder.close()


def expected_ends(cluster, worker):
    """A Job tuple for each life: how its target ended is read from the target."""
    found = []
    for life in worker.lives:
        item = cluster.watch.object(life.stream, NAMESPACE, life.name) or {}
        reason, phase = next((END_OF[kind] for kind in END_OF if is_true(item, kind)), ("none", "none"))
        if reason == "none":
            worker.slow.append(f"{life.name} did not end")
            stuck.report(cluster, life.stream, NAMESPACE, life.name, f"did not end; its acts were {' '.join(life.acts)}")
            continue
        found.append(expect.Job("lives", life.stream, NAMESPACE, life.name, reason, phase, None, None))
    return found


def wait_for_ends(cluster, jobs):
    """Until the controller has reported all of them."""
    deadline, missing = time.time() + 300, jobs
    while missing and time.time() < deadline:
        time.sleep(0.5)
        missing = [job for job in jobs if not is_true(cluster.goodput(job.namespace, job.name), "Finished")]
    for job in missing:
        stuck.report(cluster, job.stream, job.namespace, job.name, "its JobGoodput is not Finished")


def folder_of(options):
    """Outlasts the cluster."""
    return os.path.join(os.path.dirname(options.run), "chaos")


class Judgment:
    def __init__(self, options, tally, cluster, watch, facts, striker, workers):
        self.folder = folder_of(options)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.tally, self.cluster, self.watch, self.facts = tally, cluster, watch, facts
        self.striker, self.workers = striker, workers
        self.unwatched = unwatched(striker.strikes)
        self.reasons = Reasons(striker.strikes)
        self.lost = self.off = self.lived = self.misplaced = self.unattributed = self.unobserved = 0.0
        self.slack = 0  # seconds of a life that may be misplaced besides

    def one(self, job):
        """What is wrong with the final status of one life; [] if nothing."""
        goodput = self.cluster.goodput(job.namespace, job.name)
        finished = condition(goodput, "Finished")
        wrong = []
        if finished.get("status") != "True" or (finished.get("reason"), read.phase(goodput)) != (job.reason, job.phase):
            wrong.append(f"Finished={finished.get('status')}/{finished.get('reason')} phase {read.phase(goodput)}, not {job.reason}")
        target = oracle.Target(self.watch, job.stream, job.namespace, job.name)
        rows = compare.rows_of(target, goodput)
        self.off += sum(abs((row.measured or 0) - row.expected) for row in rows)
        self.lived += rows[0].expected
        misplaced = compare.misplaced(rows)
        unwatched = sum(max(0, min(end, target.end) - max(begin, target.begin)) for begin, end in self.unwatched)
        self.unobserved += unwatched
        self.misplaced += misplaced
        self.unattributed += compare.unattributed(rows)
        if misplaced:
            self.lost += max(0, misplaced - unwatched)
            text = f"{misplaced:.2f} s in a wrong bucket, {unwatched:.2f} s unwatched"
            wrong += [text] if misplaced > unwatched + self.slack else []
            print(f"    {job.namespace}/{job.name}: {text}: {', '.join(row.shown() for row in rows)}")
            print("\n".join("      " + line for line in self.reasons.of(target, rows)))
            self.dump(job, target)
        gap = read.ledger_gap_ms(goodput)
        if gap != 0:
            wrong.append(f"the sum of the ledger is not the wall time: {gap} ms")
            self.lost += abs(gap or 0) / 1000
        return wrong + self.changed(job)

    def dump(self, job, target):
        """For a person who looks into it: the truth's spans, the strikes and all versions of the life's objects."""
        seen = []
        for stream in ("jobsets", "jobs", "pods", "workloads", "events", "jobgoodputs"):
            for o in list(self.watch.history[stream]):
                meta = o.object["metadata"]
                if meta.get("namespace") == job.namespace and (job.name + "-" in meta["name"] + "-"):
                    seen.append((o.time, stream, o.type, o.object))
        record = {"truth": target.ledger(), "strikes": self.striker.strikes, "history": sorted(seen, key=lambda o: o[0])}
        with open(os.path.join(self.folder, job.name + ".json"), "w", encoding="utf-8") as file:
            json.dump(record, file)

    def changed(self, job):
        """What a final status showed that a later version took back."""
        final, wrong = None, []
        for observation in self.watch.versions("jobgoodputs", job.namespace, job.name):
            # The target's end is reported at once; the numbers freeze when the last of its log and of its objects is in, and
            # the checkpoint goes with that.
            if not is_true(observation.object, "Finished") or read.status(observation.object).get("checkpoint"):
                continue
            now = {key: read.status(observation.object).get(key) for key in ("time", "badput", "executions", "interruptions", "phase")}
            if final is not None and now != final:
                fields = [key for key in now if now[key] != final[key]]
                wrong.append(f"final numbers changed: {', '.join(fields)}")
            final = now
        return wrong


def judge(judgment, jobs, seed, seconds):
    tally, striker = judgment.tally, judgment.striker
    wrong = 0
    for job in jobs:
        found = judgment.one(job)
        acts = next((life.acts for worker in judgment.workers for life in worker.lives if life.name == job.name), "")
        wrong += bool(found)
        if found:
            print(f"    life {job.namespace}/{job.name} {acts}: {'; '.join(found)}", flush=True)
    counts = striker.counts()
    tally.check(not judgment.watch.gaps, "chaos: etcd kept all that it had acknowledged, and its history has no gap", "; ".join(judgment.watch.gaps[:3]))
    tally.check(judgment.slack or len(striker.strikes) >= striker.count, f"chaos: {striker.count} strikes fell in time", len(striker.strikes))
    broken = striker.broken + [text for worker in judgment.workers for text in worker.broken]
    slow = striker.slow + [text for worker in judgment.workers for text in worker.slow]
    if judgment.slack:
        print(f"    not waited for any longer: {'; '.join(slow) or 'none'}")
    else:
        broken += slow
    tally.check(not broken, "chaos: all strikes and lives came to their ends", "; ".join(broken[:5]))
    checks = expect.Expectations(tally, judgment.cluster, jobs, judgment.facts["probe"])
    checks.every_ledger_adds_up()
    by_itself = ", ".join(f"{part} {count}" for part, count in striker.died.items()) or "none"
    print(f"    parts that ended by themselves and were started again: {by_itself}")
    print("\n".join(["    what was misplaced:"] + judgment.reasons.summary()))
    print(
        f"chaos: seed {seed}: {len(jobs)} lives, {counts['kill']} kills, {counts['pause']} pauses, {counts['restart']} restarts "
        f"in {seconds:.0f} s; {judgment.lost:.2f} seconds lost of {judgment.lived:.0f} lived; besides, {judgment.misplaced - judgment.lost:.2f} s "
        f"in a wrong bucket ({judgment.unattributed:.0f} s Unattributed) within {judgment.unobserved:.0f} s that nobody watched; sum of all differences {judgment.off:.1f} s",
        flush=True,
    )
    if wrong:
        print(f"    all versions of what those lives were made of: {judgment.folder}")
    tally.check(not wrong and jobs, f"chaos: every final status of {len(jobs)} lives is the truth", f"{wrong} are not")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument("--strikes", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--seed", type=int, default=None)
    return parser.parse_args()


def add_arguments(parser):
    parser.add_argument("--api", required=True)
    parser.add_argument("--etcd", required=True, help="its address and port")
    parser.add_argument("--run", required=True, help="run directory of the cluster")
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--trainer-logs", required=True)
    parser.add_argument("--controller", help="program to run; without it the stories are only played")
    parser.add_argument("--kubeconfig", help="of the controller's ServiceAccount")
    parser.add_argument("--stories", default=stories.NAMES)
    parser.add_argument("--record-chaos", help="write the marks of the chaos to this file")


def a_seed():
    return random.SystemRandom().randrange(10**6)


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tally = Tally()
    try:
        play(options, tally, options.strikes, options.seconds, a_seed() if options.seed is None else options.seed, bool(options.stories))
    except Exception as error:  # pylint: disable=broad-except # counted as a failure, then the summary
        tally.check(False, "the chaos came to its end", repr(error))
    print(f"{tally.passed} passed, {tally.failed} failed", flush=True)
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
