#!/usr/bin/env python3
"""archive.py FROM TO [JOBS]: an archive of JOBS (1,000,000) jobs over three years in the folder TO, for deploy/sql/: the
jobs of the archive FROM, which the controller's code wrote (`make sql-test` leaves one in .build/sql/archive), again and
again under other names, in other namespaces, and on other days; one in 30 is long. Prints how many lines it wrote.

archive.py --measure TO PARQUET: makes Parquet of it by the documented command, and prints how long that and the view
fleet_by_hour take: from Parquet, and with --json from the gzip JSON lines. Needs the packages of `make sql-test`."""
import collections
import datetime
import glob
import gzip
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import time
import zlib

DAYS = 3 * 365
FIRST = datetime.date(2023, 11, 20)
NAMESPACES = 20
CLUSTERS = ["prod-america", "prod-europe"]
DATE = re.compile(rb'(?:20\d\d-\d\d-\d\d(?=T)|(?<="name":")js(?=")|(?<="uid":")[^"]*(?="))')


class Template:
    """A job's objects, cut where its copies differ."""

    def __init__(self, paths):
        texts = []
        for path in paths:
            with gzip.open(path, "rb") as file:
                texts.append((re.search(r"date=([^/]*)", path)[1], path[-len("000000.jsonl.gz"):], file.read()))
        days = {datetime.date.fromisoformat(x.decode()) for _, _, t in texts for x in re.findall(rb"20\d\d-\d\d-\d\d(?=T)", t)}
        self.first = min(days)
        self.objects = [(self.day(date), suffix, *self.cut(text)) for date, suffix, text in texts]
        self.lines = sum(text.count(b"\n") for _, _, text in texts)

    def day(self, text):
        return (datetime.date.fromisoformat(text) - self.first).days

    def cut(self, text):
        pieces, holes, at = [], [], 0
        for hole in DATE.finditer(text):
            pieces.append(text[at:hole.start()])
            holes.append(self.day(hole[0].decode()) if hole[0].startswith(b"20") else -1)
            at = hole.end()
        return pieces + [text[at:]], holes

    def write(self, root, number):
        start = FIRST + datetime.timedelta(days=number * 7919 % DAYS)
        name = f"job-{number}"
        folder = f"{root}/cluster={CLUSTERS[number % len(CLUSTERS)]}/date=%s/namespace=team-{number % NAMESPACES:02}"
        fill = collections.defaultdict(lambda: None)
        fill[-1] = name.encode()
        for date, suffix, pieces, holes in self.objects:
            out = [pieces[0]]
            for hole, piece in zip(holes, pieces[1:]):
                if fill[hole] is None:
                    fill[hole] = (start + datetime.timedelta(days=hole)).isoformat().encode()
                out += [fill[hole], piece]
            path = folder % (start + datetime.timedelta(days=date))
            deflate = zlib.compressobj(1, zlib.DEFLATED, 31)
            data = deflate.compress(b"".join(out)) + deflate.flush()
            try:
                file = open(f"{path}/{name}_{name}_{name}_{suffix}", "wb")
            except FileNotFoundError:
                os.makedirs(path, exist_ok=True)
                file = open(f"{path}/{name}_{name}_{name}_{suffix}", "wb")
            with file:
                file.write(data)
        return self.lines


def templates(source):
    jobs = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{source}/cluster=*/date=*/namespace=ns/js_*.jsonl.gz")):
        if "/cluster=again/" not in path:
            jobs[re.sub(r"date=[^/]*/", "", path)[:-len("000000.jsonl.gz")]].append(path)
    short = [paths for paths in jobs.values() if len(paths) == 1]
    long = [paths for paths in jobs.values() if len(paths) > 1]
    return [Template(paths) for paths in short + long[:len(short) // 30]]


def write_some(task):
    source, root, first, step, jobs = task
    all_templates = templates(source)
    return sum(all_templates[n % len(all_templates)].write(root, n) for n in range(first, jobs, step))


def write(source, root, jobs):
    start = time.monotonic()
    with multiprocessing.Pool(2) as pool:
        lines = sum(pool.map(write_some, [(source, root, i, 2, jobs) for i in range(2)]))
    print(f"{jobs} jobs, {lines} lines, {time.monotonic() - start:.0f} s")


def run(arguments):
    program = f"{os.path.dirname(sys.executable)}/duckdb"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([program, "-c", "SET threads = 2", *(x for a in arguments for x in ("-c", a))], check=True,
                          capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, used, done.stdout


def measure(root, parquet, reads_json):
    query = ("SELECT cluster, count(*) AS hours, sum(requested_chip_ms) AS requested, sum(available_chip_ms) AS available, "
             "sum(productive_chip_ms) AS productive FROM fleet_by_hour GROUP BY ALL ORDER BY ALL")
    variables = f"SET VARIABLE archive = '{root}'; SET VARIABLE parquet = '{parquet}'"
    os.makedirs(parquet, exist_ok=True)
    if not os.path.exists(f"{parquet}/buckets_by_hour.parquet"):
        took, used, _ = run([variables, ".read deploy/sql/parquet.sql"])
        print(f"parquet.sql: {took:.0f} s, {used:.0f} s of CPU time")
    sizes = {os.path.basename(p): os.path.getsize(p) >> 20 for p in sorted(glob.glob(f"{parquet}/*.parquet"))}
    print("MiB: " + ", ".join(f"{name} {size}" for name, size in sizes.items()))
    for _ in range(3):
        took, used, out = run([variables, *(f".read deploy/sql/{f}.sql" for f in ("duckdb-parquet", "views")), query])
        print(f"fleet_by_hour from Parquet: {took:.2f} s, {used:.2f} s of CPU time")
    print(out)
    if reads_json:
        took, used, out = run([variables, *(f".read deploy/sql/{f}.sql" for f in ("duckdb", "tables", "views")), query])
        print(f"fleet_by_hour from gzip JSON lines: {took:.0f} s, {used:.0f} s of CPU time\n{out}")


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*[x for x in sys.argv[2:] if x != "--json"], "--json" in sys.argv)
    else:
        write(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1000000)
