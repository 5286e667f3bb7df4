"""What befalls many neighbors of the victim at once, without ill will of any of them: a pod that prints without
measure, jobs and nodes that die together, an API server that answers late. They run like the attacks of attacks.py, before them."""
import sys
import time

from attacks import attack, meta
from world import JOBGOODPUTS, Job, now

NAMESPACES, JOBS_EACH = 20, 50  # 1,000 jobs of as many tenants as a cluster has
NODES, PODS_OF_A_JOB = 3000, 100
LATE_S, LATE_JOBS = 10, 200
BUDGET_S = 60  # the budget of urgent writes grows back in 50 s
COUNTED_S = 180  # at most, until every neighbor has its loss in its status

FLOODS = []


def flood(what, seconds):
    """Urgent writes beyond their budget take turns, one of each namespace: a second for twenty of them."""
    return attack("flood: " + what, seconds, delay=5.0, to=FLOODS)


def in_namespace(namespace, name, **more):
    return {**meta(name, **more), "namespace": namespace}


def job_goodput(namespace, name):
    return {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": in_namespace(namespace, name, generation=1),
            "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": name}, "stepLog": {"source": "None"}}}


def job(namespace, name, pods):
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {**in_namespace(namespace, name), "uid": f"{namespace}-{name}"},
            "spec": {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "template": {"spec": {"containers": [{"name": "c"}]}}}}


def pod(namespace, of, index, name, on, since, has_failed=False):
    """A pod that runs on that node since then, or that fails now."""
    state = {"running": {"startedAt": since}}
    if has_failed:
        state = {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": since, "finishedAt": "${now}"}}
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": on, "restartPolicy": "Never", "containers": [{"name": "c"}]},
            "metadata": {**in_namespace(namespace, name, labels={
                "batch.kubernetes.io/controller-uid": f"{namespace}-{of}", "batch.kubernetes.io/job-name": of,
                "batch.kubernetes.io/job-completion-index": index}, ownerReferences=[
                    {"apiVersion": "batch/v1", "kind": "Job", "name": of, "uid": f"{namespace}-{of}", "controller": True}]),
                         "uid": f"{namespace}-{name}"},
            "status": {"phase": "Failed" if has_failed else "Running",
                       "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": since}],
                       "containerStatuses": [{"name": "c", "restartCount": 0, "state": state}]}}


def node(is_ready):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "far-${i}", "uid": "far-${i}", "resourceVersion": "${rv}"},
            "status": {"conditions": [{"type": "Ready", "status": "True" if is_ready else "Unknown",
                                       "reason": "KubeletReady" if is_ready else "NodeStatusUnknown", "lastTransitionTime": "${now}"}]}}


def await_losses(api, namespaces, count):
    """Every JobGoodput of these namespaces has counted an interruption: the flood was one."""
    end = time.monotonic() + COUNTED_S
    while True:
        items = [x for name in namespaces for x in api.ask("GET", JOBGOODPUTS.format(name))["items"]]
        known = sum(x.get("status", {}).get("interruptions", {}).get("total", 0) > 0 for x in items)
        if known == count:
            return
        if time.monotonic() > end:
            sys.exit(f"{known} of {count} neighbors' statuses have their loss")
        time.sleep(1)


@flood("one pod that prints 100 MB/s", 12)
def prints(world):
    noisy = Job(world.api(), "hostile", f"prints-{world.round}", {"source": "PodLog", "format": "Auto"})
    world.do(f"flood hostile/{noisy.name}-0 100000000 10 {now()}")
    world.rest()


@flood("3,000 nodes of 30 jobs that are lost at once", 100)
def nodes(world):
    jobs, since, far = NODES // PODS_OF_A_JOB, now(), f"far-{world.round}"
    world.each("nodes", "far-${i}", NODES, node(True))
    world.each("jobs", far + "/job-${i}", jobs, job(far, "job-${i}", PODS_OF_A_JOB))
    world.each("pods", far + "/pod-${i}", NODES, pod(far, "job-${group}", "${member}", "pod-${i}", "far-${i}", since), per=PODS_OF_A_JOB)
    world.each("jobgoodputs", far + "/job-${i}", jobs, job_goodput(far, "job-${i}"))
    time.sleep(5)
    world.each("nodes", "far-${i}", NODES, node(False))
    world.each("pods", far + "/pod-${i}", NODES, None)  # as the garbage collector does
    world.each("nodes", "far-${i}", NODES, None)
    await_losses(world.api(), [far], jobs)
    world.each("jobgoodputs", far + "/job-${i}", jobs, None)
    world.each("jobs", far + "/job-${i}", jobs, None)


@flood("200 neighbors' writes that the API server answers after 10 s", 40)
def late(world):
    since, late_one = now(), f"late-{world.round}"
    world.do(f"on apply {JOBGOODPUTS.format(late_one)} always : delay {LATE_S}s")
    world.each("jobs", late_one + "/job-${i}", LATE_JOBS, job(late_one, "job-${i}", 1))
    world.each("pods", late_one + "/pod-${i}", LATE_JOBS, pod(late_one, "job-${i}", "0", "pod-${i}", "n", since))
    world.each("jobgoodputs", late_one + "/job-${i}", LATE_JOBS, job_goodput(late_one, "job-${i}"))
    while world.is_on():
        for has_failed in (True, False):
            world.each("pods", late_one + "/pod-${i}", LATE_JOBS, pod(late_one, "job-${i}", "0", "pod-${i}", "n", since, has_failed))
            time.sleep(2)
    world.do("clear faults")
    for kind, name in (("jobgoodputs", "job-${i}"), ("pods", "pod-${i}"), ("jobs", "job-${i}")):
        world.each(kind, f"{late_one}/{name}", LATE_JOBS, None)


@flood("1,000 jobs of 20 namespaces that die at once", 100)
def deaths(world):
    names, since = [f"dying-{world.round}-{i}" for i in range(NAMESPACES)], now()
    kinds = (("jobs", "job-${i}", lambda ns: job(ns, "job-${i}", 1)), ("pods", "pod-${i}", lambda ns: pod(ns, "job-${i}", "0", "pod-${i}", "n", since)),
             ("jobgoodputs", "job-${i}", lambda ns: job_goodput(ns, "job-${i}")))
    for kind, name, template in kinds:
        for namespace in names:
            world.each(kind, f"{namespace}/{name}", JOBS_EACH, template(namespace))
    time.sleep(5)
    for namespace in names:
        world.each("pods", f"{namespace}/pod-${{i}}", JOBS_EACH, pod(namespace, "job-${i}", "0", "pod-${i}", "n", since, True))
    await_losses(world.api(), names, NAMESPACES * JOBS_EACH)
    for kind, name, _ in reversed(kinds):  # records first: the end of a job is one more urgent write
        for namespace in names:
            world.each(kind, f"{namespace}/{name}", JOBS_EACH, None)
    time.sleep(BUDGET_S)  # what comes next finds it whole
