#!/usr/bin/env python3
"""archive.py DATE LOG: Debian's snapshot archive of DATE, as far as the image's build is concerned: on a port of the
kernel's choice (the first line that it prints) it redirects /archive/NAME/DATE/... to this machine's own mirror of NAME,
and writes each path that was asked for into LOG. Every other path is 404."""
import http.server
import re
import subprocess
import sys

DATE, LOG = sys.argv[1:]


def mirrors():
    shown = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
                           capture_output=True, text=True, check=True).stdout
    return {uri.rstrip("/").rsplit("/", 1)[1]: uri.rstrip("/") for uri in shown.split()}


class Archive(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open(LOG, "a") as log:
            log.write(self.path + "\n")
        found = re.fullmatch(rf"/archive/([a-z-]+)/{DATE}/(.*)", self.path)
        to = found and self.server.mirrors.get(found[1])
        self.send_response(302 if to else 404)
        if to:
            self.send_header("Location", f"{to}/{found[2]}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Archive)
server.mirrors = mirrors()
print(server.server_port, flush=True)
server.serve_forever()
