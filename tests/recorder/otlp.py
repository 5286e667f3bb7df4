#!/usr/bin/env python3
"""What the controller pushes by OTLP/HTTP, read by OpenTelemetry's own protobuf package: metrics and spans compared with the status behind them, answers that ask for patience, a part that is refused, and a kill."""
import http.server
import os
import sys
import tempfile
import threading
import time
import urllib.error

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests/export"]
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest, ExportMetricsServiceResponse  # noqa: E402
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse  # noqa: E402
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE  # noqa: E402
from opentelemetry.proto.trace.v1.trace_pb2 import Status  # noqa: E402
from emulator import Google, moment  # noqa: E402
from jobs import Job, client  # noqa: E402
from rig import Rig, Tally, fetch, wait_for  # noqa: E402

LOGGER, RUN = "goodput_run1", "run1"


class Collector:
    def __init__(self):
        self.points, self.metrics, self.spans, self.resources = {}, {}, [], []  # (name, attributes) -> [(start, time, value)]
        self.faults, self.seen, self.unknown, self.lock = [], [], [], threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"collector": self}))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take_metrics(self, body):
        request = ExportMetricsServiceRequest.FromString(body)
        self.look_for_unknown(request, body)
        with self.lock:
            for resource in request.resource_metrics:
                self.resources.append(attributes(resource.resource.attributes))
                for metric in (m for scope in resource.scope_metrics for m in scope.metrics):
                    self.metrics[metric.name] = metric
                    for point in getattr(metric, metric.WhichOneof("data")).data_points:
                        key = (metric.name, tuple(sorted(attributes(point.attributes).items())))
                        value = getattr(point, point.WhichOneof("value"))
                        self.points.setdefault(key, []).append((point.start_time_unix_nano, point.time_unix_nano, value))

    def take_spans(self, body):
        request = ExportTraceServiceRequest.FromString(body)
        self.look_for_unknown(request, body)
        with self.lock:
            self.spans += [span for r in request.resource_spans for scope in r.scope_spans for span in scope.spans]

    def look_for_unknown(self, request, body):
        """A field that the package does not know survives its parsing, and is dropped without unknown fields."""
        copy = type(request).FromString(body)
        copy.DiscardUnknownFields()
        if copy.SerializeToString() != request.SerializeToString():
            self.unknown.append(type(request).__name__)

    def last(self, name, **some):
        found = [p for (n, a), p in list(self.points.items()) if n == name and {("goodput." + k, v) for k, v in some.items()} <= set(a)]
        assert len(found) < 2, (name, some)
        return found[0][-1][2] if found else None


