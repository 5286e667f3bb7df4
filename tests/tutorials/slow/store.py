#!/usr/bin/env python3
"""The data of train.py behind a slow line, as a bucket in another region is.

    store.py CORPUS      CORPUS: a folder of text files; prints its URL
    RATE=N               bytes a second for each reader (16384)"""
import glob
import http.server
import os
import sys
import time

SHARD_BYTES, PIECE = 256 << 10, 4 << 10
RATE = int(os.environ.get("RATE", 16 << 10))


class Shard(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        at = int(self.path[1:]) * SHARD_BYTES % len(self.server.text)
        body = (self.server.text + self.server.text)[at : at + SHARD_BYTES]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            for i in range(0, len(body), PIECE):
                time.sleep(PIECE / RATE)
                self.wfile.write(body[i : i + PIECE])
        except ConnectionError:
            pass  # its reader was killed

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shard) as server:
    server.text = b"".join(open(path, "rb").read() for path in sorted(glob.glob(sys.argv[1] + "/**/*.md", recursive=True)))
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
