"""What kubelets do and kwok does not: they look at their pods again and again. kwok 0.8.0 tries a step again only when the
connection was refused or the server was busy (shouldRetry in pkg/kwok/controllers/utils.go): after a reset connection, or
an error of etcd behind the API server, the object stays as it is forever, and with it its job. Here each that should
have changed and has not is touched, so that kwok looks at it once more. So is a Job that has no pods and should: after a
restart of the API server the job controller may hold its caches for stale and drop a Job for good (seen once in 200
strikes: "informer cache is out of date", then ten minutes of nothing)."""
import collections
import threading
import time

from watch import condition

# Seconds without a new version: no step of kwok-stages.yaml takes longer here, and no retry of the job controller.
QUIET = {"pods": 10, "nodes": 10, "jobs": 60}
TOUCHED = "cluster-test/touched"
FAKE = "kwok.x-k8s.io/node"


class Kubelets(threading.Thread):
    """Touches what kwok has forgotten, until `stop()`."""

    def __init__(self, watch, api):
        super().__init__(daemon=True, name="kubelets")
        self.watch, self.api, self.stopping = watch, api, threading.Event()
        self.seen = {}  # uid: (resourceVersion, since when)
        self.touched = collections.Counter()

    def stop(self):
        self.stopping.set()

    def run(self):
        while not self.stopping.wait(2):
            now = time.time()
            pods, nodes = self.watch.objects("pods"), self.watch.objects("nodes")
            wanting = [("pods", pod) for pod in pods if is_unfinished(pod)] + [("nodes", node) for node in nodes if _is_down(node)]
            wanting += [("jobs", job) for job in self.watch.objects("jobs") if is_left_empty(job)]
            self.seen = {_uid(item): self._since(item, now) for _, item in wanting}
            for stream, item in wanting:
                if now - self.seen[_uid(item)][1] > QUIET[stream]:
                    self._touch(stream, item)

    def _since(self, item, now):
        version = item["metadata"]["resourceVersion"]
        before = self.seen.get(_uid(item))
        return before if before and before[0] == version else (version, now)

    def _touch(self, stream, item):
        meta = item["metadata"]
        try:
            self.api.annotate(stream, meta.get("namespace"), meta["name"], {TOUCHED: str(int(time.time()))})
            self.touched[stream] += 1
        except Exception:  # pylint: disable=broad-except # it is deleted, or the server is down: it is looked at again later
            return


def is_unfinished(pod):
    """Whether a step of conf/kwok-stages.yaml is still to come."""
    meta, status = pod["metadata"], pod["status"]
    marks, containers = meta.get("annotations", {}), status.get("containerStatuses", [])
    if not pod["spec"].get("nodeName"):
        return False
    if meta.get("deletionTimestamp") or status.get("phase") == "Pending":
        return True
    if status.get("phase") != "Running":
        return False
    is_down = any("waiting" in c.get("state", {}) for c in containers) and "cluster-test/barrier" not in marks
    return is_down or "cluster-test/exit" in marks or any(int(marks.get("cluster-test/restarts", 0)) > c.get("restartCount", 0) for c in containers)


def is_left_empty(job):
    """Whether pods of it should be there, and none is."""
    status = job["status"]
    ended = any(c["status"] == "True" for c in status.get("conditions") or [] if c["type"] in ("Complete", "Failed"))
    return not (job["spec"].get("suspend") or ended or status.get("active") or status.get("terminating"))


def _is_down(node):
    return FAKE in node["metadata"].get("annotations", {}) and condition(node, "Ready").get("status") != "True"


def _uid(item):
    return item["metadata"]["uid"]
