"""Google's endpoints as the unmodified clients find them, on loopback: a metadata server, a proxy that ends TLS for
logging.googleapis.com itself (the clients' address cannot be changed), and of Cloud Logging entries:write and
entries:list with filters, order and pages. `faults` are answers that come before the next requests to Logging."""
import datetime
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import time
import urllib.parse

MAX_ENTRIES = 1000  # a page, as Cloud Logging has it
ENTRY_BYTES = 256 * 1024
HOSTS = ("logging.googleapis.com", "monitoring.googleapis.com")


def make_certificate(folder, hosts=HOSTS):
    """A CA and a certificate of it: (ca.pem, tls.crt, tls.key)."""
    def run(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)
    with open(folder + "/san", "w") as out:
        out.write("subjectAltName=" + ",".join(f"DNS:{h}" for h in hosts) + "\nextendedKeyUsage=serverAuth\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test CA",
        "-addext", "keyUsage=critical,keyCertSign", "-addext", "basicConstraints=critical,CA:TRUE")
    run("req", *key, "-keyout", "tls.key", "-out", "tls.csr", "-subj", "/CN=server")
    run("x509", "-req", "-in", "tls.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
        "-extfile", "san", "-out", "tls.crt")
    return tuple(f"{folder}/{name}" for name in ("ca.pem", "tls.crt", "tls.key"))


def moment(text):
    """Nanoseconds; RFC 3339 with up to nine digits."""
    whole, fraction, zone = re.fullmatch(r"([0-9T:-]+)(?:\.([0-9]{1,9}))?(Z|[+-][0-9:]+)", text).groups()
    seconds = datetime.datetime.fromisoformat(whole + zone.replace("Z", "+00:00")).timestamp()
    return int(seconds) * 10**9 + int((fraction or "").ljust(9, "0"))


class Filter:
    """Cloud Logging's query language as far as its readers use it: comparisons, AND, OR, parentheses."""

    def __init__(self, text):
        self.tokens = re.findall(r'\(|\)|AND\b|OR\b|[\w.]+\s*(?:>=|<=|=|>|<)\s*(?:"(?:[^"\\]|\\.)*"|[^\s()]+)|\S+', text)
        self.at = 0
        self.matches = self.any_of()
        if self.at != len(self.tokens):
            raise ValueError(f"unexpected {self.tokens[self.at]!r}")

    def take(self, *kinds):
        if self.at < len(self.tokens) and self.tokens[self.at] in kinds:
            self.at += 1
            return True
        return False

    def any_of(self):
        parts = [self.all_of()]
        while self.take("OR"):
            parts.append(self.all_of())
        return lambda e: any(p(e) for p in parts)

    def all_of(self):
        parts = [self.one()]
        while self.take("AND"):
            parts.append(self.one())
        return lambda e: all(p(e) for p in parts)

    def one(self):
        if self.take("("):
            inner = self.any_of()
            if not self.take(")"):
                raise ValueError("a parenthesis is open")
            return inner
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        found = re.fullmatch(r'([\w.]+)\s*(>=|<=|=|>|<)\s*(.+)', token)
        if not found:
            raise ValueError(f"unexpected {token!r}")
        self.at += 1
        return self.comparison(*found.groups())

    @staticmethod
    def comparison(path, operator, value):
        value = json.loads(value) if value.startswith('"') else value

        def holds(entry):
            has = entry
            for part in path.split("."):
                has = has.get(part) if isinstance(has, dict) else None
            if has is None:
                return False
            want = value
            if path == "timestamp":
                has, want = moment(has), moment(value)
            return {"=": has == want, "<": has < want, ">": has > want, "<=": has <= want, ">=": has >= want}[operator]
        return holds


