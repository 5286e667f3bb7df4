#!/usr/bin/env python3
"""views.py [LIVES]: the tables and views of deploy/sql/ over an archive that the controller's own code wrote of LIVES
simulated lives and of long jobs: DuckDB and ClickHouse give the same rows; they equal the statuses, and the sums of
`kubectl goodput fleet` over the same JobGoodputs, to the millisecond; BigQuery's statements parse, and name columns that
exist. The Parquet of parquet.sql gives the same again.
Needs the packages of tests/parity/setup.sh (see `make sql-test`), and the programs."""
import collections
import datetime
import decimal
import glob
import gzip
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

import chdb.session
import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify

from fleets import check_four

BIN = os.environ.get("GOODPUT_BIN", ".build/release/bin")
DIR = ".build/sql"
ARCHIVE = f"{DIR}/archive"
SAME_NAME = 101
HOUR = 3600000
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
TABLES = ["jobs", "spans", "interruptions", "label", "buckets_by_hour"]
VIEWS = ["fleet_by_hour", "cost_by_label", "slo", "suspects", "run_targets", "run_losses", "runs"]
STEPS = {"wall_ms": "wallMilliseconds", "available_ms": "availableMilliseconds", "productive_ms": "productiveMilliseconds"}
COSTS = {"lost_ms": "lostMilliseconds", "lost_work_ms": "lostWorkMilliseconds", "wait_ms": "waitMilliseconds",
         "reschedule_ms": "rescheduleMilliseconds", "resume_ms": "resumeMilliseconds"}


class Check:
    def __init__(self):
        self.count = collections.Counter()
        self.bad = []

    def same(self, what, expected, got):
        self.count[what.split(":")[0]] += 1
        if expected != got:
            self.bad.append(f"{what}: expected {str(expected)[:300]}, got {str(got)[:300]}")


# ---- the archive ----

