"""A PyTorchJob of Kubeflow's training operator, of a master and three workers: it waits for quota, a worker is evicted, the
master fails and is created again (restartPolicy ExitCode), a person takes it out of its queue and puts it back, and it ends well."""
import time

import shapes
from cluster import uids

NAMESPACE, NAME, QUEUE, POOL = "pytorchjob", "torch", "pytorchjob-cq", "tpu-slice-26"


def play(cluster):
    cluster.observe(NAMESPACE, NAME, kind="PyTorchJob", stepLog={"source": "None"})
    cluster.stop_queue(QUEUE, "Hold")
    cluster.create(pytorchjob())
    cluster.watch.wait(f"the Workload of {NAME}", lambda: cluster.workload_of(NAMESPACE, NAME), 60)
    time.sleep(5)
    cluster.stop_queue(QUEUE, "None")
    pods = cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS)
    known = uids(pods)
    time.sleep(3)
    cluster.evict(_pod(pods, "worker", 1))
    pods = cluster.wait_replaced(NAMESPACE, NAME, shapes.HOSTS, known)
    time.sleep(3)
    cluster.fail_pod(_pod(pods, "master", 0), 134)
    cluster.wait_replaced(NAMESPACE, NAME, shapes.HOSTS, known)
    time.sleep(3)
    cluster.activate(NAMESPACE, NAME, False)
    cluster.wait_deleted(NAMESPACE, NAME)
    time.sleep(5)
    cluster.activate(NAMESPACE, NAME, True)
    cluster.wait_running(NAMESPACE, NAME, shapes.HOSTS, known)
    time.sleep(3)
    cluster.complete(NAMESPACE, NAME)
    cluster.wait_condition("pytorchjobs", NAMESPACE, NAME, "Succeeded")


def _pod(pods, replica_type, index):
    return next(pod for pod in pods if pod["metadata"]["name"] == f"{NAME}-{replica_type}-{index}")


def pytorchjob():
    template = shapes.pod_template([POOL], container="pytorch")
    replicas = {
        name: {"replicas": count, "restartPolicy": "ExitCode", "template": template} for name, count in (("Master", 1), ("Worker", shapes.HOSTS - 1))
    }
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"namespace": NAMESPACE, "name": NAME, "labels": {"kueue.x-k8s.io/queue-name": "pytorchjob-queue"}},
        "spec": {"pytorchReplicaSpecs": replicas},
    }
