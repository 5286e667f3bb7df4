"""proxy.py: stands between the controller and a store, passes requests on with their headers as they are, and answers
wrongly where a test asks for it. Only on loopback."""
import http.client
import http.server
import threading
import time


class Fault:
    """What happens to a request: each is a method of the same name."""

    def __init__(self, kind, method=None, count=None, **more):
        self.kind, self.method, self.left, self.more = kind, method, count, more


class Proxy:
    def __init__(self, port):
        self.upstream, self.fault, self.seen, self.lock = port, None, [], threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                proxy.serve(self)

            do_PUT = do_POST = do_HEAD = do_DELETE = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def take_fault(self, method):
        with self.lock:
            fault = self.fault
            if fault is None or (fault.method is not None and fault.method != method) or fault.left == 0:
                return None
            if fault.left is not None:
                fault.left -= 1
            return fault

    def serve(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self.lock:
            self.seen.append((handler.command, handler.path))
        fault = self.take_fault(handler.command)
        if fault is None:
            answer(handler, *self.ask(handler, body))
        else:
            getattr(self, fault.kind)(handler, body, **fault.more)

    def ask(self, handler, body):
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        upstream.putrequest(handler.command, handler.path, skip_host=True, skip_accept_encoding=True)
        for name, value in handler.headers.items():
            upstream.putheader(name, value)
        upstream.endheaders(body)
        reply = upstream.getresponse()
        content = reply.read()
        upstream.close()
        return reply.status, content, reply.getheader("Content-Type")

    # ---- faults ----

    def busy(self, handler, body, status=503, text=b"<Error><Code>SlowDown</Code><Message>later</Message></Error>", headers=()):
        answer(handler, status, text, "application/xml", headers)

    def slow(self, handler, body, seconds=0.5):
        time.sleep(seconds)
        answer(handler, *self.ask(handler, body))

    def dripping(self, handler, body):
        """The answer comes a byte at a time."""
        status, content, kind = self.ask(handler, body)
        head(handler, status, kind, len(content))
        for i in range(len(content)):
            handler.wfile.write(content[i:i + 1])
            time.sleep(0.002)

    def forgetful(self, handler, body):
        """200, and nothing is stored."""
        answer(handler, 200, b"", None)

    def silent(self, handler, body):
        """It is stored, and the answer is lost."""
        self.ask(handler, body)
        handler.close_connection = True
        handler.connection.close()

    def cut(self, handler, body):
        """200 with a Content-Length, and half of the content."""
        status, content, kind = self.ask(handler, body)
        head(handler, status, kind, len(content))
        handler.wfile.write(content[:len(content) // 2])
        handler.close_connection = True

    def short(self, handler, body):
        """200 with half of the content as if it were all."""
        status, content, kind = self.ask(handler, body)
        answer(handler, status, content[:len(content) // 2], kind)

    def flipped(self, handler, body):
        status, content, kind = self.ask(handler, body)
        answer(handler, status, bytes(b ^ 1 for b in content), kind)

    def garbage(self, handler, body):
        handler.wfile.write(b"\x00\xff\xfe not HTTP at all\r\n\r\n")
        handler.close_connection = True


def head(handler, status, kind, size, headers=()):
    handler.send_response(status)
    if kind:
        handler.send_header("Content-Type", kind)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(size))
    handler.end_headers()


def answer(handler, status, content, kind, headers=()):
    head(handler, status, kind, len(content), headers)
    if handler.command != "HEAD":
        handler.wfile.write(content)
