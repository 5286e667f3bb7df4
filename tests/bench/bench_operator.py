"""bench-operator: the cost of the controller compared with a minimal client-go informer program on the same streams, fed by the
embedded API server over TLS: a JobSet of 12,736 pods through two executions with a restart between, in the shapes of the
recorded story; then 1,000 JobGoodputs at once, each with a pod whose log grows by a step every
STEP_EVERY_S; with --more-jobs 10000 the same for 10,000; with --age-hours 10 of jobs that did such steps for 10 hours before.

Prints resident memory, CPU seconds and their ratios (medians of --pairs runs), requests and the time until all have a
status, which --status-qps decides. Fails only where a promise is a bound of memory or of open log follows; times
depend on the machine and are not judged.
"""
import argparse
import datetime
import gzip
import json
import os
import re
import socket
import sys
import tempfile
import time
import urllib.request

from programs import ROOT, Client, Server
from recorded import Files, Story, Times, pod_templates, template, without_kueue

HOSTS = 64  # pods of a slice
MAX_FOLLOWS = 100
PACED_SLICES = 4
STEP_LINES = 50  # a second apart, of a young job
CHECKPOINT_STEPS = 100  # of an old job
STEADY_S = 60
STEP_EVERY_S = 30  # of each job, while the steady cost is measured
LINES_AT_ONCE = 50  # handed to the server
DELAYS = 20  # the number that is measured


def each(server, kind, key, count, per, path):
    server.do(f"each {kind} {key} {count} {per} {path}\nwait 3000s each")


def paced(server, kind, key, count, per, text, rate):
    """The same one by one, `rate` a second."""
    started = time.time()
    for i in range(count):
        time.sleep(max(0, started + i / rate - time.time()))
        values = {"i": i, "hex": f"{i:012x}", "group": i // per, "member": i % per, "rv": "", "now": ""}
        fill = lambda shape: re.sub(r"\$\{(\w+)\}", lambda found: str(values[found.group(1)]), shape)  # pylint: disable=unnecessary-lambda-assignment,cell-var-from-loop
        server.do(f"delete {kind} {fill(key)}" if text is None else f"apply <<END\n{fill(text)}\nEND")


def node_shape(story, files):
    node = story.versions[("nodes", "gke-tpu-00")][-1]
    node["metadata"]["labels"]["kubernetes.io/hostname"] = "node-${i}"
    return files.put(template(node, [("gke-tpu-00", "node-${i}"), (node["metadata"]["uid"], "node-uid-${i}")]))


# ---- one JobSet of many pods ----


class BigJob:
    """Its objects, and its stream: two lives of every pod, nine events each."""

    def __init__(self, story, files, slices, rate=0):
        self.slices, self.pods, self.rate = slices, slices * HOSTS, rate
        self.story, self.files, self.times = story, files, Times()
        versions = story.versions[("jobsets", "train-a")]
        self.running = next(v for v in versions if not v["spec"].get("suspend"))
        self.restarted = next(v for v in versions if v.get("status", {}).get("restarts") == 1)
        for jobset in (self.running, self.restarted):
            jobset["spec"]["replicatedJobs"][0]["replicas"] = slices
            spec = jobset["spec"]["replicatedJobs"][0]["template"]["spec"]
            spec["parallelism"] = spec["completions"] = HOSTS
            without_kueue(jobset)
        self.job = next(v for v in story.versions[("jobs", "train-a-slice-1")] if not v["spec"].get("suspend"))
        for field in ("parallelism", "completions"):
            self.job["spec"][field] = HOSTS
        without_kueue(self.job)
        self.job["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"] = "${i}"
        self.node = node_shape(story, files)
        self.lives = {number: story.pod_life("train-a-slice-1", exit_code) for number, exit_code in ((1, 134), (2, 0))}
        self.name = self.running["metadata"]["name"]
        self.events = self.pods * sum(len(life) + 1 for life in self.lives.values())

    def _pod(self, number):
        return f"train-a-slice-${{group}}-${{member}}-x{number}"

    def _begin(self, server, number, jobset):
        """The JobSet and its Jobs, as they are when that life of the pods begins."""
        job = json.loads(json.dumps(self.job))
        job["metadata"]["creationTimestamp"] = self.lives[number][0]["metadata"]["creationTimestamp"]
        names = [(job["metadata"]["name"], "train-a-slice-${i}"), (job["metadata"]["uid"], f"job-{number}-uid-${{i}}")]
        jobset, job = self.times.move([jobset, job])
        self._send(server, "jobsets", "train/" + self.name, 1, 1, template(jobset, []))
        self._send(server, "jobs", "train/train-a-slice-${i}", self.slices, 1, template(job, names))

    def _send(self, server, kind, key, count, per, text):
        Times.wait_for(text)
        each(server, kind, key, count, per, self.files.put(text))

    def seed(self, server):
        each(server, "nodes", "/node-${i}", self.pods, HOSTS, self.node)
        self._begin(server, 1, self.running)

    def play(self, server, number):
        if number == 2:
            each(server, "jobs", "train/train-a-slice-${i}", self.slices, 1, "-")
            self._begin(server, 2, self.restarted)
        ours = ("train-a-slice-${group}", f"job-{number}-uid-${{group}}")
        versions = self.times.move(self.lives[number])
        for text in pod_templates(versions, self._pod(number), f"pod-{number}-uid-${{hex}}", ours, "node-${i}"):
            if self.rate:
                paced(server, "pods", "train/" + self._pod(number), self.pods, HOSTS, text, self.rate)
            else:
                self._send(server, "pods", "train/" + self._pod(number), self.pods, HOSTS, text)
        if self.rate:
            paced(server, "pods", "train/" + self._pod(number), self.pods, HOSTS, None, self.rate)
        else:
            each(server, "pods", "train/" + self._pod(number), self.pods, HOSTS, "-")


def goodput(namespace, name, source):
    target = {"apiGroup": "jobset.x-k8s.io", "kind": "JobSet", "name": name}
    manifest = {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"namespace": namespace, "name": name}}
    return {**manifest, "spec": {"targetRef": target, "stepLog": {"source": source, "format": "Auto"}}}


