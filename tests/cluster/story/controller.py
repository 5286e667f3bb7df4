"""goodput-controller as the tests run it."""
import subprocess
import time
import urllib.request


class Controller:
    """goodput-controller as an ordinary process with the kubeconfig of its ServiceAccount."""

    def __init__(self, program, kubeconfig, log_path, port, *flags):
        self.port = port
        command = [program, f"--kubeconfig={kubeconfig}", f"--health-bind-address=127.0.0.1:{port}", *flags]
        with open(log_path, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.log_path = log_path

    @property
    def pid(self):
        return self.process.pid

    def wait_ready(self, seconds=30):
        deadline = time.time() + seconds
        while time.time() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the controller exited with {self.process.returncode}, see {self.log_path}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"the controller was not ready in {seconds} s, see {self.log_path}")

    def stop(self):
        """Returns the exit code, or None if it had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
