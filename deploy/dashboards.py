#!/usr/bin/env python3
"""Makes the chart's Grafana dashboards, helm/goodput-controller/files/dashboards/*.json, from the tables below.

    deploy/dashboards.py            writes them
    deploy/dashboards.py --check    says which differ, exit code 1 if any does

A panel is (kind, title, width, unit, queries, more). A query is (expression, legend). SELECTED is replaced by the labels that
the dashboard's variables choose. Series without a bound (jobs, node pools, groups) stand in topk. tests/export/dashboards.py
puts every query to a real Prometheus, and every dashboard to Grafana's own SDK."""

import json
import os
import re
import sys

FOLDER = "helm/goodput-controller/files/dashboards"
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# Goodput: red below 50 %, yellow below 80 %, as the alerts' default objective; losses: the other way round.
GOODPUT = [(None, "red"), (0.5, "yellow"), (0.8, "green")]
HEIGHTS = {"stat": 4, "table": 9, "bargauge": 8, "timeseries": 8}


def variable(name, label, metric, of=None, selected=""):
    query = f"label_values({metric}{{{selected}}}, {of or name})" if selected else f"label_values({metric}, {of or name})"
    return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE, "query": {"query": query, "refId": name}, "definition": query,
            "includeAll": True, "multi": True, "allValue": ".*", "current": {"text": "All", "value": "$__all"}, "refresh": 2, "sort": 1}


CLUSTER = variable("cluster", "Cluster", "goodput_build_info")
OF_CLUSTER = 'cluster=~"$cluster"'
JOB_LINK = "/d/goodput-job/goodput-job?${datasource:queryparam}&${cluster:queryparam}&var-namespace=${__data.fields.Namespace}&var-job=${__data.fields.Job}&${__url_time_range}"
SERIES_LINK = "/d/goodput-job/goodput-job?${datasource:queryparam}&${cluster:queryparam}&var-namespace=${__field.labels.namespace}&var-job=${__field.labels.jobgoodput}&${__url_time_range}"
QUEUE_LINK = "/d/goodput-queue/goodput-queue?${datasource:queryparam}&${cluster:queryparam}&var-namespace=${__data.fields.Namespace}&var-queue=${__data.fields.Queue}&${__url_time_range}"
# Name of a column: (label or Value #letter) -> heading.
JOB_COLUMNS = {"namespace": "Namespace", "jobgoodput": "Job", "queue": "Queue"}
TOO_MUCH = "sum by (cluster, namespace, jobgoodput, queue) (goodput_job_lost_chip_seconds{SELECTED}) / 3600"
JOB_TABLE = ("table", "Jobs that lost the most chip-hours (the first 50)", 24, None, [
    (f"topk(50, {TOO_MUCH})", "Lost chip-hours", "h"),
    (f"goodput_job_goodput_ratio{{SELECTED}} and on (cluster, namespace, jobgoodput) topk(50, {TOO_MUCH})", "Goodput", "percentunit"),
    (f"goodput_job_scheduling_goodput_ratio{{SELECTED}} and on (cluster, namespace, jobgoodput) topk(50, {TOO_MUCH})", "Scheduling", "percentunit"),
    (f"goodput_job_runtime_goodput_ratio{{SELECTED}} and on (cluster, namespace, jobgoodput) topk(50, {TOO_MUCH})", "Runtime", "percentunit"),
    (f"goodput_job_evidence_ratio{{SELECTED}} and on (cluster, namespace, jobgoodput) topk(50, {TOO_MUCH})", "Evidence", "percentunit"),
    (f"sum by (cluster, namespace, jobgoodput, queue) (goodput_job_interruptions{{SELECTED}}) and on (cluster, namespace, jobgoodput) topk(50, {TOO_MUCH})", "Interruptions", "none"),
], {"columns": JOB_COLUMNS, "links": {"Job": ("Open the job", JOB_LINK)}})