def controller(kubeconfig, directory, *flags):
    program = os.path.join(os.environ.get("GOODPUT_BIN", os.path.join(ROOT, ".build/bin")), "goodput-controller")
    command = [*os.environ.get("BENCH_WRAP", "").split(), program, "--kubeconfig", kubeconfig, "--leader-elect=false"]
    return Client("controller", [*command, "--health-bind-address=127.0.0.1:0", *flags], os.path.join(directory, "controller.log"))


def informer(program, kubeconfig, directory):
    return Client("informer", [program, kubeconfig], os.path.join(directory, "informer.log"))


def measure_big(start, story, slices, rate=0):
    """{what: figure} of one client on the whole stream."""
    with tempfile.TemporaryDirectory() as directory:
        server = Server(directory)
        try:
            job = BigJob(story, Files(directory), slices, rate)
            job.seed(server)
            server.do("apply <<END\n" + json.dumps(goodput("train", job.name, "None")) + "\nEND")
            client = start(server.kubeconfig, directory)
            try:
                client.await_ready()
                client.settle()
                started = client.cpu_seconds()
                idle = client.memory_kib("VmRSS")
                clock = time.time()
                for number in (1, 2):
                    job.play(server, number)
                client.settle()
                cpu = client.cpu_seconds() - started
                seconds = time.time() - clock
                if client.name == "controller":
                    check_status(server, job)
                peak, now = client.memory_kib("VmHWM"), client.memory_kib("VmRSS")
            finally:
                client.stop()
        finally:
            server.stop()
    return {"pods": job.pods, "events": job.events, "seconds": seconds, "first": started, "cpu": cpu, "before": idle, "peak": peak, "after": now}


def check_status(server, job):
    """The figures are worth nothing if the controller has not processed all events."""
    status = json.loads("".join(server.do("get jobgoodputs train/" + job.name)))["status"]
    required = status["availability"]["required"]
    if required != job.pods or status["interruptions"]["total"] != 1 or len(status["executions"]) != 2:
        seen = f"{required} slots, {status['interruptions']}, {status['executions']}"
        raise RuntimeError(f"the controller saw {seen}: not the stream that was sent")


# ---- many jobs ----


