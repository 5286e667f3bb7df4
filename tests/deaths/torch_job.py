"""torch_job.py: a small training job on gloo, a process a rank below torchrun, which dies as --death says.

The process that dies does what its name says: nothing prints a message that a library would print, except for the
memory of a device that this machine does not have."""
import argparse
import ctypes
import datetime
import faulthandler
import gzip
import json
import os
import resource
import signal
import sys
import time

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

import gate
import memory

COLLECTIVE_TIMEOUT_S = 12
DEATH_STEP = 4
DEVICE_OOM = (
    "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.14 GiB is free. "
    "Including non-PyTorch memory, this process has 77.95 GiB memory in use. Of the allocated memory 75.80 GiB is allocated "
    "by PyTorch, and 1.20 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.")


class Shards(Dataset):
    """One file a rank; the worker of a loader may die."""

    def __init__(self, folder, rank, dies):
        self.samples = np.load(os.path.join(folder, f"shard-{rank:05d}.npy"))
        self.dies = dies

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        if self.dies and index == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return torch.from_numpy(self.samples[index])


def save_checkpoint(folder, rank, model):
    torch.save({"model": model.state_dict(), "padding": torch.randn(500_000)}, os.path.join(folder, f"model-{rank}.pt"))


def load_checkpoint(folder, rank, model):
    path = os.path.join(folder, f"model-{rank}.pt")
    if os.path.exists(path):
        model.load_state_dict(torch.load(path)["model"])


def read_labels(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def grow_until_refused():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    return [torch.ones(1 << 28) for _ in range(64)]


def die(death, model, batch):
    """What happens on the victim at the step of its death."""
    if death == "exception":
        return {"inputs": batch}["labels"]
    if death == "device-oom":
        raise torch.OutOfMemoryError(DEVICE_OOM)
    if death == "shape":
        return model.module(torch.randn(4, 7))
    if death == "allocation":
        return grow_until_refused()
    if death == "host-oom":
        memory.exhaust()
    if death == "segfault":
        ctypes.string_at(0)
    if death == "segfault-faulthandler":
        faulthandler.enable()
        ctypes.string_at(0)
    if death == "abort":
        os.abort()
    if death in ("hang", "hang-barrier"):
        time.sleep(600)
    return None


def train(args, rank):
    torch.manual_seed(rank)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    load_checkpoint(args.checkpoint, rank, model)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    is_victim = rank == args.victim
    workers = 1 if args.death == "loader" else 0
    loader = DataLoader(Shards(args.data, rank, is_victim and workers), batch_size=4, num_workers=workers)
    if is_victim and args.death == "labels":
        read_labels(os.path.join(args.data, "labels.jsonl.gz"))
    if args.death == "watchdog":
        faulthandler.dump_traceback_later(COLLECTIVE_TIMEOUT_S - 3, exit=True)
    for step, batch in enumerate(loader):
        start = time.monotonic()
        if is_victim and step == DEATH_STEP:
            if args.death in ("nan", "nan-gradient"):
                batch = batch * float("nan")
            die("hang" if args.death == "watchdog" else args.death, model, batch)
        if args.death == "hang-barrier":
            dist.monitored_barrier(timeout=datetime.timedelta(seconds=COLLECTIVE_TIMEOUT_S))
        network = model.module if args.death == "nan-gradient" else model # whose gradients stay on their rank
        loss = network(batch).square().mean()
        if args.death == "nan" and not torch.isfinite(loss): # as the reference trainers of torchvision stop
            print(f"Loss is {loss.item()}, stopping training", flush=True)
            sys.exit(1)
        loss.backward()
        if args.death == "nan-gradient":
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
            dist.barrier()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step: {step} loss: {loss.item():.4f} seconds: {time.monotonic() - start:.3f}", flush=True)
        if rank == 0 and step == DEATH_STEP and args.death == "disk-full":
            save_checkpoint(args.small_disk, rank, model.module)
        time.sleep(args.pause)
    dist.barrier()


def main():
    parser = argparse.ArgumentParser(prog="torch_job.py")
    for name in ("--data", "--checkpoint", "--small-disk", "--death"):
        parser.add_argument(name, default="")
    parser.add_argument("--victim", type=int, default=-1)
    parser.add_argument("--pause", type=float, default=0.1)
    args = parser.parse_args()
    gate.wait("trainers")
    if args.death == "import" and int(os.environ["RANK"]) == args.victim:
        import fused_attention_kernels  # noqa: F401
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=COLLECTIVE_TIMEOUT_S))
    train(args, dist.get_rank())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
