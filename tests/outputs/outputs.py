#!/usr/bin/env python3
"""outputs.py WORKER TRUTH STATUS [WORD]: every subcommand of kubectl-goodput x every output x every log and every status in
tests/data, each as it is and with its time axis stretched by 60 and by 3,600 (stretch.py), and hour-long logs of every
format from the truth generator. Each real trainer's log also in every way in which it may be stored (transforms.py). A new file in tests/data takes part by being there. WORD: only inputs whose names have it.

Of each run: exit code 0, or 1 with one line that says why; not a word of a sanitizer; what is printed is what was asked
for. Of each ledger: every millisecond in one bucket, in the status, each window and each interval. Of each stretched log:
the wall time is stretched as well."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

import transforms
from stretch import origin_of, read, stretch, times, write

FACTORS = (1, 60, 3600)
DATA = pathlib.Path("tests/data")
# No logs and no statuses: what other parts of the program read, and what one file in a folder stands for.
NOT_READ = ("fuzz", "charts", "crd/bad", "kube")
SEPARATOR = "\x1f"
SANITIZER = re.compile(r"runtime error:|Sanitizer|DEADLYSIGNAL")
STATUS_COMMANDS = [("explain", *more) for more in ((), ("-o", "json"), ("-o", "yaml"), ("-o", "name"))] + \
    [("timeline", *more) for more in ((), ("-o", "json"), ("-o", "yaml"), ("-o", "name"))] + \
    [("whatif", *more) for more in ((), ("-o", "json"), ("-o", "yaml"), ("--mtbf", "6h", "--hot-spares", "2", "--swap-time", "1m", "--repair-time", "24h", "--image-pull-time", "10s"))] + \
    [("report", "--html", "-")]
LIST_COMMANDS = [("top", *more) for more in ((), ("-o", "wide"), ("-o", "json"), ("-o", "yaml"), ("-o", "name"))] + \
    [("fleet", *more) for more in ((), ("-o", "json"), ("-o", "yaml"), ("--group-by", "queue", "--price", "1.20"), ("--since", "168h"))]


class Tally:
    def __init__(self):
        self.lock, self.passed, self.failed, self.runs, self.seen = threading.Lock(), 0, [], 0, {}
        self.statuses = []

    def check(self, what, good, shown=""):
        with self.lock:
            if good:
                self.passed += 1
            else:
                self.failed.append(what)
                print(f"FAILED {what}\n    {str(shown)[:600]}", flush=True)
        return good

    def keep(self, name, status):
        with self.lock:
            self.statuses.append((name, json.dumps(status)))

    def check_statuses(self, program):
        shown = subprocess.run([program], input="".join(text + "\n" for _, text in self.statuses), capture_output=True, text=True).stdout
        wrong = dict(re.findall(r"^line (\d+): (.*)", shown, re.M))
        self.check("all statuses are checked", shown.endswith(f"{len(self.statuses)} statuses, {len(wrong)} wrong\n"), shown[-300:])
        for i, (name, text) in enumerate(self.statuses, 1):
            self.check(f"{name}: its numbers agree", str(i) not in wrong, wrong.get(str(i)))

    def note(self, what):
        with self.lock:
            self.seen[what] = self.seen.get(what, 0) + 1


class Worker:
    """Runs commands in one process; started again after a crash."""

    def __init__(self, program, folder, tally):
        self.program, self.folder, self.tally, self.process = program, folder, tally, None

    def start(self):
        env = {**os.environ, "NO_COLOR": "1", "KUBECONFIG": "/dev/null"}
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def run(self, *arguments):
        """(exit code or None after a crash, output, errors)"""
        if self.process is None:
            self.start()
        out, err = self.folder + "/out", self.folder + "/err"
        self.process.stdin.write(SEPARATOR.join((out, err, *arguments)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        with self.tally.lock:
            self.tally.runs += 1
        code = int(answer) if answer else None
        if code is None:
            self.end()
        return code, read(out), read(err)

    def end(self):
        """What leaks is reported when the process ends; the exit code says so."""
        if self.process is None:
            return 0
        self.process.stdin.close()
        code = self.process.wait()
        self.process = None
        return code

    def expect(self, name, arguments, codes=(0, 1)):
        """The output if all is well with it and the exit code is 0; else None."""
        code, out, err = self.run(*arguments)
        shown = f"kubectl-goodput {' '.join(arguments)}: exit {code}: {err[-500:]}"
        lines = err.splitlines()
        good = code in codes and not SANITIZER.search(err) and (code == 0 or lines[-1:] and lines[-1].startswith("kubectl-goodput: "))
        self.tally.check(f"{name}: {' '.join(arguments[:1] + arguments[2:])}", good, shown)
        return out if good and code == 0 else None


# ---- what is printed ----

def check_output(tally, name, output, text):
    if output == "json":
        try:
            json.loads(text)
            good = True
        except ValueError:
            good = False
    elif output == "jsonl":
        records = [json.loads(line) for line in text.splitlines()]
        spent = sum(r["milliseconds"] for r in records if r["record"] == "span")
        good = records[0]["complete"] and spent == records[-1]["status"]["time"]["wallMilliseconds"]
    elif output == "html":
        good = text.lower().startswith("<!doctype html") and text.rstrip().endswith("</html>")
    else:
        good = text.strip() != "" and ("hostile" in name or not re.search(r"(?<![\w./-])-?(nan|inf)(?![\w/-])", text))
    tally.check(f"{name}: what is printed is {output}", good, text[:300])


# ---- logs ----

def analyze(worker, name, files, more):
    """The status by the ledger, or None; and every other output of it."""
    tally = worker.tally
    text = worker.expect(name, ("analyze", *files, "-o", "json", *more))
    if text is None:
        return None
    check_output(tally, name, "json", text)
    status = json.loads(text)
    claims = [w for w in ("availability", "otherDefinitions") if w in status] + [w for w in status["goodput"] if w.startswith("scheduling")]
    tally.check(f"{name}: logs alone claim no scheduling", not claims, claims)
    tally.keep(name, status)
    start, end = status["time"]["start"], status["time"]["observedThrough"]
    half = str(next(times(start)) / 1e9 + status["time"]["wallMilliseconds"] / 2000)
    runs = [] if status["time"]["wallMilliseconds"] == 0 else [
            ("json", "-o", "json", "--from", start, "--to", half, "--window", "60,3600,86400"),
            ("table", "--from", half, "--to", end, "--window", "60,86400"), ("html", "--html", "-", "--at", half),
            ("json", "-o", "json", "--exclude", f"{half},{end}", "--ideal-step", "1"),
            ("json", "-o", "json", "--definition", "library", "--window", "3600", "--exclude", f"{half},{end}")]
    runs += [("table",), ("yaml", "-o", "yaml"), ("jsonl", "-o", "jsonl"), ("html", "--html", "-"), ("table", "--definition", "both"),
            ("json", "-o", "json", "--definition", "both"), ("yaml", "-o", "yaml", "--definition", "both"),
            ("table", "--definition", "library", "--step-deviation", "--elastic")]
    for output, *options in runs:
        shown = worker.expect(name, ("analyze", *files, *more, *options))
        if shown is None:
            continue
        check_output(tally, f"{name} {' '.join(options)}", output, shown)
        if output == "json" and "--definition" not in options:
            tally.keep(f"{name} {' '.join(options)}", json.loads(shown))
        if output == "table" and not options:
            for what in re.findall(r"\d+([dhm]) \d\d", shown):
                tally.note(f"a duration with {what}")
    for field in ("advice", "forecast", "windows", "interruptions"):
        if status.get(field):
            tally.note(field)
    return status


def waits_for_a_bar(texts):
    """Hugging Face's dictionaries without a bar wait for four of them, four hours at most."""
    return all("'epoch': " in text and not re.search(r"\d(s/it|it/s)", text) for text in texts)


