"""Cloud Monitoring's timeSeries.create on loopback, by gRPC as Google's client speaks it and by REST as the controller
does: one set of rules, on Google's own messages (which also refuse any field or type that the API has not). The rules
are those of the API's reference (projects.timeSeries/create, TimeSeries, Point, TimeInterval) and of "Quotas and limits".
`faults` are answers that come before the next REST requests."""
import concurrent.futures
import http.server
import json
import re
import threading
import time

import grpc
from google.cloud import monitoring_v3
from google.protobuf import json_format

MAX_SERIES, SPACING_S, OLDEST_S, NEWEST_S = 200, 5, 25 * 3600, 300
CREATE = "/google.monitoring.v3.MetricService/CreateTimeSeries"
WORKLOAD = "compute.googleapis.com/workload/"
RESOURCES = {"compute.googleapis.com/Workload": {"location", "workload_id", "replica_id"},
             "generic_task": {"project_id", "location", "namespace", "job", "task_id"}}
# Value type and labels, as the library's own calls have them (monitoring.py).
WORKLOAD_METRICS = {
    "goodput_time": ("double_value", {"goodput_source", "accelerator_type"}),
    "badput_time": ("double_value", {"badput_source", "accelerator_type"}),
    "disruptions": ("int64_value", {"accelerator_type", "window_type"}),
    "max_productive_steps": ("int64_value", {"accelerator_type"}),
    "step_time_deviation": ("double_value", {"accelerator_type"}),
    "total_elapsed_time": ("double_value", {"accelerator_type", "window_type"}),
    "performance": ("double_value", set()),
    "interval_goodput": ("double_value", {"goodput_source", "accelerator_type", "rolling_window_size"}),
    "interval_badput": ("double_value", {"badput_source", "accelerator_type", "rolling_window_size"}),
    "stepping_slice_efficiency": ("double_value", {"accelerator_type", "window_type", "rolling_window_size"}),
    "available_slice_efficiency": ("double_value", {"accelerator_type", "window_type", "rolling_window_size"}),
}
GAUGE, CUMULATIVE = 1, 3


def seconds(stamp):
    return stamp.seconds + stamp.nanos / 1e9


def labels(of):
    return dict(sorted(of.labels.items()))


class Series:
    def __init__(self):
        self.points = []  # (start, end, value)
        self.value_type = None


