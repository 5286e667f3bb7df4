"""The commands of the tutorials that need a cluster (deploy/docs/tutorials), as their reader types them; install.sh has run the first."""
import re
import subprocess
import time

import controller
import guides
import jobs
import status as read
from machines import HERE
from watch import is_true

INSTEAD = {  # what the guides cannot know
    "image: python:3.12-slim": f"image: {jobs.REGISTRY}/trainer:1",
    "command: [python,": "command: [python3,",
}


def typed(stage, guide, start, node="n2"):
    """What the guide's command that begins so printed, typed in the repository's folder. One that watches is left after a while."""
    command = guides.take(guide, start, stage.run)
    for words, instead in INSTEAD.items():
        command = command.replace(words, instead)
    command = re.sub(r"\bNODE\b", node, command)
    watches = guides.words(command).endswith(" -w")
    script = f'. "{HERE}/env.sh"; cd "$ROOT"; export PATH=$ROOT/.build/release/bin:$PATH; {command}'
    words = ["timeout", "10" if watches else str(controller.PATIENCE), "bash", "-c", script]
    enter = ["nsenter", "--target", str(stage.machines.pid("cp")), "--mount", "--uts", "--ipc", "--net", "--pid", "--"]
    done = subprocess.run([*enter, *words], capture_output=True, text=True, check=False)
    fine = done.returncode == 0 or (watches and done.returncode == 124)
    stage.tally.check(fine, f"{guide}: {guides.words(command)[:90]}", (done.stdout if fine else done.stderr).strip()[-200:])
    return done.stdout


def gke(stage):
    """The first JobGoodput, for a JobSet in the namespace `research`, then away again."""
    stage.api.request("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research"}})
    jobset = jobs.jobset("llama3-70b", stage.truth, STEPS=30)
    jobset["metadata"].update(namespace="research", labels={})
    stage.api.create("jobsets", jobset)
    typed(stage, "tutorials/gke.md", "kubectl apply")
    seen = typed(stage, "tutorials/gke.md", "kubectl get jobgoodput -n research")
    stage.tally.check("llama3-70b" in seen, "gke.md: the first JobGoodput is shown")
    stage.wait_for("llama3-70b to train", lambda: read.status(stage.cluster.goodput("research", "llama3-70b")).get("steps", {}).get("last"))
    output = typed(stage, "tutorials/gke.md", "kubectl get jobgoodput llama3-70b")
    stage.tally.check("StepLogAttached" in output, "gke.md: its condition StepLogAttached is shown")
    stage.wait_for("llama3-70b to end", lambda: is_true(stage.cluster.goodput("research", "llama3-70b"), "Finished"))
    typed(stage, "tutorials/gke.md", "helm upgrade goodput")
    typed(stage, "tutorials/gke.md", "kubectl --namespace goodput-system rollout status")
    time.sleep(30)  # the old leader ends; a JobSet that has finished before the new one leads gets no record
    jobset["metadata"] = {"name": "unasked", "namespace": "research"}
    stage.api.create("jobsets", jobset)
    stage.wait_for("a JobGoodput that nobody asked for", lambda: read.phase(stage.cluster.goodput("research", "unasked")))
    stage.api.delete("jobsets", "research", "unasked")
    typed(stage, "tutorials/gke.md", "helm uninstall goodput")
    typed(stage, "tutorials/gke.md", "kubectl delete crd")
    left = stage.kubectl("get", "crd", "--output=name")
    stage.tally.check("goodput.dev" not in left, "gke.md: its last command deletes every CRD of the chart", left.split())


def kind(stage):
    """The image put onto the nodes, the chart with its name alone, a queue, a job, and what is done to it."""
    # What `kind load` does: the nodes hold the image under the name that the guide gives the chart.
    for node in ("n1", "n2"):
        here = f"{jobs.REGISTRY}/goodput-controller:0.1.0"
        stage.machines.on(node, "ctr", "-n", "k8s.io", "images", "pull", "--plain-http", here, timeout=controller.PATIENCE)
        stage.machines.on(node, "ctr", "-n", "k8s.io", "images", "tag", here, "docker.io/library/goodput-controller:0.1.0")
    typed(stage, "tutorials/kind.md", "helm install goodput")
    typed(stage, "tutorials/kind.md", "kubectl --namespace goodput-system rollout status")
    typed(stage, "tutorials/kind.md", "kubectl apply")
    stage.wait_for("hello to train", lambda: _step(stage) is not None)
    seen = typed(stage, "tutorials/kind.md", "kubectl get jobgoodput hello")
    stage.tally.check("hello" in seen, "kind.md: the first JobGoodput is shown")
    typed(stage, "tutorials/kind.md", "kubectl delete pod")
    stage.wait_for("the interruption", lambda: read.interruption_total(_hello(stage)) == 1)
    stage.wait_for("hello to train again", lambda: read.phase(_hello(stage)) == "Training")
    node = stage.wait_for("a pod of hello", lambda: stage.cluster.pods_of("default", "hello", "Running"))[0]["spec"]["nodeName"]
    typed(stage, "tutorials/kind.md", "kubectl drain", node)
    stage.wait_for("another interruption", lambda: read.interruption_total(_hello(stage)) == 2)
    typed(stage, "tutorials/kind.md", "kubectl uncordon", node)
    stage.wait_for("hello to train once more", lambda: read.phase(_hello(stage)) == "Training")
    seen = read.interruptions(_hello(stage))
    stage.tally.check(seen == {"PodDeleted": 1, "Eviction": 1}, "kind.md: interruptions are the two that it names", seen)
    output = typed(stage, "tutorials/kind.md", "kubectl goodput explain")
    stage.tally.check("PodDeleted" in output and "Eviction" in output, "kind.md: explain names both")
    typed(stage, "tutorials/kind.md", "kubectl patch jobset hello")