def stretched_log(worker, name, files, more):
    folder = worker.folder
    texts = [read(f) for f in files]
    origin = origin_of(texts)
    wall = {}
    for factor in FACTORS:
        paths = list(map(str, files))
        if factor > 1:
            shutil.rmtree(folder + "/logs", ignore_errors=True)
            os.mkdir(folder + "/logs")
            paths = [f"{folder}/logs/{i}-{pathlib.Path(f).name}" for i, f in enumerate(files)]
            for path, text in zip(paths, texts):
                write(path, stretch(text, factor, origin))
        status = analyze(worker, f"{name} x{factor}", paths, more)
        if status is None:
            worker.tally.check(f"{name}: x{factor} is read as well as x1", factor == 1 or waits_for_a_bar(texts))
            return
        wall[factor] = status["time"]["wallMilliseconds"]
        worker.tally.note(f"logs x{factor}")
        # Progress bars have clocks of whole seconds, and readers have limits in seconds. Lines of a table are of several runs.
        low, high = (0.1, 2) if "tsv" in name else (0.8, 1.2)
        good = factor * (low * wall[1] - 1000) <= wall[factor] <= factor * (high * wall[1] + 1000)
        worker.tally.check(f"{name}: x{factor} stretches the wall time", good, wall)
        statuses(worker, f"{name} x{factor} status", {"kind": "JobGoodput", "metadata": {"name": "job", "namespace": "ns"},
                                                     "spec": {}, "status": status})


