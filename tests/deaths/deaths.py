#!/usr/bin/env python3
"""deaths.py KUBECTL_GOODPUT [--again] [NAME...]: kills real training jobs, and asks `kubectl goodput why` what they died of.

Each job has a process a rank (torchrun with four, JAX with two). Its lines get the time at which they were read, as a
kubelet does. When the first process has failed, the others get SIGTERM two seconds later, as the pods of a JobSet that
is created again. The class and the first failing rank must be right in every job. A death without a cause in its logs
must be named as a symptom. Needs root for the network, the small disk and the memory cgroup of host-oom: where no such
group can be made, these deaths are NOT RUN, which says what is missing and passes nothing. Logs stay in
.build/deaths/logs; --again reads those of the last run.

A slow machine changes nothing: the timeouts of a job start when all its processes have loaded their libraries (gate.py),
and a job is given up only when none of its processes has printed anything for GIVE_UP_S."""
import datetime
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from job_folder import JobFolder, argv, environment
from memory_group import MemoryGroup, NoMemoryGroup
from table import DEATHS, NONE

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(".build/deaths")
PYTHON = os.path.join(ROOT, "venv/bin/python")
DELETED_AFTER_S, GRACE_S, GIVE_UP_S = 2, 5, 300


# ---- the place of a job ----


def command(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Network:
    """Two network namespaces, one for the victim and one for the others, joined by a pair of interfaces."""

    def __init__(self):
        self.names = [f"deaths-{os.getpid()}-{side}" for side in "ab"]
        self.addresses = ["10.77.0.1", "10.77.0.2"]
        self.cards = [f"d{os.getpid()}{side}" for side in "ab"]
        command("ip", "link", "add", self.cards[0], "type", "veth", "peer", "name", self.cards[1])
        for name, card, address in zip(self.names, self.cards, self.addresses):
            command("ip", "netns", "add", name)
            command("ip", "link", "set", card, "netns", name)
            command("ip", "-n", name, "address", "add", address + "/24", "dev", card)
            command("ip", "-n", name, "link", "set", card, "up")
            command("ip", "-n", name, "link", "set", "lo", "up")

    def cut(self):
        """Silently: each side's packets go to a card that does not exist."""
        for name, card, peer in zip(self.names, self.cards, reversed(self.addresses)):
            command("ip", "-n", name, "neigh", "replace", peer, "lladdr", "02:00:00:00:00:99", "nud", "permanent", "dev", card)

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def free_port():
    """A port that nobody has, below those that Linux gives to connections: none takes it before the job listens there."""
    while True:
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", random.randrange(10000, 32768)))
                return s.getsockname()[1]
            except OSError:
                pass


class Job:
    def __init__(self, death):
        self.death = death
        self.count, self.victim, self.ranks = death.count, death.victim, death.ranks
        self.folder = os.path.join(ROOT, "logs", f"{death.framework}-{death.name}")
        self.files = JobFolder(death, self.folder, PYTHON)
        self.codes = os.path.join(self.folder, "exit-codes.json")
        self.message = os.path.join(self.folder, f"rank-{self.victim}.message")
        self.port = free_port()
        self.processes, self.threads, self.stamps = {}, [], {}
        self.network = self.listener = self.memory = None
        self.printed_at = time.monotonic()

    # -- setting up --

    def prepare(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.files.prepare()
        name = self.death.name
        if name == "disk-full":
            command("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", self.files.disk)
        if name == "network":
            self.network = Network()
        if name == "host-oom":
            self.memory = MemoryGroup(self.death.framework)
        if name == "port":
            self.listener = socket.socket()
            self.listener.bind(("127.0.0.1", self.port))
            self.listener.listen()

    # -- processes --

    def argv(self, rank):
        address = self.network.addresses[0] if self.network else "127.0.0.1"
        return argv(self.death, PYTHON, HERE, self.folder, self.files.disk, rank, address, self.port)

    def start(self, rank):
        variables = dict(os.environ, **environment(self.death, self.files.gate))
        words = self.argv(rank)
        if self.network:
            side = 1 if rank == self.victim else 0
            in_host = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', self.network.addresses[side]] # JAX binds to it
            words = ["ip", "netns", "exec", self.network.names[side], *in_host, *words]
            variables["GLOO_SOCKET_IFNAME"] = self.network.cards[side]
        enter = self.memory.enter if self.memory and rank == self.victim else None
        p = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=variables, start_new_session=True, preexec_fn=enter)
        self.processes[rank] = p
        thread = threading.Thread(target=self.read, args=(rank, p))
        thread.start()
        self.threads.append(thread)

    def read(self, rank, p):
        with open(self.log(rank), "wb") as file:
            for line in p.stdout:
                now = datetime.datetime.now(datetime.timezone.utc)
                file.write(now.strftime("%Y-%m-%dT%H:%M:%S.%f000Z ").encode() + line)
                file.flush()
                self.printed_at = time.monotonic()
                if b"step: 4" in line:
                    self.stamps[rank] = time.monotonic()

    def log(self, rank):
        return os.path.join(self.folder, f"rank-{rank}.log")

    def has_ended(self, rank):
        return self.processes[rank].poll() is not None

    # -- its life --

    def strike(self):
        """What comes from outside, once all ranks have trained."""
        if len(self.stamps) < self.count:
            return
        if self.struck_at is None:
            self.struck_at = time.monotonic()
            if self.death.name == "network":
                self.network.cut()
            if self.death.name == "sigterm":
                self.processes[self.victim].send_signal(signal.SIGTERM)
        if self.death.name == "sigterm" and time.monotonic() > self.struck_at + GRACE_S: # JAX takes SIGTERM and trains on
            self.processes[self.victim].kill()

    def run(self):
        self.struck_at = None
        for rank in self.ranks():
            self.start(rank)
        while not any(self.has_ended(rank) for rank in self.processes) and time.monotonic() < self.printed_at + GIVE_UP_S:
            self.strike()
            time.sleep(0.05)
        codes = {rank: p.returncode for rank, p in self.processes.items() if p.returncode is not None}
        time.sleep(DELETED_AFTER_S)
        self.delete()
        return codes

    def delete(self):
        for rank, p in self.processes.items():
            if not self.has_ended(rank):
                p.send_signal(signal.SIGTERM)
        until = time.monotonic() + GRACE_S
        while time.monotonic() < until and not all(self.has_ended(rank) for rank in self.processes):
            time.sleep(0.05)
        for p in self.processes.values():
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            p.wait()
        for thread in self.threads:
            thread.join(5)

    def close(self):
        if self.network:
            self.network.close()
        if self.memory:
            if self.memory.kills() > 0: # what the kubelet records then
                with open(self.message, "w", encoding="utf-8") as file:
                    file.write("OOMKilled\n")
            self.memory.close()
        if self.listener:
            self.listener.close()
        if os.path.ismount(self.files.disk):
            command("umount", self.files.disk)
        self.files.remove()


# ---- the verdict ----


def exit_code(codes):
    """Of the container that ended first, as Kubernetes writes it."""
    code = next(iter(codes.values()), None)
    return None if code is None else code if code >= 0 else 128 - code


def why(program, job, codes):
    logs = [log for log in map(job.log, range(job.count)) if os.path.exists(log)]
    words = [program, "why", *logs, "-o", "json"]
    code = exit_code(codes)
    if code is not None:
        words += ["--exit-code", str(code)]
    if os.path.exists(job.message):
        words += ["--termination-message", job.message]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)


