"""The attacks of a hostile namespace. Each attack is a function of the world with @attack; it runs in a separate process
and ends when world.is_on() is false. Add one: write the function."""
import json
import multiprocessing
import resource
import sys
import time

from world import JOBGOODPUTS, Job, in_threads, now, token

ATTACKS = []


def attack(what, seconds=12, delay=2.0, to=ATTACKS):
    """delay: seconds within which an event of the victim, and a line of its log, is in its status."""
    def add(run):
        to.append((run.__name__, what, seconds, run, delay))
        return run
    return add


def log_lines(world, pod, lines):
    world.do(f"log hostile/{pod} <<END\n" + "\n".join(lines) + "\nEND")


@attack("patterns at and just within a line's limit, on floods of the worst lines, half of them edited")
def patterns(world):
    bad = "(?:a*?a*?b|a*?a*?c|a*?a*?d|a*?a*?e)(?<step>1)"
    nearly = "(?<step>1)|^a*?a*?a*?b"  # just within a line's limit on 55 bytes: some 0.3 ms
    api = world.api()
    jobs = [Job(api, "hostile", f"pattern-{world.round}-{i}", {"source": "PodLog", "format": "Regex", "regex": {"step": nearly}}) for i in range(20)]
    for job in jobs:
        log_lines(world, job.name + "-0", ["a" * 55] * 4000 + [("a" * 55 + "\r") * 40] * 20)
    turn = 0
    while world.is_on():
        turn += 1
        for job in jobs[10:]:
            log_lines(world, job.name + "-0", ["a" * 2040] * 20 + ["a" * 55] * 50)
            api.ask("PATCH", JOBGOODPUTS.format("hostile") + "/" + job.name, {"spec": {"stepLog": {"regex": {
                "step": f"{bad if turn % 3 else nearly}|{turn}"}}}}, "application/merge-patch+json")
        time.sleep(0.5)
    reasons, end = set(), time.monotonic() + 30  # a status of a namespace that has had its share waits
    while world.is_alone and not reasons & {"FormatNotRecognized", "PatternTooExpensive"}:
        if time.monotonic() > end:
            sys.exit(f"the lines were not matched: {reasons}")
        time.sleep(0.5)
        reasons = {c["reason"] for job in jobs[:10] for c in job.status().get("conditions", [])}


@attack("floods of log lines, 2 MB/s on each of ten pods")
def lines(world):
    api = world.api()
    jobs = [Job(api, "hostile", f"lines-{world.round}-{i}", {"source": "PodLog", "format": "Auto"}) for i in range(10)]
    for job in jobs:
        world.do(f"flood hostile/{job.name}-0 2000000 10 {now()}")
    world.rest()


def meta(name, **more):
    return {"name": name, "namespace": "hostile", "uid": name + "-${hex}", "resourceVersion": "${rv}",
            "creationTimestamp": "${now}", **more}


@attack("30,000 Events and 10,000 updates of one pod")
def events(world):
    event = {"apiVersion": "v1", "kind": "Event", "metadata": meta("event-${i}"), "type": "Warning", "reason": "FailedCreate",
             "message": "exceeded quota " + "x" * 500, "involvedObject": {"kind": "Job", "namespace": "hostile", "name": "lines-${i}"},
             "lastTimestamp": "${now}", "firstTimestamp": "${now}", "count": 1}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta("busy", labels={"turn": "${i}", "batch.kubernetes.io/job-name": "x"}),
           "spec": {"nodeName": "n", "containers": [{"name": "c"}]}, "status": {"phase": "Running"}}
    pod["metadata"]["uid"] = "busy"
    world.each("events", "hostile/event-${i}", 30000, event)
    world.each("pods", "hostile/busy", 10000, pod)
    world.each("events", "hostile/event-${i}", 30000, None)


