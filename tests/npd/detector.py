"""detector.py: the node-problem-detector of one node, with the rules of gpu-monitor.json and a kernel's log that a test writes."""
import atexit
import json
import os
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
XID79 = "NVRM: Xid (PCI:0000:9b:00): 79, pid=4821, name=python, GPU has fallen off the bus."
XID31 = ("NVRM: Xid (PCI:0000:3b:00): 31, pid=4821, name=python, Ch 00000008, intr 10000000. MMU Fault: ENGINE GRAPHICS "
         "GPCCLIENT_T1_0 faulted @ 0x7f31_c2000000. Fault is of type FAULT_PDE ACCESS_TYPE_READ")


class Detector:
    """program: node-problem-detector; api: the API server's URL; kubeconfig: with whose token it writes; without one it needs none."""

    def __init__(self, program, api, folder, machine, kubeconfig=None):
        self.machine = machine
        self.log, rules = (os.path.join(folder, f"{machine}.{ending}") for ending in ("log", "json"))
        open(self.log, "w", encoding="utf-8").close()
        with open(os.path.join(HERE, "gpu-monitor.json"), encoding="utf-8") as file:
            config = dict(json.load(file), logPath=self.log)
        with open(rules, "w", encoding="utf-8") as file:
            json.dump(config, file)
        override = f"{api}?inClusterConfig=false" + (f"&auth={kubeconfig}" if kubeconfig else "")
        with open(self.log + ".out", "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                [program, "--hostname-override", machine, "--apiserver-override", override, "--port", "0", "--prometheus-port", "0",
                 "--config.system-log-monitor", rules],
                stdout=output, stderr=subprocess.STDOUT, env=dict(os.environ, NODE_NAME=machine, TZ="UTC"))
        atexit.register(self.process.kill)  # where a test is ended in the middle

    def kernel_writes(self, text, at=None):
        """at: in Unix seconds; now."""
        stamp = time.strftime("%b %e %H:%M:%S", time.gmtime(at))
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(f"{stamp} {self.machine} kernel: [ 4242.171717] {text}\n")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
