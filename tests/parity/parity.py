"""parity.py [LOGS [FIRST_SEED]]: the same logs to the real library and to `kubectl-goodput analyze --definition library`.
Every number must agree to 1e-9 relative, every error and every name must be equal; the table says how many did to the last
digit, and how often the library's own two ways to a rolling window (read afresh, slid forward) gave different answers.
  --keep FOLDER   the logs and the real answers are kept
  --frozen FOLDER the kept answers are compared instead: needs neither the library nor the network"""
import glob
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
PROGRAM = os.environ.get("KUBECTL_GOODPUT", ".build/release/bin/kubectl-goodput")
TOLERANCE = 1e-9


class Comparison:
    def __init__(self):
        self.numbers = self.exact = self.errors = 0
        self.found = []

    def number(self, path, ours, theirs):
        self.numbers += 1
        self.exact += repr(ours) == repr(theirs)
        if type(ours) is not type(theirs) or abs(ours - theirs) > TOLERANCE * max(abs(ours), abs(theirs)):
            self.found.append(f"{path}: {ours!r} / library {theirs!r}")

    def value(self, path, ours, theirs):
        if isinstance(ours, dict) and isinstance(theirs, dict):
            if list(ours) != list(theirs) and (path.endswith("EVENTS") or set(ours) != set(theirs)):
                self.found.append(f"{path}: keys {list(ours)} / library {list(theirs)}")
            for key in [k for k in ours if k in theirs]:
                self.value(f"{path}.{key}", ours[key], theirs[key])
        elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
            for i, (a, b) in enumerate(zip(ours, theirs)):
                self.value(f"{path}[{i}]", a, b)
        elif isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
            self.number(path, ours, theirs)
        else:
            self.errors += path.endswith(".error") and ours is not None
            if ours != theirs:
                self.found.append(f"{path}: {ours!r} / library {theirs!r}")


def compare(path, arguments, theirs):
    c = Comparison()
    run = subprocess.run([PROGRAM, "analyze", path, "--definition", "library", "-o", "json", *arguments],
                         capture_output=True, text=True)
    if run.returncode == 0:
        c.value("", json.loads(run.stdout), theirs)
    else:
        c.found = [f"exit code {run.returncode}: {run.stderr.strip()}"]
    return c


def one(task):
    """(kind, numbers, exact, errors, what differs, command, windows slid, ... that differ) of one seed."""
    import logging
    logging.disable(logging.CRITICAL)
    import generate
    import reference
    seed, keep, scratch = task
    kind, lines, query = generate.generate(seed)
    if keep:
        query["steps"] = False
    path = f"{keep}/{kind}-{seed}.jsonl" if keep else f"{scratch}/{seed}.jsonl"
    with open(path, "w") as out:
        out.write("".join(line + "\n" for line in lines))
    os.environ["TMPDIR"] = tempfile.tempdir = scratch
    real = reference.Reference(path, query)
    theirs = json.loads(json.dumps(real.all()))
    arguments = reference.arguments(query)
    c = compare(path, arguments, theirs)
    if keep:
        with open(path[:-1], "w") as out:
            json.dump({"arguments": arguments, "library": theirs}, out, indent=1)
            out.write("\n")
    elif c.found:
        os.makedirs(".build/parity/logs", exist_ok=True)
        shutil.move(path, f".build/parity/logs/{seed}.jsonl")
        path = f".build/parity/logs/{seed}.jsonl"
    else:
        os.remove(path)
    return (kind, c.numbers, c.exact, c.errors, c.found, f"seed {seed}: analyze {path} {' '.join(arguments)}",
            real.slides, real.slides_differ)


def frozen(folder):
    for path in sorted(glob.glob(f"{folder}/*.json")):
        with open(path) as file:
            kept = json.load(file)
        c = compare(path + "l", kept["arguments"], kept["library"])
        kind = os.path.basename(path).rsplit("-", 1)[0] if "-" in path else path
        yield kind, c.numbers, c.exact, c.errors, c.found, f"analyze {path}l {' '.join(kept['arguments'])}", 0, 0


def table(results):
    kinds, failed = {}, 0
    for kind, numbers, exact, errors, found, command, slides, differ in results:
        row = kinds.setdefault(kind, [0] * 7)
        for i, n in enumerate((1, numbers, exact, errors, not found, slides, differ)):
            row[i] += n
        if found:
            failed += 1
            print(f"not ok {kind} {command}")
            for line in found[:5]:
                print(f"    {line}")
    head = ("kind of log", "logs", "agree", "numbers", "last digit", "errors", "windows", "by chance")
    print(("%-18s" + " %9s" * 7) % head)
    total = [sum(row[i] for row in kinds.values()) for i in range(7)]
    for kind, row in [*sorted(kinds.items()), ("all", total)]:
        print(("%-18s" + " %9d" * 7) % (kind, row[0], row[4], row[1], row[2], row[3], row[5], row[6]))
    if total[6]:
        print(f"by chance: {total[6]} of {total[5]} rolling windows on which the library differs with itself, by whether it slid an\n"
              "    earlier window forward or read afresh: entries were logged out of order. Ours is the window read afresh.")
    print(f"{total[0] - failed} passed, {failed} failed")
    return failed != 0


def main():
    args = sys.argv[1:]
    if "--frozen" in args:
        return table(frozen(args[args.index("--frozen") + 1]))
    keep = args.pop(args.index("--keep") + 1) if "--keep" in args else None
    args = [a for a in args if a != "--keep"]
    count, first = (int(a) for a in (args + ["2000", "1"][len(args):])[:2])
    import reference  # noqa: F401  once, before the workers are forked
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        with multiprocessing.get_context("fork").Pool() as pool:
            return table(pool.imap(one, ((seed, keep, scratch) for seed in range(first, first + count)), 8))


if __name__ == "__main__":
    sys.exit(main())
