"""The real library's answers for a file of recorder entries, as `analyze --definition library` words them. Its Cloud
Logging client and its clock are replaced; nothing else is."""
import datetime
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
from ml_goodput_measurement.src import goodput, goodput_elastic, goodput_exclusion, goodput_utils

UTC = datetime.timezone.utc
NOW = [None]


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW[0]


class Module:
    """The datetime module with a clock that stands still."""

    def __getattr__(self, name):
        return Clock if name == "datetime" else getattr(datetime, name)


goodput.datetime = Module()
goodput_exclusion.datetime = Module()


def stamp(payload):
    for key, value in payload.items():
        if "time" in key:
            return None if value is None else datetime.datetime.fromtimestamp(value, UTC)
    return None


def load(path):
    """(logged, payload): an entry is logged at its own timestamp, else at its payload's time, else with the one before."""
    entries, logged = [], None
    with open(path) as lines:
        for line in lines:
            payload = json.loads(line)
            if "jsonPayload" in payload:
                logged = datetime.datetime.fromisoformat(payload["timestamp"].replace("Z", "+00:00"))
                payload = payload["jsonPayload"]
            else:
                logged = stamp(payload) or logged
            entries.append((logged, payload))
    return entries


class Logger:
    def __init__(self, entries):
        self.entries = entries

    def read_cloud_logging_entries(self, start_time=None, end_time=None, last_entry_info=None):
        end = end_time or NOW[0]
        some = [(t, p) for t, p in self.entries
                if t is None and start_time is None or t is not None and t <= end and (start_time is None or t > start_time)]
        return [p for _, p in some], ((some[-1][0], "id") if some else (None, None))


def plain(number):
    """numpy's numbers as Python's; not finite: null, as JSON has no such numbers."""
    if isinstance(number, np.generic):
        number = number.item()
    return None if number is not None and number != number or number in (float("inf"), float("-inf")) else number