class Fleet:
    """JobSets of one pod each that runs, with a log of STEP_LINES steps or of `age_hours`, and a JobGoodput for each."""

    def __init__(self, story, files, age_hours=0):
        self.steps, self.apart_s = (age_hours * 3600 // STEP_EVERY_S, STEP_EVERY_S) if age_hours else (STEP_LINES, 1)
        jobset = next(v for v in story.versions[("jobsets", "train-c")] if not v["spec"].get("suspend"))
        job = next(v for v in story.versions[("jobs", "train-c-slice-0")] if not v["spec"].get("suspend"))
        for spec in (jobset["spec"]["replicatedJobs"][0]["template"]["spec"], job["spec"]):
            spec["parallelism"] = spec["completions"] = 1
        for item in (jobset, job):
            without_kueue(item)
        pod = next(v for v in story.pod_life("train-c-slice-0", 1) if v["status"]["phase"] == "Running")
        jobset, job, pod = Times(ago_s=self.steps * self.apart_s + STEP_LINES).move([jobset, job, pod])
        for kind in ("labels", "annotations"):
            pod["metadata"][kind]["batch.kubernetes.io/job-completion-index"] = "0"
        names = [(item["metadata"]["uid"], f"{kind}-uid-${{hex}}") for kind, item in (("jobset", jobset), ("job", job), ("pod", pod))]
        names += [(pod["metadata"]["name"], "job-${i}-slice-0-0-x"), (pod["spec"]["nodeName"], "node-${i}"), ("train-c", "job-${i}")]
        self.node = node_shape(story, files)
        self.started = datetime.datetime.fromisoformat(pod["status"]["containerStatuses"][0]["state"]["running"]["startedAt"][:19])
        record = goodput("train", "job-${i}", "PodLog")
        record["metadata"].update(uid="goodput-uid-${hex}", generation=1, creationTimestamp="${now}")
        texts = (("jobsets", "job-${i}", jobset), ("jobs", "job-${i}-slice-0", job), ("pods", "job-${i}-slice-0-0-x", pod))
        self.shapes = [(kind, key, files.put(template(item, names))) for kind, key, item in texts]
        self.shapes.append(("jobgoodputs", "job-${i}", files.put(template(record, []))))

    def play(self, server, count):
        log = "\n".join(line for step in range(self.steps) for line in self._past(step))
        each(server, "nodes", "/node-${i}", count, 1, self.node)
        for kind, key, path in self.shapes[:-1]:
            each(server, kind, "train/" + key, count, 1, path)
        for number in range(count):
            server.do(f"log train/job-{number}-slice-0-0-x <<END\n{log}\nEND")
        kind, key, path = self.shapes[-1]
        each(server, kind, "train/" + key, count, 1, path)

    def go_on(self, server, count, seconds):
        """Every job takes a step every STEP_EVERY_S, evenly spread over all of them."""
        started, sent = time.time(), 0
        while time.time() - started < seconds:
            due = int((time.time() - started) * count / STEP_EVERY_S)
            while sent < due:
                lines = [self.step_line(number, count) for number in range(sent, min(due, sent + LINES_AT_ONCE))]
                server.do("\n".join(lines))
                sent += len(lines)
            time.sleep(0.05)
        return sent

    def step_line(self, number, count):
        text = f"completed step: {self.steps + number // count}, seconds: {STEP_EVERY_S}.000, TFLOP/s/device: 50.1, loss: 2.1"
        return f'log train/job-{number % count}-slice-0-0-x "{text}"'

    def _past(self, step):
        at = self.started + datetime.timedelta(seconds=5 + step * self.apart_s)
        stamp = at.isoformat(timespec="microseconds") + "Z"
        yield f"{stamp} completed step: {step}, seconds: {self.apart_s}.000, TFLOP/s/device: 50.1, loss: 2.1"
        if (step + 1) % CHECKPOINT_STEPS == 0:
            yield f"{stamp} saved a checkpoint at step {step}"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def counted(port, name):
    """The sum of a metric of the controller's own."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Accept-Encoding": "gzip"})  # as Prometheus
    with urllib.request.urlopen(request, timeout=60) as page:
        text = gzip.decompress(page.read()).decode()
    return sum(int(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\d+)", text, re.M))


def follows(port):
    """The controller's own count: a server that only writes does not notice at once that its reader left."""
    return counted(port, "goodput_controller_log_follows")


def start_fleet(server, count, port, cpu):
    """Until each JobGoodput has a status and its steps are read: {what: figure}."""
    started, written_s, start_s, max_follows = time.time(), 0, 0, 0
    while True:
        written = int(server.do('holding jobgoodputs "observedThrough":')[0])
        read = int(server.do('holding jobgoodputs "retained":')[0])
        if written == count and not written_s:
            written_s = time.time() - started
            start_s = cpu()
        if written == count and read == count:
            return {"follows": max_follows, "written_s": written_s, "start_s": start_s, "read_s": time.time() - started}
        if time.time() - started > 6000:
            raise RuntimeError(f"{written} of {count} JobGoodputs have a status, {read} have read their steps")
        max_follows = max(max_follows, follows(port))
        time.sleep(0.5 if count <= 1000 else 5)  # to count is work for the server


def delay_s(server, number):
    """From a pod's deletion, as the server has done it, until the interruption is in the status that it holds."""

    def interruptions():
        status = json.loads("".join(server.do(f"get jobgoodputs train/job-{number}")))["status"]
        return status["interruptions"]["total"]

    before = interruptions()
    server.do(f"delete pods train/job-{number}-slice-0-0-x")
    started = time.time()
    while time.time() - started < 60:
        if interruptions() > before:
            return time.time() - started
        time.sleep(0.02)
    raise RuntimeError(f"the deletion of a pod of job-{number} is in no status after 60 s")


def measure_steady(server, client, fleet, count, port):
    """While every job steps: CPU and requests a second; and then what a person waits for."""
    cpu, requests, started = client.cpu_seconds(), counted(port, "rest_client_requests_total"), time.time()
    steps = fleet.go_on(server, count, STEADY_S)
    seconds = time.time() - started
    figures = {"steady": (client.cpu_seconds() - cpu) / seconds, "steps": steps / seconds}
    figures["requests"] = (counted(port, "rest_client_requests_total") - requests) / seconds
    figures["delays"] = sorted(delay_s(server, number) for number in range(0, count, -(-count // DELAYS)))
    return figures


def measure_fleet(start, story, count, age_hours=0):
    port = free_port()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(directory)
        try:
            client = start(server.kubeconfig, directory, port)
            try:
                is_ours = client.name == "controller"
                client.await_ready()
                fleet = Fleet(story, Files(directory), age_hours)
                fleet.play(server, count)
                figures = {"jobs": count, "log": fleet.steps}
                if is_ours:
                    figures |= start_fleet(server, count, port, client.cpu_seconds)
                else:
                    client.settle()
                figures |= {"rss": client.memory_kib("VmRSS"), "peak": client.memory_kib("VmHWM"), "cpu": client.cpu_seconds()}
                figures["connections"] = int(server.do("connections")[0])
                if is_ours:
                    figures |= measure_steady(server, client, fleet, count, port)
                return figures
            finally:
                client.stop()
        finally:
            server.stop()


def show_big(ours, theirs, rate=0):
    pace = f", {rate} a second" if rate else ""
    print(f"one JobSet of {ours['pods']} pods through two executions: {ours['events']} pod events{pace}, JSON over TLS")
    print(f"    {'':36} {'controller':>12} {'informer':>12} {'ratio':>8}")
    rows = [("resident at most, MiB", "peak", 1024), ("resident in the end, MiB", "after", 1024)]
    rows += [("CPU seconds of the stream", "cpu", 1), ("CPU us per pod event", "cpu", ours["events"] / 1e6)]
    for what, key, unit in rows + [("seconds until all was taken in", "seconds", 1)]:
        theirs_text = f"{theirs[key] / unit:12.1f} {theirs[key] / max(ours[key], 0.01):7.1f}x" if theirs else "           -"
        print(f"    {what:36} {ours[key] / unit:12.1f} {theirs_text}")


def follower(options):
    def start(kubeconfig, directory, port):
        flags = [f"--max-log-follows={MAX_FOLLOWS}", f"--status-qps={options.status_qps}"]
        return controller(kubeconfig, directory, *flags, f"--metrics-bind-address=127.0.0.1:{port}")

    return start


def medians(runs):
    """Of each figure by itself; of the delays all, and the most follows."""
    middle = {key: sorted(run[key] for run in runs)[len(runs) // 2] for key in runs[0] if key != "delays"}
    delays = sorted(delay for run in runs for delay in run.get("delays", []))
    return middle | {"delays": delays, "follows": max(run.get("follows", 0) for run in runs)}


def pairs(options, ours, theirs):
    """(medians of the controller, of the informer or None), measured in turns so that what the machine does hits both."""
    runs = [(ours(), theirs() if options.informer else None) for _ in range(options.pairs)]
    return medians([run[0] for run in runs]), medians([run[1] for run in runs]) if options.informer else None


def big_part(options, failures):
    theirs = lambda: measure_big(lambda *a: informer(options.informer, *a), Story(), options.slices)  # pylint: disable=unnecessary-lambda-assignment
    ours, theirs = pairs(options, lambda: measure_big(controller, Story(), options.slices), theirs)
    show_big(ours, theirs)
    if ours["peak"] >= 32 * 1024:
        failures.append("the controller was above 32 MiB resident")


def paced_part(options):
    """A busy cluster rather than a burst: the cost of one event is then mostly that of a wake-up."""
    theirs = lambda: measure_big(lambda *a: informer(options.informer, *a), Story(), PACED_SLICES, options.rate)  # pylint: disable=unnecessary-lambda-assignment
    ours, theirs = pairs(options, lambda: measure_big(controller, Story(), PACED_SLICES, options.rate), theirs)
    show_big(ours, theirs, options.rate)


def show_fleet(many, theirs, each_kib):
    delays = many["delays"]
    print(f"{many['jobs']} JobGoodputs with logs of {many['log']} steps, HTTP/2 over TLS, {many['connections']} connections")
    print(f"    {many['rss'] / 1024:.1f} MiB resident ({many['peak'] / 1024:.1f} at most), {each_kib:.1f} KiB each; {many['cpu']:.1f} CPU seconds until all was read")
    print(f"    all had a status after {many['written_s']:.0f} s ({many['start_s']:.1f} CPU seconds) and their steps after {many['read_s']:.0f} s, at most {many['follows']} log follows open")
    print(f"    then, with {many['steps']:.0f} steps a second over all, {60 * many['steady']:.1f} CPU seconds a minute and {many['requests']:.0f} requests a second")
    print(f"    a lost pod is in status after {delays[len(delays) // 2]:.2f} s (median), {delays[-1]:.2f} s (the slowest of {len(delays)})")
    if theirs:
        print(f"    the informer, which reads no log and writes nothing: {theirs['rss'] / 1024:.1f} MiB, {theirs['cpu']:.1f} CPU seconds;", end=" ")
        print(f"{theirs['rss'] / many['rss']:.1f}x the memory, {theirs['cpu'] / many['cpu']:.1f}x the CPU")


def fleet_part(options, failures):
    ours = lambda count: measure_fleet(follower(options), Story(), count, options.age_hours)  # pylint: disable=unnecessary-lambda-assignment
    few = ours(options.jobs // 10)
    for count in (options.jobs, *options.more_jobs):
        theirs = lambda: measure_fleet(lambda k, d, _: informer(options.informer, k, d), Story(), count)  # pylint: disable=unnecessary-lambda-assignment,cell-var-from-loop
        many, theirs = pairs(options, lambda: ours(count), theirs)  # pylint: disable=cell-var-from-loop
        each_kib = (many["rss"] - few["rss"]) / (many["jobs"] - few["jobs"])
        show_fleet(many, theirs, each_kib)
        if each_kib >= 64:
            failures.append("a further job took 64 KiB or more")
        if many["follows"] > MAX_FOLLOWS:
            failures.append(f"more than {MAX_FOLLOWS} logs were followed at once")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--informer", help="the built client-go program; without it only the controller is measured")
    parser.add_argument("--slices", type=int, default=199, help=f"of {HOSTS} pods each")
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--more-jobs", type=int, nargs="*", default=[])
    parser.add_argument("--status-qps", type=int, default=20, help="the controller's flag")
    parser.add_argument("--age-hours", type=int, default=0, help=f"of each job of the fleet: a step every {STEP_EVERY_S} s before")
    parser.add_argument("--rate", type=int, default=250, help="pod events a second of the paced part")
    parser.add_argument("--pairs", type=int, default=1, help="so many runs of each, in turns, and their medians")
    parser.add_argument("--only", choices=("big", "paced", "fleet"))
    return parser.parse_args()


def main():
    options = arguments()
    failures = []
    if options.only in (None, "big"):
        big_part(options, failures)
    if options.only in (None, "paced"):
        paced_part(options)
    if options.only in (None, "fleet"):
        fleet_part(options, failures)
    for failure in failures:
        print("not ok -", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
