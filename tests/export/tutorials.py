#!/usr/bin/env python3
"""The tutorials' objects on the embedded API server, and their commands on logs with the output that the page shows."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.error

sys.path.insert(0, os.path.dirname(__file__))
from rig import BIN, Rig, Tally, wait_for  # noqa: E402

try:
    import yaml
except ImportError:
    sys.exit("not ok - tutorials.py needs PyYAML; install it with: apt-get install python3-yaml")

FOLDER = "deploy/docs/tutorials"
PATHS = {"JobSet": "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets", "JobGoodput": "/apis/goodput.dev/v1alpha1/namespaces/default/jobgoodputs"}
CHIPS = {"tpu-train": 32, "gpu-train": 16}


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


def applied(text):
    """The objects of each `kubectl apply -f - <<EOF` of a page."""
    for block in re.findall(r"^    kubectl apply -f - <<EOF\n(.*?)^    EOF$", text, re.M | re.S):
        yield from yaml.safe_load_all(re.sub(r"^    ", "", block, flags=re.M))


def check_gke(t):
    objects = [x for x in applied(read(f"{FOLDER}/gke-jobsets.md")) if x["metadata"]["name"] in CHIPS]
    t.check("gke-jobsets.md has a JobSet and a JobGoodput for TPUs and for GPUs", sorted((x["kind"], x["metadata"]["name"]) for x in objects) ==
            sorted((kind, name) for kind in PATHS for name in CHIPS), objects)
    rig = Rig(is_follower=False)
    try:
        for x in objects:
            rig.create(PATHS[x["kind"]], x)
        for name, chips in CHIPS.items():
            found = wait_for(f"the chips of {name}", lambda: rig.get("default", name).get("status", {}).get("target", {}).get("chips"))
            t.check(f"gke-jobsets.md: {name} has {chips} chips", found == chips, found)
    finally:
        rig.close()


def check_outputs(t, page):
    """Blocks whose first line calls kubectl goodput: the lines below it stand in its output, in this order; ... leaves out lines."""
    blocks, is_block = [], False
    for line in read(f"{FOLDER}/{page}").splitlines():
        is_block = line.startswith("    ") and (is_block or line.startswith("    kubectl goodput "))
        if line.startswith("    kubectl goodput "):
            blocks.append((line.removeprefix("    kubectl goodput "), []))
        elif is_block:
            blocks[-1][1].append(line)
    t.check(f"{page} shows outputs", sum(bool(shown) for _, shown in blocks) >= 2, blocks)
    for command, shown in blocks:
        done = subprocess.run([f"{BIN}/kubectl-goodput", *shlex.split(command)], capture_output=True, text=True)
        lines = [line.rstrip() for line in done.stdout.splitlines()]
        t.check(f"{page}: {command}", done.returncode == 0, done.stderr)
        at = 0
        for line in (x[4:].rstrip() for x in shown):
            if line in ("", "..."):
                continue
            t.check(f"{page}: prints {line[:60]}", line in lines[at:], f"{line!r} is not in the rest of: {lines}")
            at = lines.index(line, at) + 1 if line in lines[at:] else at


def check_trainer(t):
    """The page's two commands that make the logs, with 6 steps instead of 4200 and a fast line: killed at step 3, resumed from the save at step 1."""
    commands = re.findall(r"^    ((?:\w+=\S+ )+)(tests/tutorials/slow/run.sh) (\S+) \S+ 4200 > (first|second).log$", read(f"{FOLDER}/slow.md"), re.M)
    t.check("slow.md makes two logs", [c[-1] for c in commands] == ["first", "second"], commands)
    python = next((p for p in (sys.executable, "/usr/bin/python3") if subprocess.run([p, "-c", "import numpy"], capture_output=True).returncode == 0), None)
    if python is None:
        raise SystemExit("no numpy here: apt-get install python3-numpy")
    for words, program, corpus, name in commands:
        with tempfile.TemporaryDirectory() as folder:
            log = f"{folder}/{name}.log"
            environment = dict(os.environ, PYTHON=python, **{**dict(w.split("=") for w in words.split()), "DIE_AT": "3", "SAVE_EVERY": "2", "RATE": "100000000"})
            with open(log, "w", encoding="utf-8") as out:
                done = subprocess.run([program, corpus, folder + "/checkpoints", "6"], env=environment, stdout=out, stderr=subprocess.PIPE, text=True, timeout=400)
            read_log = subprocess.run([f"{BIN}/kubectl-goodput", "analyze", log, "--format-file", "tests/tutorials/slow/format.yaml", "-o", "json"], capture_output=True, text=True)
            steps = json.loads(read_log.stdout)["steps"] if done.returncode == 0 and read_log.returncode == 0 else {}
        t.check(f"slow.md: the trainer of the {name} log was killed, resumed, and ended", (steps.get("last"), steps.get("retained"), steps.get("repeated"), steps.get("lastDurable")) == (5, 6, 2, 5),
                f"{steps} {done.stderr[-300:]} {read_log.stderr}")


