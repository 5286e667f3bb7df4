#!/usr/bin/env python3
"""nvrx.py: what nvidia-resiliency-ext says of the logs that deaths.py kept, by its rules alone, without a language model.

It reads one log, so the ranks' lines are merged by their times. The table has the class that it names for the primary
failure, and the rank that printed the line it names. `observed_exception` is right where the program raised it."""
import json
import os
import subprocess
import sys

import deaths

PLACES = [os.path.join(deaths.ROOT, name) for name in ("nvrx", "nvrx-needs")]
CLASSES = {
    "cuda_oom": "DeviceOOM",
    "nan_or_inf": "NaNDivergence",
    "rejected_nonfinite_iteration": "NaNDivergence",
    "linux_oom_kill_confirmation": "HostOOM",
    "artifact_or_path_not_found": "DataError",
    "checkpoint_compatibility_mismatch": "CheckpointError",
    "argument_validation_failure": "ConfigError",
    "configuration_validation_failure": "ConfigError",
    "filesystem_permission_denied": "StorageError",
    "framework_crash": "CrashSignal",
    "observed_exception": "UserException",
    "shape_mismatch": "UserException",
    "observed_distributed_operation_timeout": "CollectiveTimeout",
    "port_bind_conflict": "StartupRendezvous",
    "user_cancelled": "Preemption",
    "infra_policy_event": "Preemption",
    "time_limit": "Preemption",
}


def install():
    """The wheel is for a newer Python and C library than this machine's; its rules are plain Python."""
    pip = [deaths.PYTHON, "-m", "pip", "install", "-q", "--retries", "2", "--timeout", "60", "--target"]
    if not os.path.isdir(PLACES[0]):
        deaths.command(*pip, PLACES[0], "--no-deps", "--only-binary=:all:", "--platform", "manylinux_2_39_x86_64", "--python-version", "3.12",
                       "nvidia-resiliency-ext==0.7.0")
        deaths.command(*pip, PLACES[1], "httpx==0.28.1")


def merge(job):
    """The lines in the order of their times, without them; and the rank of each."""
    lines = []
    for rank in range(job.count):
        if os.path.exists(job.log(rank)):
            with open(job.log(rank), encoding="utf-8", errors="replace") as file:
                lines += [(line.split(" ", 1)[0], rank, line.split(" ", 1)[1]) for line in file if " " in line]
    lines.sort(key=lambda line: line[0])
    return "".join(text for _, _, text in lines), [rank for _, rank, _ in lines]


def ask(job):
    text, ranks = merge(job)
    path, answer = (os.path.join(job.folder, name) for name in ("merged.log", "nvrx.json"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([deaths.PYTHON, "-m", "nvidia_resiliency_ext.attribution.restart_agent.cli", "--disable-l1", "--deterministic-json-out", answer, path],
                   check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, PYTHONPATH=":".join(PLACES)))
    with open(answer, encoding="utf-8") as file:
        primary = json.load(file)["candidate"]["result"]["primary_failure"] or {}
    line = primary.get("line")
    return primary.get("failure_class"), ranks[line - 1] if line else None


def main():
    install()
    classes = ranks = ranked = asked = 0
    for death in deaths.DEATHS:
        job = deaths.Job(death)
        if not os.path.exists(job.codes):
            continue
        name, rank = ask(job)
        is_class = CLASSES.get(name) in death.classes
        is_rank = rank == death.rank
        asked += 1
        classes += is_class
        if isinstance(death.rank, int):
            ranked += 1
            ranks += is_rank
        print(f"{death.framework}-{death.name:22s} {'|'.join(death.classes):30s} {name or '-':40s} {'right' if is_class else '':6s} "
              f"rank {rank}, expected {death.rank}", flush=True)
    print(f"nvidia-resiliency-ext 0.7.0: class right in {classes} of {asked}, first failing rank in {ranks} of {ranked}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
