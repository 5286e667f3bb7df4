"""Our own view of the cluster: every list and watch event with the time at which we received it.

The stories wait on it, the checks read its history, and --record writes it to a file, one JSON object a line:
{"t": receive time, "r": stream, "k": list|watch|mark|error, "e": the API server's bytes, unchanged}.
"""
import datetime
import json
import os
import threading
import time
from collections import namedtuple

from api import path_of

# type is ADDED, MODIFIED or DELETED; what a list held counts as ADDED.
Observation = namedtuple("Observation", "time type object")

STREAMS = ("jobsets", "jobs", "pods", "nodes", "leases", "events", "workloads", "jobgoodputs")
ONLY_RECORDED = ("workloads.v1beta1", "clusterqueues", "localqueues")


def unix(stamp):
    return datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


class Recorder:
    """Writes a recording; without a path it does nothing."""

    def __init__(self, path):
        self.file = open(path, "wb") if path else None
        self.lock = threading.Lock()

    def write(self, received, stream, kind, raw):
        if not self.file:
            return
        stamp = datetime.datetime.fromtimestamp(received, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        with self.lock:
            self.file.write(b'{"t":"%s","r":"%s","k":"%s","e":%s}\n' % (stamp.encode(), stream.encode(), kind.encode(), raw))

    def close(self):
        with self.lock:
            if self.file:
                self.file.close()
            self.file = None


class Watch:
    def __init__(self, api, recorder, more_streams=()):
        self.api = api
        self.recorder = recorder
        self.streams = STREAMS + tuple(sorted(set(more_streams) - set(STREAMS)))
        self.changed = threading.Condition()
        self.history = {stream: [] for stream in self.streams}
        self.current = {stream: {} for stream in self.streams}
        self.stopping = False
        self.patience = 1  # every wait may take that many times longer
        self.errors = []

    def start(self):
        for stream in self.streams + (ONLY_RECORDED if self.recorder.file else ()):
            threading.Thread(target=self._follow, args=(stream,), daemon=True, name=f"watch {stream}").start()

    def stop(self):
        self.stopping = True

    def wait(self, what, condition, timeout):
        """Returns the first true value of condition(), which is asked again after each event."""
        deadline = time.time() + timeout * self.patience
        with self.changed:
            while True:
                value = condition()
                if value:
                    return value
                left = deadline - time.time()
                if left <= 0:
                    raise TimeoutError(f"waited {timeout} s for {what}")
                self.changed.wait(left)

    def objects(self, stream, namespace=None):
        with self.changed:
            found = list(self.current[stream].values())
        return [o for o in found if namespace in (None, o["metadata"].get("namespace"))]

    def object(self, stream, namespace, name):
        return self.current[stream].get((namespace, name))

    def versions(self, stream, namespace, name):
        """All observations of one object, oldest first."""
        with self.changed:
            seen = list(self.history[stream])
        return [o for o in seen if _key(o.object) == (namespace, name)]

    def _follow(self, stream):
        version = None
        while not self.stopping:
            try:
                connection = self.api.connect(3600)
                if version is None:
                    version = self._list(connection, stream)
                version = self._watch(connection, stream, version)
            except Exception as error:  # pylint: disable=broad-except # written to the recording, tried again
                self.recorder.write(time.time(), stream, "error", json.dumps(str(error)).encode())
                if not self.stopping:
                    self.errors.append(f"{stream}: {error}")
                    time.sleep(0.5)

    def _get(self, connection, path):
        connection.request("GET", path, headers={"Accept": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            raise OSError(f"{path}: {answer.status} {answer.read()[:200]}")
        return answer

    def _list(self, connection, stream):
        raw = self._get(connection, path_of(stream)).read().strip()
        received = time.time()
        self.recorder.write(received, stream, "list", raw)
        listed = json.loads(raw)
        for item in listed["items"]:
            self._observe(stream, Observation(received, "ADDED", item))
        return listed["metadata"]["resourceVersion"]

    def _watch(self, connection, stream, version):
        path = path_of(stream) + f"?watch=1&allowWatchBookmarks=true&resourceVersion={version}"
        answer = self._get(connection, path)
        while not self.stopping:
            line = answer.readline().strip()
            received = time.time()
            if not line:
                return version
            self.recorder.write(received, stream, "watch", line)
            event = json.loads(line)
            if event["type"] == "ERROR":
                return None
            version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self._observe(stream, Observation(received, event["type"], event["object"]))
        return version

    def _observe(self, stream, observation):
        if stream not in self.history:
            return
        with self.changed:
            self.history[stream].append(observation)
            if observation.type == "DELETED":
                self.current[stream].pop(_key(observation.object), None)
            else:
                self.current[stream][_key(observation.object)] = observation.object
            self.changed.notify_all()


def _key(item):
    return item["metadata"].get("namespace"), item["metadata"]["name"]


def condition(item, kind):
    """The condition of this type, or {}."""
    for found in item.get("status", {}).get("conditions") or []:
        if found["type"] == kind:
            return found
    return {}


def is_true(item, kind):
    return condition(item, kind).get("status") == "True"


def write_text(path, text):
    """Replaces a file in one step, so that a reader never sees half of it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