def bounds(status):
    """The least and the largest goodput of the span, in parts per million."""
    ppm = status["goodputPPM"]
    return ppm.get("job", 0), ppm.get("jobUpperBound", ppm.get("job", 0))


def transformed_log(worker, name, files):
    """A job's logs in every way in which they may come (transforms.py): each is read as the logs are."""
    folder = pathlib.Path(worker.folder) / "ways"
    expected = json.loads(worker.expect(name, ("analyze", *map(str, files), "-o", "json")))
    ways = [list(transforms.ways(read(f))) for f in files]
    for number, (way, _) in enumerate(ways[0]):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for i, of_file in enumerate(ways):
            for k, content in enumerate(of_file[number][1]):
                (folder / f"attempt-{i + 1}-{k + 1}.log").write_bytes(content)
        code, out, err = worker.run("analyze", *map(str, sorted(folder.iterdir())), "-o", "json")
        got = json.loads(out) if code == 0 else {}
        if way in transforms.CLOCKS:
            more = [got["time"][k] - expected["time"][k] for k in ("wallMilliseconds", "productiveMilliseconds")] if code == 0 else [-1e9]
            good = max(more) <= 500 * len(files) and min(more) >= -5000 * len(files)
            # A log of so few lines that more than half of the time may be either: a set clock may move the claim within it.
            low, high = bounds(expected)
            if not good and code == 0 and high - low > 500000 and more[0] <= 500 * len(files):
                good = bounds(got)[0] <= high and bounds(got)[1] >= low
        else:
            good = transforms.essence(got) == transforms.essence(expected)
        wrong = {k: (got.get(k), expected[k]) for k in expected if got.get(k) != expected[k]}
        worker.tally.check(f"{name}: {way}", good, err if code else wrong)
        worker.tally.note("transformed logs")


# ---- statuses ----

def statuses(worker, name, value):
    """value: a JobGoodput, a FleetGoodput, or a list of them."""
    path = worker.folder + "/status.json"
    write(path, json.dumps(value))
    for command in LIST_COMMANDS:
        show(worker, name, command, path)
    for item in value.get("items", [value]):
        metadata = item.get("metadata", {})
        if "name" not in metadata:
            continue
        kinds = STATUS_COMMANDS if item.get("kind") == "JobGoodput" else [("fleet",), ("fleet", "-o", "json"), ("fleet", "-o", "yaml")]
        for command in kinds:
            show(worker, name, (command[0], metadata["name"], *command[1:]), path)


def show(worker, name, command, path):
    text = worker.expect(name, (*command, "-f", path))
    if text is None:
        return
    output = "json" if "json" in command else "html" if "--html" in command else "table"
    if output != "table" or text:
        check_output(worker.tally, f"{name} {' '.join(command)}", output, text)


def stretched_statuses(worker, name, text):
    for factor in FACTORS:
        value = json.loads(stretch(text, factor) if factor > 1 else text)
        if "phase" in value and "kind" not in value:
            value = {"kind": "JobGoodput", "metadata": {"name": "job", "namespace": "ns"}, "spec": {}, "status": value}
        worker.tally.note(f"statuses x{factor}")
        statuses(worker, f"{name} x{factor}", value)


# ---- inputs ----

def is_status(text):
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and ("kind" in value or "phase" in value)


def steplog_cases(text):
    """The lines of a table of tests/data/steplog, stamped a second apart, as tests/steplog reads them."""
    lines = [l for l in text.splitlines() if l and l[0] not in "#!\t"]
    lines = [l.replace("␛", "\033").replace("␍", "\r") for l in lines]
    return "".join(f"2026-11-21T{2 + i // 3600:02d}:{i // 60 % 60:02d}:{i % 60:02d}.5Z {l}\n" for i, l in enumerate(lines))


