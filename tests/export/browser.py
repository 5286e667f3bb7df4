"""Headless Chromium over its DevTools pipe (no port, no library): open a page, ask it, press keys, take pictures."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

# Said of a page that is left while its feed is being opened: that is the test's doing.
LEFT = "WebSocket is closed before the connection is established"
NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """One browser with one page. `problems` collects what the page logged as errors and exceptions."""

    def __init__(self):
        program = next((p for p in map(shutil.which, NAMES) if p), None)
        if program is None:
            raise SystemExit("no chromium here: apt-get install chromium")
        self.profile = tempfile.mkdtemp(prefix="goodput-browser-")
        to_read, self.write_fd = os.pipe()
        self.read_fd, to_write = os.pipe()
        # The pipe is file descriptors 3 and 4 of the browser.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", program, "--headless=new", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--ignore-certificate-errors", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.problems = b"", 0, []
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _receive(self):
        while b"\0" not in self.buffer:
            chunk = os.read(self.read_fd, 1 << 20)
            if not chunk:
                raise SystemExit("the browser ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.problems.append(json.dumps(answer["params"]["exceptionDetails"])[:600])
            elif answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error" and LEFT not in answer["params"]["entry"]["text"]:
                self.problems.append(answer["params"]["entry"]["text"] + " " + answer["params"]["entry"].get("url", ""))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def size(self, width, height, is_phone=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=is_phone)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        """Until the new document is there whole. With another fragment of the same address the document stays (there is
        no loaderId), and for a moment what it showed: wait for what the new one shows."""
        if not self.call("Page.navigate", url=url).get("loaderId"):
            return
        self.until(f"document.readyState === 'complete' && location.href.split('#')[0] === {json.dumps(url.split('#')[0])} && !window.isFormer")
        self.ask("window.isFormer = true")

    def ask(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(expression + ": " + json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def until(self, expression, seconds=180):
        """Waits until it is true; the deadline is only there to end a test that failed. A document that goes away while it
        is asked has no answer: the next one has."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if self.ask(f"Boolean({expression})"):
                    return
            except RuntimeError as error:
                if time.monotonic() > deadline or not re.search("navigated|context|TypeError", str(error)):
                    raise
            if time.monotonic() > deadline:
                raise RuntimeError(f"never came true: {expression}\n" + str(self.ask("document.body?.innerText"))[:1500])
            time.sleep(0.05)

    def key(self, name, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, text=text if kind == "keyDown" else "",
                      windowsVirtualKeyCode={"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}.get(name, 0))

    def picture(self, path):
        """The whole page, not only the window."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))
