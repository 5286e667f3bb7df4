#!/usr/bin/env python3
"""The demo's job, played on the embedded API server, and statuses of every kind, seen by a real Prometheus: every query of
every dashboard and alert. Grafana's own SDK reads the dashboards."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from jobs import FORECAST, interrupted, shifted  # noqa: E402
from real_prometheus import CHART, Prometheus, dashboards, panels, queries  # noqa: E402
from rig import Rig, Tally, fetch, wait_for  # noqa: E402

FLEET = {"apiVersion": "goodput.dev/v1alpha1", "kind": "FleetGoodput", "metadata": {"name": "all"}, "spec": {"groupBy": ["queue"]}}
CONFIGURATION = """
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [RULES]
scrape_configs:
- job_name: goodput
  honor_labels: true
  static_configs: [{targets: ["TARGET"]}]
"""
# What is not there: a limit of memory, a job that waits, and failures of a node pool over a whole day of its nodes.
EMPTY = re.compile(r'memory_limit|phase=~"Queued|node_pool_mean')
UNBOUNDED = re.compile(r"goodput_job_(?!lost_chip_seconds)|node_pool|goodput_fleet_group")


def check_shape(t, name, dashboard):
    """What a reader of the JSON would object to."""
    variables = [v["name"] for v in dashboard["templating"]["list"]]
    t.check(f"{name}: rows", sum(p["type"] == "row" for p in dashboard["panels"]) >= 3)
    t.check(f"{name}: a variable for the datasource and the cluster", variables[:2] == ["datasource", "cluster"], variables)
    t.check(f"{name}: thresholds", any("thresholds" in p["fieldConfig"]["defaults"] for p in panels(dashboard)))
    free = [x["expr"] for p in panels(dashboard) for x in p["targets"] if 'cluster=~"$cluster"' not in x["expr"]]
    t.check(f"{name}: each query is of the chosen clusters", not free, free)
    free = [x["expr"] for p in panels(dashboard) for x in p["targets"] if UNBOUNDED.search(x["expr"]) and "topk(" not in x["expr"] and "bottomk(" not in x["expr"]]
    t.check(f"{name}: series without a bound stand in topk", not free, free)
    for table in (p for p in panels(dashboard) if p["type"] == "table"):
        names = next(x["options"]["renameByName"] for x in table["transformations"] if x["id"] == "organize")
        t.check(f"{name}: {table['title']}: each column has a name", all(f"Value #{x['refId']}" in names for x in table["targets"]), names)
    boxes = [p["gridPos"] for p in dashboard["panels"]]
    crossing = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]
                if a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"] and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]]
    t.check(f"{name}: no panel covers another, none is wider than the page", not crossing and all(b["x"] + b["w"] <= 24 for b in boxes), crossing)


def check_sdk(t):
    """Grafana's Go SDK decodes each dashboard strictly, with the options of each kind of panel."""
    built = subprocess.run(["tests/cluster/build.sh", "dashboard-check"], capture_output=True, text=True)
    paths = sorted(glob.glob(f"{CHART}/files/dashboards/*.json"))
    done = subprocess.run([".build/cluster/bin/dashboard-check", *paths], capture_output=True, text=True) if built.returncode == 0 else built
    t.check("Grafana's SDK reads every dashboard and misses nothing", done.returncode == 0, (done.stdout + done.stderr)[-1500:])
    broken = json.load(open(paths[0], encoding="utf-8"))
    del broken["panels"][1]["options"]["reduceOptions"]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as out:
        json.dump(broken, out)
        out.flush()
        done = subprocess.run([".build/cluster/bin/dashboard-check", out.name], capture_output=True, text=True)
    t.check("and it misses an option that is left out", done.returncode == 1 and "reduceOptions" in done.stdout, done.stdout + done.stderr)


def check_links(t, found):
    uids = {d["uid"]: d for d in found.values()}
    links = [(name, m) for name, d in found.items() for m in re.findall(r'"url": "/d/([^/]+)/[^"]*"', json.dumps(d))]
    t.check("links lead to dashboards of the chart", links and all(to in uids for _, to in links), links)
    t.check("the fleet's dashboard links to the job's", ("fleet.json", "goodput-job") in links, links)
    wrong = []
    for name, d in found.items():
        for url in re.findall(r'"url": "(/d/[^"]*)"', json.dumps(d)):
            there = {v["name"] for v in uids[url.split("/")[2]]["templating"]["list"]}
            wrong += [url for v in re.findall(r"var-(\w+)=", url) if v not in there]
    t.check("and set variables that they have", not wrong, wrong)


def asks_for_more(query, exported):
    return bool(set(re.findall(r"\bgoodput_job_[a-z0-9_]+", query)) - exported)