def unpacked(path, folder):
    """The files that it stands for, as they are read."""
    to = pathlib.Path(folder) / "unpacked" / path.name
    if path.suffix == ".tgz":
        with tarfile.open(path) as archive:
            archive.extractall(to)
        return sorted(p for p in to.rglob("*") if p.is_file())
    if path.suffix == ".gz":
        to.mkdir(parents=True)
        (to / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        return [to / path.stem]
    if path.suffix == ".tsv":
        to.mkdir(parents=True)
        write(to / "steps.log", steplog_cases(read(path)))
        return [to / "steps.log"]
    return [path]


def inputs(folder, truth):
    """(name, function, its arguments) of everything that is read."""
    groups, found = {}, []
    logs = folder + "/truth"
    subprocess.run([truth, "--write", logs, "--least", "3600", "2"], check=True, stdout=subprocess.DEVNULL)
    kept = [p for p in sorted(DATA.rglob("*")) if p.is_file() and not str(p.relative_to(DATA)).startswith(NOT_READ)]
    paths = [(p, q) for p in kept + sorted(pathlib.Path(logs).rglob("attempt-*")) for q in unpacked(p, folder)]
    for source, path in paths:
        name = str(source).removeprefix(f"{DATA}/").removeprefix(folder + "/")
        if path.name not in name:
            name += "/" + path.name
        text = read(path)
        if is_status(text):
            found.append((name, stretched_statuses, (text,)))
        elif match := re.match(r"(.*)attempt-\d+\.log", str(path)):
            groups.setdefault(match[1], []).append(path)
        else:
            format_file = path.with_suffix(".yaml") if path.suffix == ".log" else path
            more = ("--format-file", str(format_file)) if format_file != path and format_file.exists() else ()
            found.append((name, stretched_log, ([path], more)))
    for group, files in groups.items():
        arguments = pathlib.Path(group + "arguments")
        more = tuple(read(arguments).splitlines()) if arguments.exists() else ()
        name = group.removeprefix(str(DATA) + "/").removeprefix(folder + "/").rstrip("/")
        found.append((name, stretched_log, (files, more)))
        if name.startswith("trainer-logs/"):
            found.append((name + " transformed", transformed_log, (files,)))
        if len(files) > 1:
            found.append((name + " last", stretched_log, (files[-1:], more)))
    return found


def wrong_usage(worker):
    """Exit code 2, and a line that says why."""
    for arguments in ((), ("no-such",), ("explain",), ("report", "x"), ("top", "x"), ("analyze",), ("explain", "x", "-o", "xml"),
                      ("analyze", "x", "-o", "xml"), ("analyze", "x", "--format", "No"), ("analyze", "x", "--window", "0"),
                      ("whatif", "--mtbf", "x"), ("fleet", "--price", "x"), ("analyze", "x", "--from", "yesterday")):
        code, out, err = worker.run(*arguments)
        worker.tally.check(f"wrong usage is 2: {arguments}", code == 2 and err and not out, (code, out, err))
    for arguments in (("help",), ("version",), ("--help",), ("analyze", "--help")):
        code, out, err = worker.run(*arguments)
        worker.tally.check(f"{arguments} is 0", code == 0 and out and not err, (code, out, err))


def formats(worker, name):
    for output in ("json", "yaml", "name", "table"):
        text = worker.expect(name, ("formats",) if output == "table" else ("formats", "-o", output))
        check_output(worker.tally, f"formats -o {output}", output, text or "")


def work(program, folder, queue, tally):
    os.mkdir(folder)
    worker = Worker(program, folder, tally)
    while queue:
        try:
            name, function, arguments = queue.pop()
        except IndexError:
            break
        try:
            function(worker, name, *arguments)
        except Exception as e:  # a fault of the test must not pass for the end of the queue
            tally.check(f"{name}: the test itself", False, repr(e))
    wrong_usage(worker)
    formats(worker, "formats")
    tally.check("nothing leaks", worker.end() == 0)


def main():
    program, truth, status, word = *sys.argv[1:4], sys.argv[4] if len(sys.argv) > 4 else ""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        queue = [i for i in inputs(folder, truth) if word in i[0]]
        count = len(queue)
        threads = [threading.Thread(target=work, args=(program, f"{folder}/{i}", queue, tally)) for i in range(2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    tally.check_statuses(status)
    if not word:  # what the test is for has appeared
        for what, minimum in (("transformed logs", 500), ("logs x1", 80), ("logs x60", 80), ("logs x3600", 80), ("statuses x3600", 14), ("advice", 100), ("forecast", 20),
                            ("a duration with m", 50), ("a duration with h", 50), ("a duration with d", 20)):
            tally.check(f"at least {minimum} x {what}", tally.seen.get(what, 0) >= minimum, tally.seen)
    print(f"{count} inputs, {tally.runs} runs; seen: {tally.seen}")
    print(f"{tally.passed} passed, {len(tally.failed)} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
