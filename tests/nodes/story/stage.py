"""What every act needs: the API and our own view of it, the machines, the queues, and jobs whose truth is known."""
import os
import subprocess
import time

import jobs
import ledgers
import machines
import status as read
import truth
from api import ApiError
from kinds import COMPLETION_INDEX
from watch import is_true

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ResourceFlavor": "/apis/kueue.x-k8s.io/v1beta2/resourceflavors",
    "ClusterQueue": "/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
    "LocalQueue": "/apis/kueue.x-k8s.io/v1beta2/namespaces/" + jobs.NAMESPACE + "/localqueues",
    "WorkloadPriorityClass": "/apis/kueue.x-k8s.io/v1beta2/workloadpriorityclasses",
}
PATIENCE = 600 * machines.SLOWER  # seconds that anything may take before it counts as not happening; nothing here measures speed


class Stage:
    def __init__(self, tally, cluster, machines, run):
        self.tally = tally
        self.cluster = cluster
        self.api = cluster.api
        self.watch = cluster.watch
        self.machines = machines
        self.truth = os.path.join(run, "truth")
        self.names = []
        self.cut_off = set()  # names of jobs
        self.run = run

    def open_queues(self):
        """Kueue's webhooks may need a moment after its Deployment is available."""
        for manifest in jobs.queues():
            deadline = time.time() + PATIENCE
            while True:
                try:
                    self.api.request("POST", PATHS[manifest["kind"]], manifest)
                    break
                except ApiError as error:
                    if error.status == 409:
                        break
                    if time.time() > deadline:
                        raise
                    time.sleep(0.5)

    def submit(self, name, goodput=None, **settings):
        """Creates a JobSet and its JobGoodput; goodput: more of its spec. It trains its STEPS, and on until wait_end."""
        self.names.append(name)
        self.api.create("jobsets", jobs.jobset(name, self.truth, HOLD=1, **settings))
        self.cluster.observe(jobs.NAMESPACE, name, **(goodput or {}))
        return self.cluster.mark(f"submit {name}")

    def goodput(self, name):
        return self.cluster.goodput(jobs.NAMESPACE, name)

    def wait_step(self, name, attempt, step, seconds=PATIENCE):
        """Waits until the attempt (1, 2, ...) has ended the step, as its trainer notes."""
        deadline = time.time() + seconds
        while time.time() < deadline:
            if truth.last_step(self.truth, name) >= (attempt, step):
                return self.cluster.mark(f"{name}: attempt {attempt} has done step {step}")
            if is_true(self.watch.object("jobsets", jobs.NAMESPACE, name) or {}, "Failed"):
                raise RuntimeError(f"{name} has failed before attempt {attempt} did step {step}")
            time.sleep(0.1)
        raise TimeoutError(f"{name}: attempt {attempt} did not reach step {step}, but {truth.last_step(self.truth, name)}")

    def pod(self, name, index):
        """The job's running pod of this index."""

        def found():
            for pod in self.cluster.pods_of(jobs.NAMESPACE, name, "Running"):
                if pod["metadata"]["annotations"].get(COMPLETION_INDEX) == str(index):
                    return pod
            return None

        return self.watch.wait(f"pod {index} of {name}", found, PATIENCE)

    def kill(self, name, index):
        """SIGKILL to the trainer of a pod, behind kubelet's back."""
        pod = self.pod(name, index)
        self.cluster.mark(f"SIGKILL to the container of {pod['metadata']['name']}")
        self.machines.signal_container(pod, "SIGKILL")

    def wait_for(self, what, condition, seconds=PATIENCE):
        return self.watch.wait(what, condition, seconds)

    def send_word(self, name, word):
        """Sends the job's trainers a word: enough, or now (trainer/train.py)."""
        with open(os.path.join(self.truth, f"{name}-{word}"), "w", encoding="ascii"):
            pass

    def wait_end(self, name, seconds=PATIENCE):
        """What there was to do to the job is done: waits for the JobGoodput's own end, and until its numbers are final: the log
        of a job that has ended may come later, and the controller's own state stays until it is read."""
        self.send_word(name, "enough")
        self.cluster.wait_finished(jobs.NAMESPACE, name, seconds)
        self.wait_for(f"{name}: numbers to be final", lambda: "checkpoint" not in (self.goodput(name).get("status") or {}), seconds)
        self.cluster.mark(f"{name}: {(self.goodput(name).get('status') or {}).get('phase')}")

    def bucket(self, name, bucket):
        return read.bucket_seconds(self.goodput(name), bucket)

    def push(self, image, name):
        """Pushes one of images.sh's images under a separate name."""
        subprocess.run([os.path.join(HERE, "images.sh"), "push-as", image, name], check=True, capture_output=True)

    def judge(self, name, causes, reason="Succeeded", found=None):
        """The final status: its end, its causes, and its ledger next to the truth. found: the attempts, where they are not quite
        what the trainers noted."""
        goodput = self.goodput(name)
        ledgers.explain(name, goodput)
        finished = next((c for c in goodput["status"]["conditions"] if c["type"] == "Finished"), {})
        self.tally.check(finished.get("reason") == reason, f"{name}: Finished for the reason {reason}", finished.get("reason"))
        ledgers.causes(self.tally, name, goodput, causes)
        ledgers.compare(self.tally, name, goodput, found or truth.attempts(self.truth, name))

    def judge_root_cause(self, name, number, expected):
        """What the trainers of an execution died of, next to what the act did to them: ledgers.root_cause."""
        ledgers.root_cause(self.tally, name, self.goodput(name), number, expected)

    def kubectl(self, *words):
        """What kubectl printed; it runs inside the control plane's machine, as a person would run it."""
        return self.machines.on("cp", "kubectl", *words, timeout=PATIENCE)