def check_queries(t, prometheus, found, exported, setting):
    """exported: the metrics of the controller. A query for others is of a panel whose description says what it needs."""
    for name, dashboard in found.items():
        explained = {p["title"] for p in panels(dashboard) if "metrics.allJobSeries" in p.get("description", "")}
        for title, query in queries(dashboard):
            answer = prometheus.answer("query", query=query)
            is_empty = EMPTY.search(query) or setting == "default" and title in explained and asks_for_more(query, exported)
            is_right = "$" not in query and answer["resultType"] == "vector" and (answer["result"] or is_empty)
            t.check(f"{setting}: {name}: {title}: {query[:80]}", is_right, f"{query}: {answer}")
        for v in dashboard["templating"]["list"]:
            if v["type"] != "query":
                continue
            metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", v["definition"]).groups()
            values = prometheus.answer("query", query=f"count by ({label}) ({re.sub(r'[$]' + chr(92) + 'w+', '.*', metric)})")["result"]
            t.check(f"{setting}: {name}: the variable {v['name']} has values", values, v["definition"])


def check_rules(t, prometheus):
    rules = prometheus.evaluated_rules()
    t.check("every alert and rule is evaluated without error", len(rules) > 10 and all(r["health"] == "ok" and not r.get("lastError") for r in rules),
            [r for r in rules if r["health"] != "ok"])
    fired = [a["labels"]["alertname"] for a in prometheus.answer("alerts")["alerts"] if a["state"] == "firing"]
    t.check("no alert fires for a job that ended well", not fired, fired)


def metrics_of(rig):
    return set(re.findall(r"^# TYPE (\w+)", fetch(rig.metrics)[1], re.M))


def watch(rig):
    """A Prometheus that scrapes the controller and has the fleet's last sums."""
    text = CONFIGURATION.replace("RULES", os.path.abspath(f"{CHART}/files/rules.yaml")).replace("TARGET", rig.metrics.split("/")[2])
    prometheus = Prometheus(tempfile.mkdtemp(dir=rig.folder), text)
    wait_for("the end of the job", lambda: prometheus.value('goodput_job_phase{phase="Completed",jobgoodput="llama3-70b"}') == 1, 600)
    wait_for("the fleet's sums", lambda: prometheus.answer("query", query="goodput_fleet_badput_cost")["result"], 120)
    wait_for("the groups", lambda: prometheus.answer("query", query="goodput_fleet_group_goodput_ratio")["result"])
    wait_for("a second scrape", lambda: prometheus.answer("query", query="rate(process_cpu_seconds_total[5m]) and on (instance) goodput_build_info")["result"])
    return prometheus


def finished():
    """A job that is over, whose status says what the demo's does not: windows, a forecast, and root causes of interruptions."""
    job = shifted(interrupted(), 10)
    job["spec"]["targetRef"]["name"] = job["metadata"]["name"]
    end = job["status"]["time"]["observedThrough"]
    job["status"].update(phase="Completed", forecast=FORECAST, conditions=[
        {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "", "observedGeneration": 1, "lastTransitionTime": end}])
    job["status"]["time"]["end"] = end
    return job


def main():
    t, found = Tally(), dashboards()
    t.check("three dashboards: fleet, job, queue", list(found) == ["fleet.json", "job.json", "queue.json"], list(found))
    done = subprocess.run(["python3", "deploy/dashboards.py", "--check"], capture_output=True, text=True)
    t.check("the dashboards are made from their tables", done.returncode == 0, done.stdout + done.stderr)
    for name, dashboard in found.items():
        check_shape(t, name, dashboard)
    check_links(t, found)
    check_sdk(t)
    rig = Rig(is_follower=False, flags=["--chip-prices", "*=2.5", "--all-job-series=true"], scenario="tests/demo/story.scenario")
    prometheus = None
    try:
        rig.create("/apis/goodput.dev/v1alpha1/fleetgoodputs", FLEET)
        rig.put(finished())
        prometheus = watch(rig)
        check_queries(t, prometheus, found, metrics_of(rig), "all series")
        check_rules(t, prometheus)
        prometheus.stop()
        prometheus = None
        rig.arguments.remove("--all-job-series=true")
        rig.restart_controller()
        prometheus = watch(rig)
        check_queries(t, prometheus, found, metrics_of(rig), "default")
        check_rules(t, prometheus)
        series = prometheus.answer("query", query='count by (jobgoodput) ({__name__=~"goodput_job_.+"})')["result"]
        t.check("by default no job has more than 12 series", series and all(int(x["value"][1]) <= 12 for x in series), series)
    finally:
        if prometheus:
            prometheus.stop()
        rig.close()
    t.end()


main()
