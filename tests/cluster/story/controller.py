"""goodput-controller as the tests run it."""
import subprocess
import threading
import time
import urllib.request


class Controller:
    """goodput-controller as an ordinary process with the kubeconfig of its ServiceAccount."""

    def __init__(self, program, kubeconfig, log_path, port, *flags):
        self.port = port
        command = [program, f"--kubeconfig={kubeconfig}", f"--health-bind-address=127.0.0.1:{port}", *flags]
        self.command, self.log_path = command, log_path
        self.is_stopping = False
        self.lock = threading.Lock()
        self._start()

    def _start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def keep_alive(self):
        """As a kubelet does: on a machine so busy that the lease cannot be renewed in time the controller ends itself."""
        threading.Thread(target=self._keep_alive, daemon=True, name="keep the controller alive").start()

    def _keep_alive(self):
        while True:
            code = self.process.wait()
            with self.lock:
                if self.is_stopping:
                    return
                print(f"    the controller ended with {code} and is started again", flush=True)
                self._start()
            time.sleep(1)

    @property
    def pid(self):
        return self.process.pid

    def wait_ready(self, seconds=120):
        deadline = time.time() + seconds
        while time.time() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the controller exited with {self.process.returncode}, see {self.log_path}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(f"the controller was not ready in {seconds} s, see {self.log_path}")

    def stop(self):
        """Returns the exit code, or None if it had to be killed."""
        with self.lock:
            self.is_stopping = True
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
