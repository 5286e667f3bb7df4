"""bench.py [PROFILE[:STEPS[:PAIRS]]]...: the promises of `make bench-ledger`, each compared with the real library on the same file in
the same run. Without arguments run:1000000:3 restarts:100000:1 append:1000000:1 memory:1000000 (about 3 quiet minutes).

run, restarts (one every 100 steps: the library takes every segment over all entries, 500,000 steps many minutes): whole processes in
pairs run one after the other: medians of the pairs and of their ratios, by the clock and by the CPU's time (user and system,
which other load on the machine changes less), peak memory, and our bytes per second next to those of a plain scan for line ends
(`wc -l`, which is memchr over the file). append: two new entries after STEPS steps, and the answer. memory: the resident memory
of analyze and of the ledger by itself, at STEPS / 100 and at STEPS."""
import json
import os
import random
import statistics
import subprocess
import sys
import time

PROGRAM = os.environ.get("KUBECTL_GOODPUT", ".build/release/bin/kubectl-goodput")
APPEND = ".build/release/bin/bench-append"
HERE = os.path.dirname(__file__)


def write_log(path, steps, restart_every):
    rng, t = random.Random(7), 1795223940.5
    with open(path, "w") as out:
        print('{"job_name": "bench", "job_start_time": %r}' % t, file=out)
        step = 0
        for n in range(steps):
            t += 3 + rng.random() * 0.2
            print('{"job_name": "bench", "step_count": %d, "step_start_time": %r}' % (step, round(t, 6)), file=out)
            step += 1
            if restart_every and n % restart_every == restart_every - 1:
                t += 60
                step -= 10
                print('{"job_name": "bench", "job_start_time": %r}' % round(t, 6), file=out)
        print('{"job_name": "bench", "job_end_time": %r}' % round(t + 3, 6), file=out)


def run(command):
    """(seconds, CPU seconds, peak MiB) of one process, its output thrown away."""
    started = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - started
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit status {status}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command):
    """The least of five runs, for each figure: they are short, and the load of the moment is not theirs."""
    return [min(column) for column in zip(*(run(command) for _ in range(5)))]


def compare(name, path, steps, pairs):
    library = [sys.executable, os.path.join(HERE, "library_run.py"), path]
    ours = {d: [PROGRAM, "analyze", "--definition", d, "-o", "json", path] for d in ("library", "ledger")}
    runs = {d: [] for d in ours}
    for _ in range(pairs):
        theirs, scan = run(library), best(["wc", "-l", path])
        for d in ours:
            mine = best(ours[d])
            runs[d].append((*theirs, *mine, scan[0], theirs[0] / mine[0], theirs[1] / mine[1]))
    size = os.path.getsize(path)
    for d, rows in runs.items():
        clock, cpu, mib, my_clock, my_cpu, my_mib, scan, ratio, cpu_ratio = (statistics.median(c) for c in zip(*rows))
        print(f"{name}, {steps} steps, {pairs} pairs: the library {clock:.2f} s (CPU {cpu:.2f} s, {mib:.0f} MiB), --definition {d} "
              f"{my_clock * 1000:.0f} ms (CPU {my_cpu * 1000:.0f} ms, {my_mib:.1f} MiB): {ratio:.0f}x, by CPU {cpu_ratio:.0f}x")
        print(f"    {size / my_clock / 1e6:.0f} MB/s; wc -l {size / scan / 1e6:.0f} MB/s: {my_clock / scan:.1f} times a plain scan")


def file_of(name, steps, every):
    path = f".build/parity/bench-{name}-{steps}.jsonl"
    write_log(path, steps, every)
    return path


def whole(name, steps, pairs):
    compare("restarts" if name == "restarts" else "one run", file_of(name, steps, 100 if name == "restarts" else 0), steps, pairs)


def json_of(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def append(_, steps, pairs):
    path = file_of("run", steps, 0)
    for _ in range(pairs):
        theirs, ours = json_of(sys.executable, os.path.join(HERE, "library_append.py"), path)["seconds"], json_of(APPEND, path)
        added, answered = (ours[k]["median_ns"] for k in ("added", "answered"))
        print(f"two new entries after {steps} steps: the library {theirs:.2f} s; the ledger reads them in {added / 1e3:.2f} us, with the "
              f"whole answer {answered / 1e3:.1f} us (median of 1,001): {theirs * 1e9 / answered:.0f}x, reading alone {theirs * 1e9 / added:.0f}x")


def memory(_, steps, __):
    for many in (steps // 100, steps):
        for name, every in (("run", 0), ("restarts", 100)):
            path = file_of(name, many, every)
            mib = run([PROGRAM, "analyze", "-o", "json", path])[2]
            print(f"memory, {name}, {many} steps: analyze as a whole process {mib:.1f} MiB at its peak, the ledger and its parser in a "
                  f"process of their own {json_of(APPEND, path)['resident_kib'] / 1024:.1f} MiB")


PROFILES = {"run": whole, "restarts": whole, "append": append, "memory": memory}
DEFAULT = ["run:1000000:3", "restarts:100000:1", "append:1000000:1", "memory:1000000"]


def main():
    os.makedirs(".build/parity", exist_ok=True)
    for wish in sys.argv[1:] or DEFAULT:
        name, steps, pairs = (wish.split(":") + ["1000000", "1"][len(wish.split(":")) - 1:])[:3]
        if name not in PROFILES:
            sys.exit(f"bench.py: {name} is none of {', '.join(PROFILES)}")
        PROFILES[name](name, int(steps), int(pairs))
        sys.stdout.flush()


main()
