#!/usr/bin/env python3
"""recompute.py [LIVES]: every number that deploy/sql/recompute.sql computes in DuckDB from ledgers alone, against the
status of the same moment: to the millisecond, on LIVES simulated lives of jobs, as many simulated trainers' logs, and
the recordings of real clusters and nodes, every 16 events; on a job so long that most of its time is in sums; and on what
`kubectl goodput ledger` prints of a job that a controller follows.
Needs the packages of tests/parity/setup.sh duckdb duckdb-cli, and the programs."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import duckdb

import interval

BIN = os.environ.get("GOODPUT_BIN", ".build/release/bin")
DIR = ".build/recompute"
SCORES = {"scheduling": "scheduling", "runtime": "runtime", "job_goodput": "job", "runtime_upper": "runtimeUpperBound",
          "scheduling_upper": "schedulingUpperBound", "job_upper": "jobUpperBound", "evidence": "evidence"}
TIMES = {"wall": "wallMilliseconds", "available": "availableMilliseconds", "productive": "productiveMilliseconds",
         "provisional": "provisionalMilliseconds"}
COSTS = {"lost": "lostMilliseconds", "lost_work": "lostWorkMilliseconds", "detect": "detectMilliseconds",
         "wait": "waitMilliseconds", "reschedule": "rescheduleMilliseconds", "resume": "resumeMilliseconds"}
COUNTED = {"MTBI", "MTTF", "MTTR"}
# Readiness of pods and the admission of the Workload are in no span.
NOT_OF_SPANS = {"AllPodsReady", "RunningOverTotal"}


class Check:
    def __init__(self):
        self.numbers = {}
        self.bad = []

    def same(self, job, what, expected, got):
        kind = what.split()[0]
        self.numbers[kind] = self.numbers.get(kind, 0) + 1
        if expected != got:
            self.bad.append(f"{job}: {what}: the status has {expected}, the ledger gives {got}")


def hours(chip_ms):
    thousandths = (chip_ms + 1800) // 3600
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def check_sums(c, job, status, views):
    time, score = views["job_time"][job][0], views["goodput"][job][0]
    for column, field in TIMES.items():
        if field in status["time"]:
            c.same(job, f"time {field}", status["time"][field], time[column])
    for column, field in SCORES.items():
        if field in status["goodputPPM"] or "log" not in job:  # a log alone has no score of scheduling
            c.same(job, f"goodput {field}", status["goodputPPM"].get(field), score[column])
    chips = status.get("acceleratorHours")
    if chips:
        c.same(job, "hours allocated", chips["allocated"], hours(time["allocated_chips"]))
        c.same(job, "hours waiting", chips["waiting"], hours(time["waiting_chips"]))
        if "productive" in chips:
            c.same(job, "hours productive", chips["productive"], hours(time["productive_chips"]))
    owners = {o["owner"]: o["milliseconds"] for o in status["byOwner"] if o["milliseconds"]}
    c.same(job, "owners", owners, {o["owner"]: o["milliseconds"] for o in views["by_owner"].get(job, [])})


def check_badput(c, job, status, views):
    rows = {(b["family"], b["bucket"]): b for b in views["badput"].get(job, [])}
    c.same(job, "badput buckets", sorted((b["family"], b["bucket"]) for b in status["badput"]), sorted(rows))
    for b in status["badput"]:
        row = rows.get((b["family"], b["bucket"]))
        if row is None:
            continue
        c.same(job, f"badput {b['bucket']}", b["milliseconds"], row["milliseconds"])
        c.same(job, f"badput chips of {b['bucket']}", b["chipSeconds"], row["chips"] // 1000)
        if b["bucket"] != "ElasticSliceDown":
            c.same(job, f"badput count of {b['bucket']}", b["count"], row["count"])
            c.same(job, f"badput basis of {b['bucket']}", b["basis"], row["basis"])
            c.same(job, f"badput in interruptions of {b['bucket']}", b.get("interruptionMilliseconds", 0),
                   row["of_interruptions"])


def check_interruptions(c, job, status, views):
    rows = {i["interruption"]: i for i in views["interruption"].get(job, [])}
    for execution in status["executions"]:
        row = rows.get(execution["number"])
        if "cause" not in execution:
            continue
        for column, field in COSTS.items():
            if row is None or field in execution:
                c.same(job, f"interruption {execution['number']} {field}", execution[field], row and row[column])
    of = status["interruptions"]
    causes = views["by_cause"].get(job, [])
    c.same(job, "interruptions", of["total"], sum(r["count"] for r in causes))
    c.same(job, "interruptions excluded", of["excluded"], sum(r["excluded"] or 0 for r in causes) - sum(
        r["count"] for r in views["counted"].get(job, []) if r["excluded"]))
    c.same(job, "interruptions by cause", {r["cause"]: r["count"] for r in of["byCause"]},
           {r["cause"]: r["count"] for r in causes})
    for r in of["byCause"]:
        if "chipSeconds" in r:
            got = [x["chips"] // 1000 for x in causes if x["cause"] == r["cause"]]
            c.same(job, f"interruptions chips of {r['cause']}", [r["chipSeconds"]], got)
    definitions = {d["name"]: d for d in views["definition"].get(job, [])}
    for name, field in (("MTBI", "meanTimeBetweenSeconds"), ("MTTR", "meanTimeToRecoverSeconds")):
        if field in of:
            d = definitions[name]
            c.same(job, f"interruptions {field}", of[field], d["numerator"] // d["denominator"] // 1000)
    for d in status.get("otherDefinitions", []):
        if d["name"] not in NOT_OF_SPANS:
            got = definitions.get(d["name"], {"numerator": None, "denominator": None})
            field = "denominatorCount" if d["name"] in COUNTED else "denominatorMilliseconds"
            c.same(job, f"definition {d['name']}", (d["numeratorMilliseconds"], d[field]),
                   (got["numerator"], got["denominator"]))


def view(db, name, where=""):
    rows = db.execute(f"SELECT * FROM {name} {where}")
    columns = [d[0] for d in rows.description]
    jobs = {}
    for row in rows.fetchall():
        row = dict(zip(columns, row))
        jobs.setdefault(row["job"], []).append(row)
    return jobs


# Spans follow each other without a gap, from completeFrom to the job's end, and take as long as they say.
TILES = """SELECT job FROM (SELECT *, lag("to", 1, from_) OVER (PARTITION BY job ORDER BY s."from") AS before,
  FROM (SELECT s.*, j.completeFrom AS from_, j."to" AS to_ FROM span s JOIN record j USING (job) WHERE j.record = 'job' AND s.record = 'span') s)
  GROUP BY job HAVING NOT bool_and("from" = before AND epoch_ms("to") - epoch_ms("from") = milliseconds)
  OR max("to") <> any_value(to_)"""


def check(files, c):
    db = duckdb.connect()
    db.execute("SET VARIABLE files = ?", [files])
    with open("deploy/sql/recompute.sql", encoding="utf-8") as sql:
        db.execute(sql.read())
    for job, in db.execute(TILES).fetchall():
        c.bad.append(f"{job}: spans leave a gap or overlap")
    views = {name: view(db, name)
             for name in ("job_time", "goodput", "badput", "interruption", "by_cause", "by_owner", "definition")}
    views["counted"] = view(db, "record", "WHERE onlyCounted")
    statuses = db.execute("SELECT job, status FROM record WHERE record = 'status'").fetchall()
    for job, status in statuses:
        status = json.loads(status)
        check_sums(c, job, status, views)
        check_badput(c, job, status, views)
        check_interruptions(c, job, status, views)
    return len(statuses)


def simulate_lives(count):
    subprocess.run([f"{BIN}/test-sim", str(count)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "SIM_RECORDS": f"{DIR}/life", "SIM_ARCHIVE": f"{DIR}/archive"})


def analyze_logs(count):
    subprocess.run([f"{BIN}/truth", "--write", f"{DIR}/logs", "--seed", "1", str((count + 9) // 10)], check=True,
                   stdout=subprocess.DEVNULL)
    for folder in sorted(glob.glob(f"{DIR}/logs/*")):
        arguments = []
        if os.path.exists(f"{folder}/arguments"):
            with open(f"{folder}/arguments", encoding="utf-8") as file:
                arguments = file.read().splitlines()
        logs = sorted(glob.glob(f"{folder}/*.log"), key=lambda p: int(re.search(r"(\d+)\.log$", p)[1]))
        with open(f"{DIR}/log/{os.path.basename(folder)}.jsonl", "wb") as out:
            done = subprocess.run([f"{BIN}/kubectl-goodput", "analyze", *logs, *arguments, "-o", "jsonl"], stdout=out,
                                  stderr=subprocess.DEVNULL)
        if done.returncode != 0:  # a log without a step has no ledger
            os.remove(out.name)


def run_tests(program, test, folder, jobs="1"):
    subprocess.run([f"{os.path.dirname(BIN)}/tests/{program}", test], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "RECORDS_DIR": f"{DIR}/{folder}", "GOODPUT_JOBS": jobs,
                        "TEST_APISERVER": f"{BIN}/test-apiserver"})


def run_documented(c):
    """The commands of recompute.md that need no cluster, as they are there, with DuckDB's own program."""
    with open("deploy/docs/how-to/recompute.md", encoding="utf-8") as page:
        without_cluster = page.read().split("\n## ")[0]
        commands = "\n".join(line for line in without_cluster.splitlines() if line.startswith("    "))
    folder = f"{DIR}/documented"
    shutil.copytree("tests/data/trainer-logs/maxtext/restarts", folder)
    os.symlink(os.path.abspath("deploy"), f"{folder}/deploy")
    program = os.path.abspath(f"{BIN}/kubectl-goodput")
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-e", "-c", commands.replace("kubectl goodput", program)], cwd=folder, text=True,
                          capture_output=True, env={**os.environ, "PATH": path})
    shown = done.stdout + done.stderr
    c.same("recompute.md", "documented commands", True,
           done.returncode == 0 and "wall" in shown and "WastedProgress" in shown and "Error" not in shown)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    shutil.rmtree(DIR, ignore_errors=True)
    for name in ("life", "log", "logs", "recording", "long", "live", "archive", "archived"):
        os.makedirs(f"{DIR}/{name}")
    simulate_lives(count)
    analyze_logs(count)
    run_tests("test-operator", "a_recorded_ledger_has_every_span", "recording")
    run_tests("test-operator", "a_long_jobs_ledger_starts_with_the_sums_of_settled_time", "long")
    run_tests("test-operator", "an_archive_has_all_of_a_long_job", "archived", str(max(count // 5, 20)))
    run_tests("test-runtime", "a_live_jobs_ledger_comes_from_the_controller", "live")
    c = Check()
    jobs = {kind: check(f"{DIR}/{kind}/*.jsonl", c) for kind in ("life", "log", "recording", "long", "live")}
    jobs.update({kind: check(f"{DIR}/{kind}/cluster=*/date=*/namespace=*/*.jsonl.gz", c) for kind in ("archive", "archived")})
    run_documented(c)
    windows = interval.check(c, os.path.abspath(f"{BIN}/kubectl-goodput"), DIR, max(count // 10, 40))
    for line in c.bad[:20]:
        print(f"not ok - {line}")
    print(f"{jobs['life']} lives, {jobs['log']} logs, {jobs['recording']} statuses of recordings, "
          f"{jobs['long']} of a long job, {jobs['live']} by kubectl goodput ledger, {jobs['archive']} lives "
          f"and {jobs['archived']} long jobs from archives, {windows} jobs cut into windows; numbers: "
          + ", ".join(f"{n} of {kind}" for kind, n in sorted(c.numbers.items())))
    total = sum(c.numbers.values())
    enough = jobs["life"] >= count * 0.9 and jobs["log"] >= count * 0.9 and jobs["recording"] > 100 and jobs["long"] > 100 and jobs["live"] == 2 and (
        jobs["archive"] >= count * 0.9 and jobs["archived"] >= 20 and windows >= 100)
    print(f"{total - len(c.bad)} passed, {len(c.bad) + (not enough)} failed")
    return 1 if c.bad or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
