#!/usr/bin/env python3
"""The demo's job, played on the embedded API server, seen by a real Prometheus: every query of every dashboard and alert."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from real_prometheus import CHART, Prometheus, dashboards, panels, queries  # noqa: E402
from rig import Rig, Tally, wait_for  # noqa: E402

FLEET = {"apiVersion": "goodput.dev/v1alpha1", "kind": "FleetGoodput", "metadata": {"name": "all"}, "spec": {}}
CONFIGURATION = """
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [RULES]
scrape_configs:
- job_name: goodput
  honor_labels: true
  static_configs: [{targets: ["TARGET"]}]
"""
# What the demo's job has not: groups, a failure that a pool's own nodes caused, windows, a forecast, a limit of memory.
EMPTY = re.compile(r'goodput_fleet_group_|node_pool_mean|_window_|expected_goodput|best_runtime|remaining_seconds|memory_limit|phase=~"Queued')
UNBOUNDED = re.compile(r"goodput_job_(?!chip_seconds)|node_pool|goodput_fleet_group")


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


def check_queries(t, prometheus, found):
    for name, dashboard in found.items():
        for title, query in queries(dashboard):
            answer = prometheus.answer("query", query=query)
            is_right = "$" not in query and answer["resultType"] == "vector" and (answer["result"] or EMPTY.search(query))
            t.check(f"{name}: {title}: {query[:80]}", is_right, f"{query}: {answer}")
        for v in dashboard["templating"]["list"]:
            if v["type"] != "query":
                continue
            metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", v["definition"]).groups()
            values = prometheus.answer("query", query=f"count by ({label}) ({re.sub(r'[$]' + chr(92) + 'w+', '.*', metric)})")["result"]
            t.check(f"{name}: the variable {v['name']} has values", values, v["definition"])


def main():
    t, found = Tally(), dashboards()
    t.check("three dashboards: fleet, job, queue", list(found) == ["fleet.json", "job.json", "queue.json"], list(found))
    done = subprocess.run(["python3", "deploy/dashboards.py", "--check"], capture_output=True, text=True)
    t.check("the dashboards are made from their tables", done.returncode == 0, done.stdout + done.stderr)
    for name, dashboard in found.items():
        check_shape(t, name, dashboard)
    check_links(t, found)
    rig = Rig(is_follower=False, flags=["--chip-prices", "*=2.5"], scenario="tests/demo/story.scenario")
    prometheus = None
    try:
        rig.create("/apis/goodput.dev/v1alpha1/fleetgoodputs", FLEET)
        text = CONFIGURATION.replace("RULES", os.path.abspath(f"{CHART}/files/rules.yaml")).replace("TARGET", rig.metrics.split("/")[2])
        prometheus = Prometheus(rig.folder, text)
        wait_for("the end of the job", lambda: prometheus.value('goodput_job_phase{phase="Completed"}') == 1, 600)
        wait_for("the fleet's sums", lambda: prometheus.answer("query", query="goodput_fleet_badput_cost")["result"], 120)
        check_queries(t, prometheus, found)
        rules = prometheus.evaluated_rules()
        t.check("every alert and rule is evaluated without error", len(rules) > 10 and all(r["health"] == "ok" and not r.get("lastError") for r in rules),
                [r for r in rules if r["health"] != "ok"])
        fired = [a["labels"]["alertname"] for a in prometheus.answer("alerts")["alerts"] if a["state"] == "firing"]
        t.check("no alert fires for a job that ended well", not fired, fired)
    finally:
        if prometheus:
            prometheus.stop()
        rig.close()
    t.end()


main()
