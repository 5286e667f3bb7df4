#!/usr/bin/env python3
"""/metrics of a running controller, as Prometheus' own tool reads it, and against the status behind it."""

import copy
import gzip
import http.client
import http.server
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
from real_prometheus import dashboards, queries  # noqa: E402
from rig import BIN, Rig, Tally, fetch, wait_for  # noqa: E402

STORY = json.load(open("tests/data/export/story.json"))
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "default"},
       "spec": {"parallelism": 1, "completions": 1, "suspend": True, "template": {"spec": {"containers": [{"name": "c"}]}}}}
RECORD = {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": "train", "namespace": "default"},
          "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": "train"}}}


def samples(text):
    """{'name{labels}': value}"""
    return {m.group(1): float(m.group(2)) for m in re.finditer(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.M)}


LABELS = {"goodput_job_": ["namespace", "jobgoodput", "queue"], "goodput_queue_": ["namespace", "queue"], "goodput_fleet_": ["fleetgoodput"]}


def wrong_labels(text):
    """Samples whose labels are not those of their row in the table of metrics, besides those of every job, queue or fleet."""
    with open("controller/export/metrics_table.h") as source:
        table = re.sub(r"\s+", " ", source.read().replace("\\\n", " "))
    more = {name: words.split(", ") if words else [] for name, words in re.findall(r'X\(F_\w+, "(\w+)", METRIC_\w+, "([^"]*)"', table)}
    wrong = []
    for name, has in re.findall(r"^([a-z_0-9]+)(?:\{(.*)\})? \S+$", text, re.M):
        row = next((n for n in (name, name.removesuffix("_total"), re.sub("_(bucket|sum|count)$", "", name)) if n in more), None)
        common = next((words for start, words in LABELS.items() if name.startswith(start)), [])
        expected = common + [w for w in more.get(row, []) if w != "le" or name.endswith("_bucket")]
        if re.findall(r'(\w+)="', has) != expected:
            wrong.append(f"{name}: {has}, expected {expected}")
    return wrong


def promtool(text):
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    return done.returncode == 0 and not (done.stdout + done.stderr).strip(), done.stdout + done.stderr


STRICT = """import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
for family in read(sys.stdin.read()):
    for x in family.samples:
        print(json.dumps([x.name, x.labels, x.value]))"""


