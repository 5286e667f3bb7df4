"""Kueue's workload slices (feature gate ElasticJobsViaWorkloadSlices, kueue pkg/workloadslicing): an elastic Job grows from
two pods to three, for which the quota is too small. Its third pod is gated while a second Workload waits; once the quota is
raised, that replaces the first one, whose pods run on. Then the Job shrinks to two pods again, without another Workload.

An elastic JobSet (KEP-463, feature gate ElasticJobSet, from JobSet 0.12 on), which no queue holds, grows and shrinks the same way."""
import time

import pools
import shapes
from cluster import is_workload_of, uids
from watch import is_true

NAMESPACE, NAME, POOL = "elastic", "stretched", "elastic"
SET, SET_POOL = "widened", "elastic-set"


def play(cluster):
    _play_job(cluster)
    _play_jobset(cluster)


def _play_jobset(cluster):
    pools.add_nodes(cluster, SET_POOL, [f"{SET_POOL}-{i}" for i in range(3)])
    cluster.observe(NAMESPACE, SET, stepLog={"source": "None"})
    cluster.create(shapes.jobset(NAMESPACE, SET, [_slice(2)]))
    first = cluster.wait_running(NAMESPACE, SET, 2)
    time.sleep(4)
    _scale_set(cluster, 3)
    pods = cluster.wait_running(NAMESPACE, SET, 3)
    assert uids(first) <= uids(pods), "the first two pods were replaced"
    time.sleep(4)
    _scale_set(cluster, 2)
    cluster.watch.wait("two pods", lambda: len(cluster.pods_of(NAMESPACE, SET)) == 2, 60)
    time.sleep(4)
    assert uids(cluster.pods_of(NAMESPACE, SET)) == uids(first), "another pod than the third was taken away"
    cluster.complete(NAMESPACE, SET)
    cluster.wait_condition("jobsets", NAMESPACE, SET, "Completed")


def _slice(pods):
    return shapes.replicated_job("slice", [SET_POOL], hosts=pods, completionMode="Indexed")


def _scale_set(cluster, pods):
    cluster.mark(f"{SET}: a person scales it to {pods} pods")
    jobset = cluster.api.get("jobsets", NAMESPACE, SET)
    replicated = jobset["spec"]["replicatedJobs"]
    replicated[0]["template"]["spec"].update(parallelism=pods, completions=pods)
    cluster.api.merge("jobsets", NAMESPACE, SET, {"spec": {"replicatedJobs": replicated}})


def _play_job(cluster):
    pools.add_nodes(cluster, POOL, [f"{POOL}-{i}" for i in range(3)])
    queue = pools.add_queue(cluster, POOL, NAMESPACE, 2)
    cluster.observe(NAMESPACE, NAME, kind="Job", stepLog={"source": "None"})
    cluster.create(_job(queue, 2))
    first = cluster.wait_running(NAMESPACE, NAME, 2)
    time.sleep(4)
    _scale(cluster, 3)
    cluster.watch.wait("a second Workload", lambda: len(_unfinished(cluster)) == 2, 60)
    cluster.mark(f"{NAME}: a second Workload waits")
    time.sleep(8)
    assert len(cluster.pods_of(NAMESPACE, NAME, "Running")) == 2, "the third pod runs before its Workload is admitted"
    pools.set_quota(cluster, POOL, 3)
    pods = cluster.wait_running(NAMESPACE, NAME, 3)
    assert uids(first) <= uids(pods), "the first two pods were replaced"
    cluster.watch.wait("the first Workload to be Finished", lambda: len(_unfinished(cluster)) == 1, 60)
    time.sleep(4)
    _scale(cluster, 2)
    cluster.watch.wait("two pods", lambda: len(cluster.pods_of(NAMESPACE, NAME)) == 2, 60)
    time.sleep(4)
    assert uids(cluster.pods_of(NAMESPACE, NAME)) == uids(first), "another pod than the third was taken away"
    assert len(_workloads(cluster)) == 2, "a Workload was made for fewer pods"
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobs", NAMESPACE, NAME, "Complete")


def _workloads(cluster):
    return [w for w in cluster.watch.objects("workloads", NAMESPACE) if is_workload_of(w, NAME)]


def _unfinished(cluster):
    return [w for w in _workloads(cluster) if not is_true(w, "Finished")]


def _scale(cluster, pods):
    cluster.mark(f"{NAME}: a person scales it to {pods} pods")
    cluster.api.merge("jobs", NAMESPACE, NAME, {"spec": {"parallelism": pods, "completions": pods}})


def _job(queue, pods):
    metadata = {
        "namespace": NAMESPACE,
        "name": NAME,
        "labels": {"kueue.x-k8s.io/queue-name": queue},
        "annotations": {"kueue.x-k8s.io/elastic-job": "true"},
    }
    spec = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 6, "template": shapes.pod_template([POOL])}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
