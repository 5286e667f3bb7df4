#!/usr/bin/env python3
"""Faults of recorders, one by one, next to a job without faults: the reports, and that the other job's numbers stay right."""
import datetime
import json
import os
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests/export"]
from emulator import Google  # noqa: E402
from endpoint import Endpoint, entry, listing, token, write  # noqa: E402
from jobs import Job, bucket  # noqa: E402
from rig import JOBGOODPUTS, Rig, Tally, wait_for  # noqa: E402


def at(unix_s):
    return datetime.datetime.fromtimestamp(unix_s, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def one(job, unix_s, stamp_s=None, **payload):
    """An entry of the recorder: its payload's time, and the entry's own (default the same)."""
    return {"severity": 200, "timestamp": at(unix_s if stamp_s is None else stamp_s), "jsonPayload": {"job_name": job, **payload}}


def attempt(job, start_s, steps, ahead_s=0, step_s=0.1):
    """Job start, steps, and the job's end, with which the last step ends; by a clock that is so far ahead."""
    t = start_s + ahead_s
    return [one(job, t, job_start_time=t)] + [
        one(job, t + 0.1 + step_s * i, step_count=n, step_start_time=t + 0.1 + step_s * i) for i, n in enumerate(steps)] + [
            one(job, t + 0.1 + step_s * len(steps), job_end_time=t + 0.1 + step_s * len(steps))]


def send(endpoint, entries, bearer=None):
    got = endpoint.post("/v2/entries:write", write(*entries), bearer or token())
    if got[0] != 200:
        raise SystemExit(f"not taken: {got}")


def adds_up(status):
    return status["time"].get("productiveMilliseconds", 0) + sum(b["milliseconds"] for b in status["badput"]) == status["time"]["wallMilliseconds"]


def push_job(rig, name, run=None):
    return Job(rig, name, {"source": "Push", "format": "Recorder", **({"push": {"jobName": run}} if run else {})})


def finish(endpoint, job, run, last):
    """The job ends; its numbers are final."""
    time.sleep(1.1)  # a container's end has whole seconds
    job.end()
    return wait_for(f"{job.name} to be final at step {last}", lambda: job.finished(last))


def wait_for_steps(job, count):
    try:
        return wait_for(f"{count} steps of {job.name}", lambda: job.status().get("steps", {}).get("retained") == count and job.status())
    except SystemExit:
        print(json.dumps(job.status()))
        raise


def check_reused_name(tally, endpoint, rig):
    """An earlier job of the same run name, of an hour ago, is in the same log."""
    send(endpoint, attempt("reused", time.time() - 3600, range(50)))
    job = push_job(rig, "reused")
    found = wait_for("a condition", lambda: "from before" in job.condition("StepLogAttached").get("message", "") and job.condition("StepLogAttached"))
    tally.check("a reused run name: what is older than the job is said to be left out", "52 lines" in found["message"], found)
    time.sleep(1.1)
    send(endpoint, attempt("reused", time.time(), range(5)))
    wait_for_steps(job, 5)
    status = finish(endpoint, job, "reused", 4)
    tally.check("... and counts nowhere", (status["steps"]["retained"], status["steps"]["repeated"], status["interruptions"]["total"]) == (5, 0, 0) and
                adds_up(status), status["steps"])


def check_two_writers(tally, endpoint, rig):
    """Two processes of one trainer both record, 30 ms apart."""
    job = push_job(rig, "twice")
    time.sleep(1.1)
    started = time.time()
    first, second = attempt("twice", started, range(20)), attempt("twice", started + 0.03, range(20))
    send(endpoint, [e for pair in zip(first, second) for e in pair])
    wait_for("the steps", lambda: job.status().get("steps", {}).get("last") == 19)
    time.sleep(2.2)
    status = finish(endpoint, job, "twice", 19)
    tally.check("two writers at a time: each step counts once, and nothing is an interruption",
                (status["steps"]["retained"], status["steps"]["repeated"], status["interruptions"]["total"]) == (20, 0, 0) and adds_up(status),
                (status["steps"], status["interruptions"], status["executions"]))
    tally.check("... and none of their work is lost", bucket(status, "WastedProgress") == 0, status["badput"])


def check_clocks(tally, endpoint, rig):
    """The trainer's clock is not the cluster's: by half a second, by seconds, by minutes."""
    for name, ahead_s, is_reported in (("clock-near", -0.5, False), ("clock-late", -300, True), ("clock-ahead", 120, True)):
        job = push_job(rig, name)
        time.sleep(1.6)
        send(endpoint, attempt(name, time.time(), range(10), ahead_s))
        if not is_reported:
            wait_for_steps(job, 10)
        time.sleep(2.2)
        job.end()
        status = wait_for(f"{name} to be final", lambda: next((job.status() for c in job.status().get("conditions", [])
                                                              if c["type"] == "Finished" and c["status"] == "True"), None), 180)
        messages = [c["message"] for c in status["conditions"] if (c["type"] == "ClockSkew" and c["status"] == "True") or
                (c["type"] == "StepLogAttached" and "clock" in c["message"])]
        tally.check(f"a clock {ahead_s:+} s off: the parts make the whole, and nothing is an interruption", adds_up(status) and
                    status["interruptions"]["total"] == 0, status)
        if is_reported:
            tally.check("... it is said", messages, status["conditions"])
        else:
            tally.check("... every step counts", status["steps"]["retained"] == 10, status["steps"])


def check_other_job(tally, endpoint, rig):
    """One request with entries of two jobs, and of one without a JobGoodput."""
    job, other = push_job(rig, "mixed"), push_job(rig, "mixed-too", "run two/../x")
    time.sleep(1.1)
    now = time.time()
    send(endpoint, attempt("mixed", now, range(6)) + attempt("run two/../x", now, range(3)) + attempt("nobody", now, range(100, 130)))
    wait_for_steps(job, 6)
    wait_for_steps(other, 3)
    a, b = finish(endpoint, job, "mixed", 5), finish(endpoint, other, "run two/../x", 2)
    tally.check("entries of another job in the same request count for that one alone", (a["steps"]["retained"], b["steps"]["retained"]) == (6, 3), (a["steps"], b["steps"]))


def check_injection(tally, endpoint, rig, google):
    """A job name that would be more than a name in a filter."""
    name = 'x" OR jsonPayload.job_name="mixed'
    send(endpoint, attempt(name, time.time(), [1]))
    quoted = json.dumps(name)[1:-1]
    got, answer = listing(endpoint, token(), quoted)
    tally.check("a quote in a job's name finds that job alone", got == 200 and {e["jsonPayload"]["job_name"] for e in answer["entries"]} == {name}, answer)
    send(endpoint, attempt("übung-7", time.time(), [1, 2]))
    got, answer = listing(endpoint, token(), "übung-7")
    tally.check("so does a name that JSON escapes", got == 200 and len(answer["entries"]) == 4, answer)
    got, answer = listing(endpoint, token(), name)
    names = {e["jsonPayload"]["job_name"] for e in answer.get("entries", [])}
    tally.check("... and unescaped it opens no other", got == 400 and "must name a job" in answer["error"]["message"], (got, names))
    google.write({"logName": "projects/p/logs/l", "entries": attempt("victim", time.time(), range(5))})
    job = {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": "injected", "namespace": "default"}, "spec": {
        "targetRef": {"apiGroup": "batch", "kind": "Job", "name": "mixed"}, "stepLog": {"source": "CloudLogging", "format": "Recorder",
                      "cloudLogging": {"project": "p", "logger": "l", "jobName": 'x" OR jsonPayload.job_name="victim'}}}}
    try:
        rig.ask("POST", f"{JOBGOODPUTS}/namespaces/default/jobgoodputs", job)
        found = wait_for("a condition", lambda: next((c["message"] for c in rig.get("default", "injected").get("status", {}).get("conditions", [])
                                                     if "quote" in c["message"] or "Duplicate" in c["reason"]), None))
        tally.check("in a spec it is refused", "quote" in found or "same target" in found or found, found)
    except Exception as error:  # the API server refuses it, which is as good
        tally.check("in a spec it is refused", "40" in str(error) or "42" in str(error), error)
    tally.check("nothing was asked of Cloud Logging with it", not any(method == "list" for method, _ in google.seen), google.seen)


