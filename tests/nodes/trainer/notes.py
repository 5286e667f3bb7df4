"""What a trainer reports of itself, and the words that an act sends it: files in a folder that outlives the pod.

Environment: TRUTH (the folder), RUN (the job's name), JOB_COMPLETION_INDEX. Each process writes its own truth to
TRUTH/RUN-POD-TIME.jsonl, with its own clock: {"t", "what", ...}; a line is on disk before the act that follows it. Ten times a
second TRUTH/RUN-POD-TIME.alive gets the time: whatever ends the process cannot be noted otherwise.
"""
import json
import os
import signal
import threading
import time


def setting(name, default):
    return type(default)(os.environ.get(name, default))


RUN, INDEX, FOLDER = setting("RUN", "run"), setting("JOB_COMPLETION_INDEX", 0), setting("TRUTH", "/truth")
CHECKPOINTS = f"{FOLDER}/{RUN}-checkpoints"
OWN = f"{FOLDER}/{RUN}-{os.uname().nodename}-{time.time_ns()}"  # JobSet gives each attempt's pod the same host name
truth = open(f"{OWN}.jsonl", "a", encoding="utf-8")


def note(what, **more):
    print(json.dumps({"t": time.time(), "what": what, "index": INDEX, **more}), file=truth, flush=True)


def received(word):
    """An act has sent this job's trainers the word (stage.py), or one of them has."""
    return os.path.exists(f"{FOLDER}/{RUN}-{word}")


def die(*_):
    note("ended by SIGTERM")
    os._exit(143)


def _live():
    with open(f"{OWN}.alive", "wb", buffering=0) as file:
        while True:
            os.pwrite(file.fileno(), f"{time.time():.3f}".encode(), 0)
            time.sleep(0.1)


def begin():
    """The process is there, SIGTERM ends it at once (process 1 has no default action)."""
    signal.signal(signal.SIGTERM, die)
    note("starts")
    threading.Thread(target=_live, daemon=True).start()
    os.makedirs(CHECKPOINTS, exist_ok=True)