def fleet_ratio(goodput):
    return f'goodput_fleet_goodput_ratio{{SELECTED,goodput="{goodput}"}}'


FLEET = ("fleet", "Goodput: fleets", [CLUSTER, variable("fleet", "Fleet", "goodput_fleet_jobs", "fleetgoodput", OF_CLUSTER)],
         'cluster=~"$cluster",fleetgoodput=~"$fleet"', [
    ("Now", [
        ("stat", "Goodput", 6, "percentunit", [(fleet_ratio("job"), "{{fleetgoodput}}")], {"thresholds": GOODPUT}),
        ("stat", "Scheduling goodput", 6, "percentunit", [(fleet_ratio("scheduling"), "{{fleetgoodput}}")], {"thresholds": GOODPUT}),
        ("stat", "Runtime goodput", 6, "percentunit", [(fleet_ratio("runtime"), "{{fleetgoodput}}")], {"thresholds": GOODPUT}),
        ("stat", "Evidence: chip time of jobs whose steps are known", 6, "percentunit", [(fleet_ratio("evidence"), "{{fleetgoodput}}")],
         {"thresholds": [(None, "red"), (0.8, "yellow"), (0.95, "green")]}),
        ("timeseries", "Goodput by chip time", 12, "percentunit", [('goodput_fleet_goodput_ratio{SELECTED,goodput=~"job|scheduling|runtime"}', "{{fleetgoodput}} {{goodput}}")], {}),
        ("timeseries", "Jobs", 6, "none", [("goodput_fleet_jobs{SELECTED}", "{{fleetgoodput}} {{state}}")], {}),
        ("bargauge", "Goodput of the groups (the 20 lowest)", 6, "percentunit", [('bottomk(20, goodput_fleet_group_goodput_ratio{SELECTED,goodput="job"})', "{{fleetgoodput}} {{group}}")],
         {"thresholds": GOODPUT}),
    ]),
    ("Where the chip time goes", [
        ("timeseries", "Chip-hours asked for, allocated, productive, idle", 8, "h", [("goodput_fleet_chip_seconds{SELECTED} / 3600", "{{fleetgoodput}} {{state}}")], {}),
        ("bargauge", "Chip-hours lost, by bucket", 8, "h", [("topk(12, sum by (family, bucket) (goodput_fleet_badput_chip_seconds{SELECTED}) / 3600)", "{{family}}: {{bucket}}")], {}),
        ("timeseries", "Chip-hours lost over time", 8, "h", [("topk(12, sum by (family, bucket) (goodput_fleet_badput_chip_seconds{SELECTED}) / 3600)", "{{family}}: {{bucket}}")], {"stack": True}),
    ]),
    ("Jobs", [tuple(x for x in JOB_TABLE)]),
    ("Reliability", [
        ("bargauge", "Interruptions, by root cause", 8, "none", [("topk(12, sum by (class) (goodput_fleet_root_cause_interruptions{SELECTED}))", "{{class}}")], {}),
        ("bargauge", "Interruptions, by owner", 8, "none", [("topk(12, sum by (owner) (goodput_fleet_owner_interruptions{SELECTED}))", "{{owner}}")], {}),
        ("bargauge", "Chip-hours lost, by owner", 8, "h", [("topk(12, sum by (owner) (goodput_fleet_owner_chip_seconds{SELECTED}) / 3600)", "{{owner}}")], {}),
        ("timeseries", "Interruptions per 1,000 node-days", 8, "none", [("goodput_fleet_interruptions_per_1000_node_days{SELECTED}", "{{fleetgoodput}}")], {}),
        ("bargauge", "Node pools with the shortest time between failures (20)", 8, "s", [("bottomk(20, goodput_fleet_node_pool_mean_time_between_failures_seconds{SELECTED})", "{{fleetgoodput}} {{node_pool}}")],
         {"thresholds": [(None, "red"), (86400, "yellow"), (604800, "green")]}),
        ("bargauge", "Failures of node pools (the 20 most)", 8, "none", [("topk(20, goodput_fleet_node_pool_failures{SELECTED})", "{{fleetgoodput}} {{node_pool}}")],
         {"thresholds": [(None, "green"), (3, "yellow"), (10, "red")]}),
    ]),
    ("Cost", [
        ("timeseries", "Cost of the chips", 6, "none", [("sum by (fleetgoodput, state, currency) (goodput_fleet_cost{SELECTED})", "{{fleetgoodput}} {{state}} ({{currency}})")], {}),
        ("bargauge", "Cost of what was lost, by bucket", 6, "none", [("topk(12, sum by (bucket, currency) (goodput_fleet_badput_cost{SELECTED}))", "{{bucket}} ({{currency}})")], {}),
        ("bargauge", "Cost of interruptions, by cause", 6, "none", [("topk(12, sum by (cause, currency) (goodput_fleet_interruption_cost{SELECTED}))", "{{cause}} ({{currency}})")], {}),
        ("bargauge", "Cost of what was lost, by owner", 6, "none", [("topk(12, sum by (owner, currency) (goodput_fleet_owner_cost{SELECTED}))", "{{owner}} ({{currency}})")], {}),
    ]),
    ("The controller", [
        ("timeseries", "Memory", 8, "bytes", [(f"process_resident_memory_bytes{{{OF_CLUSTER}}} and on (instance) goodput_build_info", "{{instance}}"),
                                              (f"goodput_controller_memory_limit_bytes{{{OF_CLUSTER}}}", "limit of {{instance}}")], {}),
        ("timeseries", "CPU", 8, "none", [(f"rate(process_cpu_seconds_total{{{OF_CLUSTER}}}[5m]) and on (instance) goodput_build_info", "{{instance}}")], {}),
        ("timeseries", "Requests to the API server", 8, "reqps", [(f"topk(20, sum by (method, code) (rate(rest_client_requests_total{{{OF_CLUSTER}}}[5m]) and on (instance) goodput_build_info))", "{{method}} {{code}}")], {}),
    ]),
])

