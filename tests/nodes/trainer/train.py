#!/usr/bin/env python3
"""A small trainer with checkpoints that prints step lines as MaxText does. With FRAMEWORK=jax its work is JAX's and Orbax's
(model_jax.py), and so are the lines about checkpoints; otherwise it fits a line by gradient descent, sleeps, and prints what
Orbax would (model_plain.py).

Environment: FRAMEWORK, STEPS, SAVE_EVERY, SAVE_ON_SIGTERM (1: SIGTERM lets it finish its step and save; otherwise it ends it at once), TRUTH (a folder that outlives the
pod), RUN (the job's name), JOB_COMPLETION_INDEX. Only index 0 saves; the others restore what it saved.

Each process writes its own truth to TRUTH/RUN-POD-TIME.jsonl, with its own clock: {"t", "what", ...}; a line is on disk before the act that
follows it. Ten times a second TRUTH/RUN-POD-TIME.alive gets the time: whatever ends the process cannot be noted otherwise.
FAIL_AT: {"step": N, "how": "exception" | "memory" | "disk" | "lines"}, only while the file TRUTH/RUN-failed is not there.
"""
import json
import os
import signal
import sys
import threading
import time


def setting(name, default):
    return type(default)(os.environ.get(name, default))


STEPS, SAVE_EVERY = setting("STEPS", 30), setting("SAVE_EVERY", 10)
RUN, INDEX, FOLDER = setting("RUN", "run"), setting("JOB_COMPLETION_INDEX", 0), setting("TRUTH", "/truth")
FAIL_AT = json.loads(os.environ.get("FAIL_AT", "{}"))
CHECKPOINTS = f"{FOLDER}/{RUN}-checkpoints"
OWN = f"{FOLDER}/{RUN}-{os.uname().nodename}-{time.time_ns()}"  # JobSet gives each attempt's pod the same host name
truth = open(f"{OWN}.jsonl", "a", encoding="utf-8")


def note(what, **more):
    print(json.dumps({"t": time.time(), "what": what, "index": INDEX, **more}), file=truth, flush=True)


def say(line):
    print(line, flush=True)


def restore():
    """(next step, weights) of the newest checkpoint, or of a new run."""
    step = model.newest()
    if step is None:
        return 0, model.initial()
    note("restore begins", step=step)
    weights = model.restore(step)
    note("restore ends", step=step)
    return step + 1, weights


def save(step, weights):
    note("save begins", step=step)
    model.save(step, weights)
    note("save ends", step=step)


def fail(how):
    open(f"{FOLDER}/{RUN}-failed", "w", encoding="utf-8").close()
    note(how)
    if how == "exception":
        raise RuntimeError("the loss is not a number")
    if how == "disk":  # more than the volume may hold; it goes on training until kubelet finds out
        with open("/scratch/hog", "wb") as file:
            file.write(os.urandom(48 << 20))
    hog = []
    while how == "memory":
        hog.append(os.urandom(1 << 20))
    for line in range(150000 if how == "lines" else 0):  # 12 MiB, more than kubelet lets one log file hold
        print(f"data loader: shard {line:06d} of 150000, nothing to see here, the next line is as dull as this")


def train(first, weights):
    for step in range(first, STEPS):
        begun = time.monotonic()
        note("step begins", step=step)
        weights, loss = model.step(weights, step == first)
        if FAIL_AT and FAIL_AT["step"] == step and INDEX == FAIL_AT.get("index", 0) and not os.path.exists(f"{FOLDER}/{RUN}-failed"):
            fail(FAIL_AT["how"])
        seconds = time.monotonic() - begun
        say(
            f"completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: {0.05 / seconds:.3f}, "
            f"Tokens/s/device: {64 / seconds:.3f}, total_weights: 64, loss: {loss:.3f}"
        )
        note("step ends", step=step)
        if wanted:
            say(f"[process={INDEX}] Saving checkpoint at step {step} due to preemption.")
            if INDEX == 0:
                save(step, weights)
            note("ends on SIGTERM", step=step)
            sys.exit(143)
        if INDEX == 0 and step % SAVE_EVERY == SAVE_EVERY - 1:
            save(step, weights)


def live():
    with open(f"{OWN}.alive", "wb", buffering=0) as file:
        while True:
            os.pwrite(file.fileno(), f"{time.time():.3f}".encode(), 0)
            time.sleep(0.1)


def die(*_):
    note("ended by SIGTERM")
    os._exit(143)


wanted = []
if setting("SAVE_ON_SIGTERM", 0):
    signal.signal(signal.SIGTERM, lambda *_: wanted.append(1))
else:
    signal.signal(signal.SIGTERM, die)  # process 1 has no default action
note("starts")
threading.Thread(target=live, daemon=True).start()
os.makedirs(CHECKPOINTS, exist_ok=True)
if setting("FRAMEWORK", "plain") == "jax":
    from model_jax import Model
else:
    from model_plain import Model
model = Model(CHECKPOINTS, INDEX, setting, say)
say(f"Num_devices: 4, shape (1, 4), process {INDEX}")
train(*restore())
model.finish()
note("done")
