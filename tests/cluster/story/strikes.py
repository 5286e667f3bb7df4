"""Strikes against the controller and the parts of the control plane that its evidence comes through: killed (-9), paused
(SIGSTOP, SIGCONT), or ended and started again, at moments and in an order that the seed decides."""
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter, namedtuple

Strike = namedtuple("Strike", "begin end victim kind")
CONTROLLER = "controller"
# How often each is chosen: the controller as often as two others.
VICTIMS = (CONTROLLER, CONTROLLER, "kube-apiserver", "etcd", "jobset", "kueue")
KINDS = ("kill", "kill", "kill", "pause", "pause", "restart")
STATUS_WRITTEN, WATCH_RETURNS = 1, 12
PARTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "jobset", "kueue", "trainer")


class Striker(threading.Thread):
    """Strikes `count` times, or until `deadline` (Unix seconds), whichever is earlier. `controller` has pid, kill(),
    terminate() and start(); `etcd` is the EtcdWatch, which notices if etcd has lost anything."""

    def __init__(self, seed, count, deadline, here, run_dir, controller):
        super().__init__(daemon=True, name="striker")
        self.random = random.Random(seed)
        self.count, self.deadline = count, deadline
        self.here, self.run_dir = here, run_dir
        self.controller = controller
        self.strikes, self.broken, self.slow = [], [], []  # slow: waited for in vain
        self.died = Counter()  # parts that ended by themselves and were started again, as a kubelet does
        self.alive_at = time.time()  # all of them

    def run(self):
        for _ in range(self.count):
            time.sleep(self.random.uniform(0.3, 6))
            if time.time() > self.deadline:
                return
            victim, kind = self.random.choice(VICTIMS), self.random.choice(KINDS)
            begin = time.time()
            try:
                self._revive()
                begin = time.time()
                self._strike(victim, kind)
                print(f"    strike {len(self.strikes) + 1}: {kind} {victim}, {time.time() - begin:.1f} s", flush=True)
            except (TimeoutError, ProcessLookupError, subprocess.TimeoutExpired) as error:
                self.slow.append(f"{kind} {victim}: {error}")
            except (OSError, subprocess.SubprocessError, RuntimeError) as error:
                self.broken.append(f"{kind} {victim}: {error}")
            self.strikes.append(Strike(begin, time.time(), victim, kind))
        try:
            self._revive()
        except (OSError, subprocess.SubprocessError, RuntimeError) as error:
            self.broken.append(f"after the last strike: {error}")

    def counts(self):
        """{kind: number of strikes}."""
        return Counter(strike.kind for strike in self.strikes)

    def _strike(self, victim, kind):
        down = self.random.uniform(0, 3) if self.random.random() < 0.9 else 12
        if kind == "pause":
            pid = self._pid(victim)
            os.kill(pid, signal.SIGSTOP)
            try:
                time.sleep(min(down * 2, 8))
            finally:
                os.kill(pid, signal.SIGCONT)
        elif victim == CONTROLLER:
            self.controller.end(kind)
            time.sleep(down)
            self.controller.start()
            self.controller.wait_watching()
        else:
            self._end(self._pid(victim), kind)
            time.sleep(down)
            self._start(victim)

    def _pid(self, victim):
        if victim == CONTROLLER:
            return self.controller.pid
        with open(os.path.join(self.run_dir, "pids", victim), encoding="ascii") as file:
            return int(file.read())

    def _end(self, pid, kind):
        os.kill(pid, signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        patience = time.time() + 20  # an API server ends its requests first
        while is_alive(pid):
            if time.time() > patience:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def _start(self, part):
        command = [os.path.join(self.here, "component.sh"), "start", part]
        done = subprocess.run(command, capture_output=True, text=True, timeout=700, check=False)
        if done.returncode:
            with open(os.path.join(self.run_dir, "logs", part + ".log"), encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"{done.stderr.strip()[-300:]}; its log ends with {log.read()[-600:]}")

    def _revive(self):
        for part in PARTS + (CONTROLLER,):
            if is_alive(self._pid(part)):
                continue
            self.died[part] += 1
            if part == CONTROLLER:
                self.controller.start()
                self.controller.wait_watching()
            else:
                self._start(part)
            self.strikes.append(Strike(self.alive_at, time.time(), part, "died"))
        self.alive_at = time.time()


def hides(strike):
    """Whether something may have happened unobserved."""
    return strike.victim in (CONTROLLER, "kube-apiserver", "etcd") and (strike.victim, strike.kind) != (CONTROLLER, "pause")


def hidden_span(strike):
    return strike.begin - STATUS_WRITTEN, strike.end + (0 if strike.victim == CONTROLLER else WATCH_RETURNS)


def unwatched(strikes):
    """[(begin, end)], without overlaps: when no watch observed events, or no one could record them. A change is
    in status a second after its event; a watch that could not connect tries again within ten seconds."""
    merged = []
    for begin, end in sorted(hidden_span(strike) for strike in strikes if hides(strike)):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def is_alive(pid):
    """Whether any thread of the process is left. Killed, its first thread is a zombie at once, while the last one still
    frees the memory, up to a second, and only then closes the sockets: a new process could not listen on its port."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()  # proc_pid_stat(5), from the third field on
    except OSError:
        return False
    state, threads = fields[0], int(fields[17])
    return state not in "ZX" or threads > 1