QUEUE = ("queue", "Goodput: queues", [CLUSTER, variable("namespace", "Namespace", "goodput_queue_jobs", None, OF_CLUSTER),
                                      variable("queue", "Queue", "goodput_queue_jobs", None, 'cluster=~"$cluster",namespace=~"$namespace"')],
         'cluster=~"$cluster",namespace=~"$namespace",queue=~"$queue"', [
    ("Now", [
        ("stat", "Productive share of the allocated chip time", 6, "percentunit", [('sum(goodput_queue_chip_seconds{SELECTED,state="productive"}) / sum(goodput_queue_chip_seconds{SELECTED,state="allocated"})', "")], {"thresholds": GOODPUT}),
        ("stat", "Chip-hours lost", 6, "h", [('(sum(goodput_queue_chip_seconds{SELECTED,state="allocated"}) - sum(goodput_queue_chip_seconds{SELECTED,state="productive"})) / 3600', "")], {}),
        ("stat", "Chip-hours waited for", 6, "h", [('sum(goodput_queue_chip_seconds{SELECTED,state="waiting"}) / 3600', "")], {}),
        ("stat", "Steps beyond the ideal", 6, "percentunit", [("sum(goodput_queue_step_deviation_seconds{SELECTED}) / sum(goodput_queue_step_ideal_seconds{SELECTED})", "")],
         {"thresholds": [(None, "green"), (0.1, "yellow"), (0.25, "red")]}),
        ("timeseries", "Jobs by phase", 12, "none", [("sum by (phase) (goodput_queue_jobs{SELECTED})", "{{phase}}")], {"stack": True}),
        ("bargauge", "Chip-hours lost, by bucket", 12, "h", [("topk(12, sum by (bucket) (goodput_queue_badput_chip_seconds{SELECTED}) / 3600)", "{{bucket}}")], {}),
    ]),
    ("Queues", [
        ("table", "Queues by lost chip-hours (the first 50)", 24, None, [
            ('topk(50, sum by (cluster, namespace, queue) (goodput_queue_chip_seconds{SELECTED,state="allocated"} - ignoring (state) goodput_queue_chip_seconds{SELECTED,state="productive"}) / 3600)', "Lost chip-hours", "h"),
            ('sum by (cluster, namespace, queue) (goodput_queue_chip_seconds{SELECTED,state="waiting"}) / 3600', "Waiting chip-hours", "h"),
            ('sum by (cluster, namespace, queue) (goodput_queue_chip_seconds{SELECTED,state="productive"}) / sum by (cluster, namespace, queue) (goodput_queue_chip_seconds{SELECTED,state="allocated"})', "Productive", "percentunit"),
            ('sum by (cluster, namespace, queue) (goodput_queue_jobs{SELECTED,phase=~"Queued|Provisioning"})', "Jobs that wait", "none"),
        ], {"columns": {"namespace": "Namespace", "queue": "Queue"}, "links": {"Queue": ("Only this queue", QUEUE_LINK)}}),
    ]),
    ("Jobs", [
        tuple(x for x in JOB_TABLE),
        ("timeseries", "Lowest goodput of the last hour (10 jobs)", 12, "percentunit", [('bottomk(10, goodput_job_window_goodput_ratio{SELECTED,window_seconds="3600",goodput="job"})', "{{namespace}}/{{jobgoodput}}")], {"link": ("Open the job", SERIES_LINK)}),
        ("bargauge", "Interruptions of the queue's jobs, by root cause", 12, "none", [("topk(12, sum by (class) (goodput_job_root_cause_interruptions{SELECTED}))", "{{class}}")], {}),
        ("bargauge", "Time lost, by owner", 12, "s", [("topk(12, sum by (owner) (goodput_job_owner_seconds{SELECTED}))", "{{owner}}")], {}),
        ("timeseries", "Where the time went in the last 15 minutes", 12, "s", [("topk(12, sum by (bucket) (delta(goodput_job_badput_seconds{SELECTED}[15m]) > 0))", "{{bucket}}")], {"stack": True}),
    ]),
])


