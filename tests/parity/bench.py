"""bench.py [STEPS [PAIRS]]: the same log to the real library and to `kubectl-goodput analyze`, each as a whole process, in pairs
run one after the other: medians of the pairs and of their ratios, by the clock and by the CPU's time (user and system, which
other load on the machine changes less), peak memory, and our bytes a second beside those of a plain scan for line ends
(`wc -l`, which is memchr over the file). Two profiles: one run of STEPS steps, and a restart every 100 of STEPS * 0.3 steps
(where the library needs minutes for a million)."""
import os
import random
import statistics
import subprocess
import sys
import time

PROGRAM = os.environ.get("KUBECTL_GOODPUT", ".build/release/bin/kubectl-goodput")
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
    begun = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - begun
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


def main():
    steps, pairs = (int(a) for a in (sys.argv[1:] + ["1000000", "3"][len(sys.argv) - 1:])[:2])
    os.makedirs(".build/parity", exist_ok=True)
    for name, many, every in (("one run", steps, 0), ("restarts", steps * 3 // 10, 100)):
        path = f".build/parity/bench-{every}.jsonl"
        write_log(path, many, every)
        compare(name, path, many, pairs)


main()
