"""Random recorder logs with the library's edge cases in them (facts of ml-goodput-measurement 0.2.3): restarts at every
kind of step, missing, lost and doubled entries, clocks that go back, long gaps, nested and open custom events, whole-second
times as ints, checkpoint statistics, data loading, elastic slices, Cloud Logging envelopes. generate(seed) gives (kind,
lines, query): a query asks for everything that the calculator has a method for."""
import datetime
import json
import random

CASES = ["plain", "plain", "restart", "restart", "restart0", "resume_next", "no_end", "no_start", "end_then_restart", "gap",
         "doubled", "skew", "one_step", "two_steps", "no_steps", "saves", "saves", "save_too_long", "restores", "custom", "custom",
         "custom_nested", "custom_late", "ints", "ints", "data", "data", "init_too_long", "backwards", "shuffled", "envelope",
         "unseen_steps", "null_stamp", "broken_save", "long_series", "everything", "everything", "fast_steps", "long_restarts",
         "elastic", "elastic", "elastic_restarts", "elastic_broken", "lost_lines", "missing_ends", "long_gaps", "envelope_late"]

ELASTIC = ("elastic", "elastic_restarts", "elastic_broken")


class Log:
    def __init__(self, rng, case):
        self.rng, self.case, self.entries = rng, case, []
        self.t = 1795223940.0 + rng.randrange(0, 10**9) / 1e6 if rng.random() < 0.9 else 1000.25
        self.ints = case == "ints"

    def time(self, t=None):
        t = self.t if t is None else t
        if self.ints:
            return int(t) if self.rng.random() < 0.8 else float(int(t))
        return round(t, 6) if self.rng.random() < 0.98 else float(int(t))

    def add(self, **payload):
        self.entries.append({"job_name": "job", **payload})

    def wait(self, a, b):
        self.t += self.rng.uniform(a, b)

    def has(self, *cases):
        return self.case in cases or self.case == "everything" and self.rng.random() < 0.5


def start(log, rng):
    if not log.has("no_start"):
        log.add(job_start_time=log.time())
    log.wait(0.1, 3)
    if log.has(*ELASTIC) and rng.random() < 0.5:
        log.add(elastic_reinit_start_time=log.time())
    for name in ("tpu_init", "training_prep"):
        if rng.random() < 0.7:
            log.add(**{f"{name}_start_time": log.time()})
            log.wait(0.5, 500 if log.has("init_too_long") else 20)
            if rng.random() < 0.9:
                log.add(**{f"{name}_end_time": log.time()})
    if log.has(*ELASTIC) and rng.random() < 0.8:
        log.wait(0, 3)
        log.add(elastic_reinit_end_time=log.time())
    if log.has("restores"):
        for _ in range(rng.randint(1, 3)):
            log.add(step=rng.choice([0, 5, 5, 9]), event_type=rng.choice(["restore", "emergency_restore"]),
                    directory=rng.choice(["gs://b/c", "/local", "s3://b"]), checkpointer_start_time=log.time(),
                    checkpointer_duration_secs=rng.uniform(0.1, 4), checkpoint_manager_start_time=log.time(),
                    checkpoint_manager_duration_secs=rng.choice([rng.uniform(0.1, 5), 2]))


def data(log, rng):
    log.add(data_loading_start_time=log.time())
    log.wait(0.01, 1.5)
    if rng.random() < 0.9:
        log.add(data_loading_end_time=log.time())


def custom(log, rng):
    kind = rng.choice(["eval", "Eval", "sync", "straße", "my event"])
    log.add(custom_badput_event_type=kind, custom_badput_event_start_time=log.time())
    log.wait(0.05, 2)
    if log.has("custom_nested"):
        inner = rng.choice(["eval", "inner"])
        log.add(custom_badput_event_type=inner, custom_badput_event_start_time=log.time())
        log.wait(0.05, 1)
        log.add(custom_badput_event_type=inner, custom_badput_event_end_time=log.time())
        log.wait(0.05, 1)
    if rng.random() < 0.9:
        log.add(custom_badput_event_type=kind, custom_badput_event_end_time=log.time())