def job_stat(title, metric, thresholds=None, unit="percentunit"):
    return ("stat", title, 4, unit, [(metric, "{{namespace}}/{{jobgoodput}}")], {"thresholds": thresholds} if thresholds else {})


JOB = ("job", "Goodput: job", [CLUSTER, variable("namespace", "Namespace", "goodput_job_phase", None, OF_CLUSTER),
                               variable("job", "Job", "goodput_job_phase", "jobgoodput", 'cluster=~"$cluster",namespace=~"$namespace"')],
       'cluster=~"$cluster",namespace=~"$namespace",jobgoodput=~"$job"', [
    ("Now", [
        job_stat("Goodput", "bottomk(10, goodput_job_goodput_ratio{SELECTED})", GOODPUT),
        job_stat("Scheduling goodput", "bottomk(10, goodput_job_scheduling_goodput_ratio{SELECTED})", GOODPUT),
        job_stat("Runtime goodput", "bottomk(10, goodput_job_runtime_goodput_ratio{SELECTED})", GOODPUT),
        job_stat("Evidence", "bottomk(10, goodput_job_evidence_ratio{SELECTED})", [(None, "red"), (0.8, "yellow"), (0.95, "green")]),
        job_stat("Last step", "topk(10, goodput_job_last_step{SELECTED})", None, "none"),
        job_stat("Slots missing", "topk(10, goodput_job_slots_required{SELECTED} - goodput_job_slots_available{SELECTED})", [(None, "green"), (1, "red")], "none"),
        ("timeseries", "Phase", 12, "none", [("topk(10, goodput_job_phase{SELECTED})", "{{jobgoodput}} {{phase}}")], {"stack": True}),
        ("timeseries", "Silence of the log, and what counts as a hang", 12, "s", [
            ("topk(10, goodput_job_observed_through_timestamp_seconds{SELECTED} - goodput_job_last_record_timestamp_seconds{SELECTED})", "{{jobgoodput}}: no record for"),
            ("bottomk(10, goodput_job_hang_after_seconds{SELECTED})", "{{jobgoodput}}: hangAfter")], {}),
    ]),
    ("Where the time goes", [
        ("timeseries", "Time lost, by bucket", 12, "s", [("topk(12, sum by (family, bucket) (goodput_job_badput_seconds{SELECTED}))", "{{family}}: {{bucket}}")], {"stack": True}),
        ("bargauge", "Chip-hours lost, by bucket", 6, "h", [("topk(12, sum by (bucket) (goodput_job_badput_chip_seconds{SELECTED}) / 3600)", "{{bucket}}")], {}),
        ("timeseries", "Goodput of the windows", 6, "percentunit", [('topk(10, goodput_job_window_goodput_ratio{SELECTED,goodput="job"})', "{{jobgoodput}} {{window_seconds}} s")], {}),
    ]),
    ("Steps", [
        ("timeseries", "Steps per minute", 8, "none", [("topk(10, deriv(goodput_job_last_step{SELECTED}[5m]) * 60)", "{{jobgoodput}}")], {}),
        ("timeseries", "Duration of a step", 8, "s", [("topk(10, goodput_job_step_median_seconds{SELECTED})", "{{jobgoodput}} median"), ("topk(10, goodput_job_step_p99_seconds{SELECTED})", "{{jobgoodput}} 99 %"),
                                                      ("topk(10, goodput_job_step_ideal_seconds{SELECTED})", "{{jobgoodput}} ideal")], {}),
        ("timeseries", "Mean step beyond the ideal one", 8, "percentunit", [("topk(10, goodput_job_step_deviation_seconds{SELECTED} / goodput_job_step_ideal_seconds{SELECTED})", "{{jobgoodput}}")],
         {"thresholds": [(None, "green"), (0.1, "yellow"), (0.25, "red")]}),
    ]),
    ("Interruptions", [
        ("timeseries", "Interruptions, by cause", 8, "none", [("topk(12, sum by (cause) (goodput_job_interruptions{SELECTED}))", "{{cause}}")], {"stack": True}),
        ("bargauge", "Interruptions, by root cause", 8, "none", [("topk(12, sum by (class) (goodput_job_root_cause_interruptions{SELECTED}))", "{{class}}")], {}),
        ("bargauge", "Interruptions, by owner", 8, "none", [("topk(12, sum by (owner) (goodput_job_owner_interruptions{SELECTED}))", "{{owner}}")], {}),
        ("bargauge", "Chip-hours lost to interruptions, by cause", 8, "h", [("topk(12, sum by (cause) (goodput_job_interruption_chip_seconds{SELECTED}) / 3600)", "{{cause}}")], {}),
        ("bargauge", "Time lost, by owner", 8, "s", [("topk(12, sum by (owner) (goodput_job_owner_seconds{SELECTED}))", "{{owner}}")], {}),
        ("timeseries", "Mean time between interruptions, and to recover", 8, "s", [("bottomk(10, goodput_job_mean_time_between_interruptions_seconds{SELECTED})", "{{jobgoodput}}: between"),
                                                                                   ("topk(10, goodput_job_mean_time_to_recover_seconds{SELECTED})", "{{jobgoodput}}: to recover")], {}),
    ]),
    ("Checkpoints and forecast", [
        ("timeseries", "Work that a failure now would lose", 8, "s", [("topk(10, goodput_job_provisional_seconds{SELECTED})", "{{jobgoodput}}")], {}),
        ("timeseries", "Goodput: so far, expected, and with the best checkpoint interval", 8, "percentunit", [
            ("bottomk(10, goodput_job_goodput_ratio{SELECTED})", "{{jobgoodput}} so far"), ("bottomk(10, goodput_job_expected_goodput_ratio{SELECTED})", "{{jobgoodput}} expected"),
            ("bottomk(10, goodput_job_best_runtime_goodput_ratio{SELECTED})", "{{jobgoodput}} best runtime")], {}),
        ("timeseries", "Time to finish", 8, "s", [("topk(10, goodput_job_remaining_seconds{SELECTED})", "{{jobgoodput}}"),
                                                  ("topk(10, goodput_job_remaining_seconds{SELECTED} + goodput_job_remaining_deviation_seconds{SELECTED})", "{{jobgoodput}} + 1 deviation")], {}),
    ]),
    ("Cost", [
        ("timeseries", "Cost of the chips", 8, "none", [("topk(12, sum by (state, currency) (goodput_job_cost{SELECTED}))", "{{state}} ({{currency}})")], {}),
        ("bargauge", "Cost of what was lost, by bucket", 8, "none", [("topk(12, sum by (bucket, currency) (goodput_job_badput_cost{SELECTED}))", "{{bucket}} ({{currency}})")], {}),
        ("bargauge", "Cost of interruptions, by cause", 8, "none", [("topk(12, sum by (cause, currency) (goodput_job_interruption_cost{SELECTED}))", "{{cause}} ({{currency}})")], {}),
    ]),
])


