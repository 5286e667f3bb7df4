#!/usr/bin/env python3
"""abuse.py [ATTACK...]: one hostile namespace next to one victim, on one controller with the chart's flags. While each
attack of attacks.py runs (all of them without names), and for some seconds after it: the victim's event and the line of its step
are in its status within 2 s each (next to a flood: 5 s), /healthz and /readyz answer within the probes' second, the Lease is renewed, and
the controller, which runs within the chart's memory limit, stays below it. Times do not count what the machine's other
programs take, nor those in which the API server does not answer. What is slower than its limit is measured once more
(the machine is shared), and the second time is judged. Prints a table; the last line is the total."""
import http.client
import multiprocessing
import os
import re
import shutil
import sys
import threading
import time

from attacks import ATTACKS
from floods import FLOODS
from world import LEASE, World, chart_value, mebibytes

NOTED_S = 2.0  # what takes longer than an attack shows in that attack's row already
KINDS = ("event", "line", "probe", "lease")
PROBE_S = 1.0  # timeoutSeconds of the chart's probes, by default
RENEW_S = 20.0  # the controller's own deadline for the Lease
OVERTIME_S = 120  # an attack that does not end by itself when it should has failed
ANSWER_S = 0.05  # what the API server of the tests, one thread for all attacks, takes longer for an answer is its own
AFTER_S = 3  # what an attack leaves behind shows after it


class Stopwatch:
    """Seconds, without those in which the controller or the API server was ready to run and had no CPU
    (/proc/PID/schedstat): what other programs on the machine take is not judged."""

    def __init__(self, world):
        self.files = [f"/proc/{client.process.pid}/schedstat" for client in (world.controller, world.server)]
        self.at, self.waited, self.total = time.monotonic(), self.read(), 0

    def read(self):
        waited = []
        for path in self.files:
            with open(path, encoding="ascii") as text:
                waited.append(int(text.read().split()[1]) / 1e9)
        return waited

    def seconds(self):
        at, waited = time.monotonic(), self.read()
        self.total += max(0, at - self.at - max(new - old for new, old in zip(waited, self.waited)))
        self.at, self.waited = at, waited
        return self.total


class Watch:
    """The slowest of each kind since the last take(); a thread per kind."""

    def __init__(self, world):
        self.world, self.is_over, self.worst, self.counts = world, False, {}, {}
        self.problems, self.lock = [], threading.Lock()
        self.threads = [threading.Thread(target=self.guard, args=(run,), daemon=True) for run in (self.delays, self.probes, self.leases)]
        for thread in self.threads:
            thread.start()

    def guard(self, run):
        try:
            run()
        except Exception as problem:  # pylint: disable=broad-except  # a thread that died measures nothing
            self.problems.append(f"{run.__name__}: {problem!r}")

    def note(self, kind, seconds):
        with self.lock:
            self.worst[kind] = max(self.worst.get(kind, 0), seconds)
            self.counts[kind] = self.counts.get(kind, 0) + 1

    def take(self):
        with self.lock:
            taken, self.worst, self.counts = (self.worst, self.counts), {}, {}
        return taken

    def delays(self):
        victim = self.world.victim
        victim.api = self.world.api()
        while not self.is_over:
            time.sleep(1.2)  # a life of a second: stamps are whole seconds
            victim.delete_pod()
            self.wait("event", victim.has_counted)
            victim.add_pod()
            victim.train(self.world)
            self.wait("line", victim.has_read)

    def wait(self, kind, is_so):
        watch, asked, blocked = Stopwatch(self.world), 0, 0
        while not is_so() and not self.is_over:
            blocked += max(0, watch.seconds() - blocked - asked - ANSWER_S)
            if asked > NOTED_S:
                self.note(kind, asked)
            time.sleep(0.05)
            asked = watch.seconds() - blocked  # it was so when this was asked
        self.note(kind, asked)

    def probes(self):
        while not self.is_over:
            for path in ("/healthz", "/readyz"):
                watch = Stopwatch(self.world)
                try:
                    connection = http.client.HTTPConnection("127.0.0.1", self.world.ports["health"], timeout=10)
                    connection.request("GET", path)
                    status = connection.getresponse().status
                    connection.close()
                    self.note("probe", watch.seconds())
                    if status != 200:
                        self.problems.append(f"{path}: {status}")
                except OSError as problem:
                    self.note("probe", watch.seconds())
                    self.problems.append(f"{path}: {problem!r}")
            time.sleep(0.25)

    def leases(self):
        api, last, since = self.world.api(), None, time.monotonic()
        while not self.is_over:
            renewed = api.ask("GET", LEASE)["spec"]["renewTime"]
            at = time.monotonic()
            if renewed != last:
                last, since = renewed, at
            self.note("lease", at - since)
            time.sleep(0.25)