def save(log, rng, step):
    stamp = None if log.has("null_stamp") and rng.random() < 0.3 else log.time()
    entry = dict(step=step if rng.random() < 0.7 else 7, event_type="save", directory=rng.choice(["gs://b/c", "gs://b/c", "/local"]),
                 wait_for_prev_start_time=stamp, wait_for_prev_duration_secs=0.1, checkpointer_blocking_start_time=log.time(),
                 checkpointer_blocking_duration_secs=1, get_old_steps_start_time=log.time(), get_old_steps_duration_secs=0.01,
                 checkpoint_manager_blocking_start_time=log.time(),
                 checkpoint_manager_blocking_duration_secs=rng.uniform(0.1, 900 if log.has("save_too_long") else 2))
    if log.has("broken_save") and rng.random() < 0.4:
        del entry[rng.choice(["directory", "step", "get_old_steps_duration_secs"])]
    log.add(**entry)


def elastic(log, rng):
    """One elastic record, as ElasticGoodputRecorder writes them: counts, a wait, or a re-initialisation."""
    what = rng.random()
    if what < 0.5:
        total = rng.choice([0, 1, 4, 8])
        counts = dict(active_slices=rng.randint(0, 8), total_slices=total, available_slices=rng.randint(0, 8))
        if rng.random() < 0.1:
            del counts[rng.choice(list(counts))]
        log.add(**counts, elastic_slice_counts_timestamp=log.time(log.t + rng.choice([0, 0, -30, 30])))
    elif what < 0.85:
        kind = {"elastic_wait_event_type": rng.choice(["slice_down", "scale_up", "ELASTIC_SCALE_UP", "Slice_Down", "warte auf straße"])}
        if log.has("elastic_broken") and rng.random() < 0.4:
            kind = rng.choice([{}, {"elastic_wait_event_type": None}])
        log.add(**kind, elastic_wait_start_time=log.time())
        log.wait(-1 if rng.random() < 0.1 else 0, 60)
        if rng.random() < 0.85:
            log.add(**kind, elastic_wait_end_time=log.time())
    else:
        log.add(elastic_reinit_start_time=log.time())
        start = log.time()
        log.wait(0, 5)
        if rng.random() < 0.6:
            log.add(tpu_init_start_time=log.time(log.t - rng.choice([0, 3])))
            log.wait(0, 9)
            log.add(tpu_init_end_time=log.time())
        if rng.random() < 0.8:
            log.add(elastic_reinit_end_time=log.time() if rng.random() < 0.9 else start)


def steps(log, rng, first, count):
    base = rng.uniform(0.2, 0.9) if log.has("fast_steps") else rng.uniform(0.7, 12)
    for step in range(first, first + count):
        if not (log.has("gap") and rng.random() < 0.15):
            skew = rng.uniform(-1.5, 1.5) if log.has("skew") else 0
            log.add(step_count=step, step_start_time=log.time(log.t + skew))
            if log.has("skew"):
                log.add(step_count=step, step_start_time=log.time(log.t + rng.uniform(-1, 2)))
        if log.has("data") or rng.random() < 0.02:
            data(log, rng)
        if (log.has("custom", "custom_nested") and rng.random() < 0.3):
            custom(log, rng)
        if log.has("saves", "save_too_long", "null_stamp", "broken_save") and rng.random() < 0.25:
            save(log, rng, step)
        if log.has(*ELASTIC) and rng.random() < 0.3:
            elastic(log, rng)
        if log.has("long_gaps") and rng.random() < 0.1:
            log.wait(600, 200000)
        log.wait(base * 0.95, base * (1.05 if rng.random() < 0.95 else 3))
        if step == first:
            log.wait(0, 30)
        if log.has("backwards") and rng.random() < 0.1:
            log.t -= rng.uniform(0, 20)


