"""Jobs that the JobSet itself holds back: slices that depend on a loader's end, slices that start after a driver."""
import time

import shapes

NAMESPACE = "order"
NO_LOG = {"stepLog": {"source": "None"}}


def play(cluster):
    loader = shapes.replicated_job("loader", ["tpu-slice-12"], hosts=1, has_chips=False)
    slices = shapes.replicated_job("slice", ["tpu-slice-12"])
    after = {**slices, "dependsOn": [{"name": "loader", "status": "Complete"}]}
    driver = shapes.replicated_job("driver", ["tpu-slice-13"], hosts=1, has_chips=False, annotations={"cluster-test/pull": "6s"})
    behind = shapes.replicated_job("slice", ["tpu-slice-13"])
    for name in ("depends", "in-order"):
        cluster.observe(NAMESPACE, name, **NO_LOG)
    cluster.create(shapes.jobset(NAMESPACE, "depends", [loader, after]))
    cluster.create(shapes.jobset(NAMESPACE, "in-order", [driver, behind], startupPolicy={"startupPolicyOrder": "InOrder"}))
    cluster.wait_running(NAMESPACE, "depends", 1)
    time.sleep(5)
    cluster.mark("depends: the loader completes")
    cluster.end_pods(cluster.pods_of(NAMESPACE, "depends"), 0)
    cluster.wait_running(NAMESPACE, "depends", 4, _loaders(cluster))
    cluster.wait_running(NAMESPACE, "in-order", 5)
    time.sleep(3)
    for name in ("depends", "in-order"):
        cluster.complete(NAMESPACE, name)
    for name in ("depends", "in-order"):
        cluster.wait_condition("jobsets", NAMESPACE, name, "Completed")


def _loaders(cluster):
    pods = cluster.watch.objects("pods", NAMESPACE)
    return {p["metadata"]["uid"] for p in pods if "-loader-" in p["metadata"]["name"]}
