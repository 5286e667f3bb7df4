#!/usr/bin/env python3
"""The unmodified recorder writes to an emulated Cloud Logging while a controller follows it there: its status, the
library's own calculator and `kubectl goodput analyze --cloud-logging` on the same entries, faults included."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests/export"]
from emulator import Google  # noqa: E402
from jobs import Job, client, compare, now  # noqa: E402
from rig import BIN, Rig, Tally, wait_for  # noqa: E402

LOGGER, RUN = "goodput_run1", "run1"


def analyze(google, *options, run=RUN):
    started = time.monotonic()
    environment = {k: v for k, v in google.environment().items() if k != "HTTPS_PROXY"}
    done = subprocess.run([f"{BIN}/kubectl-goodput", "analyze", "--cloud-logging", f"p/{LOGGER}/{run}", "--cloud-logging-endpoint", google.url,
                           "-o", "json", *options], env=environment, capture_output=True, text=True, timeout=300)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr, time.monotonic() - started


def check_controller(tally, google, rig):
    job = Job(rig, "train", {"source": "CloudLogging", "format": "Recorder", "cloudLogging": {"project": "p", "logger": LOGGER, "jobName": RUN}})
    google.fault("list", 500)
    google.fault("list", 0)
    client(google.environment(), "write", LOGGER, RUN, "0", "20", "dies")
    job.restart()
    client(google.environment(), "write", LOGGER, RUN, "14", "30", "end")
    # Of another job in the same logger: nothing to do with this one.
    google.write({"logName": f"projects/p/logs/{LOGGER}", "entries": [
        {"severity": 200, "timestamp": now(), "jsonPayload": {"job_name": "other", "step_count": 999, "step_start_time": time.time()}}]})
    job.end()
    status = wait_for("a finished status with step 29", lambda: job.finished(29))
    library = client(google.environment(), "read", LOGGER, RUN)
    compare(tally, status, library)
    tally.check("the faults were met", google.count("list", 500) == 1 and google.count("list", 0) == 1, google.seen)
    return library


def check_analyze(tally, google, library):
    code, answer, err, _ = analyze(google, "--definition", "library")
    same = ("goodput_percent", "max_productive_step", "disruptions", "badput_percent")
    tally.check("analyze --cloud-logging says what the real calculator says", code == 0 and all(
        answer[k] == library[k] for k in same if k != "badput_percent") and all(
            answer["badput_percent"][k] == v for k, v in library["badput_percent"].items()), (answer, library, err))
    whole = analyze(google)[1]
    for name, status, headers in (("401", 401, {}), ("429 with Retry-After", 429, {"Retry-After": "1"}), ("500", 500, {}), ("half an answer", 0, {}),
                                  ("a slow answer", -1, {})):
        google.fault("list", status, 1, headers)
        code, answer, err, _ = analyze(google)
        tally.check(f"analyze gets over {name}", code == 0 and answer == whole and not google.faults, err)
    for status, times, part in ((403, 1, "roles/logging.viewer"), (404, 1, "no such project p"), (500, 3, "Cloud Logging fails p: HTTP status 500"),
                                (429, 3, "quota"), (401, 2, "does not accept")):
        google.fault("list", status, times)
        code, answer, err, _ = analyze(google)
        tally.check(f"{times} times {status} ends it with a sentence", code == 1 and part in err and err.count("\n") == 1, err)
        google.faults.clear()
    code, _, err, _ = analyze(google, run="nobody")
    tally.check("a job without entries is said", code == 1 and 'no entry of job "nobody"' in err, err)
    code, _, err, _ = analyze(google, run='x" OR "')
    tally.check("a name that would change the filter is refused", code == 1 and "quote" in err, err)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        google = Google(folder)
        os.environ.update(GCE_METADATA_HOST=google.host, CLOUDSDK_CONFIG="/nonexistent")
        rig = Rig(is_follower=False, flags=("--status-interval=1s", "--cloud-logging-endpoint=" + google.url, "--cloud-logging-allow=*=*/*"))
        try:
            check_analyze(tally, google, check_controller(tally, google, rig))
        finally:
            rig.close()
    tally.end()


main()
