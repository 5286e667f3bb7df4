#!/usr/bin/env python3
"""A real Prometheus scrapes the controller as the documents say: by TLS, with the token of a ServiceAccount that a real API
server reviews, under the chart's RBAC. Then the chart's rules and every query of its dashboard are put to it.
KUBECONFIG: an administrator's; the API server of tests/packaging/run.sh is enough, there need be no nodes."""

import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.abspath("tests/export"))
from real_prometheus import Prometheus, dashboards, queries  # noqa: E402
from rig import BIN, Tally, wait_for  # noqa: E402

TOOLS = os.environ.get("BIN", ".build/cluster/bin")
CHART = "helm/goodput-controller"
RELEASE, JOBS = "packaging-prometheus", "packaging-scraped"
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": JOBS}, "spec": {"suspend": True, "template": {
    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "none"}]}}}}
RECORD = {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": "train", "namespace": JOBS},
          "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": "train"}}}
CONFIGURATION = """
global: {scrape_interval: 5s, scrape_timeout: 5s, evaluation_interval: 5s}
rule_files: [RULES]
scrape_configs:
""" + "".join(f"""
- job_name: {name}
  scheme: https
  honor_labels: true
  tls_config: {{ca_file: FOLDER/ca.crt, server_name: goodput-controller}}
  {'authorization: {credentials_file: FOLDER/' + name + '}' if name != 'anonymous' else ''}
  static_configs: [{{targets: ["127.0.0.1:PORT"]}}]
""" for name in ("prometheus", "stranger", "anonymous"))


def run(*words, text=None):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"not ok - {' '.join(words)[:200]}: {done.stderr[:1000]}")
    return done.stdout


def kubectl(*words, text=None):
    return run(f"{TOOLS}/kubectl", *words, text=text)


def write(path, text):
    with open(path, "w") as out:
        out.write(text)


def read(path):
    with open(path) as text:
        return text.read()


def start_controller(folder):
    """Outside the cluster, and as the account that the chart makes: it may what the chart lets it."""
    config = json.loads(kubectl("config", "view", "--raw", "--minify", "-o", "json"))
    config["users"] = [{"name": config["users"][0]["name"], "user": {"token": kubectl("create", "token", "goodput-controller", "-n", RELEASE).strip()}}]
    write(folder + "/kubeconfig", json.dumps(config))
    log = folder + "/controller.log"
    with open(log, "w") as out:
        process = subprocess.Popen([f"{BIN}/goodput-controller", "--kubeconfig", folder + "/kubeconfig", "--leader-elect=false", "--health-bind-address=0",
                                    "--page-bind-address=0", "--metrics-bind-address=0.0.0.0:0"], stderr=out)
    port = wait_for("metrics by TLS", lambda: re.search(r'"metrics served","port":([0-9]+),"tls":true', read(log)))
    return process, port.group(1)


def check_all(t, prometheus, status):
    answer, value = prometheus.answer, prometheus.value

    def targets():
        found = {x["labels"]["job"]: x for x in answer("targets")["activeTargets"]}
        errors = [found.get(x, {}).get("lastError", "unknown") for x in ("prometheus", "stranger", "anonymous")]
        return found and found["prometheus"]["health"] == "up" and "403" in errors[1] and "401" in errors[2]

    wait_for("a scrape with the token of a bound ServiceAccount; 403 with another's; 401 without", targets)
    for words in ("Prometheus gets the metrics with the token of a bound ServiceAccount", "not with that of another", "not without one"):
        t.check(words, True)
    wait_for("the job's metrics", lambda: value('goodput_job_phase{namespace="%s",jobgoodput="train",phase="Suspended"}' % JOBS) == 1)
    wait_for("the status", lambda: "goodputPPM" in status())
    ratio = 'goodput_job_scheduling_goodput_ratio{namespace="%s"}' % JOBS
    wait_for("the status' own ratio, under the job's own namespace", lambda: value(ratio) == status()["goodputPPM"]["scheduling"] / 1e6)
    t.check("what it has of the job is the status's, under the job's own namespace", True)

    found = prometheus.evaluated_rules()
    t.check("every rule of the chart is evaluated without error", len(found) > 10 and all(r["health"] == "ok" and not r.get("lastError") for r in found),
            [r for r in found if r["health"] != "ok"])
    asked = [query for dashboard in dashboards().values() for _, query in queries(dashboard)]
    for expression in asked:
        t.check("a dashboard's query can be put: " + expression[:100], "$" not in expression and answer("query", query=expression)["resultType"] == "vector", expression)
    for name in ("goodput_queue_jobs", "goodput_job_scheduling_goodput_ratio", "goodput_job_phase", "process_resident_memory_bytes", "rest_client_requests_total"):
        wait_for("an answer with " + name, lambda: any(name in x and answer("query", query=x)["result"] for x in asked), 180)
        t.check("and is answered for a suspended job: " + name, True)


def main():
    t = Tally()
    folder, processes = tempfile.mkdtemp(prefix="goodput-prometheus-"), []
    try:
        # The CRD outlives every release: one that another left is taken over.
        run(f"{TOOLS}/helm", "install", "goodput", CHART, "-n", RELEASE, "--create-namespace", "--take-ownership", "--set", "image.repository=example/goodput-controller")
        kubectl("wait", "--for=condition=Established", "crd/jobgoodputs.goodput.dev", "--timeout=120s")
        kubectl("create", "namespace", JOBS)
        for name in ("prometheus", "stranger"):
            kubectl("create", "serviceaccount", name, "-n", RELEASE)
        kubectl("create", "clusterrolebinding", "packaging-prometheus", "--clusterrole=goodput-controller-metrics-reader", f"--serviceaccount={RELEASE}:prometheus")
        for thing in (JOB, RECORD):
            kubectl("create", "-f", "-", text=json.dumps(thing))
        for name in ("prometheus", "stranger"):
            write(f"{folder}/{name}", kubectl("create", "token", name, "-n", RELEASE).strip())
        process, port = start_controller(folder)
        processes.append(process)
        write(folder + "/ca.crt", ssl.get_server_certificate(("127.0.0.1", int(port))))
        rules = os.path.abspath(f"{CHART}/files/rules.yaml")
        prometheus = Prometheus(folder, CONFIGURATION.replace("PORT", port).replace("RULES", rules))
        processes.append(prometheus.process)
        check_all(t, prometheus, lambda: json.loads(kubectl("get", "jgp", "train", "-n", JOBS, "-o", "json")).get("status", {}))
        text = read(folder + "/controller.log")
        t.check("no token is in the controller's log", not any(read(f"{folder}/{x}") in text for x in ("prometheus", "stranger")))
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
        for words in (("delete", "jgp", "train", "-n", JOBS), ("delete", "clusterrolebinding", "packaging-prometheus"), ("delete", "namespace", JOBS, "--wait=false")):
            subprocess.run([f"{TOOLS}/kubectl", *words], capture_output=True)
        subprocess.run([f"{TOOLS}/helm", "uninstall", "goodput", "-n", RELEASE], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
    t.end()


main()