LEGEND = {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}
NEWEST = {"reduceOptions": {"calcs": ["lastNotNull"]}}
# Complete, as Grafana writes them: what is left out differs between its versions.
OPTIONS = {
    "stat": {**NEWEST, "graphMode": "none", "colorMode": "none", "justifyMode": "auto", "textMode": "auto", "wideLayout": True, "showPercentChange": False,
             "percentChangeColorMode": "standard", "orientation": "auto"},
    "bargauge": {**NEWEST, "displayMode": "basic", "valueMode": "color", "namePlacement": "auto", "showUnfilled": True, "sizing": "auto", "minVizWidth": 8, "minVizHeight": 16,
                 "maxVizHeight": 300, "legend": {**LEGEND, "showLegend": False}, "orientation": "horizontal"},
    "timeseries": {"legend": LEGEND, "tooltip": {"mode": "multi", "sort": "desc"}},
    "table": {"showHeader": True, "frameIndex": 0},
}


def targets(queries, selected, kind):
    """Where only the newest value is shown, only that is asked for: over a range, topk has other members at other times."""
    return [{"refId": chr(65 + i), "datasource": DATASOURCE, "expr": q[0].replace("SELECTED", selected), **({} if kind == "timeseries" else {"instant": True, "range": False}),
             **({"format": "table"} if kind == "table" else {"legendFormat": q[1]})} for i, q in enumerate(queries)]


