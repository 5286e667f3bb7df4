"""parity.py [LOGS [FIRST_SEED]]: the same logs to the real library and to `kubectl-goodput analyze --definition library`;
every printed digit and every error must be equal. With --keep FOLDER the logs and the real answers are kept."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import logging
logging.disable(logging.CRITICAL)
import generate
import reference

PROGRAM = os.environ.get("KUBECTL_GOODPUT", ".build/release/bin/kubectl-goodput")


def differences(path, ours, theirs):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs) and (path.endswith("EVENTS") or set(ours) != set(theirs)):
            yield f"{path}: keys {list(ours)} / library {list(theirs)}"
        for key in ours.keys() & theirs.keys():
            yield from differences(f"{path}.{key}", ours[key], theirs[key])
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            yield from differences(f"{path}[{i}]", a, b)
    elif repr(ours) != repr(theirs):
        yield f"{path}: {ours!r} / library {theirs!r}"


def main():
    args = [a for a in sys.argv[1:]]
    keep = args.pop(args.index("--keep") + 1) if "--keep" in args else None
    args = [a for a in args if a != "--keep"]
    count, first = (int(a) for a in (args + ["200", "1"][len(args):])[:2])
    passed = failed = 0
    os.makedirs(".build/parity/logs", exist_ok=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        os.environ["TMPDIR"] = scratch
        for seed in range(first, first + count):
            case, lines, query = generate.generate(seed)
            if keep:
                query["steps"] = False
            path = f"{keep}/{case}-{seed}.jsonl" if keep else f".build/parity/logs/{seed}.jsonl"
            with open(path, "w") as out:
                out.write("".join(line + "\n" for line in lines))
            theirs = json.loads(json.dumps(reference.Reference(path, query).all()))
            arguments = reference.arguments(query)
            run = subprocess.run([PROGRAM, "analyze", path, "--definition", "library", "-o", "json", *arguments],
                                 capture_output=True, text=True)
            found = [f"exit code {run.returncode}: {run.stderr.strip()}"]
            if run.returncode == 0:
                found = list(differences("", json.loads(run.stdout), theirs))
            if keep:
                with open(path[:-1], "w") as out:
                    json.dump({"arguments": arguments, "library": theirs}, out, indent=1)
                    out.write("\n")
            passed, failed = passed + (not found), failed + bool(found)
            if found:
                print(f"not ok {case} seed {seed}: analyze {path} {' '.join(arguments)}")
                for line in found[:5]:
                    print(f"    {line}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
