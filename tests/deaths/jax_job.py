"""jax_job.py: a small training job of several JAX processes, which dies as --death says. See torch_job.py."""
import argparse
import ctypes
import faulthandler
import os
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils

import gate
import memory

DEATH_STEP = 4
HEARTBEAT_S = 10
HBM = (
    "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 17.24G of 15.75G hbm. "
    "Exceeded hbm capacity by 1.49G.")


def save_checkpoint(folder, rank, weights):
    np.savez(os.path.join(folder, f"checkpoint-{rank}.npz"), weights=weights, padding=np.random.rand(300_000))


def load_checkpoint(folder, rank, weights):
    path = os.path.join(folder, f"checkpoint-{rank}.npz")
    if not os.path.exists(path):
        return weights
    restored = jnp.asarray(np.load(path)["weights"])
    if restored.shape != weights.shape:
        raise ValueError(f"checkpoint has shape {restored.shape}, the model has {weights.shape}")
    return restored


def die(death):
    if death == "exception":
        return {"inputs": 1}["labels"]
    if death == "device-oom":
        raise jax.errors.JaxRuntimeError(HBM)
    if death == "allocation":
        return jnp.ones((1 << 20, 1 << 24)).sum().block_until_ready()
    if death == "shape":
        return jnp.ones((3, 4)) @ jnp.ones((5, 6))
    if death == "assert":
        assert jax.device_count() == 16, "the mesh needs 16 devices"
    if death == "host-oom":
        memory.exhaust()
    if death in ("segfault", "leader-segfault"):
        ctypes.string_at(0)
    if death == "watchdog":
        time.sleep(600)
    return None


@jax.jit
def step_of(weights, batch):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.log(jnp.square(batch @ w) + 1)))(weights)
    return loss, gradient


def train(args):
    rank = jax.process_index()
    is_victim = rank == args.victim
    weights = load_checkpoint(args.checkpoint, rank, jnp.ones((16, 4)))
    samples = np.load(os.path.join(args.data, f"shard-{rank:05d}.npy"))
    if args.death == "nan":
        jax.config.update("jax_debug_nans", True)
    if args.death == "watchdog":
        # The rank that hangs ends first; the other one then leaves its collective with an exception.
        faulthandler.dump_traceback_later(12 if is_victim else 16, exit=True)
    for step in range(len(samples) // 4):
        start = time.monotonic()
        batch = jnp.asarray(samples[4 * step:4 * step + 4])
        if is_victim and step == DEATH_STEP:
            if args.death == "nan":
                batch = batch.at[0].set(jnp.inf) * 0
            die(args.death)
        loss, gradient = step_of(weights, batch)
        weights = weights - 0.01 * multihost_utils.process_allgather(gradient).mean(axis=0)
        print(f"completed step: {step}, seconds: {time.monotonic() - start:.3f}, TFLOP/s/device: 0.001, loss: {float(loss):.3f}", flush=True)
        if rank == 0 and step == DEATH_STEP and args.death == "disk-full":
            save_checkpoint(args.small_disk, rank, weights)
        time.sleep(args.pause)
    multihost_utils.sync_global_devices("end")


def main():
    parser = argparse.ArgumentParser(prog="jax_job.py")
    for name in ("--data", "--checkpoint", "--small-disk", "--death", "--coordinator"):
        parser.add_argument(name, default="")
    for name in ("--processes", "--rank", "--victim"):
        parser.add_argument(name, type=int, default=-1)
    parser.add_argument("--pause", type=float, default=0.1)
    args = parser.parse_args()
    gate.wait("trainers")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(args.coordinator, args.processes, args.rank, initialization_timeout=15,
                               heartbeat_timeout_seconds=HEARTBEAT_S, shutdown_timeout_seconds=5)
    train(args)


if __name__ == "__main__":
    main()
