"""Acts on the machines: what a kernel, an operator or a broken cable does to a node. Run as root on the host, which sees the
processes of every machine; a machine is entered by the process that holds its namespaces."""
import os
import subprocess

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARENT_CGROUP = "goodput-nodes"
SLOWER = 5 if os.environ.get("NODES_SLOW") else 1  # an emulated machine


class Machines:
    def __init__(self, run):
        self.run = run

    def pid(self, machine):
        with open(os.path.join(self.run, "machines", machine), encoding="ascii") as file:
            return int(file.read())

    def on(self, machine, *command, timeout=60 * SLOWER):
        """What the command printed, run inside the machine. Raises CalledProcessError with its errors."""
        enter = ["nsenter", "--target", str(self.pid(machine)), "--mount", "--uts", "--ipc", "--net", "--pid", "--"]
        done = subprocess.run([*enter, *command], capture_output=True, text=True, timeout=timeout, check=False)
        if done.returncode:
            raise RuntimeError(f"{machine}: {' '.join(command)}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def signal_container(self, pod, number, container=0):
        """Sends a signal to the processes of a pod's container, as the kernel would: kubelet knows nothing of it."""
        status = pod["status"]["containerStatuses"][container]
        ident = status["containerID"].split("//")[1]
        self.on(pod["spec"]["nodeName"], "ctr", "-n", "k8s.io", "tasks", "kill", "-a", "-s", number, ident)

    def restart(self, node, part):
        self.on(node, os.path.join(HERE, "node.sh"), node[1:], "restart", part)

    def stop(self, node, *parts):
        self.on(node, os.path.join(HERE, "node.sh"), node[1:], "stop", *parts)

    def start(self, node, *parts):
        self.on(node, os.path.join(HERE, "node.sh"), node[1:], "start", *parts)

    def cable(self, node, state):
        """Cuts ("down") or restores ("up") a node's cable to the others and to the control plane; the node itself continues."""
        enter = ["nsenter", f"--net=/proc/{self.pid('cp')}/ns/net", "ip", "link", "set", f"cable{node[1:]}", state]
        subprocess.run(enter, check=True, capture_output=True)

    # --- processes of pods, as the host sees them ---

    def process_of(self, pod, program):
        """The host's id of the process with this name (its first 15 letters) in the pod, or None."""
        uid = pod["metadata"]["uid"]
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/comm", encoding="ascii", errors="replace") as file:
                    if file.read().strip() != program[:15]:
                        continue
                with open(f"/proc/{entry}/cgroup", encoding="ascii", errors="replace") as file:
                    text = file.read()
            except OSError:
                continue  # it has ended meanwhile
            if PARENT_CGROUP in text and uid in text:
                return int(entry)
        return None


def cost(pid):
    """(resident KiB now, at most; seconds of CPU; bytes received on the pod's interface) of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    with open(f"/proc/{pid}/net/dev", encoding="ascii") as file:
        received = next(int(line.split()[1]) for line in file if line.strip().startswith("eth0:"))
    ticks = os.sysconf("SC_CLK_TCK")
    return int(status["VmRSS"].split()[0]), int(status["VmHWM"].split()[0]), (int(fields[11]) + int(fields[12])) / ticks, received