class Monitoring:
    def __init__(self, token="token", project="p"):
        self.token, self.project, self.lock = token, project, threading.Lock()
        self.series, self.kinds = {}, {}  # (type, labels, resource) -> Series; custom type -> (kind, value type)
        self.refusals, self.faults, self.seen, self.sizes = [], [], [], []
        self.rest = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"api": self}))
        self.rest.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.rest.server_port}"
        threading.Thread(target=self.rest.serve_forever, daemon=True).start()
        self.grpc = grpc.server(concurrent.futures.ThreadPoolExecutor(2))
        self.grpc.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("google.monitoring.v3.MetricService", {
            "CreateTimeSeries": grpc.unary_unary_rpc_method_handler(
                self.by_grpc, request_deserializer=monitoring_v3.CreateTimeSeriesRequest.deserialize,
                response_serializer=lambda _: b"")}),))
        self.address = f"127.0.0.1:{self.grpc.add_insecure_port('127.0.0.1:0')}"
        self.grpc.start()

    def by_grpc(self, request, context):
        message, _ = self.create(request)
        if message:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, message)

    def fault(self, status, count=1, headers=()):
        self.faults += [(status, dict(headers))] * count

    def why_not(self, one, now):
        """What is wrong with a TimeSeries; None: nothing."""
        kind, resource = one.metric.type, one.resource
        if len(one.points) != 1:
            return "Field timeSeries.points had an invalid value: A time series must have exactly one point"
        if RESOURCES.get(resource.type) != set(resource.labels):
            return f"unrecognized resource labels or type: {resource.type} {sorted(resource.labels)}"
        point, value_type = one.points[0], one.points[0].value._pb.WhichOneof("value")
        start, end = seconds(point.interval._pb.start_time), seconds(point.interval._pb.end_time)
        for key, value in one.metric.labels.items():
            if not re.fullmatch("[a-z][a-z0-9_]{0,99}", key) or len(value) > 1024:
                return f"bad label {key}"
        if kind.startswith(WORKLOAD):
            value_type_of_it, keys = WORKLOAD_METRICS.get(kind[len(WORKLOAD):], (None, None))
            if resource.type != "compute.googleapis.com/Workload" or value_type != value_type_of_it or \
                    set(one.metric.labels) - {"cluster_name"} != keys:
                return f"{kind}: not as its descriptor has it: {value_type} {sorted(one.metric.labels)}"
            metric_kind = GAUGE
        elif kind.startswith("custom.googleapis.com/"):
            if resource.type == "compute.googleapis.com/Workload":
                return f"resource type {resource.type} may not be used for custom metrics"
            if resource.labels["project_id"] != self.project:
                return "project_id is not the request's"
            metric_kind = one.metric_kind or GAUGE
            if self.kinds.setdefault(kind, (metric_kind, value_type)) != (metric_kind, value_type):
                return f"{kind}: another kind or type than its descriptor's"
        else:
            return f"unrecognized metric type {kind}"
        if metric_kind == GAUGE and start not in (0, end):
            return "a GAUGE's start time must be its end time or absent"
        if metric_kind == CUMULATIVE and not 0 < start < end:
            return "a CUMULATIVE point needs a start time before its end time"
        if end > now + NEWEST_S or end < now - OLDEST_S:
            return f"end time {end} is too far from now"
        known = self.series.get(self.identity(one))
        if known and end <= known.points[-1][1]:
            return "Points must be written in order. One or more of the points specified had an older end time than the most recent point."
        if known and end < known.points[-1][1] + SPACING_S:
            return "One or more points were written more frequently than the maximum sampling period configured for the metric."
        if known and metric_kind == CUMULATIVE and start != known.points[-1][0] and start < known.points[-1][1]:
            return "a CUMULATIVE point with another start time than its series"
        return None

    @staticmethod
    def identity(one):
        return (one.metric.type, json.dumps(labels(one.metric)), json.dumps([one.resource.type, labels(one.resource)]))

    def create(self, request):
        """("" or the error, points that were written)."""
        taken, messages, now, seen = 0, [], time.time(), set()
        with self.lock:
            self.sizes.append(len(request.time_series))
            if not 0 < len(request.time_series) <= MAX_SERIES or request.name != f"projects/{self.project}":
                return "The request is not for this project, or has too many time series", 0
            for one in request.time_series:
                why = "Field timeSeries had an invalid value: Duplicate TimeSeries encountered." if self.identity(one) in seen else self.why_not(one, now)
                seen.add(self.identity(one))
                if why:
                    messages.append(why)
                    self.refusals.append((one.metric.type, labels(one.metric), why))
                    continue
                point = one.points[0]
                series = self.series.setdefault(self.identity(one), Series())
                series.value_type = point.value._pb.WhichOneof("value")
                series.points.append((seconds(point.interval._pb.start_time), seconds(point.interval._pb.end_time),
                                      getattr(point.value, series.value_type)))
                taken += 1
        return "One or more TimeSeries could not be written: " + "; ".join(sorted(set(messages))) if messages else "", taken

    def last(self, metric, **some):
        """The newest value of the one series of that type with these labels; None: there is none."""
        with self.lock:
            found = [s for (t, l, _), s in self.series.items() if t == metric and some.items() <= json.loads(l).items()]
        assert len(found) < 2, (metric, some)
        return found[0].points[-1][2] if found else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api = None

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=(), cut=0):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data) + cut), **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = self.close_connection or cut > 0

    def do_POST(self):
        api, body = self.api, self.rfile.read(int(self.headers.get("Content-Length", 0)))
        name = re.fullmatch(r"/v3/(projects/[^/?]+)/timeSeries(?:\?.*)?", self.path)
        status, headers = api.faults.pop(0) if api.faults else (200, {})
        if status > 200:
            api.seen.append(status)
            words = {401: ("UNAUTHENTICATED", "Request had invalid authentication credentials."), 403: ("PERMISSION_DENIED",
                     "Permission monitoring.timeSeries.create denied (or the resource may not exist).")}.get(status, ("FAULT", "a fault of the test"))
            self.reply(status, {"error": {"code": status, "message": words[1], "status": words[0]}}, headers)
            return
        if status == -1:  # slow
            time.sleep(2)
        if self.headers.get("Authorization") != "Bearer " + api.token or name is None:
            self.reply(401 if name else 404, {"error": {"code": 401 if name else 404, "message": "no"}})
            return
        request = monitoring_v3.CreateTimeSeriesRequest(name=name.group(1))
        try:
            json_format.ParseDict(json.loads(body), monitoring_v3.CreateTimeSeriesRequest.pb(request))
        except (json_format.ParseError, ValueError) as why:
            api.refusals.append(("(request)", {}, str(why)))
            self.reply(400, {"error": {"code": 400, "message": f"Invalid JSON payload received: {why}", "status": "INVALID_ARGUMENT"}})
            return
        message, taken = api.create(request)
        total = len(request.time_series)
        api.seen.append(status if status <= 0 else 400 if message else 200)
        if message:
            self.reply(400, {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": [{
                "@type": "type.googleapis.com/google.monitoring.v3.CreateTimeSeriesSummary", "totalPointCount": total, "successPointCount": taken,
                "errors": [{"status": {"code": 3}, "pointCount": total - taken}]}]}})
        else:
            self.reply(200, {}, cut=100 if status == 0 else 0)  # 0: written, and the answer is cut off
