"""memory.py: a process that needs more memory than its container has."""
import os
import signal

LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # cgroup v2, v1
UNLIMITED = 1 << 60


def is_limited():
    for path in LIMITS:
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                limit = file.read().strip()
            return limit.isdigit() and int(limit) < UNLIMITED
    return False


def exhaust():
    """Takes memory until the kernel kills the process. Where nothing limits it, the signal comes without that: a machine has other users."""
    if not is_limited():
        os.kill(os.getpid(), signal.SIGKILL)
    hog = []
    while True:
        hog.append(os.urandom(1 << 22))
