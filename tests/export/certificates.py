#!/usr/bin/env python3
"""--metrics-cert-dir: the certificate of a mounted Secret for /metrics and the page, renewed while connections are open."""

import base64
import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from rig import BIN, JOBGOODPUTS, Rig, Tally, wait_for  # noqa: E402

JOB = {"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": "late", "namespace": "default"},
       "spec": {"targetRef": {"apiGroup": "batch", "kind": "Job", "name": "late"}}}


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Authority:
    """A root and an issuer below it, as cert-manager's are; only the root is trusted."""

    def __init__(self, folder):
        self.folder = folder
        self.root = folder + "/root.crt"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=root",
                "-keyout", folder + "/root.key", "-out", self.root)
        self.sign("issuer", "root", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "basicConstraints=critical,CA:TRUE")

    def sign(self, name, issuer, key, extension):
        at = f"{self.folder}/{name}"
        with open(at + ".ext", "w") as out:
            out.write(extension + "\n")
        openssl("req", *key, "-nodes", "-subj", f"/CN={name}", "-keyout", at + ".key", "-out", at + ".csr")
        openssl("x509", "-req", "-days", "1", "-in", at + ".csr", "-CA", f"{self.folder}/{issuer}.crt", "-CAkey", f"{self.folder}/{issuer}.key",
                "-CAcreateserial", "-extfile", at + ".ext", "-out", at + ".crt")

    def leaf(self, name, key):
        """(chain, key), the chain without its root."""
        self.sign(name, "issuer", key, "subjectAltName=DNS:localhost")
        return [read(f"{self.folder}/{name}.crt") + read(f"{self.folder}/issuer.crt"), read(f"{self.folder}/{name}.key")]


def read(path):
    with open(path) as text:
        return text.read()


class Mount:
    """A Secret as the kubelet mounts it: names that point through ..data, which is swapped in one go."""

    def __init__(self, folder, pair):
        self.folder, self.turn = folder, 0
        os.mkdir(folder)
        self.put(pair)
        for name in ("tls.crt", "tls.key"):
            os.symlink(f"..data/{name}", f"{folder}/{name}")

    def put(self, pair):
        self.turn += 1
        fresh = f"{self.folder}/..turn{self.turn}"
        os.mkdir(fresh)
        for name, text in zip(("tls.crt", "tls.key"), pair):
            with open(f"{fresh}/{name}", "w") as out:
                out.write(text)
        os.symlink(f"..turn{self.turn}", self.folder + "/..data_tmp")
        os.rename(self.folder + "/..data_tmp", self.folder + "/..data")


class Feed:
    """The page's WebSocket over TLS."""

    def __init__(self, port, trust):
        self.stream = trust.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60), server_hostname="localhost")
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET /feed HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: goodput\r\n\r\n").encode())
        self.got = b""

    def wait(self, text):
        """Whether it came before the peer hung up."""
        while text not in self.got:
            more = self.stream.recv(65536)
            if not more:
                return False
            self.got += more
        return True


def asked(connection):
    """401: no token is sent. What counts is that it is answered."""
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    answer.read()
    return answer.status


def refuses(kubeconfig, folder):
    done = subprocess.run([BIN + "/goodput-controller", "--kubeconfig", kubeconfig, "--leader-elect=false", "--health-bind-address=0",
                           "--metrics-bind-address=0.0.0.0:0", "--metrics-cert-dir", folder], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr


def check_renewal(t, rig, mount, pairs, trust):
    ports = [int(re.search(f'"{what} served","port":([0-9]+),"tls":true', rig.text(rig.log)).group(1)) for what in ("metrics", "page")]

    def shown(port):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as plain, trust.wrap_socket(plain, server_hostname="localhost") as stream:
            return dict(x[0] for x in stream.getpeercert()["subject"])["commonName"], stream.cipher()

    t.check("metrics and page show the mounted certificate, whose chain leads to its root", [shown(p)[0] for p in ports] == ["first", "first"])
    open_one = http.client.HTTPSConnection("localhost", ports[0], context=trust, timeout=60)
    t.check("a connection is answered", asked(open_one) == 401)
    feed = Feed(ports[1], trust)
    t.check("the page's feed is open", feed.wait(b'"reset":true'))
    stream = open_one.sock
    mount.put(pairs["second"])
    wait_for("the renewed certificate", lambda: all(shown(p)[0] == "second" for p in ports))
    t.check("renewed: an RSA certificate follows one on P-256", True)
    t.check("the connection of before is still answered", asked(open_one) == 401 and open_one.sock is stream)
    rig.ask("POST", f"{JOBGOODPUTS}/namespaces/default/jobgoodputs", JOB)
    t.check("the feed of before still tells news", feed.wait(b'"name":"late"'))
    message = "certificate not renewed, the old one is still used"
    mount.put([pairs["third"][0], pairs["first"][1]])
    wait_for("the complaint", lambda: message in rig.text(rig.log))
    t.check("a key of another certificate is told of", "the private key is not that of the certificate" in rig.text(rig.log))
    t.check("and what was shown is shown on", shown(ports[0])[0] == "second")
    mount.put(pairs["third"])
    wait_for("the mended certificate", lambda: all(shown(p)[0] == "third" for p in ports))
    os.unlink(mount.folder + "/..data")
    wait_for("the other complaint", lambda: rig.text(rig.log).count(message) == 2)
    t.check("files that are gone are told of once, and what was shown is shown on", "tls.crt cannot be opened" in rig.text(rig.log) and shown(ports[1])[0] == "third")
    t.check("renewals are told", rig.text(rig.log).count('"msg":"certificate renewed"') == 2, rig.text(rig.log))
    t.check("no key is in the log", "PRIVATE KEY" not in rig.text(rig.log))


def main():
    t = Tally()
    folder = tempfile.mkdtemp(prefix="goodput-certificates-")
    try:
        authority = Authority(folder)
        curve, rsa = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["-newkey", "rsa:2048"]
        pairs = {"first": authority.leaf("first", curve), "second": authority.leaf("second", rsa), "third": authority.leaf("third", curve)}
        trust = ssl.create_default_context(cafile=authority.root)
        mount = Mount(folder + "/mounted", pairs["first"])
        rig = Rig(flags=["--metrics-bind-address=0.0.0.0:0", "--page-bind-address=0.0.0.0:0", f"--metrics-cert-dir={mount.folder}"])
        try:
            check_renewal(t, rig, mount, pairs, trust)
            os.mkdir(folder + "/empty")
            code, message = refuses(rig.kubeconfig, folder + "/empty")
            t.check("a directory without a certificate is refused at the start", code == 1 and f"--metrics-cert-dir: {folder}/empty/tls.crt cannot be opened" in message, (code, message))
            Mount(folder + "/odd", [pairs["first"][0], pairs["second"][1]])
            code, message = refuses(rig.kubeconfig, folder + "/odd")
            t.check("so is a key that does not fit", code == 1 and f"{folder}/odd: the private key is not that of the certificate" in message, (code, message))
        finally:
            rig.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    t.end()


main()