def jobsets(stage):
    """JobSets as XPK makes them, for accelerators that are not here: their chips are counted all the same."""
    typed(stage, "tutorials/gke-jobsets.md", "kubectl apply -f - <<EOF apiVersion: jobset.x-k8s.io/v1alpha2 kind: JobSet metadata: name: tpu-train")
    typed(stage, "tutorials/gke-jobsets.md", "kubectl apply -f - <<EOF apiVersion: jobset.x-k8s.io/v1alpha2 kind: JobSet metadata: name: gpu-train")
    for name in ("tpu-train", "gpu-train"):
        stage.wait_for(f"the chips of {name}", lambda: read.status(stage.cluster.goodput("default", name)).get("target", {}).get("chips"))
    rows = [line.split() for line in typed(stage, "tutorials/gke-jobsets.md", "kubectl get jobgoodput -o wide").splitlines()]
    chips = {row[0]: [word for word in row if word in ("32", "16")] for row in rows if row[0].endswith("-train")}
    stage.tally.check(chips == {"tpu-train": ["32"], "gpu-train": ["16"]}, "gke-jobsets.md: the column CHIPS shows 32 and 16", rows)


def queue(stage):
    """Two jobs and a queue with room for one: the second takes the first one's quota, and gives it back."""
    guide = "tutorials/queue.md"
    typed(stage, guide, "kubectl apply -f - <<EOF apiVersion: kueue.x-k8s.io/v1beta2 kind: ResourceFlavor")
    typed(stage, guide, "kubectl apply -f - <<EOF apiVersion: jobset.x-k8s.io/v1alpha2 kind: JobSet metadata: name: patient")
    stage.wait_for("patient to train", lambda: read.phase(_default(stage, "patient")) == "Training")
    seen = typed(stage, guide, "kubectl get jobgoodput patient -w")
    stage.tally.check("Training" in seen, "queue.md: the watch shows that patient trains", seen)
    typed(stage, guide, "kubectl apply -f - <<EOF apiVersion: jobset.x-k8s.io/v1alpha2 kind: JobSet metadata: name: hurried")
    stage.wait_for("patient to be queued", lambda: read.phase(_default(stage, "patient")) == "Queued")
    seen = typed(stage, guide, "kubectl get jobgoodput -w")
    stage.tally.check("patient" in seen and "hurried" in seen, "queue.md: the watch shows both jobs", seen)
    stage.wait_for("hurried to complete", lambda: read.phase(_default(stage, "hurried")) == "Completed")
    stage.wait_for("patient to train again", lambda: read.phase(_default(stage, "patient")) == "Training")
    stage.tally.check(read.interruptions(_default(stage, "patient")) == {"KueuePreemption": 1}, "queue.md: the one interruption is KueuePreemption", read.interruptions(_default(stage, "patient")))
    output = typed(stage, guide, "kubectl goodput explain patient")
    missing = [word for word in ("PreemptedWait", "WastedProgress", "KueuePreemption") if word not in output]
    stage.tally.check(not missing, "queue.md: explain names the buckets and the cause of the page", missing)
    output = typed(stage, guide, "kubectl goodput timeline patient")
    stage.tally.check("Preempt" in output, "queue.md: the timeline names the preemption", output)
    stage.tally.check(read.bucket_seconds(_default(stage, "hurried"), "QueueWait") > 0, "queue.md: hurried has QueueWait")
    for name in ("patient", "hurried"):
        stage.api.delete("jobsets", "default", name)


def _default(stage, name):
    return stage.cluster.goodput("default", name)


def _hello(stage):
    return _default(stage, "hello")


def _step(stage):
    return read.status(_hello(stage)).get("steps", {}).get("last")


def complete(stage):
    count, elsewhere, left = guides.untried(stage.run)
    stage.tally.check(not left, f"of the guides' {count} commands all were tried but {len(elsewhere)} that need a cloud, docker or kind", left)
    for command in elsewhere:
        print(f"    not run here: {command[:120]}")


def all_guides(stage):
    gke(stage)
    kind(stage)
    jobsets(stage)
    queue(stage)
    complete(stage)

