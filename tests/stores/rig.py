"""rig.py: the stores (MinIO and fake-gcs-server, built from their Go modules), a metadata server, and the controller that
uploads to them. All on loopback, at ports of the kernel's choice."""
import gzip
import http.server
import json
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RELEASE = os.path.join(ROOT, ".build/release/bin")
STORES = os.path.join(ROOT, ".build/cluster/bin")
USER, PASSWORD = "goodput-user", "goodput-password"
REGION = "eu-west-3"
DEADLINE_S = 60


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(is_done, seconds=DEADLINE_S):
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


class Process:
    def __init__(self, arguments, log, environment=None):
        self.log = log
        with open(log, "ab") as out:
            self.process = subprocess.Popen(arguments, stdout=out, stderr=out, env=environment, stdin=subprocess.DEVNULL)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait()

    def text(self):
        with open(self.log, errors="replace") as f:
            return f.read()


def answers(port, path, ca=None):
    context = ssl.create_default_context(cafile=ca) if ca else None
    try:
        with urllib.request.urlopen(f"http{'s' if ca else ''}://127.0.0.1:{port}{path}", timeout=5, context=context) as reply:
            return reply.status == 200
    except OSError:
        return False


class Minio(Process):
    """With a region, so that requests of another one are refused. ca: the file of the CA whose certificate it has in the
    folder `certificates`."""

    def __init__(self, folder, ca=None, **more):
        import minio # of its own virtual environment (run.sh)
        import urllib3
        self.port = free_port()
        os.makedirs(os.path.join(folder, "certificates"), exist_ok=True)
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "MINIO_ROOT_USER": USER, "MINIO_ROOT_PASSWORD": PASSWORD,
                       "MINIO_REGION": REGION, "MINIO_BROWSER": "off", "MINIO_UPDATE": "off", **more}
        super().__init__([os.path.join(STORES, "minio"), "server", os.path.join(folder, "minio"), "--address", f"127.0.0.1:{self.port}",
                          "--console-address", f"127.0.0.1:{free_port()}", "--certs-dir", os.path.join(folder, "certificates")],
                         os.path.join(folder, "minio.log"), environment)
        if not until(lambda: answers(self.port, "/minio/health/ready", ca)):
            raise RuntimeError("MinIO did not start: " + self.text()[-2000:])
        self.client = minio.Minio(f"127.0.0.1:{self.port}", USER, PASSWORD, secure=ca is not None, region=REGION,
                                  http_client=urllib3.PoolManager(ca_certs=ca) if ca else None)

    def temporary_keys(self, policy=None):
        """Keys of its token service, with a session token."""
        from minio.credentials import AssumeRoleProvider
        return AssumeRoleProvider(sts_endpoint=f"http://127.0.0.1:{self.port}", access_key=USER, secret_key=PASSWORD, policy=policy,
                                  region=REGION).retrieve()

    def make(self, bucket):
        self.client.make_bucket(bucket)

    def put(self, bucket, key, content):
        import io
        self.client.put_object(bucket, key, io.BytesIO(content), len(content))

    def objects(self, bucket):
        """{key: content}"""
        found = {}
        for one in self.client.list_objects(bucket, recursive=True):
            reply = self.client.get_object(bucket, one.object_name)
            found[one.object_name] = reply.read()
            reply.close()
            reply.release_conn()
        return found


