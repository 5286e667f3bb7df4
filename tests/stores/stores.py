#!/usr/bin/env python3
"""stores.py [PART...]: the archive's uploads against MinIO and fake-gcs-server, with stores that are away, busy, slow and
lying, wrong settings, and a controller that is killed. Prints a line for each check; the last one is the total."""
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import time
import urllib.request

from fleet_objects import Fleets
from identity import ROLE, Identity
from proxy import Fault, Proxy
from rig import CA, PASSWORD, REGION, ROOT, USER, Controller, FakeGCS, Metadata, Minio, Server, Spool, free_port, until

KILLS = int(os.environ.get("STORES_KILLS", "200"))
KEYS = {"AWS_ACCESS_KEY_ID": USER, "AWS_SECRET_ACCESS_KEY": PASSWORD, "AWS_REGION": REGION}


class Test:
    """A store, a proxy before it, a spool and the controllers of one case."""

    def __init__(self, rig, scheme):
        self.store, self.scheme, self.folder = rig.stores[scheme], scheme, rig.folder
        rig.cases += 1
        self.bucket = f"archive-{scheme}-{rig.cases}"
        self.url = f"{scheme}://{self.bucket}/goodput/v1"
        self.proxy = Proxy(self.store.port)
        self.environment = KEYS if scheme == "s3" else {"GCE_METADATA_HOST": rig.metadata.host}
        self.spool = Spool(rig.cases)
        self.running = []

    def start(self, *flags, **more):
        more.setdefault("environment", self.environment)
        endpoint = more.pop("endpoint", self.proxy.url)
        c = Controller(self.folder, more.pop("url", self.url), self.spool, f"--archive-endpoint={endpoint}", *flags, **more)
        self.running.append(c)
        return c

    def has(self, expected=None):
        expected = self.spool.written if expected is None else expected
        return self.store.objects(self.bucket) == {"goodput/v1/" + key: content for key, content in expected.items()}

    def is_moved(self):
        def is_over():
            return not self.spool.left() or self.running[-1].process.poll() is not None
        return until(is_over) and not self.spool.left() and self.has()

    def end(self):
        for c in self.running:
            c.stop()
        self.proxy.stop()
        self.spool.remove()


class Rig:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="goodput-stores-")
        self.metadata = Metadata()
        self.server = Server(self.folder)
        self.stores = {"s3": Minio(self.folder), "gs": FakeGCS(self.folder)}
        self.cases = self.passed = self.failed = 0

    def check(self, what, right, detail=""):
        self.passed += bool(right)
        self.failed += not right
        print(f"{'ok' if right else 'not ok'} - {what}" + ("" if right else f": {str(detail)[-1500:]}"), flush=True)

    def end(self):
        for program in (self.server, *self.stores.values()):
            program.stop()
        self.metadata.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def metric(port, name):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as reply:
            for line in reply.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[1])
    except OSError:
        pass
    return None


# ---- what both stores do ----


def plain(rig, t):
    t.store.make(t.bucket)
    t.spool.add(50)
    t.spool.add(10, day=time.strftime("%Y-%m-%d", time.gmtime()), cluster="__HIVE_DEFAULT_PARTITION__")
    os.makedirs(os.path.join(t.spool.root, "cluster=prod%2Fa/.open/namespace=team-0"))
    with open(os.path.join(t.spool.root, "cluster=prod%2Fa/.open/namespace=team-0/j_u_t_1764000000.jsonl.gz"), "wb") as f:
        f.write(b"grows")
    port = free_port()
    c = t.start(metrics=port)
    rig.check("objects are moved, byte for byte", until(lambda: len(t.spool.left()) == 1) and t.has(), c.text())
    rig.check("one that grows stays", [x for x in t.spool.left() if "/.open/" in x], t.spool.left())
    rig.check("empty folders of days that are over are deleted, others stay",
              [f for f in t.spool.folders() if "date=" in f and "namespace=" not in f] == [f"cluster=__HIVE_DEFAULT_PARTITION__/date={time.strftime('%Y-%m-%d', time.gmtime())}"],
              t.spool.folders())
    rig.check("the metrics say so", metric(port, "goodput_archive_uploads_total") == 60 and metric(port, "goodput_archive_waiting_objects") == 0
              and metric(port, "goodput_archive_failing_since_timestamp_seconds") is None, metric(port, "goodput_archive_uploads_total"))
    rig.check("nothing is in trouble", not c.errors(), c.text())