def default_series():
    """The metrics that each job has without --all-job-series."""
    with open("controller/export/metrics_table.h", encoding="utf-8") as source:
        parts = re.findall(r"#define JOB_DEFAULT_\w+\(X\)(.*?)\n\n", source.read(), re.S)
    return set(re.findall(r'"(goodput_job_[a-z0-9_]+)"', " ".join(parts)))


def needs_more(query):
    return bool(set(re.findall(r"\bgoodput_job_[a-z0-9_]+", query)) - default_series())


NEEDS_MORE = "{} needs the controller's flag --all-job-series (value metrics.allJobSeries of the chart)."


def description(queries):
    more = [q for q in queries if needs_more(q[0])]
    if not more:
        return {}
    who = "This panel" if len(more) == len(queries) else ", ".join(re.sub(r"\{\{\w+\}\}:? ?", "", q[1]) for q in more) + ":"
    return {"description": NEEDS_MORE.format(who)}


def override(name, *properties):
    return {"matcher": {"id": "byName", "options": name}, "properties": [{"id": i, "value": v} for i, v in properties]}


def panel(number, x, y, kind, title, width, unit, queries, more, selected):
    defaults = {} if unit is None else {"unit": unit}
    if "thresholds" in more:
        defaults["thresholds"] = {"mode": "absolute", "steps": [{"value": v, "color": c} for v, c in more["thresholds"]]}
        defaults["color"] = {"mode": "thresholds"} if kind != "timeseries" else {"mode": "palette-classic"}
    elif kind == "bargauge":  # else Grafana's own threshold applies: red from 80 on
        defaults["color"] = {"mode": "palette-classic"}
    if unit == "percentunit":
        defaults["min"] = 0
    if kind == "timeseries":
        defaults["custom"] = {"fillOpacity": 20 if more.get("stack") else 0, "stacking": {"mode": "normal" if more.get("stack") else "none"},
                              "thresholdsStyle": {"mode": "line" if "thresholds" in more else "off"}}
    if "link" in more:
        defaults["links"] = [{"title": more["link"][0], "url": more["link"][1]}]
    made = {"id": number, "type": kind, "title": title, **description(queries), "datasource": DATASOURCE, "gridPos": {"x": x, "y": y, "w": width, "h": HEIGHTS[kind]},
            "targets": targets(queries, selected, kind), "options": dict(OPTIONS[kind]), "fieldConfig": {"defaults": defaults, "overrides": []}}
    if kind == "stat" and "thresholds" in more:
        made["options"]["colorMode"] = "value"
    if kind == "table":
        names = dict(more["columns"], **{f"Value #{chr(65 + i)}": q[1] for i, q in enumerate(queries)})
        made["transformations"] = [{"id": "merge", "options": {}}, {"id": "organize", "options": {
            "excludeByName": {"Time": True}, "renameByName": names, "indexByName": {key: i for i, key in enumerate(names)}}}]
        made["fieldConfig"]["overrides"] = [override(q[1], ("unit", q[2])) for q in queries] + [
            override(column, ("links", [{"title": words, "url": to}])) for column, (words, to) in more["links"].items()]
        made["options"]["sortBy"] = [{"displayName": queries[0][1], "desc": True}]
    return made


