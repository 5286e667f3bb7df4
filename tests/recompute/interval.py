"""interval: windows of jobs, as `kubectl goodput interval` and deploy/sql/interval.sql (DuckDB) give them: equal to the
millisecond, in every table; windows that partition a job add up to the whole, which is the status's; and, of long jobs
whose work was lost after its spans were written, equal to what `analyze --from --to` finds in the whole log."""
import collections
import datetime
import glob
import json
import os
import random
import re
import subprocess

import duckdb

STEP_MS = 10000
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def stamp(ms):
    return (EPOCH + datetime.timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")[:-4] + "Z"


def ms_of(text):
    return round((datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - EPOCH).total_seconds() * 1000)


def sql(name):
    with open(f"deploy/sql/{name}.sql", encoding="utf-8") as file:
        return file.read()


def rows(db, view):
    got = db.execute(f"FROM {view}")
    names = [d[0] for d in got.description]
    return [dict(zip(names, row)) for row in got.fetchall()]


class Job:
    """Of a file of lines, or of an archive's folder that has only this job."""

    def __init__(self, program, path, key):
        self.program, self.path, self.key = program, path, key
        self.is_file = path.endswith(".jsonl")

    def window(self, low=None, high=None):
        words = [self.path] if self.is_file else [self.key, "--archive", self.path]
        words += (["--from", stamp(low)] if low is not None else []) + (["--to", stamp(high)] if high is not None else [])
        done = subprocess.run([self.program, "interval", *words, "-o", "json"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{self.path}: {done.stderr}"
        return json.loads(done.stdout)


def of_command(x):
    """What the command says, as a comparable value."""
    scores = {f"{key}_{end}": x["goodputPPM"][key][end] for key in x["goodputPPM"] for end in ("low", "high")}
    return {"wall": x["wallMilliseconds"], "scores": scores,
            "interruptions": (x["interruptions"]["low"], x["interruptions"]["high"]),
            "buckets": {(r["family"], r["bucket"]): (r["milliseconds"]["low"], r["milliseconds"]["high"]) for r in x["buckets"]},
            "lost": {(r["cause"], r["owner"]): (r["milliseconds"]["low"], r["milliseconds"]["high"]) for r in x["lost"]},
            "listed": sorted((ms_of(r["from"]), r["interruption"], r["cause"], r["owner"]) for r in x["listed"])}


def of_sql(db):
    (of,) = rows(db, "interval_goodput")
    names = {f"{key}_{end}": of[f"{key}_{end}"] for key in ("scheduling", "runtime", "job") for end in ("low", "high")}
    return {"wall": of["wall"], "scores": {key: value for key, value in names.items() if value is not None},
            "interruptions": (of["interruptions_low"], of["interruptions_high"]),
            "buckets": {(r["family"], r["bucket"]): (r["low"], r["high"]) for r in rows(db, "interval_bucket")},
            "lost": {(r["cause"], r["owner"]): (r["low"], r["high"]) for r in rows(db, "interval_loss")},
            "listed": sorted((r["at_ms"], r["interruption"], r["cause"], r["owner"]) for r in rows(db, "interval_interruption"))}


def plus(windows, table):
    total = collections.defaultdict(lambda: (0, 0))
    for x in windows:
        for key, (low, high) in x[table].items():
            total[key] = (total[key][0] + low, total[key][1] + high)
    return dict(total)


def check_status(c, name, whole, status):
    """All of the job's time is what its status says."""
    lost = {(b["family"], b["bucket"]): (b["milliseconds"], b["milliseconds"]) for b in status["badput"] if b["milliseconds"]}
    trained = status["time"].get("productiveMilliseconds")
    if trained:
        lost["Productive", "Productive"] = (trained, trained)
    c.same(name, "interval of all time", lost, whole["buckets"])
    c.same(name, "interval of all interruptions", status["interruptions"]["total"], whole["interruptions"][1])
    owners = collections.Counter()
    for (_, owner), (low, _) in whole["lost"].items():
        owners[owner] += low
    c.same(name, "interval of all owners", {o["owner"]: o["milliseconds"] for o in status["byOwner"] if o["milliseconds"]},
           dict(owners))


def check_sum(c, name, whole, parts):
    c.same(name, "interval wall", whole["wall"], sum(x["wall"] for x in parts))
    for table in ("buckets", "lost"):
        total = plus(parts, table)
        c.same(name, f"interval keys of {table}", True, set(whole[table]) <= set(total))
        for key, (low, high) in total.items():
            exact = whole[table].get(key, (0, 0))
            good = low <= exact[0] and exact[1] <= high and (low != high or exact == (low, high))
            c.same(name, f"interval sum of {key}", f"{exact} within ({low}, {high})", f"{exact} within ({low}, {high})" if good else "outside")
    c.same(name, "interval list", sorted(whole["listed"]), sorted(sum((x["listed"] for x in parts), [])))


def check_job(c, job, db, rng, status):
    name = job.path
    for variable in ("from_time", "to_time"):
        db.execute(f"SET VARIABLE {variable} = NULL")
    whole = job.window()
    start, end = ms_of(whole["from"]), ms_of(whole["to"])
    of_whole = of_command(whole)
    c.same(name, "interval SQL", of_whole, of_sql(db))
    if status is not None:
        check_status(c, name, of_whole, status)
    cuts = sorted({rng.randrange(start, end) for _ in range(2)} - {start})
    parts = []
    for low, high in zip([start, *cuts], [*cuts, end]):
        db.execute("SET VARIABLE from_time = ?", [stamp(low)])
        db.execute("SET VARIABLE to_time = ?", [stamp(high)])
        parts.append(of_command(job.window(low, high)))
        c.same(name, "interval SQL", parts[-1], of_sql(db))
    check_sum(c, name, of_whole, parts)


def check_log(c, job, log, start, end):
    """Every hour's training, against the whole log: its steps have no sums, and no corrections. The log lacks the end of
    the last step; and where a loss of settled steps is prorated, it is so by less than a step."""
    hours = equal = 0
    words = [arg for low in range(start, end, 3600000) for arg in ("--from", stamp(low), "--to", stamp(min(low + 3600000, end)))]
    for k in range(0, len(words), 4):
        done = subprocess.run([job.program, "analyze", log, *words[k:k + 4], "-o", "json"], capture_output=True, text=True, check=False)
        if done.returncode != 0:  # nothing of the log is in that hour
            continue
        (of,) = json.loads(done.stdout)["intervals"]
        wasted = sum(b["milliseconds"] for b in of["badput"] if b["bucket"] == "WastedProgress")
        got = of_command(job.window(ms_of(words[k + 1]), ms_of(words[k + 3])))["buckets"]
        for bucket, expected in (("Productive", of["time"].get("productiveMilliseconds", 0)), ("WastedProgress", wasted)):
            (value,) = [v for (_, name), v in got.items() if name == bucket] or [(0, 0)]
            hours, equal = hours + 1, equal + (value == (expected, expected))
            c.same(log, f"interval {bucket} of {words[k + 1]}", (expected, expected),
                   (expected, expected) if value[0] == value[1] and abs(value[0] - expected) <= STEP_MS else value)
    c.same(log, "interval hours that are equal", True, equal >= 0.8 * hours > 0)


def one_job(folder, paths):
    """An archive that has one job of another: its objects, linked."""
    for path in paths:
        to = os.path.join(folder, re.search(r"cluster=.*", path)[0])
        os.makedirs(os.path.dirname(to), exist_ok=True)
        os.symlink(os.path.abspath(path), to)
    return folder


def archived(root, folder):
    jobs = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{root}/cluster=*/date=*/*/*.jsonl.gz")):
        jobs[re.sub(r"date=[^/]*/|_\d+\.jsonl\.gz$", "", path)].append(path)
    for i, (key, paths) in enumerate(sorted(jobs.items())):
        yield key, one_job(f"{folder}/{i}", paths), re.search(r"/([^/_]*)_[^/]*$", paths[0])[1]


def check(c, program, root, count):
    """Jobs of all kinds that recompute.py made, at most `count` of each."""
    rng = random.Random(count)
    checked = 0
    for kind in ("life", "log", "long"):
        for path in sorted(glob.glob(f"{root}/{kind}/*.jsonl"))[:count]:
            checked += check_path(c, Job(program, path, None), path, rng)
    for kind in ("archive", "archived"):
        for i, (key, folder, name) in enumerate(archived(f"{root}/{kind}", f"{root}/one-{kind}")):
            job = Job(program, folder, name)
            if i < count:
                checked += check_path(c, job, f"{folder}/*/*/*/*.jsonl.gz", rng)
            log = f"{root}/{kind}/{re.search(r'cluster=([^/]*)', key)[1]}.log"
            if os.path.exists(log) and i < 20:
                whole = job.window()
                check_log(c, job, log, ms_of(whole["from"]), ms_of(whole["to"]))
    return checked


def check_path(c, job, files, rng):
    db = duckdb.connect()
    db.execute("SET VARIABLE files = ?", [files])
    db.execute(sql("recompute"))
    db.execute(sql("interval"))
    statuses = db.execute("SELECT status FROM record WHERE record = 'status'").fetchall()
    (length,) = db.execute("SELECT coalesce(sum(milliseconds), 0) FROM span").fetchone()
    if not length:  # a job without any time
        return 0
    check_job(c, job, db, rng, json.loads(statuses[-1][0]) if statuses else None)
    return 1