def attributes(pairs):
    return {p.key: getattr(p.value, p.value.WhichOneof("value")) for p in pairs}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    collector = None

    def log_message(self, *_):
        pass

    def do_POST(self):
        c, body = self.collector, self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_metrics = self.path == "/v1/metrics"
        assert is_metrics or self.path == "/v1/traces", self.path
        status, headers, answer = 200, {}, (ExportMetricsServiceResponse if is_metrics else ExportTraceServiceResponse)()
        if self.headers.get("Content-Type") != "application/x-protobuf" or self.headers.get("x-key") != "secret":
            status = 400
        elif c.faults and c.faults[0][0] == is_metrics:
            _, status, headers = c.faults.pop(0)
            if status == 200:
                answer.partial_success.rejected_data_points = 2
                answer.partial_success.error_message = "two are too old"
        c.seen.append((is_metrics, status))
        if status == 200:
            (c.take_metrics if is_metrics else c.take_spans)(body)
        data = answer.SerializeToString() if status == 200 else b""
        self.send_response(status)
        for name, value in {"Content-Type": "application/x-protobuf", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def check_metrics(tally, c, status):
    tally.check("every byte is a field that OpenTelemetry knows", not c.unknown and c.metrics, c.unknown)
    tally.check("the resource names the job", all(r.get("k8s.namespace.name") == "default" and r.get("goodput.job.name") == "train" and
                r.get("service.name") == "goodput-controller" and r.get("goodput.job.uid") for r in c.resources), c.resources[:2])
    ppm = status["goodputPPM"]
    for kind in ("scheduling", "runtime", "job"):
        tally.check(f"{kind} goodput as in the status", c.last("goodput.ratio", kind=kind) == ppm[kind] / 1e6, ppm)
    for b in status["badput"]:
        if b["bucket"] != "ElasticSliceDown":
            value = c.last("goodput.badput.time", family=b["family"], bucket=b["bucket"])
            tally.check(f"{b['family']} {b['bucket']} as in the status", value == b["milliseconds"] / 1000, (value, b))
    tally.check("the last step is an integer", c.last("goodput.step.last") == 29 and isinstance(c.last("goodput.step.last"), int), status)
    wall = c.metrics["goodput.wall.time"].sum
    tally.check("wall time is a monotonic cumulative sum, badput one that may be corrected",
                wall.is_monotonic and wall.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE and
                not c.metrics["goodput.badput.time"].sum.is_monotonic and c.metrics["goodput.badput.time"].HasField("sum"), wall)
    points = c.points[("goodput.wall.time", ())]
    start = moment(status["time"]["start"])
    tally.check("it grows from the job's start, one point a time, across the kill", len(points) > 2 and all(p[0] == start for p in points) and
                len({p[1:] for p in points}) == len({p[1] for p in points}) and
                all(a[1] <= b[1] and a[2] <= b[2] for a, b in zip(points, points[1:])), points)


def check_spans(tally, c, status):
    by_id = {}
    for span in c.spans:
        by_id.setdefault((span.name, span.span_id), set()).add(span.SerializeToString())
    tally.check("a span that came twice is the same span", all(len(v) == 1 for v in by_id.values()), by_id.keys())
    spans = {}
    for span in c.spans:
        spans[span.span_id] = span
    root = [s for s in spans.values() if not s.parent_span_id]
    tally.check("one trace with one root, which has the job's times", len(root) == 1 and len({s.trace_id for s in spans.values()}) == 1 and
                len(root[0].trace_id) == 16 and len(root[0].span_id) == 8 and root[0].start_time_unix_nano == moment(status["time"]["start"]) and
                root[0].end_time_unix_nano == moment(status["time"]["end"]), root)
    tally.check("the root is named as the target and has ended well", root and root[0].name == "train" and root[0].status.code == Status.STATUS_CODE_OK, root)
    executions = sorted((s for s in spans.values() if s.name == "execution"), key=lambda s: s.start_time_unix_nano)
    listed = status["executions"]
    tally.check("a span per execution, with its times", len(executions) == len(listed) and all(
        s.parent_span_id == root[0].span_id and s.start_time_unix_nano == moment(e["start"]) and
        s.end_time_unix_nano == moment(e.get("end") or status["time"]["end"]) for s, e in zip(executions, listed)), (executions, listed))
    tally.check("executions tell when their first step began", all(
        ("firstStepAt" not in e) or moment(e["firstStepAt"]) in [v.time_unix_nano for v in s.events if v.name == "first step"]
        for s, e in zip(executions, listed)), (executions, listed))
    interruptions = [s for s in spans.values() if s.name == "interruption"]
    first, second = listed[0], listed[1]
    tally.check("a span for the interruption: from its begin to the next first step, with its cause", len(interruptions) == 1 and
                interruptions[0].start_time_unix_nano == moment(first["end"]) and interruptions[0].end_time_unix_nano == moment(second["firstStepAt"]) and
                attributes(interruptions[0].attributes)["goodput.cause"] == first["cause"] and
                interruptions[0].status.code == Status.STATUS_CODE_ERROR, (interruptions, listed))


def is_there(url):
    try:
        return "observedThrough" in fetch(url)[1]
    except urllib.error.HTTPError:
        return False


def check_follower(tally):
    """One that waits for the Lease knows the jobs, and sends nothing."""
    c = Collector()
    rig = Rig(flags=("--otlp-endpoint=" + c.url, "--otlp-interval=1s"))
    try:
        rig.put({"metadata": {"name": "train", "namespace": "default"}, "apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput",
                 "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": "train"}},
                 "status": {"time": {"start": "2026-01-01T00:00:00Z", "observedThrough": "2099-01-01T00:00:00Z", "wallMilliseconds": 1000}}})
        wait_for("the job on the page", lambda: is_there(rig.page + "job?namespace=default&name=train"))
        time.sleep(3)  # three ticks, as long as a leader would need at most
        tally.check("one that does not lead sends nothing", not c.seen and 'goodput_push_requests_total{exporter="otlp",result="delivered"} 0\n' in
                    fetch(rig.metrics)[1], c.seen)
    finally:
        rig.close()


def main():
    tally = Tally()
    check_follower(tally)
    with tempfile.TemporaryDirectory() as folder:
        google, c = Google(folder), Collector()
        os.environ.update(GCE_METADATA_HOST=google.host, CLOUDSDK_CONFIG="/nonexistent")
        with open(folder + "/headers", "w") as out:
            out.write("x-key: secret\n")
        c.faults = [(True, 503, {"Retry-After": "1"}), (True, 200, {}), (True, 429, {}), (False, 502, {})]
        rig = Rig(is_follower=False, flags=("--status-interval=1s", "--cloud-logging-endpoint=" + google.url, "--cloud-logging-allow=*=*/*", "--otlp-endpoint=" + c.url,
                                            "--otlp-interval=1s", "--otlp-headers=" + folder + "/headers"))
        try:
            job = Job(rig, "train", {"source": "CloudLogging", "format": "Recorder", "cloudLogging": {"project": "p", "logger": LOGGER, "jobName": RUN}})
            client(google.environment(), "write", LOGGER, RUN, "0", "20", "dies")
            wait_for("the faults of metrics", lambda: c.faults[:1] == [(False, 502, {})] and c.points)
            tally.check("a part that was refused is counted, and not sent again", 'goodput_push_points_total{exporter="otlp",result="dropped"} 2\n' in
                        fetch(rig.metrics)[1], fetch(rig.metrics)[1])
            rig.processes[-1].kill()
            rig.processes.pop().wait()
            rig.start_controller()
            job.restart()
            client(google.environment(), "write", LOGGER, RUN, "14", "30", "end")
            job.end()
            status = wait_for("a finished status with step 29", lambda: job.finished(29))
            wait_for("the job's span, after a refusal", lambda: not c.faults and any(not s.parent_span_id for s in list(c.spans)))
            wait_for("the final numbers", lambda: c.last("goodput.productive.time") == status["time"]["productiveMilliseconds"] / 1000)
            check_metrics(tally, c, status)
            check_spans(tally, c, status)
            tally.check("nothing of a request was refused for good", not [s for s in c.seen if s[1] in (400, 404)], c.seen)
        finally:
            rig.close()
    tally.end()


main()
