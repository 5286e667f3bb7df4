#!/usr/bin/env python3
"""MaxText's own training program on the CPU, with synthetic data and a small model. Its loop, its step lines and its
checkpoints are its own; what the loop calls by name is wrapped to note the truth, and each step is waited for, so that its end
is known. Each pod trains by itself, as the CPU has no network of chips; only the first one's log is read.

Environment: what notes.py reads; STEPS: after those it continues until it receives "enough"; SAVE_EVERY.
"""
import os
import sys

from notes import CHECKPOINTS, INDEX, begin, note, setting, received

begin()  # loading MaxText is part of the attempt

# pylint: disable=wrong-import-position
import jax
from absl import app
from maxtext.common import checkpointing
from maxtext.trainers.pre_train import train

STEPS = setting("STEPS", 30)
iterate, save, load = train.training_loop_iteration, checkpointing.save_checkpoint, checkpointing.load_state_if_possible


def iterate_noted(on_device, variables, fixed):
    step = int(variables["step"])
    note("step begins", step=step)
    metrics = iterate(on_device, variables, fixed)
    jax.block_until_ready((metrics, on_device["state"]))
    note("step ends", step=step)
    if step + 1 >= STEPS and received("enough"):
        fixed["steps"] = step + 1
    return metrics


def save_noted(manager, step, state, *rest, **named):
    jax.block_until_ready(state)
    note("save begins", step=int(step))
    saved = save(manager, step, state, *rest, **named)
    note("save ends", step=int(step))
    return saved


def load_noted(manager, *rest, **named):
    newest = checkpointing.latest_step(manager)
    if newest is None:
        return load(manager, *rest, **named)
    note("restore begins", step=int(newest))
    loaded = load(manager, *rest, **named)
    note("restore ends", step=int(newest))
    return loaded


train.training_loop_iteration = iterate_noted
checkpointing.save_checkpoint = save_noted
checkpointing.load_state_if_possible = load_noted
model = "base_emb_dim=128 base_num_query_heads=2 base_num_kv_heads=2 base_mlp_dim=512 base_num_decoder_layers=2 head_dim=64 vocab_size=1024"
size = "per_device_batch_size=2 max_target_length=128 dataset_type=synthetic dtype=float32 attention=dot_product"
about = "hardware=cpu skip_jax_distributed_system=true enable_tensorboard=false monitor_goodput=false enable_goodput_recording=false"
checkpoints = f"enable_checkpointing=true async_checkpointing=true checkpoint_period={setting('SAVE_EVERY', 10)}"
base = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(train.__file__))), "configs", "base.yml")
where = [base, f"run_name=pod-{INDEX}", f"base_output_directory={CHECKPOINTS}", "steps=100000"]
sys.argv = [sys.argv[0], *where, *f"{model} {size} {about} {checkpoints}".split()]


def main(argv):
    train.main(argv)
    note("done")


app.run(main)
