#!/usr/bin/env python3
"""The unmodified recorder and calculator against the controller's own endpoint, over TLS, with a ServiceAccount's token:
what the recorder wrote is in the status (source Push), over the controller's death too; and who is refused, and why."""
import base64
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), "tests/export"]
from emulator import make_certificate  # noqa: E402
from jobs import Job, client, compare  # noqa: E402
from rig import BIN, Rig, Tally, wait_for  # noqa: E402

LOGGER, RUN = "goodput_run2", "run2"


def token(sub="system:serviceaccount:default:trainer", **claims):
    text = base64.urlsafe_b64encode(json.dumps({"sub": sub, **claims}).encode()).decode().rstrip("=")
    return f"eyJhbGciOiJSUzI1NiJ9.{text}.signed"


class Relay:
    """What hostAliases do in a pod: logging.googleapis.com is the controller. A proxy that knows no other place."""

    def __init__(self):
        self.port, self.listener = 0, socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    def serve(self, one):
        head = b""
        while b"\r\n\r\n" not in head:
            more = one.recv(4096)
            if not more:
                return
            head += more
        if not head.startswith(b"CONNECT logging.googleapis.com:443 "):
            one.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            one.close()
            return
        try:
            other = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            one.close()
            return
        one.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=self.pump, args=(one, other), daemon=True).start()
        self.pump(other, one)

    @staticmethod
    def pump(source, to):
        try:
            while data := source.recv(65536):
                to.sendall(data)
        except OSError:
            pass
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Endpoint:
    def __init__(self, folder):
        self.folder, self.relay = folder, Relay()
        os.makedirs(folder + "/cert")
        self.ca, _, _ = make_certificate(folder + "/cert")
        os.makedirs(folder + "/store")
        os.makedirs(folder + "/tokens")
        self.flags = ("--status-interval=1s", "--ingest-tokens=" + folder + "/tokens", "--ingest-bind-address=127.0.0.1:0", "--ingest-cert-dir=" + folder + "/cert",
                      "--ingest-store=" + folder + "/store")
        self.trust = ssl.create_default_context(cafile=self.ca)

    def attach(self, rig):
        self.relay.port = self.port = int(rig._port("ingest served"))

    def environment(self, bearer, project="default"):
        """What a pod has: a projected token, and a file that says how to use it."""
        with open(self.folder + "/token", "w") as out:
            out.write(bearer)
        with open(self.folder + "/credentials.json", "w") as out:
            json.dump({"type": "external_account", "audience": "goodput-controller", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                       "token_url": "https://logging.googleapis.com/v1/token", "credential_source": {"file": self.folder + "/token"}}, out)
        return {**os.environ, "GOOGLE_CLOUD_DISABLE_GRPC": "true", "GOOGLE_CLOUD_PROJECT": project, "NO_GCE_CHECK": "true",
                "GOOGLE_APPLICATION_CREDENTIALS": self.folder + "/credentials.json", "HTTPS_PROXY": self.relay.url,
                "REQUESTS_CA_BUNDLE": self.ca, "GCE_METADATA_HOST": "127.0.0.1:1", "GCE_METADATA_IP": "127.0.0.1:1"}

    def post(self, path, body, bearer=None):
        """Status and JSON, past the relay: straight over TLS, under the certificate's name."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = f"Authorization: Bearer {bearer}\r\n" if bearer else ""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as plain:
            with self.trust.wrap_socket(plain, server_hostname="logging.googleapis.com") as tls:
                tls.sendall(f"POST {path} HTTP/1.1\r\nHost: logging.googleapis.com\r\nConnection: close\r\n{headers}"
                            f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
                answer = b""
                while more := tls.recv(65536):
                    answer += more
        head, _, rest = answer.partition(b"\r\n\r\n")
        status = int(head.split(b" ")[1])
        return status, json.loads(rest) if rest.startswith(b"{") else rest.decode()


def entry(job, n, **more):
    return {"severity": 200, "jsonPayload": {"job_name": job, "step_count": n, "step_start_time": time.time()}, **more}


def write(*entries, log="projects/default/logs/l", **more):
    return {"logName": log, "entries": list(entries), "partialSuccess": True, **more}


def listing(endpoint, bearer, job, **more):
    return endpoint.post("/v2/entries:list", {"resourceNames": ["projects/default"], "orderBy": "timestamp asc",
                                              "filter": f'jsonPayload.job_name="{job}"', **more}, bearer)


def check_refusals(tally, endpoint):
    mine = token()
    cases = [
        ("no token", None, write(entry("x", 1)), 401, "ServiceAccount"),
        ("an unknown token", "a.b.c", write(entry("x", 1)), 401, "ServiceAccount"),
        ("a person", token("jane"), write(entry("x", 1)), 403, "only ServiceAccounts"),
        ("another namespace's project", token("system:serviceaccount:other:trainer"), write(entry("x", 1)), 403, "writer's namespace"),
        ("a token for somebody else", token(aud="vault"), write(entry("x", 1)), 401, "ServiceAccount"),
        ("no JSON", mine, b"{\"entries\":[", 400, "cut off"),
        ("no job", mine, write({"textPayload": "x"}), 400, "job_name"),
        ("a wrong time", mine, write(entry("x", 1, timestamp="yesterday")), 400, "timestamp"),
        ("a clock days ahead", mine, write(entry("x", 1, timestamp="2190-01-01T00:00:00Z")), 400, "clock"),
        ("an entry of 300 KiB", mine, write(entry("x", 1, trace="x" * 300000)), 400, "256.0K"),
        ("10 MiB and a byte", mine, b" " * (10 * 1024 * 1024 + 1), 413, "too large"),
    ]
    for name, bearer, body, status, part in cases:
        got, answer = endpoint.post("/v2/entries:write?prettyPrint=false", body, bearer)
        tally.check(f"{name}: {status}", got == status and part in json.dumps(answer), (got, answer))
    tally.check("nothing of it was kept", listing(endpoint, mine, "x") == (200, {"entries": []}), listing(endpoint, mine, "x"))
    tally.check("10 MiB of nothing are read", endpoint.post("/v2/entries:write", b" " * (10 << 20), mine)[0] == 400)
    got, answer = endpoint.post("/v2/entries:write", write(entry("good", 1), {"textPayload": "bad"}, entry("good", 2)), token(aud="goodput-controller"))
    kept = listing(endpoint, mine, "good")[1]["entries"]
    tally.check("of a partial success the good ones are kept", got == 400 and "entry 1" in answer["error"]["message"] and len(kept) == 2, (answer, kept))
    for name, body, part in (("another field", {"filter": 'labels.a="b"'}, "Unparseable filter"), ("no job", {"filter": ""}, "must name a job"),
                             ("newest first", {"orderBy": "timestamp desc"}, "orderBy")):
        got, answer = listing(endpoint, mine, "good", **body)
        tally.check(f"a list of {name} is refused", got == 400 and part in answer["error"]["message"], answer)
    got, answer = listing(endpoint, token("system:serviceaccount:other:trainer"), "good")
    tally.check("another namespace reads nothing", got == 403, answer)


def check_pages(tally, endpoint):
    mine = token()
    for at in range(0, 300, 100):
        endpoint.post("/v2/entries:write", write(*(entry("many", n, timestamp=f"2026-01-01T00:{n % 60:02d}:00Z") for n in range(at, at + 100))), mine)
    found, body = [], {"pageSize": 70}
    for _ in range(10):
        _, page = listing(endpoint, mine, "many", **body)
        found += page["entries"]
        if "nextPageToken" not in page:
            break
        body["pageToken"] = page["nextPageToken"]
    keys = [(e["timestamp"], e["insertId"]) for e in found]
    tally.check("pages give each entry once, in order", len(found) == 300 and len(set(keys)) == 300 and keys == sorted(keys), len(found))


def check_push(tally, endpoint, rig):
    job = Job(rig, "pushed", {"source": "Push", "format": "MaxText"})
    waits = wait_for("the condition", lambda: "nothing was sent" in job.condition("StepLogAttached").get("message", "") and job.condition("StepLogAttached"))
    tally.check("what was not sent yet is said", "job \"pushed\" of namespace default" in waits["message"], waits)
    for step in range(12):
        got = endpoint.post("/v1/push?job=pushed", f"completed step: {step}, seconds: 0.2, TFLOP/s/device: 1.0, loss: 1.0\n".encode(), token())
        if got != (200, {"lines": 1}):
            tally.check("a line is taken", False, got)
        time.sleep(0.2)
    job.end()
    status = wait_for("the pushed steps", lambda: job.finished(11))
    tally.check("pushed lines are the job's steps", status["steps"]["retained"] == 12, status["steps"])
    tally.check("a push without a job is refused", endpoint.post("/v1/push", b"x\n", token())[0] == 400)


def check_library(tally, endpoint, rig):
    """The controller dies between the attempts: what was acknowledged is there."""
    environment = endpoint.environment(token(aud="goodput-controller"))
    job = Job(rig, "train", {"source": "Push", "format": "Recorder", "push": {"jobName": RUN}})
    client(environment, "write", LOGGER, RUN, "0", "20", "dies")
    kept = len(listing(endpoint, token(), RUN)[1]["entries"])
    tally.check("what the recorder flushed is stored", kept == 25, kept)
    controller = rig.processes[-1]
    controller.kill()
    controller.wait()
    job.restart()
    rig.start_controller()
    endpoint.attach(rig)
    client(environment, "write", LOGGER, RUN, "14", "30", "end")
    job.end()
    status = wait_for("a finished status with step 29", lambda: job.finished(29))
    compare(tally, status, client(environment, "read", LOGGER, RUN))


def check_torn(tally, endpoint):
    """A crash in the middle of a write: half a line was acknowledged to nobody."""
    path = f"{endpoint.folder}/store/default/good/00000001.jsonl"
    with open(path, "a") as out:
        out.write('{"insertId":"half')
    endpoint.post("/v2/entries:write", write(entry("good", 3)), token())
    kept = [e["jsonPayload"]["step_count"] for e in listing(endpoint, token(), "good")[1]["entries"]]
    tally.check("half a line goes before the next", kept == [1, 2, 3], kept)


def check_tokens(tally, endpoint, rig):
    """A writer outside the cluster: no ServiceAccount, but a token of its job, in a mounted Secret."""
    secret, other = "outside-0123456789abcdef0123456789", "second-0123456789abcdef0123456789"
    tally.check("a token that nobody gave is refused", endpoint.post("/v2/entries:write", write(entry("outer", 0)), secret)[0] == 401)

    def put(*tokens):
        with open(endpoint.folder + "/tokens/default.outer", "w") as out:
            out.write("\n".join(tokens))

    put(secret)
    wait_for("the token", lambda: endpoint.post("/v2/entries:list", b"{}", secret)[0] != 401)
    for name, path, body in (("writes", "/v2/entries:write", write(entry("good", 9))), ("pushes", "/v1/push?job=good", b"x\n"),
                             ("reads", "/v2/entries:list", {"resourceNames": ["projects/default"], "filter": 'jsonPayload.job_name="good"'})):
        got, answer = endpoint.post(path, body, secret)
        tally.check(f"a job's token {name} nothing of another job", got == 403 and 'for job \"outer\" alone' in answer["error"]["message"], answer)
    got, answer = endpoint.post("/v2/entries:write", write(entry("outer", 1), entry("good", 9)), secret)
    kept = [e["jsonPayload"]["step_count"] for e in listing(endpoint, token(), "good")[1]["entries"]]
    tally.check("... not even beside its own", got == 403 and 9 not in kept and listing(endpoint, secret, "outer")[1]["entries"] == [], (got, kept))
    tally.check("... nor of another namespace", endpoint.post("/v2/entries:write", write(entry("outer", 1), log="projects/other/logs/l"), secret)[0] == 403)
    environment = endpoint.environment(secret)
    job = Job(rig, "outer", {"source": "Push", "format": "Recorder"})
    client(environment, "write", "goodput_outer", "outer", "0", "6", "end")
    job.end()
    status = wait_for("its steps", lambda: job.finished(5))
    tally.check("the unmodified recorder writes with a job's token", status["steps"]["retained"] == 6, status["steps"])
    put(secret, other)
    wait_for("the second token", lambda: endpoint.post("/v2/entries:list", b"{}", other)[0] != 401)
    tally.check("while one takes the other's place both are good", endpoint.post("/v2/entries:list", b"{}", secret)[0] == 400)
    put(other)
    wait_for("the end of the first", lambda: endpoint.post("/v2/entries:list", b"{}", secret)[0] == 401)
    tally.check("then the first is none any more", endpoint.post("/v2/entries:list", b"{}", other)[0] == 400)
    tally.check("no token is in the log", secret not in rig.text(rig.log) and other not in rig.text(rig.log))


def check_rate(tally, endpoint):
    bearer, codes = token("system:serviceaccount:greedy:t"), []
    for _ in range(30):
        codes.append(endpoint.post("/v2/entries:write", b" " * (2 << 20), bearer)[0])
        if codes[-1] == 429:
            break
    tally.check("a namespace that sends too much is told to wait", codes[-1] == 429 and codes[0] == 400, codes)
    tally.check("others go on", endpoint.post("/v2/entries:write", write(entry("good", 4)), token())[0] == 200)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        endpoint = Endpoint(folder)
        rig = Rig(is_follower=False, flags=endpoint.flags)
        try:
            endpoint.attach(rig)
            check_refusals(tally, endpoint)
            check_pages(tally, endpoint)
            check_torn(tally, endpoint)
            check_push(tally, endpoint, rig)
            check_library(tally, endpoint, rig)
            check_tokens(tally, endpoint, rig)
            check_rate(tally, endpoint)
        finally:
            rig.close()
    tally.end()


if __name__ == "__main__":
    main()