def existing(rig, t):
    t.store.make(t.bucket)
    same, other = t.spool.add(2)
    t.store.put(t.bucket, "goodput/v1/" + same, t.spool.written[same])
    t.store.put(t.bucket, "goodput/v1/" + other, b"of somebody else")
    c = t.start()
    until(lambda: not t.spool.left())
    found = t.store.objects(t.bucket)
    renamed = [k for k in found if k.startswith(f"goodput/v1/{other}.conflict-")]
    rig.check("an object that exists with the same content is done", found.get("goodput/v1/" + same) == t.spool.written[same], c.text())
    rig.check("one with other content stays", found.get("goodput/v1/" + other) == b"of somebody else", found)
    rig.check("the job's own is kept under another name, which no query reads",
              len(renamed) == 1 and found[renamed[0]] == t.spool.written[other] and not renamed[0].endswith(".jsonl.gz"), found.keys())
    rig.check("that is reported once, with what to do", len(c.errors("exists with other content")) == 1 and "compare them, and keep one" in c.text(), c.text())
    t.spool.write(other, t.spool.written[other])
    c.stop()
    c = t.start()
    rig.check("the same again makes no third one", until(lambda: not t.spool.left()) and len(t.store.objects(t.bucket)) == 3, t.store.objects(t.bucket).keys())


def again(t, controller):
    controller.stop()
    return t.start()


def faults(rig, t):
    t.store.make(t.bucket)
    port = free_port()
    t.proxy.fault = Fault("busy", headers=[("Retry-After", "1")])
    t.spool.add(20)
    c = t.start(metrics=port)
    rig.check("a busy store is a failure that the metrics have", until(lambda: metric(port, "goodput_archive_failing_since_timestamp_seconds") is not None), c.text())
    time.sleep(8)
    rig.check("... nothing is deleted, and it is reported once", len(t.spool.left()) == 20 and len(c.errors()) == 1 and "it is tried again" in c.errors()[0], c.text())
    rig.check("... and it is asked less and less", len(t.proxy.seen) < 30, len(t.proxy.seen))
    t.proxy.fault = None
    rig.check("... once it answers, all is moved", t.is_moved(), c.text())
    rig.check("... and the metric ends", until(lambda: metric(port, "goodput_archive_failing_since_timestamp_seconds") is None, 10))
    put = "PUT" if t.scheme == "s3" else "POST"
    for kind, method, count in (("slow", None, None), ("dripping", "GET", 8), ("silent", put, 2), ("garbage", None, 2), ("cut", "GET", 2)):
        t.proxy.fault = Fault(kind, method, count)
        t.spool.add(8)
        c = again(t, c) # whose waits are short again
        rig.check(f"a store that is {kind} ({method or 'always'}) loses nothing", t.is_moved(), c.text())
    for kind, method, count in (("forgetful", put, 3), ("forgetful", None, 3)):
        t.proxy.fault = Fault(kind, method, count)
        t.spool.add(4)
        c = again(t, c)
        rig.check(f"a store that answers 200 and has not stored it ({method or 'any'}) is not trusted", t.is_moved(), c.text())
    t.proxy.fault = Fault("flipped", "GET", 1)
    t.spool.add(1)
    c = again(t, c)
    until(lambda: t.proxy.fault.left == 0)
    time.sleep(0.5)
    rig.check("nor one that gives back other bytes: the spool keeps the object", len(t.spool.left()) == 1, c.text())
    rig.check("... until it gives back the same ones", t.is_moved(), c.text())
    rig.check("... which is reported", any("gave back other bytes" in e for e in c.errors()), c.errors())


def killed(rig, t):
    t.store.make(t.bucket)
    t.proxy.fault = Fault("slow", seconds=0.02)
    seeds = random.Random(1)
    died = kills = 0
    for _ in range(KILLS):
        if len(t.spool.left()) < 20:
            t.spool.add(20)
        c = t.start()
        time.sleep(0.05 + seeds.random() * 0.25)
        died += c.process.poll() is not None
        c.stop(signal.SIGKILL)
        kills += 1
        os.unlink(c.log)
    t.running.clear() # only that no log is kept of them
    stored = len(t.spool.written) - len(t.spool.left())
    c = t.start()
    rig.check(f"{kills} kills during uploads of {len(t.spool.written)} objects, of which {stored} were moved between them: none is lost, none is there twice",
              t.is_moved() and died == 0 and stored > KILLS / 4, c.text())


