"""A TrainJob of Kubeflow Trainer v2: it waits for quota, loses a pod, is put out when its queue is drained by a person, and
ends well. Trainer makes its JobSet, Kueue queues the TrainJob itself."""
import time

import shapes
from cluster import uids

NAMESPACE, NAME, QUEUE = "trainjob", "trained", "trainjob-cq"
RUNTIME = "cluster-test"


def play(cluster):
    cluster.observe(NAMESPACE, NAME, kind="TrainJob", stepLog={"source": "None"})
    cluster.create(runtime())
    cluster.stop_queue(QUEUE, "Hold")
    cluster.create(trainjob())
    cluster.wait_suspended(NAMESPACE, NAME, True)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    pods = cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS)
    time.sleep(3)
    cluster.fail_pod(pods[2], 1)
    again = cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS, uids(pods))
    time.sleep(3)
    cluster.stop_queue(QUEUE, "HoldAndDrain")
    cluster.wait_suspended(NAMESPACE, NAME, True)
    cluster.wait_deleted(NAMESPACE, NAME)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS, uids(pods) | uids(again))
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("jobsets", NAMESPACE, NAME, "Completed")


def runtime():
    """As Trainer's own ClusterTrainingRuntimes: a job "node", whose pods are as many as the TrainJob asks for."""
    job = shapes.replicated_job("node", ["tpu-slice-20"])
    job["template"]["metadata"] = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    job["template"]["spec"]["template"]["spec"]["containers"][0]["name"] = "node"
    template = {"spec": {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": [job]}}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": RUNTIME},
        "spec": {"mlPolicy": {"numNodes": 1}, "template": template},
    }


def trainjob():
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"namespace": NAMESPACE, "name": NAME, "labels": {"kueue.x-k8s.io/queue-name": "trainjob-queue"}},
        "spec": {"runtimeRef": {"name": RUNTIME}, "trainer": {"numNodes": shapes.HOSTS}},
    }
