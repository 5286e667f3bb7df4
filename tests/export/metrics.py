#!/usr/bin/env python3
"""/metrics of a running controller, as Prometheus' own tool reads it, and against the status that it tells of."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from rig import Rig, Tally, fetch, wait_for  # noqa: E402

STORY = json.load(open("tests/data/export/story.json"))
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "default"},
       "spec": {"parallelism": 1, "completions": 1, "suspend": True, "template": {"spec": {"containers": [{"name": "c"}]}}}}
RECORD = {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": "train", "namespace": "default"},
          "spec": {"targetRef": {"apiVersion": "batch/v1", "kind": "Job", "name": "train"}}}


def samples(text):
    """{'name{labels}': value}"""
    return {m.group(1): float(m.group(2)) for m in re.finditer(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.M)}


def promtool(text):
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    return done.returncode == 0 and not (done.stdout + done.stderr).strip(), done.stdout + done.stderr


def main():
    t = Tally()
    if shutil.which("promtool") is None:
        raise SystemExit("no promtool here: apt-get install prometheus")
    rig = Rig(is_follower=False)
    try:
        rig.ask("POST", "/apis/batch/v1/namespaces/default/jobs", JOB)
        rig.put(RECORD)
        wait_for("the job's metrics", lambda: 'phase="Suspended"' in fetch(rig.metrics)[1])
        status = rig.get("default", "train")["status"]
        headers, text = fetch(rig.metrics)
        fine, said = promtool(text)
        t.check("promtool check metrics has nothing to say", fine, said)
        t.check("the text format's type", headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers)
        told = samples(text)
        labels = '{namespace="default",jobgoodput="train",queue=""}'
        t.check("scheduling goodput is the status's", told["goodput_job_scheduling_goodput_ratio" + labels] == status["goodputPPM"]["scheduling"] / 1e6, told)
        t.check("what is not known is absent", "goodput_job_goodput_ratio" + labels not in told)
        headers, text = fetch(rig.metrics, {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"})
        t.check("OpenMetrics when asked for", headers["Content-Type"].startswith("application/openmetrics-text") and text.endswith("\n# EOF\n"))
        t.check("OpenMetrics counters are named without _total in TYPE", "# TYPE rest_client_requests counter" in text and "\nrest_client_requests_total{" in text)
        t.check("the leader says so", told['leader_election_master_status{name="goodput-controller"}'] == 1)
    finally:
        rig.close()
    follower = Rig()
    try:
        job = copy.deepcopy(STORY)
        job["metadata"] = {"name": "a", "namespace": "research"}
        follower.put(job)
        told = samples(fetch(follower.metrics)[1])
        t.check("a follower tells nothing of jobs", not any(k.startswith(("goodput_job_", "goodput_queue_")) for k in told))
        t.check("and says that it does not lead", told['leader_election_master_status{name="goodput-controller"}'] == 0)
    finally:
        follower.close()
    t.end()


main()