def reset_peak(pid):
    """From here on VmHWM is the most since now."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as out:
        out.write("5")


def resident_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as text:
        return int(re.search(r"VmHWM:\s+([0-9]+) kB", text.read()).group(1)) / 1024


def is_slow(delay, times, *_):
    event, line, probe, _ = times
    return event >= delay or line >= delay or probe >= PROBE_S


class Suite:
    def __init__(self):
        self.passed = self.failed = 0
        self.world = World()
        self.limit = mebibytes(chart_value("resources.limits.memory"))
        self.watch = Watch(self.world)

    def check(self, name, is_so, detail):
        self.passed += bool(is_so)
        self.failed += not is_so
        if not is_so:
            print(f"not ok - {name}: {detail}", flush=True)

    def measure(self, what, seconds, run, delay):
        """One row, or two where the first is slower than a limit: the last one is judged."""
        row = self.row(what, seconds, run)
        if is_slow(delay, *row):
            row = self.row(f"{what}, once more"[:82], seconds, run)
        self.judge(what, delay, *row)

    def row(self, what, seconds, run):
        """The worst of each while the attack runs and shortly after it, with counts and problems."""
        pid = self.world.controller.process.pid
        reset_peak(pid)
        self.watch.take()
        del self.watch.problems[:]
        start, cpu = time.monotonic(), self.world.controller.cpu_seconds()
        if run:
            self.world.until = start + seconds
            self.world.round += 1
            process = multiprocessing.get_context("fork").Process(target=run, args=(self.world,))
            process.start()
            process.join(seconds + OVERTIME_S)
            if process.is_alive():
                process.kill()
                process.join()
            if process.exitcode != 0:
                self.watch.problems.append(f"the attack ended with exit code {process.exitcode}")
        time.sleep(AFTER_S if run else seconds)
        share = (self.world.controller.cpu_seconds() - cpu) / (time.monotonic() - start)
        worst, counts = self.watch.take()
        peak = resident_mib(pid)
        times = tuple(worst.get(kind, float("inf")) for kind in KINDS)
        event, line, probe, lease = times
        print(f"{what:82} {counts.get('line', 0):4} {event:7.2f} {line:6.2f} {probe:7.2f} {lease:7.1f} {peak:9.1f} {share:5.2f}", flush=True)
        return times, counts, peak, list(self.watch.problems)

    def judge(self, what, delay, times, counts, peak, problems):
        missing = [kind for kind in KINDS if not counts.get(kind)]
        self.check(what, not missing, f"nothing was measured of {missing}")
        event, line, probe, lease = times
        self.check(f"{what}: event to status", event < delay, f"{event:.2f} s")
        self.check(f"{what}: line to status", line < delay, f"{line:.2f} s")
        self.check(f"{what}: probes", probe < PROBE_S, f"{probe:.2f} s")
        self.check(f"{what}: Lease", lease < RENEW_S, f"not renewed for {lease:.1f} s")
        self.check(f"{what}: memory", peak < self.limit, f"{peak:.1f} MiB of {self.limit}")
        self.check(f"{what}: no problem", not problems, problems[:3])

    def run(self, chosen):
        attacks = FLOODS + ATTACKS  # floods first: they use the budget of urgent writes, which attacks leave used
        missing = set(chosen) - {name for name, *_ in attacks}
        if missing:
            raise SystemExit(f"no such attack: {missing}; there are {[name for name, *_ in attacks]}")
        print(f"{'attack':82} {'n':>4} {'event s':>7} {'line s':>6} {'probe s':>7} {'lease s':>7} {'peak MiB':>9} {'CPU':>5}   (limit {self.limit} MiB)")
        self.measure("none", 6, None, 2.0)
        for name, what, seconds, attack, delay in attacks:
            if not chosen or name in chosen:
                self.measure(what, seconds, attack, delay)
        self.watch.is_over = True
        self.check("the controller runs", self.world.controller.process.poll() is None, "it ended")


def main():
    suite = Suite()
    try:
        suite.run(sys.argv[1:])
    finally:
        suite.world.close()
    if suite.failed:
        print(f"log: {suite.world.folder}/controller.log")
    else:
        shutil.rmtree(suite.world.folder)
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 0 if suite.failed == 0 and suite.passed > 0 else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    os.chdir(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.exit(main())