def bucket_missing(rig, t):
    t.spool.add(3)
    c = t.start()
    rig.check("a missing bucket is reported with what to do", until(lambda: c.errors()) and "create the bucket, or correct --archive" in c.errors()[0], c.text())
    time.sleep(6)
    rig.check("... once", len(c.errors()) == 1, c.errors())
    t.store.make(t.bucket)
    rig.check("... and once there is one, all is moved", t.is_moved(), c.text())
    rig.check("... which the log says", until(lambda: "archive uploaded again" in c.text(), 10), c.text())


def denied(rig, t):
    t.store.make(t.bucket)
    t.proxy.fault = Fault("busy", status=403, text=b'{"error":{"code":403,"message":"no"}}')
    t.spool.add(3)
    c = t.start()
    words = "allow s3:PutObject and s3:GetObject" if t.scheme == "s3" else "allow storage.objects.create and storage.objects.get"
    rig.check("a refusal is reported with what to allow", until(lambda: c.errors()) and words in c.errors()[0], c.text())
    t.proxy.fault = None
    rig.check("... and nothing is lost", t.is_moved(), c.text())


def fleet_days(rig, t):
    """Days that left a FleetGoodput's status are objects of the store, and are read from it by a controller whose spool is new."""
    t.store.make(t.bucket)
    fleets = Fleets(t.folder)
    t.running.append(fleets.server)
    fleets.add_job("old", chips=8, days=10)
    fleets.add_job("first", chips=1, days=1)
    fleets.create("31d")
    flags = ["--cluster-name=here", "--status-interval=100ms"]
    c = t.start(*flags, server=fleets.server)
    whole = 11 * Fleets.SECONDS
    rig.check("a window of 31 days has both jobs", until(lambda: fleets.asked() == 9 * Fleets.SECONDS), fleets.status())
    is_day = lambda key: "/fleet=all/" in key and key.endswith(".sums")
    rig.check("days older than a week are moved to the store",
              until(lambda: any(map(is_day, t.store.objects(t.bucket))) and not any(map(is_day, t.spool.left()))), c.text())
    stored = {k: v for k, v in t.store.objects(t.bucket).items() if is_day(k)}
    for count, name in enumerate(("second", "third"), 2): # what is stored leaves the status with the next one that is written
        fleets.add_job(name, chips=1, days=1)
        rig.check(f"the window has the {name} job of its last week", until(lambda: fleets.asked() == (8 + count) * Fleets.SECONDS), fleets.status())
    c.stop()
    fleets.delete_job("old")
    t.spool.empty()
    t.proxy.fault = Fault("busy", "GET", status=503)
    c = t.start(*flags, server=fleets.server)
    rig.check("while the store does not answer, the window is shorter, and says so",
              until(lambda: fleets.reason("Degraded") == "ArchiveNotRead" and fleets.asked() == 3 * Fleets.SECONDS), fleets.status())
    t.proxy.fault = None
    rig.check("once it does, the days are there again, though their job and the spool are not",
              until(lambda: fleets.asked() == whole and fleets.reason("Degraded") == "AsExpected", 120), fleets.status())
    rig.check("objects of days are never written again", {k: v for k, v in t.store.objects(t.bucket).items() if k in stored} == stored)


# ---- what S3 alone does: each refusal is MinIO's own ----