def named(badput, order):
    answer = {}
    for kind in order:
        if kind in badput:
            value = badput[kind]
            answer[kind.name] = {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else plain(value)
    return answer


ORDER = [goodput_utils.BadputType[n] for n in (
    "TPU_INITIALIZATION", "TRAINING_PREP", "DATA_LOADING_SYNC", "DATA_LOADING_ASYNC",
    "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME", "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME", "PROGRAM_STARTUP",
    "WASTED_PROGRESS_FROM_DISRUPTION", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION", "CUSTOM_BADPUT_EVENTS", "OTHER",
    "ELASTIC_SLICE_DOWN", "ELASTIC_SCALE_UP", "ELASTIC_REINITIALIZATION")]
EFFICIENCIES = ("stepping_slice_efficiency", "available_slice_efficiency")


class Remembering:
    """Remembers what the library computes on its way and does not return."""
    pass_result = seconds = None

    def _get_current_productive_and_unproductive_time(self, interval_query=False):
        self.pass_result = super()._get_current_productive_and_unproductive_time(interval_query)
        return self.pass_result

    def _get_exclusion_adjusted_metrics(self, *args):
        r = super()._get_exclusion_adjusted_metrics(*args)
        self.pass_result = (r[0], r[1], r[2], r[3])
        return r

    def _get_job_badput_breakdown(self, seconds, total):
        self.seconds, self.total = seconds, total
        return super()._get_job_badput_breakdown(seconds, total)


class Calculator(Remembering, goodput.GoodputCalculator):
    pass


class ElasticCalculator(Remembering, goodput_elastic.ElasticGoodputCalculator):
    pass


def failed(error):
    return {"goodput_percent": None, "badput_percent": {}, "badput_seconds": {}, "productive_seconds": None,
            "total_seconds": None, "max_productive_step": None, "last_recorded_step": None, "disruptions": None,
            "error": str(error)}


def answer_of(c, percent, breakdown, max_step):
    return {"goodput_percent": plain(percent), "badput_percent": named(breakdown, ORDER),
            "badput_seconds": named(c.seconds, ORDER), "productive_seconds": plain(c.pass_result[0]),
            "total_seconds": plain(c.total), "max_productive_step": max_step, "last_recorded_step": c.pass_result[3],
            "disruptions": c._number_of_interruptions, "error": None}


def deviation_of(steps, ideal, with_steps):
    found = {"ideal_seconds": plain(ideal), "count": len(steps), "mean_seconds": plain(np.mean(list(steps.values()))) if steps else 0.0}
    if with_steps:
        found["by_step"] = {str(k): plain(v) for k, v in steps.items()}
    return found


class Reference:
    def __init__(self, path, query):
        self.entries, self.query = load(path), query
        self.slides = self.slides_differ = 0
        self.last = max(max([t.timestamp() for t, _ in self.entries if t is not None], default=0.0),
                        max([v for _, p in self.entries for k, v in p.items() if "time" in k and "duration" not in k
                             and "between" not in k and "event_type" not in p and isinstance(v, (int, float))], default=0.0))
        at = query.get("at")
        NOW[0] = Clock.fromtimestamp(self.last if at is None else at, UTC)

    def calculator(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TMPDIR", "/dev/shm"))
        return (ElasticCalculator if self.query.get("elastic") else Calculator)("job", "log", cloud_logger=Logger(self.entries), cache_dir=self.folder)

    def cumulative(self):
        c = self.calculator()
        try:
            percent, breakdown, step = c.get_job_goodput(include_badput_breakdown=True,
                                                         configured_ideal_step_time=self.query.get("ideal"))
            answer = answer_of(c, percent, breakdown, step)
            details = c.get_job_goodput_details()
            self.same_details(answer, details)
            return self.with_efficiency(answer, details)
        except AssertionError:
            raise
        except Exception as e:
            return failed(e)

    @staticmethod
    def same_details(answer, details):
        """The library's second way to say the same."""
        assert named(details["badput_time"], ORDER) == answer["badput_seconds"]
        assert details["disruption_count"] == answer["disruptions"] and details["total_elapsed_time"] == answer["total_seconds"]

    @staticmethod
    def with_efficiency(answer, details):
        return {**answer, **{k: plain(details[k]) for k in EFFICIENCIES if k in details}}

    def deviation(self):
        c = self.calculator()
        # The file's step times; the query time does not limit them.
        now, NOW[0] = NOW[0], Clock.fromtimestamp(self.last + 10, UTC)
        try:
            steps = c.get_step_deviation(self.query.get("ideal"))
            return deviation_of(steps, c._goodput_cache.get_step_info().ideal_step_time, self.query.get("steps"))
        except Exception as e:
            return {"error": str(e)}
        finally:
            NOW[0] = now

    def interval(self, start, end):
        c = self.calculator()
        try:
            percent, breakdown, step, _, _ = c.get_job_goodput_interval(start, end)
            answer = answer_of(c, percent, breakdown, step)
        except Exception as e:
            answer = failed(e)
        try:
            return self.with_efficiency(answer, self.calculator().get_interval_metric_details(start, end))
        except Exception:
            return answer

    def window(self, seconds):
        """As the rolling window's worker asks: the window slides forward over what was read before."""
        end, start = NOW[0], NOW[0] - datetime.timedelta(seconds=seconds)
        answer, c = self.interval(start, end), self.calculator()
        back = datetime.timedelta(seconds=seconds / 3)
        try:
            c.get_job_goodput_interval(start - back, end - back)
        except Exception:
            pass
        try:
            percent, breakdown, step, _, _ = c.get_job_goodput_interval(start, end)
            slid = answer_of(c, percent, breakdown, step)
        except Exception as e:
            slid = failed(e)
        self.slides += 1
        self.slides_differ += {**answer, **slid} != answer
        return answer

    def exclusions(self, spans):
        c = self.calculator()
        c.seconds, c.total = {}, 0.0
        try:
            percent, breakdown, step, excluded = c.get_job_goodput_with_exclusions(
                [(datetime.datetime.fromtimestamp(a, UTC), datetime.datetime.fromtimestamp(b, UTC)) for a, b in spans],
                include_badput_breakdown=True, configured_ideal_step_time=self.query.get("ideal"))
        except Exception as e:
            return {**failed(e), "excluded_seconds": None, "step_deviation": deviation_of({}, 0.0, self.query.get("steps")),
                    "error": str(e)}
        answer = answer_of(c, percent, breakdown, step)
        answer["excluded_seconds"] = plain(excluded)
        info = c._goodput_cache.get_step_info()
        answer["step_deviation"] = deviation_of(info.step_deviations if info else {}, info.ideal_step_time if info else 0.0,
                                                self.query.get("steps"))
        answer["error"] = answer.pop("error")
        return self.with_efficiency(answer, c.get_job_goodput_details())

    def all(self):
        answer = self.cumulative()
        answer["step_deviation"] = self.deviation()
        answer["error"] = answer.pop("error")
        intervals, now = [], NOW[0]
        if self.query.get("from") is not None:
            to = self.query.get("to")
            intervals.append(self.interval(datetime.datetime.fromtimestamp(self.query["from"], UTC),
                                           now if to is None else datetime.datetime.fromtimestamp(to, UTC)))
        for w in self.query.get("windows", []):
            intervals.append(self.window(w))
        if intervals:
            answer["intervals"] = intervals
        if self.query.get("exclude"):
            answer["with_exclusions"] = self.exclusions(self.query["exclude"])
        return answer


def arguments(query):
    """The same query as options of analyze."""
    args = []
    for key, option in (("at", "--at"), ("from", "--from"), ("to", "--to"), ("ideal", "--ideal-step")):
        if query.get(key) is not None:
            args += [option, repr(query[key])]
    if query.get("windows"):
        args += ["--window", ",".join(str(w) for w in query["windows"])]
    for a, b in query.get("exclude", []):
        args += ["--exclude", f"{a!r},{b!r}"]
    return args + (["--step-deviation"] if query.get("steps") else []) + (["--elastic"] if query.get("elastic") else [])


if __name__ == "__main__":
    print(json.dumps(Reference(sys.argv[1], json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}).all()))
