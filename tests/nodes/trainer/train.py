#!/usr/bin/env python3
"""A small trainer with checkpoints that prints step lines as MaxText does. With FRAMEWORK=jax its work is JAX's and Orbax's
(model_jax.py), and so are the lines about checkpoints; otherwise it fits a line by gradient descent, sleeps, and prints what
Orbax would (model_plain.py).

Environment: what notes.py reads; FRAMEWORK, STEPS, SAVE_EVERY, SAVE_ON_SIGTERM (1: SIGTERM lets it finish its step and save;
otherwise it ends it at once). Only index 0 saves; the others restore what it saved.

HOLD=1: it continues after the last of STEPS until it receives "enough", so that an act has all the time that it takes.
FAIL_AT: {"how": "exception" | "shard" | "segfault" | "memory" | "disk" | "lines", "step": N, or without it when it receives "now"}, once in a job's life.
"""
import faulthandler
import itertools
import json
import os
import signal
import sys
import time

from notes import CHECKPOINTS, FOLDER, INDEX, RUN, begin, note, setting, received


STEPS, SAVE_EVERY, HOLD = setting("STEPS", 30), setting("SAVE_EVERY", 10), setting("HOLD", 0)
FAIL_AT = json.loads(setting("FAIL_AT", "{}"))


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


def fails(step):
    if not FAIL_AT or INDEX or received("failed"):
        return False
    return FAIL_AT["step"] == step if "step" in FAIL_AT else received("now")


def fail(how):
    open(f"{FOLDER}/{RUN}-failed", "w", encoding="utf-8").close()
    note(how)
    if how == "exception":
        raise RuntimeError("the loss is not a number")
    if how == "shard":
        open(f"{FOLDER}/data/shard-00017-of-00256.npy", "rb")
    if how == "segfault":
        faulthandler._read_null()  # pylint: disable=protected-access; process 1 gets no signal that it sends itself
    if how == "disk":  # more than the volume may hold; it continues training until kubelet notices
        with open("/scratch/hog", "wb") as file:
            file.write(os.urandom(48 << 20))
    hog = []
    while how == "memory":
        hog.append(os.urandom(1 << 20))


def chatter(step):
    """12 MiB, more than kubelet lets one log file hold, within thirty steps: none of them is slow because of it."""
    talk.setdefault("since", step)
    for line in range(5000 if step < talk["since"] + 30 else 0):
        print(f"data loader: shard {line:06d} of {step}, nothing to see here, the next line is as dull as this")


def train(first, weights):
    for step in itertools.count(first):
        if step >= STEPS and not (HOLD and not received("enough")):
            break
        started = time.monotonic()
        note("step begins", step=step)
        weights, loss = model.step(weights, step == first)
        if fails(step):
            fail(FAIL_AT["how"])
        if FAIL_AT.get("how") == "lines" and received("failed"):
            chatter(step)
        seconds = time.monotonic() - started
        say(
            f"completed step: {step}, seconds: {seconds:.3f}, TFLOP/s/device: {0.05 / seconds:.3f}, "
            f"Tokens/s/device: {64 / seconds:.3f}, total_weights: 64, loss: {loss:.3f}"
        )
        note("step ends", step=step)
        if signals:
            say(f"[process={INDEX}] Saving checkpoint at step {step} due to preemption.")
            if INDEX == 0:
                save(step, weights)
            note("ends on SIGTERM", step=step)
            sys.exit(143)
        if INDEX == 0 and step % SAVE_EVERY == SAVE_EVERY - 1:
            save(step, weights)


signals, talk = [], {}
begin()
if setting("SAVE_ON_SIGTERM", 0):
    signal.signal(signal.SIGTERM, lambda *_: signals.append(1))
if setting("FRAMEWORK", "plain") == "jax":
    from model_jax import Model
else:
    from model_plain import Model
model = Model(CHECKPOINTS, INDEX, setting, say)
say(f"Num_devices: 4, shape (1, 4), process {INDEX}")
train(*restore())
model.finish()
note("done")