def write_suspects():
    """One node of twenty failed 14 of 40 times; the others share the rest."""
    nodes = ["bad"] * 14 + [f"good-{i % 19}" for i in range(26)]
    start = datetime.datetime(2026, 11, 1, tzinfo=datetime.timezone.utc)
    folder = f"{ARCHIVE}/cluster=suspects/date=2026-11-01/namespace=ns"
    os.makedirs(folder)
    for i, node in enumerate(nodes):
        at = (start + datetime.timedelta(minutes=i)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        to = (start + datetime.timedelta(minutes=i, seconds=30)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        lines = [{"record": "part", "from": at, "to": to}, {"record": "job", "schema": 1, "name": f"j{i}", "from": at},
                 {"record": "span", "from": at, "to": to, "milliseconds": 30000, "count": 1, "bucket": "Rescheduling",
                  "family": "Scheduling", "basis": "Observed", "execution": 2, "interruption": 1, "waitingChipMilliseconds": 120000},
                 {"record": "interruption", "from": at, "to": to, "count": 1, "interruption": 1, "cause": "NodeFailure",
                  "excluded": False, "owner": "Provider", "node": node, "nodePool": "pool"}]
        with gzip.open(f"{folder}/j{i}_u{i}_t{i}_{1793491200 + i}.jsonl.gz", "wt") as out:
            out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


class Trainer:
    """Targets of one run, step by step: which steps a later target did again is counted, not computed."""

    def __init__(self, rng, number):
        self.rng, self.name, self.now, self.next = rng, f"run-{number}", 1793491200000 + number * 10**9, 1
        self.is_labeled, self.is_aligned = rng.random() < 0.7, rng.random() < 0.5
        self.ends, self.kept, self.lost = {}, {}, 0
        self.gaps = 0

    def train(self, spans):
        """Spans of steps between saves; a save of 0 ms leaves the span before it open."""
        first, begin = self.next, self.now
        for _ in range(self.rng.randrange(5, 40)):
            ms = self.rng.randrange(800, 1500)
            self.lost += self.kept.pop(self.next, 0)
            self.kept[self.next], self.now = ms, self.now + ms
            self.next += 1
        spans.append((begin, self.now, "Productive", first, self.next - 1))
        save = self.rng.randrange(100, 900)
        spans.append((self.now, self.now + save, "CheckpointSave", None, None))
        self.now += save

    def resume(self, starts):
        last = self.next - 1
        if not starts:
            return
        self.next = self.rng.choice(starts) if self.is_aligned else self.rng.randrange(max(1, last - 60), last + 2)
        starts[:] = [s for s in starts if s <= self.next]
        for step in [s for s in self.kept if s >= self.next]:
            self.lost += self.kept.pop(step)

    def write(self, k, starts):
        begin, spans = self.now, []
        self.now += self.rng.randrange(1000, 90000)
        spans.append((begin, self.now, "QueueWait", None, None))
        self.resume(starts)
        for _ in range(self.rng.randrange(1, 5)):
            starts.append(self.next)
            self.train(spans)
        starts.append(self.next)
        write_target(self, k, begin, spans)
        gap = self.rng.randrange(1, 10**6)
        self.gaps += gap
        self.now += gap


def write_target(t, k, begin, spans):
    at = lambda ms: (EPOCH + datetime.timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    name = f"{t.name}-try{k}" if t.is_labeled else t.name
    head = {"record": "job", "schema": 1, "cluster": "runs", "namespace": "ns", "name": name, "uid": f"u{k}", "target": f"t{k}",
            "from": at(begin), "completeFrom": at(begin)}
    if t.is_labeled:
        head["labels"] = [{"key": "goodput.dev/run", "value": t.name}]
    lines = [{"record": "part", "from": at(begin), "to": at(t.now)}, head]
    for low, high, bucket, first, last in spans:
        lines.append({"record": "span", "from": at(low), "to": at(high), "milliseconds": high - low, "count": 1, "bucket": bucket,
                      "family": {"QueueWait": "Scheduling", "Productive": "Productive"}.get(bucket, "Runtime"), "basis": "Observed",
                      "execution": 1, **({"owner": "Tenant"} if bucket != "Productive" else {"step": first}),
                      **({"lastStep": last} if first is not None and last > first else {})})
    lines.append({"record": "steps", "retained": 1})  # and no status: what it says has no span behind it
    folder = f"{ARCHIVE}/cluster=runs/date={at(t.now)[:10]}/namespace=ns"
    os.makedirs(folder, exist_ok=True)
    with gzip.open(f"{folder}/{name}_u{k}_t{k}_{begin // 1000}.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def write_runs():
    rng, trainers = random.Random(7), []
    for number in range(60):
        t, starts = Trainer(rng, number), []
        for k in range(rng.randrange(1, 5)):
            t.write(k, starts)
        trainers.append(t)
    return trainers


def copy_to_one_name():
    """A name that was used again and again, in one cluster: each object as it is, under another UID."""
    lives = sorted(glob.glob(f"{ARCHIVE}/cluster=[0-9]*/date=*/namespace=ns/js_jgp_*.jsonl.gz"))
    for i in range(SAME_NAME):
        path = lives[i % len(lives)]
        date, name = re.search(r"/(date=[^/]*)/namespace=ns/(js_jgp)_", path).groups()
        folder = f"{ARCHIVE}/cluster=again/{date}/namespace=ns"
        os.makedirs(folder, exist_ok=True)
        shutil.copy(path, f"{folder}/{os.path.basename(path).replace(name, f'js_uid-{i:03}', 1)}")


def make_archive(lives):
    shutil.rmtree(DIR, ignore_errors=True)
    os.makedirs(ARCHIVE)
    environment = {**os.environ, "SIM_ARCHIVE": ARCHIVE, "RECORDS_DIR": ARCHIVE, "GOODPUT_JOBS": str(max(lives // 10, 10))}
    for command in ([f"{BIN}/test-sim", str(lives)],
                    [f"{os.path.dirname(BIN)}/tests/test-operator", "an_archive_has_all_of_a_long_job"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    write_suspects()
    copy_to_one_name()
    return write_runs()


def read_archive():
    """The lines of each job, by the key that the tables have."""
    jobs = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{ARCHIVE}/*/date=*/*/*.jsonl.gz")):
        key = re.sub(r"^.*/(cluster=[^/]*/)date=[^/]*/(namespace=[^/]*/[^/]*)_\d{6,}[.]jsonl[.]gz$", r"\1\2", path)
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            jobs[key] += [json.loads(line) for line in lines]
    return jobs


# ---- the engines ----

def sql(name):
    with open(f"deploy/sql/{name}.sql", encoding="utf-8") as file:
        return file.read()


class DuckDB:
    def __init__(self, *files):
        self.db = duckdb.connect()
        self.db.execute("SET VARIABLE archive = ?", [ARCHIVE])
        self.db.execute("SET VARIABLE parquet = ?", [f"{DIR}/parquet"])
        for file in files:
            self.db.execute(sql(file))

    def rows(self, name):
        got = self.db.execute(f"SELECT * FROM {name}")
        columns = [d[0] for d in got.description]
        return [dict(zip(columns, row)) for row in got.fetchall()]


class ClickHouse:
    def __init__(self):
        self.session = chdb.session.Session()
        self.session.query("CREATE DATABASE goodput")
        self.session.query("USE goodput")
        text = (sql("clickhouse") + sql("tables") + sql("views")).replace("goodput-archive", os.path.abspath(ARCHIVE))
        for statement in text.split(";\n"):
            if re.sub(r"(?m)^--.*$", "", statement).strip():
                self.session.query(statement)

    def rows(self, name):
        got = str(self.session.query(f"SELECT * FROM {name} SETTINGS output_format_json_quote_64bit_integers = 0", "JSONEachRow"))
        return [json.loads(line) for line in got.splitlines()]


def plain(value):
    """Engines have one number in different types; divisions differ in the last digits."""
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, (float, decimal.Decimal)):
        return float(f"{float(value):.10g}")
    return value


def comparable(rows):
    return sorted((tuple((k, plain(v)) for k, v in sorted(row.items())) for row in rows), key=repr)


# ---- what the rows must be ----

def ms_of(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def hours(chip_ms):
    thousandths = (chip_ms + 1800) // 3600
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def check_jobs(c, lines, tables):
    rows = {row["job"]: row for row in tables["jobs"]}
    c.same("jobs", set(lines), set(rows))
    for key, of_job in lines.items():
        row = rows[key]
        statuses = [x["status"] for x in of_job if x["record"] == "status"]
        c.same("job is final", bool(statuses), bool(row["is_final"]))
        for status in statuses:
            for column, field in STEPS.items():
                if field in status["time"]:
                    c.same(f"job time: {key} {field}", status["time"][field], row[column])
            c.same(f"job steps: {key}", "productiveMilliseconds" in status["time"], bool(row["has_steps"]))
            c.same(f"job phase: {key}", (status["phase"], status["target"].get("chips", 0)), (row["phase"], row["chips"]))
            if "acceleratorHours" in status:
                c.same(f"job hours: {key}", status["acceleratorHours"]["allocated"], hours(row["allocated_chip_ms"]))
                c.same(f"job hours: {key}", status["acceleratorHours"]["waiting"], hours(row["waiting_chip_ms"]))
            c.same(f"job interruptions: {key}", status["interruptions"]["total"], row["interruptions"])
            if "cost" in status:
                c.same(f"job cost: {key}", [float(status["cost"][x]) for x in ("allocated", "lost") if x in status["cost"]],
                       [float(row[x]) for x in ("cost", "cost_lost") if row[x] is not None])
    again = [row for row in tables["jobs"] if row["cluster"] == "again" and row["name"] == "js"]
    c.same("a name used again", SAME_NAME, len(again))


def check_interruptions(c, lines, tables):
    rows = {(row["job"], row["interruption"]): row for row in tables["interruptions"]}
    for key, of_job in lines.items():
        for status in (x["status"] for x in of_job if x["record"] == "status"):
            for e in status["executions"]:
                row = rows.get((key, e["number"]))
                if "cause" not in e or row is None:
                    continue
                c.same(f"interruption cause: {key} {e['number']}", (e["cause"], e["owner"]), (row["cause"], row["owner"]))
                for column, field in COSTS.items():
                    if field in e:
                        c.same(f"interruption cost: {key} {e['number']} {field}", e[field], row[column])


def check_hours(c, tables):
    """Each span's own time in each hour, added one by one."""
    expected = collections.Counter()
    for s in tables["spans"]:
        group = (s["cluster"], s["family"], s["bucket"], int(s["has_steps"]))
        if s["from_ms"] is None:
            expected[*group, (s["to_ms"] - 1) // HOUR * HOUR, "asked"] += s["ms"] * s["chips"]
            expected[*group, (s["to_ms"] - 1) // HOUR * HOUR, "bound"] += s["chip_ms"] + s["idle_chip_ms"]
            continue
        for hour in range(s["from_ms"] // HOUR * HOUR, s["to_ms"], HOUR):
            ms = min(s["to_ms"], hour + HOUR) - max(s["from_ms"], hour)
            expected[*group, hour, "asked"] += ms * s["chips"]
            expected[*group, hour, "bound"] += ms * s["bound_chips"]
    got = collections.Counter()
    for b in tables["buckets_by_hour"]:
        group = (b["cluster"], b["family"], b["bucket"], int(b["has_steps"]), b["hour_ms"])
        got[*group, "asked"], got[*group, "bound"] = b["chip_ms"], b["allocated_chip_ms"]
    c.same("hours", {k: v for k, v in expected.items() if v}, {k: v for k, v in got.items() if v})


def check_fleet(c, lines, tables):
    """Clusters all of whose jobs ended: their JobGoodputs."""
    jobs, running = collections.defaultdict(list), set()
    for key, of_job in lines.items():
        cluster = re.match(r"cluster=([^/]*)/", key).group(1)
        statuses = [x["status"] for x in of_job if x["record"] == "status"]
        if not statuses:
            running.add(cluster)
        else:
            jobs[cluster].append({"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {
                "namespace": "ns", "name": f"js-{len(jobs[cluster])}", "uid": key}, "spec": {"targetRef": {
                    "apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": f"js-{len(jobs[cluster])}"}}, "status": statuses[-1]})
    c.same("jobs of fleets", sum(1 for row in tables["jobs"] if row["is_final"]), sum(len(items) for items in jobs.values()))
    check_four(c, tables, {cluster: items for cluster, items in jobs.items() if cluster not in running})


def check_costs(c, lines, tables):
    expected = collections.defaultdict(lambda: [0, decimal.Decimal(0)])
    for row in tables["jobs"]:
        for x in lines[row["job"]]:
            for label in x.get("labels", []):
                group = expected[row["cluster"], label["key"], label["value"], row["currency"]]
                group[0] += 1
                group[1] += row["cost"] or 0
    got = {(r["cluster"], r["label"], r["value"], r["currency"]): [r["jobs"], r["cost"] or 0] for r in tables["cost_by_label"]}
    c.same("cost by label", dict(expected), got)
    costs = [row["cost"] for row in tables["jobs"] if row["cost"]]
    c.same("jobs with a cost", True, len(costs) >= 10)


def check_suspects(c, tables):
    found = [row for row in tables["suspects"] if row["cluster"] == "suspects"]
    chance = sum(math.comb(40, i) * (1 / 20) ** i * (19 / 20) ** (40 - i) for i in range(14, 41))
    c.same("suspects", [("bad", 14, 40, 20, f"{chance:.9g}")],
           [(r["node"], r["failures"], r["pool_failures"], r["nodes"], f"{r['chance']:.9g}") for r in found])
    c.same("suspects: chip time", [14 * 0], [r["lost_chip_ms"] for r in found])


def check_slo(c, tables):
    hour_rows = tables["fleet_by_hour"]
    for row in tables["slo"]:
        good, total = {"Scheduling": ("known_available_chip_ms", "known_chip_ms"), "Runtime": (
            "productive_chip_ms", "known_available_chip_ms"), "Goodput": ("productive_chip_ms", "known_chip_ms")}[row["objective"]]
        of = [h for h in hour_rows if h["cluster"] == row["cluster"] and row["period_ms"] <= h["hour_ms"] < row["period_ms"] + 28 * 24 * HOUR]
        c.same("slo", (sum(h[good] for h in of), sum(h[total] for h in of)), (row["good_chip_ms"], row["total_chip_ms"]))
        if row["total_chip_ms"]:
            missed = 1 - row["good_chip_ms"] / row["total_chip_ms"]
            c.same("slo budget", f"{1 - missed / (1 - float(row['target'])):.6f}", f"{row['budget_left']:.6f}")
    c.same("slo rows", True, any(row["good_chip_ms"] for row in tables["slo"]))


def check_runs(c, tables, trainers):
    """Bounds hold what was really lost, and are equal where targets resume at the start of a span; the command gives the same."""
    rows = {row["run"]: row for row in tables["runs"] if row["cluster"] == "runs"}
    c.same("runs", {t.name for t in trainers}, set(rows))
    for t in trainers:
        row = rows[t.name]
        low, high = row["lost_min_ms"], row["lost_max_ms"]
        c.same(f"run lost: {t.name}", "inside", "inside" if low <= t.lost <= high else f"{t.lost} is not from {low} to {high}")
        if t.is_aligned:
            c.same(f"run lost exactly: {t.name}", (t.lost, t.lost), (low, high))
    c.same("runs that lost work", True, sum(1 for t in trainers if t.is_aligned and t.lost) >= 10)
    names = {(row["cluster"], row["run"]) for row in tables["runs"]}
    newest = {name: max((row for row in tables["runs"] if (row["cluster"], row["run"]) == name), key=lambda row: (row["through_ms"], row["number"]))
              for name in names if name[0] in ("runs", "again") or name[0].startswith("seed")}
    for (cluster, run), row in sorted(newest.items()):
        check_command(c, cluster, run, row)


def check_command(c, cluster, run, row):
    root = f"{DIR}/one-{cluster}"
    if not os.path.exists(root):
        os.makedirs(root)
        os.symlink(os.path.abspath(f"{ARCHIVE}/cluster={cluster}"), f"{root}/cluster={cluster}")
    done = subprocess.run([f"{BIN}/kubectl-goodput", "run", run, "--archive", root, "-o", "json"], capture_output=True, text=True, check=True)
    of = json.loads(done.stdout)
    trained = [b["milliseconds"] for b in of["buckets"] if b["bucket"] == "Productive"] or [{"low": 0, "high": 0}]
    c.same(f"run command: {cluster} {run}",
           (row["number"], row["targets"], row["wall_ms"], row["not_submitted_ms"], row["overlap_ms"], row["lost_min_ms"],
            row["lost_max_ms"], row["productive_min_ms"], row["productive_max_ms"], row["interruptions"]),
           (of["number"], len(of["targets"]), of["wallMilliseconds"], of["notSubmittedMilliseconds"], of["overlapMilliseconds"],
            of["lostMilliseconds"]["low"], of["lostMilliseconds"]["high"], trained[0]["low"], trained[0]["high"], of["interruptions"]["high"]))
    parts = sum(b["milliseconds"]["low"] for b in of["buckets"]), sum(b["milliseconds"]["high"] for b in of["buckets"])
    c.same(f"run adds up: {cluster} {run}", True, parts[0] <= of["wallMilliseconds"] <= parts[1])


def check_bigquery(c):
    """The parser knows no WITH PARTITION COLUMNS: those are columns here, and so is the name of the file."""
    text = re.sub(r"EXTERNAL TABLE", "TABLE", sql("bigquery"))
    text = re.sub(r"(?s)\)\nWITH PARTITION COLUMNS \((.*?)\)\nOPTIONS", r", \1, _FILE_NAME STRING)\nOPTIONS", text)
    schema = {}
    for statement in sqlglot.parse(text + sql("tables") + sql("views"), read="bigquery", error_level=sqlglot.ErrorLevel.RAISE):
        if statement is None:
            continue
        c.same("BigQuery statement", "Create", type(statement).__name__)
        if statement.args["kind"] == "TABLE":
            schema[statement.this.this.name] = {x.name: x.kind.sql("bigquery") for x in statement.this.expressions}
        else:
            resolved = qualify(statement.expression.copy(), schema=schema, dialect="bigquery", validate_qualify_columns=True)
            schema[statement.this.name] = {x: "UNKNOWN" for x in resolved.named_selects}
    c.same("BigQuery views", set(), set(TABLES + VIEWS) - set(schema))


def make_parquet():
    os.makedirs(f"{DIR}/parquet")
    program = f"{os.path.dirname(sys.executable)}/duckdb"
    done = subprocess.run([program, "-c", f"SET VARIABLE archive = '{ARCHIVE}'; SET VARIABLE parquet = '{DIR}/parquet'",
                           "-c", ".read deploy/sql/parquet.sql"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr


def main():
    lives = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    trainers = make_archive(lives)
    c = Check()
    lines = read_archive()
    duck = DuckDB("duckdb", "tables", "views")
    tables = {name: duck.rows(name) for name in TABLES + VIEWS}
    click = ClickHouse()
    make_parquet()
    parquet = DuckDB("duckdb-parquet", "views")
    for name in TABLES + VIEWS:
        expected = comparable(tables[name])
        c.same(f"ClickHouse: {name}", expected, comparable(click.rows(name)))
        c.same(f"Parquet: {name}", expected, comparable(parquet.rows(name)))
    check_jobs(c, lines, tables)
    check_interruptions(c, lines, tables)
    check_hours(c, tables)
    check_fleet(c, lines, tables)
    check_costs(c, lines, tables)
    check_suspects(c, tables)
    check_slo(c, tables)
    check_runs(c, tables, trainers)
    check_bigquery(c)
    for line in c.bad[:20]:
        print(f"not ok - {line}")
    print(f"{len(lines)} jobs, " + ", ".join(f"{len(tables[name])} {name}" for name in TABLES + VIEWS))
    print("compared: " + ", ".join(f"{n} {what}" for what, n in sorted(c.count.items())))
    print(f"{sum(c.count.values()) - len(c.bad)} passed, {len(c.bad)} failed")
    return 1 if c.bad else 0


if __name__ == "__main__":
    sys.exit(main())
