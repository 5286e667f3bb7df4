#!/usr/bin/env python3
"""`make demo` as a person at a terminal sees it: the introduction comes before the first row, the page's link works to the end and
after it, Enter ends the demo. Where standard input is not a terminal it ends by itself. Prints "N passed, N failed"."""

import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
import urllib.request

LIMIT_S = 280
passed = failed = 0


def check(what, holds, shown=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    print(("ok " if holds else "not ok ") + what + ("" if holds else f"\n{shown}"), flush=True)


def page_answers(text):
    link = re.search(r"http://127\.0\.0\.1:\d+/", text)
    try:
        with urllib.request.urlopen(link.group(0), timeout=10) as reply:
            return reply.status == 200 and b"<html" in reply.read().lower()
    except (AttributeError, OSError):
        return False


def by_itself(shown):
    """With no terminal on standard input."""
    done = subprocess.run(["make", "-s", "demo"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
    shown.append((done.returncode, done.stdout + done.stderr))


def at_a_terminal():
    person, terminal = pty.openpty()
    demo = subprocess.Popen(["make", "-s", "demo"], stdin=terminal, stdout=terminal, stderr=subprocess.STDOUT)
    os.close(terminal)
    text, end, link_was_alive = "", time.monotonic() + LIMIT_S, False
    while "Press Enter" not in text and time.monotonic() < end and demo.poll() is None:
        if select.select([person], [], [], 1)[0]:
            text += os.read(person, 65536).decode(errors="replace")
        if not link_was_alive and "NAME  " in text:
            link_was_alive = page_answers(text)
    time.sleep(2)
    check("the page answers while the job runs", link_was_alive, text)
    check("the demo waits at its end", "Press Enter" in text and demo.poll() is None, text)
    check("the page answers after the job's end", page_answers(text))
    os.write(person, b"\n")
    try:
        demo.wait(20)
    except subprocess.TimeoutExpired:
        demo.kill()
    check("Enter ends it, with exit code 0", demo.returncode == 0, f"{demo.returncode}\n{text}")
    os.close(person)
    return text


def main():
    os.chdir(os.path.join(os.path.dirname(__file__), "../.."))
    shown = []
    other = threading.Thread(target=by_itself, args=[shown])
    other.start()
    text = at_a_terminal()
    other.join()
    code, piped = shown[0] if shown else (None, "")
    check("it ends by itself where standard input is not a terminal", code == 0 and "Press Enter" not in piped, f"{code}\n{piped}")
    for name, output in (("a terminal", text), ("a pipe", piped)):
        introduction, row = output.find("A training job of"), output.find("NAME  ")
        check(f"to {name}, the introduction comes before the first row", 0 <= introduction < row, output)
        check(f"to {name}, the job completes", re.search(r"llama3-70b +Completed", output), output)
        check(f"to {name}, it says what the stand-in does not refuse", "CEL rules" in output, output)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
