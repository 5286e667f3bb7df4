"""table.py: the deaths of real jobs, of PyTorch and of JAX, and what they must be found to be.

deaths.py plays them on this machine, tests/nodes/story/acts_deaths.py plays some of them on nodes."""
import dataclasses

RANKS = {"torch": 4, "jax": 2}
ANY = "any"  # all ranks fail in the same way
NONE = None  # no log has the cause: a symptom


@dataclasses.dataclass(frozen=True)
class Death:
    framework: str
    name: str
    classes: tuple
    rank: object
    is_named: bool = False  # the logs name the victim, for which the others wait

    @property
    def count(self):
        return RANKS[self.framework]

    @property
    def victim(self):
        return 0 if self.name == "leader-segfault" else self.count // 2

    def ranks(self):
        """Those that start."""
        return [rank for rank in range(self.count) if self.name != "rendezvous" or rank != self.victim]

    def may_wait_for(self, waits_for):
        """Whether a symptom may name whom it waits for so ("": no rank): as a rank, a task, a log, or a slot."""
        if self.rank is not NONE:
            return waits_for == ""
        names = (f"rank {self.victim}", f"task {self.victim}", f"rank-{self.victim}.log")
        return waits_for in names or waits_for.endswith(f" 0/{self.victim}") or (waits_for == "" and not self.is_named)


DEATHS = [
    Death("torch", "exception", ("UserException",), 2),
    Death("torch", "import", ("UserException",), 2),
    Death("torch", "shape", ("UserException",), 2),
    Death("torch", "device-oom", ("DeviceOOM",), 2),
    Death("torch", "host-oom", ("HostOOM",), 2),
    Death("torch", "allocation", ("HostOOM",), 2),
    Death("torch", "nan", ("NaNDivergence",), 2),
    Death("torch", "nan-gradient", ("NaNDivergence",), 2),
    Death("torch", "disk-full", ("StorageError",), 0),
    Death("torch", "checkpoint", ("CheckpointError",), 2),
    Death("torch", "missing-shard", ("DataError",), 2),
    Death("torch", "labels", ("DataError",), 2),
    Death("torch", "loader", ("ShmDataLoader",), 2),
    Death("torch", "segfault", ("CrashSignal",), 2),
    Death("torch", "segfault-faulthandler", ("CrashSignal",), 2),
    Death("torch", "abort", ("CrashSignal",), 2),
    Death("torch", "hang", ("CollectiveTimeout", "HangWatchdog"), NONE),
    Death("torch", "hang-barrier", ("CollectiveTimeout", "HangWatchdog"), NONE, True),
    Death("torch", "watchdog", ("HangWatchdog",), NONE, True),
    Death("torch", "network", ("CollectiveTimeout", "PeerLost"), NONE),
    Death("torch", "rendezvous", ("StartupRendezvous",), ANY),
    Death("torch", "port", ("StartupRendezvous",), 0),
    Death("torch", "flag", ("ConfigError",), ANY),
    Death("torch", "sigterm", ("Preemption",), 2),
    Death("jax", "exception", ("UserException",), 1),
    Death("jax", "assert", ("UserException",), 1),
    Death("jax", "shape", ("UserException",), 1),
    Death("jax", "device-oom", ("DeviceOOM",), 1),
    Death("jax", "allocation", ("DeviceOOM",), 1),
    Death("jax", "host-oom", ("HostOOM",), 1),
    Death("jax", "nan", ("NaNDivergence",), 1),
    Death("jax", "disk-full", ("StorageError",), 0),
    Death("jax", "checkpoint", ("CheckpointError",), 1),
    Death("jax", "missing-shard", ("DataError",), 1),
    Death("jax", "segfault", ("CrashSignal",), 1),
    Death("jax", "leader-segfault", ("CrashSignal",), 0),
    Death("jax", "watchdog", ("HangWatchdog",), NONE, True),
    Death("jax", "network", ("CollectiveTimeout", "PeerLost"), NONE),
    Death("jax", "rendezvous", ("StartupRendezvous",), ANY),
    Death("jax", "flag", ("ConfigError",), ANY),
    Death("jax", "sigterm", ("Preemption",), 1),
]
