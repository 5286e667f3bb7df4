"""Random lives of jobs, each on a separate node pool: shape, failures, suspensions, priorities and end follow from the seed. The outcome is read from the cluster's history, not from here: under strikes a life may take another turn."""
import random
import threading
import time
from collections import namedtuple

import shapes
import stuck
from api import ApiError
from cluster import ready, uids
from watch import is_true

NAMESPACE = "chaos"
QUEUE = "chaos-queue"
FIRST_POOL = 15
LONGEST_WAIT = 600  # in the queue, for instance; no wait of a sound run comes near it
ACT_SECONDS = 45  # an act has an effect within this time, or never
Life = namedtuple("Life", "stream name acts")


class Lives(threading.Thread):
    """One life after the other on one pool, until `over` is set."""

    def __init__(self, cluster, seed, worker, over):
        super().__init__(daemon=True, name=f"lives {worker}")
        self.cluster, self.worker, self.over = cluster, worker, over
        self.pool = f"tpu-slice-{FIRST_POOL + worker}"
        self.random = random.Random(f"{seed}/{worker}")
        self.lives, self.broken, self.slow = [], [], []  # slow: waited for in vain

    def run(self):
        number = 0
        while not self.over.is_set():
            number += 1
            name = f"life-{self.worker}-{number}"
            try:
                self._live(name)
            except TimeoutError as error:
                self.slow.append(f"{name}: {error}")
                if self.lives and self.lives[-1].name == name:
                    stuck.report(self.cluster, self.lives[-1].stream, NAMESPACE, name, error)
            except Exception as error:  # pylint: disable=broad-except # the caller reports it; the next life begins
                self.broken.append(f"{name}: {error}")

    def _live(self, name):
        dice = self.random
        kind = dice.choice(("jobset", "jobset", "jobset", "queued", "queued", "job"))
        count = dice.choice((0, 1, 1, 2, 3))
        choices = ACTS_OF[kind]
        acts = [dice.choice(choices) for _ in range(count)]
        fails = not acts and dice.random() < 0.5
        life = Life("jobs" if kind == "job" else "jobsets", name, [kind] + [act.__name__ for act in acts] + ["fail" if fails else "complete"])
        early = dice.random() < 0.7
        if early:
            self._observe(kind, name)
        self.cluster.create(self._manifest(kind, name, fails))
        self.lives.append(life)
        if not early:
            time.sleep(dice.uniform(0, 4))
            self._observe(kind, name)
        for act in acts:
            self._wait_running(life)
            time.sleep(dice.uniform(1, 5))
            if not self._ended(life):
                act(self, life)
        self._wait_running(life)
        time.sleep(dice.uniform(1, 5))
        self._end(life, fails)

    def _observe(self, kind, name):
        self.cluster.observe(NAMESPACE, name, kind="Job" if kind == "job" else "JobSet", stepLog={"source": "None"})

    def _manifest(self, kind, name, fails):
        dice = self.random
        annotations = {"cluster-test/pull": f"{dice.choice((0.5, 1, 2, 4))}s"} if dice.random() < 0.8 else {"cluster-test/warm": ""}
        if kind == "job":
            slices = shapes.replicated_job("x", [self.pool], annotations=annotations, restart_policy="OnFailure", completionMode="Indexed", backoffLimit=0 if fails else 50)
            return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": NAMESPACE, "name": name}, "spec": slices["template"]["spec"]}
        slices = shapes.replicated_job("slice", [self.pool], annotations=annotations)
        strategy = dice.choice(("Recreate", "BlockingRecreate"))
        made = shapes.jobset(NAMESPACE, name, [slices], strategy, 0 if fails else 20, QUEUE if kind == "queued" else None)
        if kind == "queued":
            made["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = dice.choice(("low", "low", "high"))
        return made

    # --- what it waits for ---

    def _ended(self, life):
        item = self.cluster.watch.object(life.stream, NAMESPACE, life.name)
        return item is None or any(is_true(item, kind) for kind in ("Completed", "Complete", "Failed"))

    def _wait_running(self, life, not_these=()):
        """Until all pods run; after an act, until its victims are replaced as well, but not forever: a suspension that was
        over before the JobSet controller heard of it replaces nothing."""

        def settled():
            pods = [p for p in self.cluster.pods_of(NAMESPACE, life.name, "Running") if ready(p)]
            return self._ended(life) or (len(pods) >= shapes.HOSTS and not uids(pods) & set(not_these))

        seconds = ACT_SECONDS if not_these else LONGEST_WAIT
        try:
            self.cluster.watch.wait(f"{life.name} to run", settled, seconds / self.cluster.watch.patience)
        except TimeoutError:
            if not not_these:
                raise

    def _pods(self, life):
        return self.cluster.pods_of(NAMESPACE, life.name, "Running")

    def _pick(self, life):
        pods = self._pods(life)
        return self.random.choice(pods) if pods else None

    # --- acts ---

    def fail(self, life):
        pod = self._pick(life)
        if pod:
            code, reason = self.random.choice(((1, None), (134, None), (137, "OOMKilled")))
            self.cluster.fail_pod(pod, code, reason)
            self._wait_running(life, uids([pod]))

    def evict(self, life):
        pod = self._pick(life)
        if pod:
            self.cluster.evict(pod)
            self._wait_running(life, uids([pod]))

    def delete_pod(self, life):
        pod = self._pick(life)
        if pod:
            self.cluster.mark(f"delete pod {pod['metadata']['name']}")
            self.cluster.api.delete("pods", NAMESPACE, pod["metadata"]["name"])
            self._wait_running(life, uids([pod]))

    def restart(self, life):
        pod = self._pick(life)
        if pod and pod["status"]["containerStatuses"][0]["restartCount"] == 0:
            self.cluster.restart_in_place(pod)
            time.sleep(2)

    def taint(self, life):
        pod = self._pick(life)
        if pod:
            node = pod["spec"]["nodeName"]
            self.cluster.taint(node, "NoExecute")
            time.sleep(self.random.uniform(1, 6))
            self.cluster.untaint(node)
            self._wait_running(life, uids([pod]))

    def suspend(self, life):
        pods = self._pods(life)
        self.cluster.suspend(NAMESPACE, life.name, True)
        time.sleep(self.random.uniform(2, 9))
        self.cluster.suspend(NAMESPACE, life.name, False)
        self._wait_running(life, uids(pods))

    def no_room(self, life):
        """The pool is cordoned, and a pod fails: its successor waits for room."""
        pod = self._pick(life)
        if pod:
            self.cluster.cordon(self.pool, True)
            self.cluster.fail_pod(pod, 1)
            time.sleep(self.random.uniform(4, 10))
            self.cluster.cordon(self.pool, False)
            self._wait_running(life, uids([pod]))

    def _end(self, life, fails):
        """All pods end, also those that came meanwhile, until the job has."""
        deadline = time.time() + LONGEST_WAIT
        while not self._ended(life):
            if time.time() > deadline:
                raise TimeoutError(f"waited {LONGEST_WAIT} s for its end")
            pods = [pod for pod in self._pods(life) if "cluster-test/exit" not in pod["metadata"].get("annotations", {})]
            for pod in pods[: 1 if fails else None]:
                try:
                    self.cluster.end_pods([pod], 1 if fails else 0)
                except ApiError as error:
                    if error.status != 404:
                        raise
            time.sleep(0.5)


_ON_SETS = (Lives.fail, Lives.evict, Lives.delete_pod, Lives.taint, Lives.no_room)
ACTS_OF = {"jobset": _ON_SETS + (Lives.suspend,), "queued": _ON_SETS, "job": (Lives.restart, Lives.restart, Lives.delete_pod, Lives.evict)}
