#!/usr/bin/env python3
"""gate.py ARGUMENTS...: torchrun, whose time starts when each of a job's launchers has loaded its libraries.

wait() is the same for the processes that they launch."""
import os
import sys
import time


def wait(name):
    """Until as many processes as the job has ($GATE_SIZE) are at the gate of this name, a folder below $GATE."""
    folder = os.path.join(os.environ["GATE"], name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{os.uname().nodename}-{os.getpid()}"), "wb"):
        pass
    while len(os.listdir(folder)) < int(os.environ["GATE_SIZE"]):
        time.sleep(0.02)


if __name__ == "__main__":
    from torch.distributed import run
    wait("launchers")
    run.main(sys.argv[1:])