def attempts(log, rng):
    many = {"restart": 4, "everything": 3, "restart0": 2, "resume_next": 2, "end_then_restart": 2, "unseen_steps": 3,
            "data": 3, "ints": 3, "saves": 2, "custom": 2, "long_restarts": 25, "elastic_restarts": 4, "elastic_broken": 2,
            "lost_lines": 3, "missing_ends": 3, "long_gaps": 2, "envelope_late": 3}.get(log.case, 1)
    at = 0 if rng.random() < 0.7 else rng.randint(1, 20)
    for attempt in range(rng.randint(min(many, 2), many)):
        if attempt == 0 or rng.random() < 0.85:
            start(log, rng)
        count = {"one_step": 1, "two_steps": 2, "no_steps": 0}.get(log.case, rng.randint(2, 40))
        steps(log, rng, at, rng.randint(300, 1500) if log.case == "long_series" else count)
        if log.has("end_then_restart"):
            log.add(job_end_time=log.time())
        top = at + count
        at = {"restart0": 0, "resume_next": top, "unseen_steps": max(0, at - 3)}.get(log.case, rng.randint(max(0, at - 2), top))
        log.wait(1, 600)


def generate(seed):
    rng = random.Random(seed)
    case = CASES[seed % len(CASES)]
    log = Log(rng, case)
    attempts(log, rng)
    if not log.has("no_end") and rng.random() < 0.6:
        log.add(job_end_time=log.time())
    if log.has("custom_late"):
        custom(log, rng)
    if log.has("lost_lines"):
        log.entries = [e for e in log.entries if rng.random() < 0.93]
    if log.has("missing_ends"):
        log.entries = [e for e in log.entries if not any(k.endswith("end_time") for k in e) or rng.random() < 0.4]
    if log.has("doubled"):
        log.entries = [e for e in log.entries for _ in (0, 1)]
    if log.has("shuffled"):
        for _ in range(10):
            i, j = (rng.randrange(len(log.entries)) for _ in range(2))
            log.entries[i], log.entries[j] = log.entries[j], log.entries[i]
    return case, lines(log, rng), query(log, rng)


def lines(log, rng):
    out = []
    for e in log.entries:
        stamps = [v for k, v in e.items() if "time" in k and v is not None]
        if log.case in ("envelope", "envelope_late") and stamps:
            late = rng.uniform(0, 3) if log.case == "envelope" else rng.choice([0, 1, 60, 900])
            at = datetime.datetime.fromtimestamp(stamps[0] + late, datetime.timezone.utc)
            e = {"insertId": "x", "timestamp": at.isoformat().replace("+00:00", "Z"), "jsonPayload": e}
        out.append(json.dumps(e, ensure_ascii=rng.random() < 0.5))
    return out


def query(log, rng):
    times = [v for e in log.entries for k, v in e.items() if "time" in k and "duration" not in k and v is not None]
    low, high = min(times, default=0), max(times, default=10)
    q, pick = {}, lambda: round(rng.uniform(low - 5, high + 5), rng.choice([0, 3, 6]))
    if rng.random() < 0.5:
        q["at"] = round(high + rng.choice([0, rng.uniform(0, 500), -rng.uniform(0, (high - low) / 2)]), 6)
    if rng.random() < 0.5:
        q["from"] = pick()
        if rng.random() < 0.7:
            q["to"] = pick()
    if rng.random() < 0.5:
        q["windows"] = [rng.choice([10, 60, 600, 3600, 86400]) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.2:
        q["ideal"] = round(rng.uniform(0.5, 10), 3)
    if rng.random() < 0.6:
        q["exclude"] = [tuple(sorted((pick(), pick()))) for _ in range(rng.randint(1, 4))]
    q["steps"] = rng.random() < 0.5
    q["elastic"] = rng.random() < (0.9 if log.case in ELASTIC else 0.15)
    return q
