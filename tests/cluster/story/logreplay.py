"""Plays a recorded container log into the CRI log file of a fake pod, line by line with the gaps it had.

What is moved to now: the stamp before each line, and absolute Unix times inside the text (Orbax prints the start of a
save or restore as one), both by the same amount. The text is otherwise as the trainer printed it, with its own wall
clock (`I1121 02:16:42.9`): that clock has neither year nor zone, so a reader must not rest on it.
"""
import datetime
import json
import os
import re
import threading
import time

UNIX_TIME = re.compile(r"\b1[789]\d{8}\.\d+\b")


def parse_stamp(stamp):
    """Unix nanoseconds of an RFC 3339 stamp in UTC with up to nine digits."""
    whole, _, fraction = stamp.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0")[:9] or 0)


def format_stamp(nanoseconds):
    whole = datetime.datetime.fromtimestamp(nanoseconds // 10**9, datetime.timezone.utc)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{nanoseconds % 10**9:09d}Z"


class Attempt:
    """One container's recorded life: its lines as (nanoseconds since spawn, text), how long it ran, its exit code."""

    def __init__(self, directory, number):
        with open(os.path.join(directory, f"attempt-{number}.run.json"), encoding="utf-8") as file:
            run = json.load(file)
        self.number = number
        self.spawn_ns = int(run["spawn_unix"] * 10**9)
        self.duration = run["exit_unix"] - run["spawn_unix"]
        self.exit_code = 137 if run["exit_code"] == -9 else run["exit_code"]
        self.lines = []
        with open(os.path.join(directory, f"attempt-{number}.log"), encoding="utf-8", newline="\n") as file:
            for line in file:
                stamp, _, text = line.rstrip("\n").partition(" ")
                self.lines.append((parse_stamp(stamp) - self.spawn_ns, text))


def shift_unix_times(text, shift_ns):
    return UNIX_TIME.sub(lambda match: f"{float(match.group()) + shift_ns / 10**9:.6f}", text)


class Replay(threading.Thread):
    """Writes the attempt's lines to path from `begin` (Unix seconds, the container's start) on."""

    def __init__(self, attempt, path, begin):
        super().__init__(daemon=True, name=f"replay of attempt {attempt.number}")
        self.attempt = attempt
        self.path = path
        self.begin_ns = int(begin * 10**9)
        self.stopped = threading.Event()
        self.late = 0.0  # seconds from the start of the last container of the attempt to the log's begin
        self.written = []  # (Unix seconds at which the line was there to read, its text)

    def run(self):
        shift_ns = self.begin_ns - self.attempt.spawn_ns
        with open(self.path, "a", encoding="utf-8", buffering=1) as file:
            for offset_ns, text in self.attempt.lines:
                due_ns = self.begin_ns + offset_ns
                if self.stopped.wait(max(0, due_ns / 10**9 - time.time())):
                    return
                file.write(f"{format_stamp(due_ns)} stdout F {shift_unix_times(text, shift_ns)}\n")
                self.written.append((time.time(), text))

    def stop(self):
        self.stopped.set()
