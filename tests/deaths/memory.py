"""memory.py: a process that needs more memory than its container has."""
import os

LIMITS = {"": "/sys/fs/cgroup{}/memory.max", "memory": "/sys/fs/cgroup/memory{}/memory.limit_in_bytes"}  # cgroup v2, v1
UNLIMITED = 1 << 60


def paths():
    """Of the files with the limit of this process: below its group; at the root, where a container sees only its own."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        for line in file:
            _, controller, group = line.strip().split(":", 2)
            if controller in LIMITS:
                yield from (LIMITS[controller].format(g) for g in (group.rstrip("/"), ""))


def is_limited():
    for path in paths():
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                limit = file.read().strip()
            if limit.isdigit() and int(limit) < UNLIMITED:
                return True
    return False


def exhaust():
    """Takes memory until the kernel kills the process."""
    if not is_limited():
        raise SystemExit("no cgroup limits the memory of this process: it would take that of the machine")
    hog = []
    while True:
        hog.append(os.urandom(1 << 22))
