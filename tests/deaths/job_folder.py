"""job_folder.py: the folder of a job that dies, and the command of each of its processes. Where they run is not decided here."""
import gzip
import json
import os
import shutil
import subprocess

SHARDS = (
    "import numpy as np, sys\n"
    "for r in range(int(sys.argv[2])): np.save(f'{sys.argv[1]}/shard-{r:05d}.npy', np.random.default_rng(r).random((400, 16), dtype=np.float32))")
CHECKPOINTS = {
    "torch": "import torch, sys\nimport torch.nn as nn\n"
             "m = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))\n"
             "for r in range(4): torch.save({'model': m.state_dict()}, f'{sys.argv[1]}/model-{r}.pt')",
    "jax": "import numpy as np, sys\n"
           "for r in range(2): np.savez(f'{sys.argv[1]}/checkpoint-{r}.npz', weights=np.ones((16, 4), np.float32))",
}


class JobFolder:
    """python: one that has PyTorch and JAX."""

    def __init__(self, death, folder, python):
        self.death, self.folder, self.python = death, folder, python
        self.data, self.checkpoint, self.gate, self.disk = (os.path.join(folder, name) for name in ("data", "checkpoint", "gate", "disk"))

    def prepare(self):
        for folder in (self.data, self.checkpoint, self.gate, self.disk):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        os.chmod(self.gate, 0o777)
        self.make(SHARDS, self.data, str(self.death.count))
        if self.death.name == "missing-shard":
            os.remove(os.path.join(self.data, f"shard-{self.death.victim:05d}.npy"))
        if self.death.name == "labels":
            self.write_torn_labels()
        if self.death.name == "checkpoint":
            self.write_torn_checkpoints()

    def make(self, program, *words):
        subprocess.run([self.python, "-c", program, *words], check=True, stdout=subprocess.DEVNULL)

    def write_torn_labels(self):
        text = "".join(json.dumps({"id": n, "label": os.urandom(8).hex()}) + "\n" for n in range(1000))
        packed = gzip.compress(text.encode())
        with open(os.path.join(self.data, "labels.jsonl.gz"), "wb") as file:
            file.write(packed[:len(packed) // 2])

    def write_torn_checkpoints(self):
        """Whole for each rank but the victim, whose file ends where its writer was killed."""
        self.make(CHECKPOINTS[self.death.framework], self.checkpoint)
        name = f"model-{self.death.victim}.pt" if self.death.framework == "torch" else f"checkpoint-{self.death.victim}.npz"
        path = os.path.join(self.checkpoint, name)
        os.truncate(path, os.path.getsize(path) // 2)

    def remove(self):
        for folder in (self.data, self.checkpoint, self.gate, self.disk):
            shutil.rmtree(folder, ignore_errors=True)


def environment(death, gate):
    """What each process needs."""
    return {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", "GATE": gate, "GATE_SIZE": str(len(death.ranks()))}


def argv(death, python, programs, folder, disk, rank, address, port):
    """The command of a process. Its paths are as the process sees them; address: of rank 0."""
    words = ["--data", f"{folder}/data", "--checkpoint", f"{folder}/checkpoint", "--small-disk", disk, "--death", death.name,
             "--victim", str(death.victim)]
    if death.name == "flag":
        words += ["--stepz=3"]
    if death.name in ("sigterm", "network"):
        words += ["--pause", "0.5"]
    if death.framework == "jax":
        return [python, "-u", f"{programs}/jax_job.py", "--coordinator", f"{address}:{port}", "--processes", str(death.count),
                "--rank", str(rank), *words]
    return [python, "-u", f"{programs}/gate.py", "--nnodes", str(death.count), "--nproc-per-node", "1", "--node-rank", str(rank),
            "--master-addr", address, "--master-port", str(port), "--rdzv-conf", "timeout=15", "--max-restarts", "0",
            f"{programs}/torch_job.py", *words]