class CA:
    """A CA, and a certificate of 127.0.0.1 for MinIO in its folder `certificates`."""

    def __init__(self, folder):
        self.file, self.folder = os.path.join(folder, "ca.crt"), folder
        key, request, made = (os.path.join(folder, name) for name in ("ca.key", "request", "extensions"))
        os.makedirs(os.path.join(folder, "certificates"))
        with open(made, "w") as f:
            f.write("subjectAltName=IP:127.0.0.1\n")
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=archive test",
                     "-keyout", key, "-out", self.file)
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=minio",
                     "-keyout", os.path.join(folder, "certificates", "private.key"), "-out", request)
        self.openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", key, "-CAcreateserial", "-days", "2", "-extfile", made,
                     "-out", os.path.join(folder, "certificates", "public.crt"))

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class FakeGCS(Process):
    def __init__(self, folder):
        self.port = free_port()
        super().__init__([os.path.join(STORES, "fake-gcs-server"), "-scheme", "http", "-backend", "memory", "-host", "127.0.0.1", "-port",
                          str(self.port)], os.path.join(folder, "gcs.log"))
        if not until(lambda: answers(self.port, "/storage/v1/b?project=p")):
            raise RuntimeError("fake-gcs-server did not start: " + self.text()[-2000:])

    def ask(self, path, data=None, kind="application/json"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": kind})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read()

    def make(self, bucket):
        self.ask("/storage/v1/b?project=p", json.dumps({"name": bucket}).encode())

    def put(self, bucket, key, content):
        self.ask(f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={urllib.parse.quote(key, safe='')}", content, "application/gzip")

    def objects(self, bucket):
        found, token = {}, ""
        while True:
            page = json.loads(self.ask(f"/storage/v1/b/{bucket}/o?maxResults=1000&pageToken={token}"))
            for one in page.get("items", []):
                found[one["name"]] = self.ask(f"/storage/v1/b/{bucket}/o/{urllib.parse.quote(one['name'], safe='')}?alt=media")
            token = page.get("nextPageToken", "")
            if not token:
                return found


class Metadata:
    """Google's metadata server: tokens of this machine's account."""

    def __init__(self):
        metadata = self
        self.tokens = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                metadata.tokens += 1
                content = json.dumps({"access_token": f"token-{metadata.tokens}", "expires_in": 3600, "token_type": "Bearer"}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Spool:
    """Complete objects as an archive's folder has them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.root = tempfile.mkdtemp(prefix="goodput-spool-")
        self.written = {}

    def add(self, count, day="2026-11-26", cluster="prod%2Fa", lines=40):
        for _ in range(count):
            n = len(self.written)
            key = f"cluster={cluster}/date={day}/namespace=team-{n % 3}/job-{n}_u-{n}_t-{n}_{1764000000 + n}.jsonl.gz"
            text = "".join(json.dumps({"record": "span", "n": n, "x": self.random.random()}) + "\n" for _ in range(lines))
            self.write(key, gzip.compress(text.encode()))
        return list(self.written)[-count:]

    def write(self, key, content):
        path = os.path.join(self.root, key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".part", "wb") as f:
            f.write(content)
        os.rename(path + ".part", path)
        self.written[key] = content

    def left(self):
        return [os.path.relpath(os.path.join(folder, name), self.root) for folder, _, names in os.walk(self.root) for name in names]

    def folders(self):
        return sorted(os.path.relpath(folder, self.root) for folder, _, _ in os.walk(self.root))

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def empty(self):
        self.remove()
        os.makedirs(self.root)


class Server(Process):
    """The embedded API server: a controller ends where none answers."""

    def __init__(self, folder):
        self.kubeconfig = os.path.join(folder, "kubeconfig")
        super().__init__([os.path.join(RELEASE, "test-apiserver"), "--port", "0", "--kubeconfig-out", self.kubeconfig, "--crd",
                          os.path.join(ROOT, "crds/goodput.dev_jobgoodputs.yaml"), "--crd", os.path.join(ROOT, "crds/goodput.dev_fleetgoodputs.yaml")], os.path.join(folder, "apiserver.log"))
        if not until(lambda: os.path.exists(self.kubeconfig)):
            raise RuntimeError("test-apiserver did not start: " + self.text()[-2000:])


class Controller(Process):
    def __init__(self, folder, url, spool, *flags, environment=None, metrics=0, server=None):
        kubeconfig = server.kubeconfig if server else os.path.join(folder, "kubeconfig")
        log = tempfile.mktemp(prefix="controller-", suffix=".log", dir=folder)
        arguments = [os.path.join(RELEASE, "goodput-controller"), "--kubeconfig", kubeconfig, "--health-bind-address=0", "--leader-elect=false",
                     f"--archive={url}", f"--archive-spool={spool.root}", *flags]
        if metrics:
            arguments.append(f"--metrics-bind-address=127.0.0.1:{metrics}")
        super().__init__(arguments, log, {"PATH": os.environ["PATH"], "HOME": folder, **(environment or {})})

    def errors(self, message="archive not uploaded"):
        """The texts of its log's lines with that message."""
        found = []
        for line in self.text().splitlines():
            if line.startswith("{") and message in line:
                found.append(json.loads(line).get("error", ""))
        return found
