"""The programs of a benchmark: the embedded API server, steered by commands, and a program under measurement."""
import os
import re
import signal
import subprocess
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """test-apiserver, steered over its standard input."""

    def __init__(self, directory, *flags):
        self.kubeconfig = os.path.join(directory, "kubeconfig")
        program = os.environ.get("TEST_APISERVER", os.path.join(ROOT, ".build/bin/test-apiserver"))
        command = [program, "--port", "0", "--control", "--tls", "--kubeconfig-out", self.kubeconfig, *flags]
        command += ["--crd", os.path.join(ROOT, "crds/goodput.dev_jobgoodputs.yaml")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline()
        if not first.startswith(".ready"):
            raise RuntimeError(f"test-apiserver said {first!r}")

    def do(self, lines):
        self.process.stdin.write(lines + "\n.\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline().rstrip("\n")
            if line == ".ok":
                return lines
            if not line or line.startswith(".error"):
                raise RuntimeError(f"test-apiserver: {line} at {lines[:200]}")
            lines.append(line)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Client:
    """A program under measurement."""

    def __init__(self, name, command, log):
        self.name, self.log_path = name, log
        with open(log, "wb") as file:
            self.process = subprocess.Popen(command, stdout=file, stderr=file)

    def says(self, text, seconds=300):
        deadline = time.time() + seconds
        while True:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                if text in file.read():
                    return
            if self.process.poll() is not None or time.time() > deadline:
                raise RuntimeError(f"{self.name} did not say {text!r}, see {self.log_path}")
            time.sleep(0.05)

    def port(self, name):
        """Where the controller serves it: health, metrics, page or ingest."""
        self.says(f'"{name} served"')
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return int(re.search(rf'"{name} served","port":([0-9]+)', file.read()).group(1))

    def await_ready(self, seconds=300):
        """Until every resource is listed, however many are watched: the controller's /readyz answers 200."""
        if self.name == "informer":
            self.says("synced")
            return
        url, deadline = f"http://127.0.0.1:{self.port('health')}/readyz", time.monotonic() + seconds
        while True:
            try:
                with urllib.request.urlopen(url, timeout=10):
                    return
            except OSError as error:  # URLError and HTTPError, too
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{self.name} is not ready: {error}, see {self.log_path}") from error
            time.sleep(0.05)

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory_kib(self, what):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{what}:\s+(\d+) kB", file.read(), re.M).group(1))

    def settle(self):
        """Waits until it has done with what came: no CPU for a second."""
        before = -1
        while self.cpu_seconds() - before > 0.02:
            before = self.cpu_seconds()
            time.sleep(1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
