#!/usr/bin/env python3
"""The controller's requests to Cloud Monitoring compared with those of Google's unmodified library for the same job by Google's own client: field by field. Then faults, a kill and the end of the job."""
import json
import os
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests/export"]
from emulator import Google  # noqa: E402
from jobs import PYTHON, Job, client  # noqa: E402
from monitoring import WORKLOAD, Monitoring  # noqa: E402
from rig import JOBGOODPUTS, Rig, Tally, fetch, wait_for  # noqa: E402

LOGGER, RUN, LOCATION, WINDOW_S = "goodput_run1", "run1", "us-east5-a", 3600
CUSTOM = "custom.googleapis.com/goodput/"


def compare(tally, ours, theirs):
    same = 0
    for identity, series in theirs.series.items():
        kind, labels, _ = identity
        name, source = kind[len(WORKLOAD):], json.loads(labels).get("badput_source")
        value = series.points[-1][2]
        if name in ("badput_time", "interval_badput") and value == 0:
            continue  # of what is 0 the controller has no bucket
        if name == "step_time_deviation" or source in ("OTHER", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"):
            continue  # not of every run; OTHER is what is left; where only a container restarts, no infrastructure recovers
        mine = ours.series.get(identity)
        tally.check(f"{name}{' ' + source if source else ''} is the same series as the library's, on the same resource", mine is not None,
                    sorted(x for x in ours.series if x[0] == kind))
        if mine is None:
            continue
        same += 1
        tally.check(f"{name}{' ' + source if source else ''} has the library's value type and no start time",
                    mine.value_type == series.value_type and mine.points[-1][0] == series.points[-1][0] == 0, (mine.points, series.points))
        if name in ("disruptions", "max_productive_steps") or (name == "badput_time" and source == "TPU_INITIALIZATION"):
            tally.check(f"{name}{' ' + source if source else ''} has the library's value", abs(mine.points[-1][2] - value) < 0.01, (mine.points[-1], value))
    tally.check("most of the library's series were compared", same >= 7, same)
    window = [s.points[-1][2] for (k, _, _), s in ours.series.items() if k in (WORKLOAD + "interval_goodput", WORKLOAD + "interval_badput")]
    tally.check("interval_goodput and interval_badput make 100 %", len(window) > 1 and abs(sum(window) - 100) < 0.001, window)
    elapsed = ours.last(WORKLOAD + "total_elapsed_time")
    parts = sum(s.points[-1][2] for (k, _, _), s in ours.series.items() if k in (WORKLOAD + "goodput_time", WORKLOAD + "badput_time"))
    tally.check("goodput_time and badput_time add up to total_elapsed_time", abs(parts - elapsed) < 0.0015, (parts, elapsed))


def figures(rig):
    text = fetch(rig.metrics)[1]
    return {line.split(" ")[0]: float(line.split(" ")[1]) for line in text.splitlines() if line.startswith("goodput_push_")}


def main():
    tally = Tally()
    trainer = None
    with tempfile.TemporaryDirectory() as folder:
        google, ours, theirs = Google(folder), Monitoring(), Monitoring()
        os.environ.update(GCE_METADATA_HOST=google.host, CLOUDSDK_CONFIG="/nonexistent")
        ours.fault(403)
        rig = Rig(is_follower=False, flags=(
            "--status-interval=1s", "--cloud-logging-endpoint=" + google.url, "--cloud-logging-allow=*=*/*", "--cloud-monitoring-endpoint=" + ours.url,
            "--cloud-monitoring-project=p", "--cloud-monitoring-location=" + LOCATION, "--cloud-monitoring-interval=5s"))
        try:
            job = Job(rig, "train", {"source": "CloudLogging", "format": "Recorder", "cloudLogging": {"project": "p", "logger": LOGGER, "jobName": RUN}})
            rig.ask("PATCH", f"{JOBGOODPUTS}/namespaces/default/jobgoodputs/train", {"spec": {"windowSeconds": [WINDOW_S]}}, "application/merge-patch+json")
            # It trains until it is killed: however slow this machine is, there is something new to push meanwhile.
            trainer = subprocess.Popen([PYTHON, "tests/recorder/client.py", "write", LOGGER, RUN, "0", "100000", "dies"], env=google.environment())
            wait_for("points after a refusal", lambda: ours.last(CUSTOM + "wall_time"))
            log = rig.text(rig.log)
            tally.check("403 names the role that is missing", "roles/monitoring.metricWriter" in log and "monitoring.timeSeries.create" in log, log[-2000:])
            for status, headers in ((401, {}), (429, {"Retry-After": "1"}), (500, {}), (0, {}), (-1, {})):
                before = len(ours.seen)
                ours.fault(status, 1, headers)
                # The fault was met, and something was taken (or was there already) after it.
                wait_for(f"an answer after {status}", lambda: status in ours.seen[before:] and ours.seen[-1] in (200, 400) and len(ours.seen) > before + 1)
            trainer.kill()
            trainer.wait()
            last = max(e["jsonPayload"].get("step_count", 0) for e in google.entries)
            job.restart()
            rig.processes[-1].kill()
            rig.processes.pop().wait()
            rig.start_controller()
            client(google.environment(), "write", LOGGER, RUN, str(last - 5), str(last + 10), "end")
            job.end()
            status = wait_for("a finished status with the last step", lambda: job.finished(last + 9))
            productive = status["time"]["productiveMilliseconds"] / 1000
            wait_for("the final numbers", lambda: ours.last(WORKLOAD + "goodput_time") == productive)
            done = subprocess.run([PYTHON, "tests/recorder/upload.py", LOGGER, RUN, theirs.address, LOCATION, "unknown", str(WINDOW_S)],
                                  env=google.environment(), capture_output=True, text=True, timeout=300)
            tally.check("the library's uploads are taken by the same rules", done.returncode == 0 and not theirs.refusals and theirs.series,
                        (done.stderr[-2000:], theirs.refusals))
            compare(tally, ours, theirs)
            for bucket in status["badput"]:
                if bucket["bucket"] != "ElasticSliceDown":
                    value = ours.last(CUSTOM + "badput_time", family=bucket["family"], bucket=bucket["bucket"])
                    tally.check(f"{bucket['family']} {bucket['bucket']} is pushed as the status has it", value == bucket["milliseconds"] / 1000, (value, bucket))
            tally.check("scheduling goodput is pushed", ours.last(CUSTOM + "ratio", kind="scheduling") == status["goodputPPM"]["scheduling"] / 1e6, status)
            causes = status["interruptions"]["byCause"]
            tally.check("causes are pushed", causes and all(ours.last(CUSTOM + "interruptions", cause=c["cause"]) == c["count"] for c in causes), causes)
            wall = next(s for (k, _, _), s in ours.series.items() if k == CUSTOM + "wall_time").points
            tally.check("wall time never falls, from one start, each point later, across the kill", len(wall) > 2 and len({p[0] for p in wall}) == 1 and
                        all(a[2] <= b[2] and a[1] < b[1] for a, b in zip(wall, wall[1:])), wall)
            bad = [r for r in ours.refusals if "in order" not in r[2] and "more frequently" not in r[2]]
            tally.check("nothing was refused but what was there already", not bad, bad[:5])
            tally.check("requests of at most 200 series", 0 < max(ours.sizes) <= 200, ours.sizes)
            seen = figures(rig)
            at = 'goodput_push_points_total{exporter="cloud-monitoring",result="%s"}'
            tally.check("/metrics counts the points of this process, none dropped", seen[at % "delivered"] > 0 and seen[at % "dropped"] == 0, seen)
        finally:
            rig.close()
            if trainer:
                trainer.kill()
    tally.end()


main()