# Kueue's part and the kubelets', in the embedded API server's language; the objects are the page's.
PREEMPTION = """
nodes pool count 2 chips 4
gang patient namespace default queue shared slices 1 hosts 2 chips 4 pools pool image python steps 600 step 0.1 compile 0.1 checkpoint 1000 save 0.1 persist 0.1 restore 0.1
wait 60s open watch jobgoodputs
apply <<YAML
apiVersion: goodput.dev/v1alpha1
kind: JobGoodput
metadata: {name: patient, namespace: default}
spec: {targetRef: {apiGroup: jobset.x-k8s.io, kind: JobSet, name: patient}}
YAML
submit patient
admit patient
bind patient
pulled patient 0.1
start patient
train patient 600
wait 60s trained patient 20
preempt patient
"""


def check_queue(t):
    """The objects of the page are of kinds and references that fit; what it promises of a preemption is what is shown."""
    objects = {(x["kind"], x["metadata"]["name"]): x for x in applied(read(f"{FOLDER}/queue.md"))}
    queue = objects["ClusterQueue", "shared"]["spec"]
    quota = int(queue["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"].removesuffix("m"))
    asked = {}
    for kind, name in objects:
        if kind != "JobSet":
            continue
        x = objects[kind, name]
        labels, job = x["metadata"]["labels"], x["spec"]["replicatedJobs"][0]["template"]["spec"]
        asked[name] = job["parallelism"] * int(job["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"].removesuffix("m"))
        t.check(f"queue.md: {name} names a queue and a priority of the page", ("LocalQueue", labels["kueue.x-k8s.io/queue-name"]) in objects and
                ("WorkloadPriorityClass", labels["kueue.x-k8s.io/priority-class"]) in objects, labels)
        t.check(f"queue.md: {name} has a JobGoodput", objects["JobGoodput", name]["spec"]["targetRef"]["name"] == name)
    t.check("queue.md: one job fits, two do not", len(asked) == 2 and max(asked.values()) <= quota < sum(asked.values()), asked)
    with tempfile.NamedTemporaryFile("w", suffix=".scenario") as scenario:
        scenario.write(PREEMPTION)
        scenario.flush()
        rig = Rig(is_follower=False, scenario=scenario.name)
    try:
        def status():
            try:
                return rig.get("default", "patient").get("status", {})
            except urllib.error.HTTPError:
                return {}
        wait_for("patient to be queued", lambda: status().get("phase") == "Queued", 120)
        found = wait_for("PreemptedWait", lambda: "PreemptedWait" in [b["bucket"] for b in status()["badput"]] and status(), 120)
        t.check("queue.md: the cause is KueuePreemption", [c["cause"] for c in found["interruptions"]["byCause"]] == ["KueuePreemption"], found["interruptions"])
        t.check("queue.md: it enters no mean time", found["interruptions"]["excluded"] == 1 and "meanTimeBetweenSeconds" not in found["interruptions"], found["interruptions"])
        for command in ("explain", "timeline"):
            done = subprocess.run([f"{BIN}/kubectl-goodput", command, "patient", "--kubeconfig", rig.kubeconfig], capture_output=True, text=True)
            t.check(f"queue.md: kubectl goodput {command} patient", done.returncode == 0 and "Preempt" in done.stdout, done.stdout + done.stderr)
    finally:
        rig.close()


def main():
    t = Tally()
    check_gke(t)
    check_queue(t)
    check_outputs(t, "slow.md")
    check_trainer(t)
    t.end()


main()
