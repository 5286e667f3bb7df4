#!/usr/bin/env python3
"""The unmodified recorder writes to an emulated Cloud Logging while a controller follows it there: its status, the
library's own calculator, and `kubectl goodput analyze` on the same entries as `gcloud logging read` prints them."""
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


def analyze(google, *options, newest_first=True):
    """gcloud's --format=json: one array, its keys in the order of the alphabet, by default newest first."""
    with google.lock:
        entries = [e for e in google.entries if e["jsonPayload"].get("job_name") == RUN]
    entries.sort(key=lambda e: e["timestamp"], reverse=newest_first)
    done = subprocess.run([f"{BIN}/kubectl-goodput", "analyze", "-", "-o", "json", *options], input=json.dumps(entries, indent=2, sort_keys=True),
                          capture_output=True, text=True, timeout=300)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


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
    code, answer, err = analyze(google, "--definition", "library", newest_first=False)
    same = ("goodput_percent", "max_productive_step", "disruptions", "badput_percent")
    tally.check("analyze of gcloud's JSON says what the real calculator says", code == 0 and all(
        answer[k] == library[k] for k in same if k != "badput_percent") and all(
            answer["badput_percent"][k] == v for k, v in library["badput_percent"].items()), (answer, library, err))
    code, answer, err = analyze(google, "--format", "Recorder")
    tally.check("and the ledger of it, newest first", code == 0 and answer["steps"]["last"] == 29, (answer, err))


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