class Google:
    def __init__(self, folder, token="token"):
        self.token, self.entries, self.lock = token, [], threading.Lock()
        self.faults = []  # (method, status, headers, body): before the next requests; status 0: half an answer
        self.seen = []    # (method, status)
        self.ca, certificate, key = make_certificate(folder)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"google": self}))
        self.server.daemon_threads = True
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = "http://" + self.host
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def environment(self, project="p"):
        """What points the unmodified clients here."""
        return {**os.environ, "GOOGLE_CLOUD_DISABLE_GRPC": "true", "GCE_METADATA_HOST": self.host,
                "GCE_METADATA_IP": self.host, "GOOGLE_CLOUD_PROJECT": project, "HTTPS_PROXY": self.url,
                "NO_PROXY": "127.0.0.1", "REQUESTS_CA_BUNDLE": self.ca, "CLOUDSDK_CONFIG": "/nonexistent"}

    def fault(self, method, status, count=1, headers=(), body=None):
        self.faults += [(method, status, dict(headers), body)] * count

    def count(self, method, status=200):
        return self.seen.count((method, status))

    def write(self, body):
        with self.lock:
            for entry in body["entries"]:
                if len(json.dumps(entry)) > ENTRY_BYTES:
                    return 400, error(400, "INVALID_ARGUMENT", "Log entry with size exceeds maximum size of 256.0K")
                entry = {"logName": body.get("logName"), "resource": body.get("resource"), **entry}
                entry["insertId"] = entry.get("insertId") or f"i{len(self.entries):012d}"
                entry["severity"] = {200: "INFO"}.get(entry.get("severity"), entry.get("severity", "DEFAULT"))
                entry["receiveTimestamp"] = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
                entry.setdefault("timestamp", entry["receiveTimestamp"])
                self.entries.append(entry)
        return 200, {}

    def list(self, body):
        try:
            matches = Filter(body.get("filter", "")).matches
        except ValueError as why:
            return 400, error(400, "INVALID_ARGUMENT", f"Unparseable filter: {why}")
        if body.get("orderBy", "timestamp asc") != "timestamp asc":
            return 400, error(400, "INVALID_ARGUMENT", "orderBy")
        with self.lock:
            found = sorted(filter(matches, self.entries), key=lambda e: (moment(e["timestamp"]), e["insertId"]))
        begin, size = int(body.get("pageToken") or 0), min(int(body.get("pageSize") or 50), MAX_ENTRIES)
        page = {"entries": found[begin:begin + size]} if found[begin:begin + size] else {}
        if len(found) > begin + size:
            page["nextPageToken"] = str(begin + size)
        return 200, page


def error(code, status, message):
    return {"error": {"code": code, "message": message, "status": status}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    google = None

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        if self.path.rsplit(":", 1)[0] not in HOSTS:
            self.send_error(403)
            return
        self.send_response(200)
        self.end_headers()
        try:
            self.connection = self.google.tls.wrap_socket(self.connection, server_side=True)
        except (ssl.SSLError, ConnectionError):
            self.close_connection = True
            return
        self.rfile, self.wfile = self.connection.makefile("rb", -1), self.connection.makefile("wb", 0)
        self.close_connection = False

    def reply(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Metadata-Flavor": "Google", "Content-Length": str(len(data)),
                            **dict(headers)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        account = "/computeMetadata/v1/instance/service-accounts/default/"
        if self.headers.get("Metadata-Flavor") != "Google":
            self.reply(403, {})
        elif path in ("/", "/computeMetadata/v1/universe/universe-domain"):
            self.reply(200, b"googleapis.com" if len(path) > 1 else b"", {"Content-Type": "application/text"})
        elif path == "/computeMetadata/v1/project/project-id":
            self.reply(200, b"p", {"Content-Type": "application/text"})
        elif path == account:
            self.reply(200, {"email": "a@b", "scopes": ["https://www.googleapis.com/auth/cloud-platform"], "aliases": ["default"]})
        elif path == account + "token":
            self.reply(200, {"access_token": self.google.token, "expires_in": 3599, "token_type": "Bearer"})
        else:
            self.reply(404, {})

    def do_POST(self):
        google, body = self.google, self.rfile.read(int(self.headers.get("Content-Length", 0)))
        method = self.path.split("?")[0].rsplit(":", 1)[-1]
        for i, (name, status, headers, text) in enumerate(google.faults):
            if name != method:
                continue
            del google.faults[i]
            google.seen.append((method, status))
            if status == 0:  # half an answer, as of a proxy that lost its server
                self.reply(200, b'{"entries":[{"timestamp":"2026-')
            elif status == -1:  # slow
                time.sleep(2)
                break
            else:
                self.reply(status, error(status, "FAULT", text or "a fault of the test"), headers)
            return
        if self.headers.get("Authorization") != "Bearer " + google.token:
            answer = 401, error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        elif self.path.startswith("/v2/entries:write"):
            answer = google.write(json.loads(body))
        elif self.path.startswith("/v2/entries:list"):
            answer = google.list(json.loads(body))
        else:
            answer = 404, error(404, "NOT_FOUND", "no such method")
        google.seen.append((method, answer[0]))
        self.reply(*answer)
