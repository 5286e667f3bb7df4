#!/usr/bin/env python3
"""Event files as TensorBoard itself reads them (EventFileLoader, EventAccumulator), next to those that the unmodified
library writes through tensorboardX; over the controller's death, half a record and a wrong folder."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests/export"]
from jobs import PYTHON, Job, bucket  # noqa: E402
from rig import Rig, Tally, fetch, wait_for  # noqa: E402

READER = """
import json, sys
from tensorboard.backend.event_processing import event_accumulator, event_file_loader
out = {"files": {}}
for path in sys.argv[2:]:
    events = list(event_file_loader.LegacyEventFileLoader(path).Load())
    out["files"][path] = [e.file_version for e in events if e.file_version]
run = event_accumulator.EventAccumulator(sys.argv[1], size_guidance={event_accumulator.SCALARS: 0, event_accumulator.TENSORS: 0})
run.Reload()
out["tags"] = {tag: [[e.step, e.value] for e in run.Scalars(tag)] for tag in run.Tags()["scalars"]}
print(json.dumps(out))
"""


def read(folder):
    """By TensorBoard: of each file its versions, of each tag its steps and values."""
    files = sorted(glob.glob(folder + "/events.out.tfevents.*"))
    done = subprocess.run([PYTHON, "-c", READER, folder, *files], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def write(folder, code):
    """What the library's own monitor writes for such results."""
    done = subprocess.run([PYTHON, "-c", f"""
from ml_goodput_measurement.src import monitoring
from ml_goodput_measurement.src.goodput_utils import BadputType
from tensorboardX import writer
w = writer.SummaryWriter({folder!r})
{code}
w.close()
"""], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(done.stderr)


def metric(rig, name, result):
    text = fetch(rig.metrics)[1]
    lines = [l for l in text.splitlines() if l.startswith(f'{name}{{exporter="tensorboard",result="{result}"}}')]
    return int(float(lines[0].split()[-1])) if lines else 0


class Trainer:
    """A job whose steps come through a pod's log file: MaxText lines below the log root."""

    def __init__(self, rig, root, name):
        os.makedirs(root + "/default", exist_ok=True)
        self.path, self.step = f"{root}/default/{name}.log", 0
        open(self.path, "w").close()
        self.job = Job(rig, name, {"source": "File", "format": "MaxText", "file": {"path": name + ".log"}})

    def steps(self, count):
        for _ in range(count):
            time.sleep(0.2)
            with open(self.path, "a") as out:
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() // 1000 % 1000000:06d}Z"
                out.write(f"{stamp} completed step: {self.step}, seconds: 0.2, TFLOP/s/device: 1.0, loss: 1.0\n")
            self.step += 1

    def is_at(self, step):
        return wait_for(f"step {step}", lambda: self.job.status().get("steps", {}).get("last") == step and self.job.status())


def check_run(tally, rig, root, boards):
    trainer = Trainer(rig, root, "run")
    pattern = boards + "/default/run/*"
    trainer.steps(3)
    trainer.is_at(2)
    tally.check("a step's point waits for the next one", glob.glob(pattern) == [] or len(read(glob.glob(pattern)[0])["tags"]["goodput/goodput"]) < 3)
    trainer.steps(3)
    wait_for("the first point", lambda: glob.glob(pattern + "/events*"))
    run = glob.glob(pattern)[0]
    controller = rig.processes[-1]
    controller.kill()
    controller.wait()
    (first,) = glob.glob(run + "/*")
    with open(first, "ab") as out:  # as if it had been killed in the middle of a write
        out.write(b"\x3b\x00\x00\x00\x00\x00")
    rig.start_controller()
    trainer.steps(4)
    trainer.job.end()
    status = wait_for("the end", lambda: trainer.job.finished(9))
    wait_for("the last point", lambda: len(glob.glob(run + "/*")) > 1 and read(run)["tags"].get("goodput/goodput", [[0]])[-1][0] == 9)
    seen = read(run)
    tags = seen["tags"]
    steps = [step for step, _ in tags["goodput/goodput"]]
    last = {tag: points[-1][1] for tag, points in tags.items() if points[-1][0] == 9}
    tally.check("each file begins with its version", all(v == ["brain.Event:2"] for v in seen["files"].values()) and len(seen["files"]) == 2, seen["files"])
    tally.check("no step is there twice, and none goes back", steps == sorted(set(steps)) and steps[-1] == 9, steps)
    ppm = status["goodputPPM"]
    for tag, name in (("goodput/job", "job"), ("goodput/runtime", "runtime"), ("goodput/scheduling", "scheduling")):
        tally.check(f"the last {tag} is the status'", abs(last[tag] - ppm[name] / 1e4) < 1e-4, (last[tag], ppm))
    wall = status["time"]["wallMilliseconds"]
    tally.check("so is a bucket", abs(last["ledger/Runtime/ProgramStartup"] - 100 * bucket(status, "ProgramStartup") / wall) < 1e-4
                if bucket(status, "ProgramStartup") else "ledger/Runtime/ProgramStartup" not in last, last)
    before = ("Suspended", "QueueWait", "DependencyWait", "Provisioning", "Binding")
    theirs = 100 * status["time"]["productiveMilliseconds"] / (wall - sum(bucket(status, b) for b in before))
    tally.check("the library's goodput counts from when its clock could start", abs(last["goodput/goodput"] - theirs) < 1e-3, (last["goodput/goodput"], theirs))
    whole = last["goodput/goodput"] + sum(v for t, v in last.items() if t.startswith("badput/"))
    tally.check("goodput and badput make the whole", abs(whole - 100) < 1e-2, whole)
    return set(tags)


def check_tags(tally, folder, ours):
    write(folder, """
monitoring._upload_goodput_metrics_to_tensorboard(w, 80.0, {t: ({'EVAL': 1.0} if t == BadputType.CUSTOM_BADPUT_EVENTS else 1.0) for t in BadputType}, 7, True)
monitoring._write_step_deviation_to_tensorboard(w, {7: 0.5})
""")
    theirs = set(read(folder)["tags"])
    absent = {"badput/data_loading_async", "badput/elastic_slice_down", "badput/elastic_scale_up", "badput/custom_badput_events/eval", "step_deviation"}
    tally.check("every tag of the library is ours, but those that a status cannot know", theirs - ours - absent == set() and "goodput/goodput" in theirs,
                (theirs - ours, theirs))
    tally.check("the same place in the two sets", {"goodput/goodput", "badput/other", "badput/tpu_initialization"} <= theirs & ours, theirs & ours)


def check_trouble(tally, rig, root, boards):
    """A file where the job's folder should be: one sentence, a count, and the status continues; then it recovers."""
    os.makedirs(boards + "/default", exist_ok=True)
    with open(boards + "/default/stuck", "w"):
        pass
    before = metric(rig, "goodput_push_requests_total", "retried")
    trainer = Trainer(rig, root, "stuck")
    trainer.steps(4)
    trainer.is_at(3)
    trainer.job.end()
    status = wait_for("the end", lambda: trainer.job.finished(3))
    wait_for("a count of it", lambda: metric(rig, "goodput_push_requests_total", "retried") > before)
    lines = [l for l in rig.text(rig.log).splitlines() if "cannot write TensorBoard events" in l]
    tally.check("the trouble is one line that says where", len(lines) == 1 and "default/stuck" in lines[0] and "a file or link is in the folder's place" in lines[0], lines)
    tally.check("all else goes on", status["steps"]["retained"] == 4, status["steps"])
    os.unlink(boards + "/default/stuck")
    wait_for("the points", lambda: glob.glob(boards + "/default/stuck/*/events*"), 180)  # it tries again every 30 s
    wait_for("that it is said", lambda: "events for TensorBoard are written again" in rig.text(rig.log))
    tags = read(glob.glob(boards + "/default/stuck/*")[0])["tags"]
    tally.check("what waited is written", tags["goodput/goodput"][-1][0] in (0, 1, 2, 3), tags["goodput/goodput"])


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        root, boards = folder + "/logs", folder + "/boards"
        os.makedirs(root)
        os.makedirs(boards)
        rig = Rig(is_follower=False, flags=("--status-interval=100ms", "--log-root=" + root, "--tensorboard-dir=" + boards, "--tensorboard-interval=0s"))
        try:
            check_tags(tally, folder + "/theirs", check_run(tally, rig, root, boards))
            check_trouble(tally, rig, root, boards)
        finally:
            rig.close()
    tally.end()


main()