def openmetrics(text):
    """Every sample as Prometheus' own Python client reads it, which refuses what the standard does not allow. It is a
    package of the system's Python, which need not be the one that runs this."""
    there = [p for p in (sys.executable, "/usr/bin/python3") if subprocess.run([p, "-c", "import prometheus_client"], capture_output=True).returncode == 0]
    if not there:
        raise SystemExit("no prometheus_client here: apt-get install python3-prometheus-client")
    done = subprocess.run([there[0], "-c", STRICT], input=text, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return done.stderr, {name + json.dumps(labels, sort_keys=True): value for name, labels, value in lines}


class Reviews(http.server.BaseHTTPRequestHandler):
    """An API server that knows of nothing but reviews."""

    users = {"tok-fine": "prometheus", "tok-poor": "nobody"}
    asked = []
    is_broken = False

    def reply(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.reply(200 if self.path == "/version" else 404, {"kind": "Status", "message": "nothing here"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Reviews.asked.append(body)
        if Reviews.is_broken:
            self.reply(403, {"kind": "Status", "message": "forbidden by the test"})
        elif self.path == "/apis/authentication.k8s.io/v1/tokenreviews":
            user = self.users.get(body["spec"]["token"])
            self.reply(201, {"status": {"authenticated": True, "user": {"username": user, "groups": ["a", "b"], "extra": {"x": ["1"]}}} if user
                             else {"authenticated": False, "error": "no"}})
        else:
            self.reply(201, {"status": {"allowed": body["spec"]["user"] == "prometheus"}})

    def log_message(self, *_):
        pass


def check_gate(t):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reviews)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig, log = folder + "/kubeconfig", folder + "/log"
        with open(kubeconfig, "w") as out:
            out.write("{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {}}],"
                      f" clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:{server.server_port}'}}}}]}}")
        with open(log, "w") as out:
            controller = subprocess.Popen([BIN + "/goodput-controller", "--kubeconfig", kubeconfig, "--leader-elect=false", "--health-bind-address=0",
                                           "--page-bind-address=0", "--metrics-bind-address=0.0.0.0:0"], stderr=out)
        try:
            port = wait_for("metrics", lambda: re.search(r'"metrics served","port":([0-9]+),"tls":true', open(log).read())).group(1)
            trust = ssl.create_default_context()
            trust.load_verify_locations(cadata=ssl.get_server_certificate(("127.0.0.1", int(port))))

            def get(token, scheme="Bearer "):
                request = urllib.request.Request(f"https://localhost:{port}/metrics", headers={"Authorization": scheme + token} if token else {})
                try:
                    with urllib.request.urlopen(request, context=trust) as answer:
                        return answer.status, answer.read().decode()
                except urllib.error.HTTPError as error:
                    return error.code, error.read().decode()

            code, text = get("tok-fine")
            t.check("TLS: the metrics for who may get them", code == 200 and "process_open_fds" in text, text[:200])
            get("tok-fine")
            t.check("TLS: a verdict is remembered", len(Reviews.asked) == 2, Reviews.asked)
            spec = Reviews.asked[1]["spec"]
            t.check("the user, its groups and the path are what is asked about", spec == {"user": "prometheus", "groups": ["a", "b"], "extra": {"x": ["1"]},
                    "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}, spec)
            t.check("TLS: 403 for who may not", get("tok-poor")[0] == 403)
            t.check("TLS: 401 for a token that nobody knows", get("tok-guess")[0] == 401 and get("tok-guess")[0] == 401)
            t.check("TLS: 401 without a token", get("")[0] == 401 and get("tok-fine", "Basic ")[0] == 401)
            Reviews.is_broken = True
            t.check("TLS: 503 while nobody can be asked", get("tok-new")[0] == 503)
            Reviews.is_broken = False
            t.check("TLS: and not for longer", get("tok-new")[0] == 401)
            t.check("the token is in no log", not "tok-" in open(log).read())
            try:
                clear = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").status
            except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
                clear = 0
            t.check("TLS: nothing in clear", clear != 200, clear)
        finally:
            controller.terminate()
            t.check("the controller ends well", controller.wait() == 0)
            server.shutdown()


def check_rules(t):
    """Alerts by promtool; they and the dashboards ask for metrics that there are."""
    chart = "helm/goodput-controller/files"
    for words in (["check", "rules", f"{chart}/rules.yaml"], ["test", "rules", "tests/export/rules.test.yaml"]):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True)
        t.check("promtool " + " ".join(words[:2]), done.returncode == 0, done.stdout + done.stderr)
    with open("controller/export/metrics_table.h") as source:
        table = re.findall(r'^    X\(([JF])_[A-Z0-9_]+, "([a-z_0-9]+)", (\w+)', source.read(), re.M)
    there = {name + ("_total" if kind == "METRIC_COUNTER" else "") for _, name, kind in table}
    t.check("the table of metrics is read", len(there) > 50, there)
    with open(f"{chart}/rules.yaml") as rules, open("tests/export/rules.test.yaml") as tests:
        rules, tests = rules.read(), tests.read()
    alerts = re.findall(r"alert: (\w+)", rules)
    t.check("every alert has a test in which it fires", all(re.search(rf"alertname: {a}\n", tests) for a in alerts) and len(alerts) > 5, alerts)
    asked = [query for dashboard in dashboards().values() for _, query in queries(dashboard)]
    asked += re.findall(r"expr: (.*(?:\n      .*)*)", re.sub(r"goodput:[a-z_]+:\w+", "", rules))
    names = set(re.findall(r"\b((?:goodput|process|workqueue|rest_client|leader_election)_[a-z_0-9]+)\b", " ".join(asked)))
    t.check("alerts and dashboards ask for metrics that there are", len(names) > 15 and names <= there, sorted(names - there))
    with open("deploy/docs/reference/metrics.md") as text:
        found = set(re.findall(r"^\| `([a-z_0-9]+)`", text.read(), re.M))
    t.check("metrics.md describes every metric and no other", found == there, sorted(found ^ there))


def main():
    t = Tally()
    if shutil.which("promtool") is None:
        raise SystemExit("no promtool here: apt-get install prometheus")
    rig = Rig(is_follower=False)
    try:
        rig.ask("POST", "/apis/batch/v1/namespaces/default/jobs", JOB)
        rig.put(RECORD)
        # Everything that is looked at below: what was computed, that it was written, and that the writing was timed.
        wait_for("the job's metrics", lambda: all(x in fetch(rig.metrics)[1] for x in (
            'phase="Suspended"', "goodput_job_scheduling_goodput_ratio{", 'rest_client_request_duration_seconds_count{verb="PATCH"}', "workqueue_work_duration_seconds_count{")))
        status = wait_for("the job's status", lambda: "scheduling" in rig.get("default", "train").get("status", {}).get("goodputPPM", {}) and rig.get("default", "train"))["status"]
        headers, text = fetch(rig.metrics)
        fine, report = promtool(text)
        t.check("promtool check metrics has nothing to say", fine, report)
        t.check("the text format's type", headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", headers)
        found = samples(text)
        t.check("each series has the labels that the table of metrics says", not (wrong := wrong_labels(text)), wrong)
        labels = '{namespace="default",jobgoodput="train",queue=""}'
        t.check("scheduling goodput is the status's", found["goodput_job_scheduling_goodput_ratio" + labels] == status["goodputPPM"]["scheduling"] / 1e6, found)
        t.check("what is not known is absent", "goodput_job_goodput_ratio" + labels not in found)
        for name, labels in (("workqueue_queue_duration_seconds", 'name="jobgoodput"'), ("workqueue_work_duration_seconds", 'name="jobgoodput"'),
                             ("rest_client_request_duration_seconds", 'verb="GET"'), ("rest_client_request_duration_seconds", 'verb="PATCH"')):
            buckets = [v for k, v in found.items() if k.startswith(name + "_bucket{" + labels + ",le=")]
            t.check(f"{name} of {labels} is a histogram of what was done", buckets == sorted(buckets) and buckets[-1] == found[f"{name}_count{{{labels}}}"] > 0
                    and found[f"{name}_sum{{{labels}}}"] < 3600, buckets)
        t.check("requests are timed as often as counted", sum(v for k, v in found.items() if k.startswith("rest_client_request_duration_seconds_count")) ==
                sum(v for k, v in found.items() if k.startswith("rest_client_requests_total")), found)
        headers, text = fetch(rig.metrics, {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"})
        t.check("OpenMetrics when asked for", headers["Content-Type"].startswith("application/openmetrics-text") and text.endswith("\n# EOF\n"))
        wrong, strict = openmetrics(text)
        t.check("OpenMetrics as its own parser reads it", not wrong, wrong)
        t.check("with as many samples as there are lines, and their values", len(strict) == sum(not x.startswith("#") for x in text.splitlines()) and
                strict['goodput_job_phase{"jobgoodput": "train", "namespace": "default", "phase": "Suspended", "queue": ""}'] == 1, strict)
        asked = {"Accept": "application/openmetrics-text;version=1.0.0", "Accept-Encoding": "gzip"}
        with urllib.request.urlopen(urllib.request.Request(rig.metrics, headers=asked)) as answer:
            packed, encoding = answer.read(), answer.headers["Content-Encoding"]
        wrong, unpacked = openmetrics(gzip.decompress(packed).decode())
        t.check("gzip when asked for, with the same samples", encoding == "gzip" and not wrong and unpacked.keys() == strict.keys(), wrong)
        t.check("and not otherwise", headers["Content-Encoding"] is None, headers)
        t.check("which would refuse a text that ends too early", openmetrics(text[:text.index("# EOF")])[0] != "")
        t.check("OpenMetrics counters are named without _total in TYPE", "# TYPE rest_client_requests counter" in text and "\nrest_client_requests_total{" in text)
        t.check("the leader says so", found['leader_election_master_status{name="goodput-controller"}'] == 1)
    finally:
        rig.close()
    follower = Rig()
    try:
        job = copy.deepcopy(STORY)
        job["metadata"] = {"name": "a", "namespace": "research"}
        follower.put(job)
        text = fetch(follower.metrics)[1]
        found = samples(text)
        t.check("a follower exports nothing of jobs", not any(k.startswith(("goodput_job_", "goodput_queue_")) for k in found))
        t.check("and says that it does not lead", found['leader_election_master_status{name="goodput-controller"}'] == 0)
    finally:
        follower.close()
    check_rules(t)
    check_gate(t)
    t.end()


main()
