#!/usr/bin/env python3
"""deploy/kube-state-metrics.yaml against the CRD, and with --live against the real kube-state-metrics: every metric that
it makes of a status must be that status's number.

  kube-state-metrics.py              every path that it names is a field of the CRD
  kube-state-metrics.py --live       KUBECONFIG: a cluster with the CRD; NAMESPACE in it; makes and removes a JobGoodput
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import yaml

CONFIG = "deploy/kube-state-metrics.yaml"
BIN = os.environ.get("BIN", ".build/cluster/bin")
NAMESPACE = os.environ.get("NAMESPACE", "default")
counts = {True: 0, False: 0}


def check(what, is_so, detail=""):
    counts[bool(is_so)] += 1
    print(("ok - " if is_so else "not ok - ") + what + ("" if is_so else f": {detail}"), flush=True)


def load(path):
    with open(path, encoding="utf-8") as text:
        return yaml.safe_load(text)


def metrics_of(config):
    """(name, kind, its rules)"""
    for metric in config["spec"]["resources"][0]["metrics"]:
        kind = metric["each"]["type"]
        yield metric["name"], kind, metric["each"][kind[0].lower() + kind[1:]]


def field(schema, path):
    """The schema of a field; through lists to their items. None if there is no such field."""
    for name in path:
        while schema and schema.get("type") == "array":
            schema = schema["items"]
        schema = schema.get("properties", {}).get(name) if schema else None
    while schema and schema.get("type") == "array":
        schema = schema["items"]
    return schema


def phases():
    """Those that the controller writes; the schema takes any word (a newer controller may write another)."""
    with open("controller/operator/status/phase.c", encoding="utf-8") as file:
        calls = re.findall(r"\bset\(v,(.*?);", file.read(), re.S)
    return set(re.findall(r'"([A-Z][a-z]+)"', "".join(calls)))


def check_paths(config):
    schema = load("crds/goodput.dev_jobgoodputs.yaml")["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for name, kind, rules in metrics_of(config):
        paths = [rules["path"] + path for path in (*rules.get("labelsFromPath", {}).values(), rules.get("valueFrom", []))]
        missing = [path for path in paths if field(schema, path) is None]
        check(f"{name}: its paths are fields of the CRD", not missing, missing)
        if kind == "StateSet":
            check(f"{name}: its list holds every phase", set(rules["list"]) == phases(), rules["list"])


def kubectl(*words, text=None):
    done = subprocess.run([f"{BIN}/kubectl", "-n", NAMESPACE, *words], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"kubectl {' '.join(words)}: {done.stderr}")
    return done.stdout


def expected(job):
    """What the metrics must be, read from the status without the configuration: {name: {(label, ...): value}}."""
    s = job["status"]
    seconds = lambda stamp: time.mktime(time.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone  # noqa: E731
    return {
        "status_phase": {(("phase", s["phase"]),): 1},
        "status_condition": {(("condition", c["type"]), ("reason", c["reason"])): int(c["status"] == "True") for c in s["conditions"]},
        "goodput_ppm": {(("goodput", k),): v for k, v in s["goodputPPM"].items()},
        "wall_milliseconds": {(): s["time"]["wallMilliseconds"]},
        "available_milliseconds": {(): s["time"]["availableMilliseconds"]},
        "productive_milliseconds": {(): s["time"]["productiveMilliseconds"]},
        "observed_through_timestamp_seconds": {(): seconds(s["time"]["observedThrough"])},
        "badput_milliseconds": {(("bucket", b["bucket"]), ("family", b["family"])): b["milliseconds"] for b in s["badput"]},
        "interruptions": {(("cause", c["cause"]),): c["count"] for c in s["interruptions"]["byCause"]},
        "last_step": {(): s["steps"]["last"]},
        "last_durable_step": {(): s["steps"]["lastDurable"]},
        "steps_retained": {(): s["steps"]["retained"]},
        "slots_required": {(): s["availability"]["required"]},
        "slots_available": {(): s["availability"]["available"]},
        "chip_hours": {(("state", k),): float(v) for k, v in s["acceleratorHours"].items()},
        "info": {(("target_kind", job["spec"]["targetRef"]["kind"]), ("target_name", job["spec"]["targetRef"]["name"])): 1},
    }


def samples(text, job):
    """{name: {(label, ...): value}} of this JobGoodput, without the labels that all of its metrics have."""
    exported = {}
    for name, labels, value in re.findall(r"^kube_jobgoodput_([a-z_]+)\{(.*)\} (\S+)$", text, re.M):
        pairs = dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', labels))
        if (pairs.pop("namespace"), pairs.pop("jobgoodput")) != (NAMESPACE, job["metadata"]["name"]):
            continue
        own = tuple(sorted((k, v) for k, v in pairs.items() if not k.startswith("customresource_")))
        exported.setdefault(name, {})[own] = float(value)
    return exported


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def fetch(port, process):
    """The metrics, once there are some; the deadline only ends a test that has failed."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                text = answer.read().decode()
        except (urllib.error.URLError, ConnectionError):
            text = ""
        if re.search(r"^kube_jobgoodput_info\{", text, re.M) and re.search(r"^kube_jobgoodput_wall", text, re.M):
            return text
        time.sleep(0.2)
    return ""


def check_live(config):
    kubectl("create", "-f", "tests/data/crd/good/everything.yaml")
    port, process = free_port(), None
    try:
        kubectl("apply", "--server-side", "--subresource=status", "--field-manager=test", "-f", "tests/data/crd/status-full.yaml")
        job = json.loads(kubectl("get", "jobgoodput", "everything", "-o", "json"))
        log = open(".build/kube-state-metrics.log", "w", encoding="utf-8")
        process = subprocess.Popen([
            f"{BIN}/kube-state-metrics", "--kubeconfig", os.environ["KUBECONFIG"], "--custom-resource-state-only", "--host=127.0.0.1",
            f"--port={port}", "--telemetry-host=127.0.0.1", f"--telemetry-port={free_port()}", "--custom-resource-state-config-file", CONFIG], stdout=log, stderr=log)
        text = fetch(port, process)
        check("kube-state-metrics tells of the JobGoodput", text, open(log.name, encoding="utf-8").read()[-1500:])
        exported, required = samples(text, job), expected(job)
        required["status_phase"].update({(("phase", p),): 0 for n, k, r in metrics_of(config) if k == "StateSet" for p in r["list"] if p != job["status"]["phase"]})
        check("every metric of the configuration is checked here", set(required) == {name for name, *_ in metrics_of(config)}, set(required))
        for name, values in required.items():
            check(f"{name} is the status's", exported.get(name) == values, f"{exported.get(name)} instead of {values}")
        bad = sum(exported.get("badput_milliseconds", {}).values()) + exported.get("productive_milliseconds", {}).get((), 0)
        check("badput and productive time add up to wall time", bad == exported.get("wall_milliseconds", {}).get(()), bad)
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        complaints = [line for line in (done.stdout + done.stderr).splitlines() if "kube_jobgoodput" in line and "milliseconds" not in line and "chip_hours" not in line]
        check("promtool minds nothing but units that are the API's", not complaints, complaints)
    finally:
        if process:
            process.terminate()
            process.wait()
        kubectl("delete", "jobgoodput", "everything", "--wait=false")


def main():
    config = load(CONFIG)
    check_paths(config)
    if "--live" in sys.argv:
        check_live(config)
    print(f"{counts[True]} passed, {counts[False]} failed")
    raise SystemExit(0 if counts[True] and not counts[False] else 1)


main()