def rank_of(answer):
    return int(os.path.basename(answer["firstFailing"]).split("-")[1].split(".")[0]) if answer.get("firstFailing") else None


def judge(death, answer):
    """What is wrong; empty: nothing."""
    wrong = []
    rank = rank_of(answer)
    if answer["class"] not in death.classes:
        wrong.append("class")
    if answer["symptomOnly"] != (death.rank is NONE):
        wrong.append("symptom")
    if isinstance(death.rank, int) and (rank != death.rank or answer["rank"] not in (None, rank)):
        wrong.append("rank")
    if not death.may_wait_for(os.path.basename(answer.get("waitsFor", ""))):
        wrong.append("waitsFor")
    return wrong


def play(job):
    try:
        job.prepare()
        codes = job.run()
    finally:
        job.close()
    with open(job.codes, "w", encoding="utf-8") as file:
        json.dump(list(codes.items()), file)


def read_codes(job):
    with open(job.codes, encoding="utf-8") as file:
        return dict(json.load(file))


def main():
    program, options = os.path.abspath(sys.argv[1]), sys.argv[2:]
    is_again, names = "--again" in options, [o for o in options if o != "--again"]
    chosen = [d for d in DEATHS if not names or d.name in names or f"{d.framework}-{d.name}" in names or d.framework in names]
    results, not_run = [], 0
    for death in chosen:
        job = Job(death)
        try:
            if not is_again:
                play(job)
        except NoMemoryGroup as missing:
            not_run += 1
            print(f"NOT RUN        {death.framework}-{death.name:22s} {missing}", flush=True)
            continue
        codes = read_codes(job)
        answer = why(program, job, codes)
        wrong = judge(death, answer)
        results.append(not wrong)
        print(f"{'ok' if not wrong else 'WRONG ' + ','.join(wrong):14s} {death.framework}-{death.name:22s} {answer['class']} ({answer['reason']})"
              f"{', symptom' if answer['symptomOnly'] else ''}; rank {rank_of(answer)}, expected {death.rank}; "
              f"exits {codes}; {(answer['text'] or '')[:90]!r}", flush=True)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, {not_run} not run")
    return 0 if results and all(results) and not_run == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