def keys_of_a_file(rig, t):
    t.store.make(t.bucket)
    t.spool.add(3)
    path = os.path.join(t.folder, "credentials")

    def write(secret):
        with open(path + ".new", "w") as f:
            f.write(f"[other]\naws_access_key_id = x\n\n[archive]\n# of MinIO\naws_access_key_id = {USER}\naws_secret_access_key={secret}\n")
        os.rename(path + ".new", path)

    write("wrong")
    c = t.start(environment={"AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "archive"}, *[f"--archive-region={REGION}"])
    rig.check("a wrong secret is reported with what to do",
              until(lambda: c.errors()) and "SignatureDoesNotMatch" in c.errors()[0] and "give it the secret access key that belongs to" in c.errors()[0], c.text())
    rig.check("... and without the secret", "wrong" not in c.text() and PASSWORD not in c.text())
    write(PASSWORD)
    rig.check("... a file with the right one is read without a restart", t.is_moved(), c.text())
    t.proxy.fault = Fault("busy", None, 1, status=400, text=b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>")
    t.spool.add(1)
    seen = len(c.errors())
    rig.check("expired keys are asked for again at once", t.is_moved() and len(c.errors()) == seen, c.text())
    c.stop()
    c = t.start(environment={})
    t.spool.add(1)
    rig.check("no keys at all are reported with what to do", until(lambda: c.errors()) and "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in c.errors()[0], c.text())


def clock_skew(rig, t):
    t.store.make(t.bucket)
    t.spool.add(2)
    clock = os.path.join(t.folder, "clock")
    with open(clock, "wb") as f:
        f.write(struct.pack("<4q", 1, 0, 0, 3600 * 1000000))
    c = t.start(environment={**KEYS, "LD_PRELOAD": os.path.join(ROOT, ".build/release/preload/clock.so"), "PRELOAD_CLOCK": clock})
    rig.check("a clock beyond SigV4's window is reported with both times",
              until(lambda: c.errors()) and "RequestTimeTooSkewed" in c.errors()[0] and "set the clock of the controller's node: it is 20" in c.errors()[0], c.text())
    with open(clock, "r+b") as f:
        f.write(struct.pack("<4q", 1, 0, 0, 0))
    rig.check("... and nothing is lost", t.is_moved(), c.text())


def region(rig, t):
    t.store.make(t.bucket)
    t.spool.add(2)
    c = t.start("--archive-region=us-east-1")
    rig.check("another region is reported with the bucket's own", until(lambda: c.errors()) and f"set --archive-region={REGION}" in c.errors()[0], c.text())
    c.stop()
    t.proxy.fault = Fault("busy", status=301, text=b"<Error><Code>PermanentRedirect</Code><Message>m</Message><Endpoint>b.s3.eu-west-9.amazonaws.com</Endpoint></Error>")
    c = t.start()
    rig.check("... a redirect with where it is", until(lambda: c.errors()) and "it is at b.s3.eu-west-9.amazonaws.com" in c.errors()[0], c.text())
    t.proxy.fault = None
    c.stop()
    c = t.start()
    rig.check("... and nothing is lost", t.is_moved(), c.text())


def temporary_keys(rig, t):
    """Keys of MinIO's own STS, with a session token and a policy that does not allow to put."""
    t.store.make(t.bucket)
    t.spool.add(2)
    policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject"],"Resource":["arn:aws:s3:::*"]}]}'

    def environment(policy):
        keys = t.store.temporary_keys(policy)
        return {"AWS_ACCESS_KEY_ID": keys.access_key, "AWS_SECRET_ACCESS_KEY": keys.secret_key, "AWS_SESSION_TOKEN": keys.session_token, "AWS_REGION": REGION}

    c = t.start(environment=environment(policy))
    rig.check("AccessDenied is reported with what to allow", until(lambda: c.errors()) and "AccessDenied" in c.errors()[0] and "allow s3:PutObject" in c.errors()[0], c.text())
    c.stop()
    c = t.start(environment=environment(None))
    rig.check("a session token is signed", t.is_moved(), c.text())


def identity(rig, t, environment, server, words):
    """Keys that a server gives for the token in a file; both change."""
    path = os.path.join(t.folder, "token")

    def write(token):
        with open(path + ".new", "w") as f:
            f.write(token + "\n")
        os.rename(path + ".new", path)

    t.store.make(t.bucket)
    t.spool.add(3)
    write("token-of-yesterday")
    given = {"AWS_REGION": REGION, **environment(path)}
    c = t.start(environment=given)
    rig.check("a token that is not accepted is reported", until(lambda: c.errors()) and words in c.errors()[0], c.text())
    rig.check("... without the token", "token-of-yesterday" not in c.text())
    write("token-1")
    rig.check("... the one that the kubelet writes next is read, and all is moved", t.is_moved(), c.text())
    asked = len(server.seen)
    t.spool.add(3)
    rig.check("keys are kept while they are good", t.is_moved() and len(server.seen) == asked, server.seen)
    server.seconds = 302 # renewed five minutes before
    c.stop()
    c = t.start(environment=given)
    t.spool.add(3)
    rig.check("keys that soon expire", t.is_moved() and server.seen[-1] == "token-1", c.text())
    write("token-2")
    server.tokens = {"token-2"}
    time.sleep(3)
    t.spool.add(3)
    rig.check("... are renewed with the newest token, without a failure",
              t.is_moved() and server.seen[-1] == "token-2" and not c.errors(), (c.errors(), server.seen))
    server.stop()
    time.sleep(3)
    t.spool.add(1)
    rig.check("a server that is away is reported, and nothing is lost",
              until(lambda: c.errors()) and "no AWS credentials: " in c.errors()[0] and len(t.spool.left()) == 1, c.text())


def web_identity(rig, t):
    server = Identity(t.store.temporary_keys)
    identity(rig, t, lambda path: {"AWS_ROLE_ARN": ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": path, "AWS_ENDPOINT_URL_STS": server.url}, server,
             "no AWS credentials: the token service answers ExpiredTokenException: Token expired")


def pod_identity(rig, t):
    server = Identity(t.store.temporary_keys)
    identity(rig, t, lambda path: {"AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url + "/v1/credentials", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": path},
             server, "no AWS credentials: HTTP status 400")
    c = t.start(environment={"AWS_REGION": REGION, "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/v1/credentials"})
    rig.check("keys are not asked for in clear from another machine",
              until(lambda: c.errors()) and "is neither https nor of this machine" in c.errors()[0], c.text())


def tls(rig, t):
    folder, other = (os.path.join(t.folder, name) for name in ("tls", "other-ca"))
    os.makedirs(folder)
    os.makedirs(other)
    ca, other_ca = CA(folder), CA(other)
    t.store = Minio(folder, ca.file)
    t.running.append(t.store)
    t.store.make(t.bucket)
    t.spool.add(5)
    url = f"https://127.0.0.1:{t.store.port}"
    for what, flags, endpoint in (("without its CA", [], url), ("with another CA", [f"--archive-ca={other_ca.file}"], url),
                                  ("by a name that its certificate has not", [f"--archive-ca={ca.file}"], url.replace("127.0.0.1", "localhost")),
                                  ("in clear", [], url.replace("https", "http"))):
        c = t.start(*flags, endpoint=endpoint)
        rig.check(f"nothing goes to a TLS endpoint {what}",
                  until(lambda: c.errors()) and len(t.spool.left()) == 5 and not t.store.objects(t.bucket), c.text())
        rig.check("... which is reported once, with what to do", len(c.errors()) == 1 and (what == "in clear" or "--archive-ca" in c.errors()[0]),
                  c.errors())
        c.stop()
    c = t.start(f"--archive-ca={ca.file}", endpoint=url)
    rig.check("with its CA objects are moved, byte for byte", t.is_moved() and not c.errors(), c.text())
    c.stop()
    c = t.start(f"--archive-ca={folder}/absent", endpoint=url)
    rig.check("a CA file that does not exist is refused", c.process.wait(30) != 0 and "--archive-ca" in c.text(), c.text())


def settings(rig, t):
    t.store.make(t.bucket)
    refused = {"s3://": "is not the name of a bucket", "s3://a/b": "is not the name of a bucket", "ftp://bucket/x": "a store is s3://BUCKET/PREFIX or gs://BUCKET/PREFIX",
              "s3://a?b=c/x": "is not the name of a bucket", "s3://bucket/a/../b": "a prefix has no", "gs://bucket/..": "a prefix has no",
              "s3://bucket/./a/": "a prefix has no"}
    for url, words in refused.items():
        c = t.start(url=url)
        rig.check(f"--archive={url} is refused", c.process.wait(30) != 0 and words in c.text(), c.text())
    c = t.start(endpoint="minio:9000")
    rig.check("an endpoint without a scheme is refused", c.process.wait(30) != 0 and "is not https://HOST" in c.text(), c.text())


BOTH = [plain, existing, faults, bucket_missing, denied, killed, fleet_days]
S3 = [keys_of_a_file, clock_skew, region, temporary_keys, web_identity, pod_identity, tls, settings]
CASES = [("s3", case) for case in BOTH + S3] + [("gs", case) for case in BOTH]


def main():
    parts = sys.argv[1:]
    unknown = [part for part in parts if part not in [case.__name__ for _, case in CASES]]
    if unknown:
        sys.exit(f"no such part: {unknown}")
    rig = Rig()
    try:
        for scheme, case in CASES:
            if parts and case.__name__ not in parts:
                continue
            print(f"== {scheme}: {case.__name__}", flush=True)
            t = Test(rig, scheme)
            started = time.monotonic()
            try:
                case(rig, t)
            except Exception as e: # a case that breaks is a failed one
                rig.check(f"{case.__name__} ran", False, repr(e))
            finally:
                t.end()
            print(f"   {time.monotonic() - started:.1f} s", flush=True)
    finally:
        rig.end()
    print(f"{rig.passed} passed, {rig.failed} failed")
    return rig.failed > 0 or rig.passed == 0


if __name__ == "__main__":
    sys.exit(main())