@attack("5,000 pods of jobs with long names, and 3,000 job names at the ingest")
def names(world):
    job = "x" * 180 + "-${i}"
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": "n", "containers": [{"name": "c"}]}, "status": {"phase": "Running"},
           "metadata": meta("pod-${i}", labels={"batch.kubernetes.io/job-name": job, "batch.kubernetes.io/controller-uid": job},
                            ownerReferences=[{"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": job, "controller": True}])}
    world.each("pods", "hostile/pod-${i}", 5000, pod)
    for start in range(0, 3000, 50):
        entries = [{"jsonPayload": {"job_name": f"name-{start + i}", "step_count": 1, "step_start_time": 1}} for i in range(50)]
        world.post("/v2/entries:write", json.dumps({"logName": "projects/hostile/logs/l", "entries": entries}).encode(), token("hostile"))
    world.each("pods", "hostile/pod-${i}", 5000, None)


@attack("10,000 JobGoodputs", seconds=25)
def objects(world):
    target = {"apiGroup": "batch", "kind": "Job", "name": "absent-${i}"}
    world.each("jobgoodputs", "hostile/idle-${i}", 10000, {
        "apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": meta("idle-${i}", generation=1),
        "spec": {"targetRef": target, "stepLog": {"source": "PodLog", "format": "Auto"}}})
    world.rest()


def many_files():
    max_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))


@attack("300 idle sockets at each listener, opened again when closed", seconds=15)
def sockets(world):
    many_files()
    held = {}
    while world.is_on():
        for listener in world.ports:
            for i in range(300):
                try:
                    if (listener, i) in held and held[listener, i].recv(1) != b"":
                        continue
                except BlockingIOError:
                    continue
                except OSError:
                    pass
                try:
                    held[listener, i] = world.connect(listener, is_tls=False)
                    held[listener, i].setblocking(False)
                except OSError:
                    pass
        time.sleep(0.3)


@attack("150 readers of lists that read nothing", seconds=15)
def lists(world):
    many_files()
    mine = token("hostile")
    for i in range(10):
        entries = [{"jsonPayload": {"job_name": "big", "step_count": i, "step_start_time": 1, "x": "y" * 200000}} for _ in range(8)]
        world.post("/v2/entries:write", json.dumps({"logName": "projects/hostile/logs/l", "entries": entries}).encode(), mine)
    body = json.dumps({"resourceNames": ["projects/hostile"], "filter": 'jsonPayload.job_name="big"', "orderBy": "timestamp asc"})
    held = []

    def read_nothing(_):
        try:
            tls = world.connect("ingest")
            tls.sendall(f"POST /v2/entries:list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {mine}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            held.append(tls)
        except OSError:
            pass
    while world.is_on():
        in_threads(150, read_nothing)
        time.sleep(4)


@attack("64 posts of 10 MiB without a token")
def bodies(world):
    def send(_):
        while True:
            world.post("/v2/entries:write", b" " * (10 << 20))
    in_threads(64, send)
    world.rest()


@attack("junk tokens at the ingest and at /metrics")
def tokens(world):
    def send(number):
        for i in range(100000):
            if number % 2:
                world.post("/v2/entries:write", b"{}", f"junk.{number}.{i}")
                continue
            try:
                with world.connect("metrics") as tls:
                    tls.sendall(f"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer junk.{number}.{i}\r\n\r\n".encode())
                    tls.recv(4096)
            except OSError:
                pass
    in_threads(8, send)
    world.rest()


@attack("all of these at once", seconds=35)
def everything(world):
    world.is_alone = False  # its own 10,000 objects keep the statuses of this namespace back
    fork = multiprocessing.get_context("fork")
    others = [run for _, _, _, run, _ in ATTACKS if run not in (objects, everything)]
    running = [fork.Process(target=run, args=(world,)) for run in [objects, *others]]
    for process in running:
        process.start()
        time.sleep(0.3)  # the objects come first
    for process in running:
        process.join()
    failed = [process.exitcode for process in running if process.exitcode != 0]
    sys.exit(f"{len(failed)} of {len(running)} attacks failed" if failed else 0)
