"""memory_group.py: the memory cgroup of a job's victim, as a container has one, in the version that this machine mounts."""
import os

V1, V2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
LIMIT_BYTES = {"torch": 2 << 30, "jax": 1 << 30}


class NoMemoryGroup(Exception):
    """What this machine lacks for it."""


def parent():
    """The folder below which groups are made, and the version."""
    if os.path.exists(f"{V1}/memory.limit_in_bytes"):
        return V1, 1
    try:
        with open(f"{V2}/cgroup.controllers", encoding="ascii") as file:
            if "memory" not in file.read().split():
                raise NoMemoryGroup(f"{V2} is cgroup v2 without the controller memory: start the container with it delegated")
        with open(f"{V2}/cgroup.subtree_control", "w", encoding="ascii") as file:
            file.write("+memory")
    except OSError as error:
        raise NoMemoryGroup(f"neither {V1} nor a cgroup v2 at {V2} gives memory to new groups ({error}): run as root of the machine, "
                            "or in a container whose root group has no processes") from error
    return V2, 2


class MemoryGroup:
    def __init__(self, framework):
        root, self.version = parent()
        self.folder = os.path.join(root, f"deaths-{os.getpid()}")
        try:
            os.makedirs(self.folder, exist_ok=True)
            names = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"] if self.version == 1 else ["memory.max", "memory.swap.max"]
            for name, value in zip(names, (LIMIT_BYTES[framework], LIMIT_BYTES[framework] if self.version == 1 else 0)):
                if name == names[0] or os.path.exists(os.path.join(self.folder, name)): # swap is not counted everywhere
                    self.write(name, value)
        except OSError as error:
            raise NoMemoryGroup(f"{self.folder}: {error.strerror}: run as root where cgroups can be written") from error

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(str(value))

    def enter(self):
        """In the process that starts."""
        self.write("cgroup.procs", os.getpid())

    def kills(self):
        """How many processes the kernel killed here because memory was short."""
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        with open(os.path.join(self.folder, name), encoding="ascii") as file:
            return int(dict(line.split() for line in file).get("oom_kill", 0))

    def close(self):
        os.rmdir(self.folder)