def check_large(tally, endpoint, rig):
    """As much as a request may hold: all of it is kept; while another job's steps continue."""
    bearer = token("system:serviceaccount:default:trainer")
    small = push_job(rig, "small")
    time.sleep(1.1)
    now = time.time()
    large = [one("large", now - 100000 + i, step_count=i, step_start_time=now - 100000 + i, note="x" * 200000) for i in range(51)]
    body = json.dumps(write(*large)).encode()
    tally.check("the request is just below the limit", 10_000_000 < len(body) <= 10 << 20, len(body))
    got = endpoint.post("/v2/entries:write", body, bearer)
    tally.check("10 MiB of entries are taken", got[0] == 200, got)
    send(endpoint, attempt("small", now, range(8)), bearer)
    kept, page = [], {}
    while True:
        _, answer = listing(endpoint, bearer, "large", pageSize=20, **page)
        kept += [e["jsonPayload"]["step_count"] for e in answer["entries"]]
        if "nextPageToken" not in answer:
            break
        page = {"pageToken": answer["nextPageToken"]}
    tally.check("... all of them, in order", kept == list(range(51)), kept)
    wait_for_steps(small, 8)
    status = finish(endpoint, small, "small", 7)
    tally.check("... and another job's steps are all there", status["steps"]["retained"] == 8 and adds_up(status), status["steps"])
    other = token("system:serviceaccount:lines:trainer")
    got, answer = endpoint.post("/v1/push?job=lines", b"x\n" * (5 << 20), other)
    tally.check("10 MiB of lines of one character are refused as a whole, not cut", got == 413 and "too many lines" in answer["error"]["message"], answer)
    lines = b"".join(b"completed step: %d, seconds: 0.2 %s\n" % (n, b"y" * 100) for n in range(70000))
    # What was refused counts for the namespace's bytes a second.
    got = wait_for("a push that need not wait", lambda: (g := endpoint.post("/v1/push?job=lines", lines, other))[0] != 429 and g)
    tally.check("9 MiB of lines are counted as they came", got == (200, {"lines": 70000}), got)
    with open(endpoint.folder + "/store/lines/lines/00000001.jsonl", "rb") as stored:
        tally.check("... and are there", sum(1 for _ in stored) == 70000)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        endpoint = Endpoint(folder)
        os.makedirs(folder + "/google")
        google = Google(folder + "/google")
        os.environ.update(GCE_METADATA_HOST=google.host, CLOUDSDK_CONFIG="/nonexistent")
        rig = Rig(is_follower=False, flags=(*endpoint.flags, "--cloud-logging-endpoint=" + google.url, "--cloud-logging-allow=*=*/*"))
        try:
            endpoint.attach(rig)
            check_reused_name(tally, endpoint, rig)
            check_two_writers(tally, endpoint, rig)
            check_clocks(tally, endpoint, rig)
            check_other_job(tally, endpoint, rig)
            check_injection(tally, endpoint, rig, google)
            check_large(tally, endpoint, rig)
        finally:
            rig.close()
    tally.end()


main()