def dashboard(name, title, variables, selected, rows):
    panels, y = [], 0
    for row, content in rows:
        panels.append({"id": len(panels) + 1, "type": "row", "title": row, "collapsed": False, "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}, "panels": []})
        x, y, height = 0, y + 1, 0
        for kind, words, width, unit, queries, more in content:
            if x + width > 24:
                x, y, height = 0, y + height, 0
            panels.append(panel(len(panels) + 1, x, y, kind, words, width, unit, queries, more, selected if "fleetgoodput" not in selected or "goodput_job_" not in queries[0][0] else OF_CLUSTER))
            x, height = x + width, max(height, HEIGHTS[kind])
        y += height
    return {"uid": "goodput-" + name, "title": title, "tags": ["goodput", "training"], "schemaVersion": 38, "editable": True, "time": {"from": "now-24h", "to": "now"}, "refresh": "30s",
            "annotations": {"list": []},
            "links": [{"type": "dashboards", "tags": ["goodput"], "title": "Goodput", "icon": "external link", "tooltip": "", "asDropdown": True, "targetBlank": False, "includeVars": True, "keepTime": True}],
            "templating": {"list": [{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "current": {"text": "", "value": ""}}] + variables}, "panels": panels}


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/..")
    differ = False
    for parts in (FLEET, QUEUE, JOB):
        path = f"{FOLDER}/{parts[0]}.json"
        text = json.dumps(dashboard(*parts), indent=1) + "\n"
        if "--check" not in sys.argv:
            os.makedirs(FOLDER, exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            print(f"{path} differs from its tables: run deploy/dashboards.py")
            differ = True
    sys.exit(differ)


main()
