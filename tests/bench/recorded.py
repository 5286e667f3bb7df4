"""Templates of objects from the recorded story, for test-apiserver's `each`."""
import calendar
import gzip
import json
import os
import re
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STORY = os.path.join(ROOT, "tests/data/recordings/story.jsonl.gz")


class Story:
    def __init__(self):
        self.versions = {}  # (stream, name) -> [object], oldest first
        with gzip.open(STORY) as file:
            for line in file:
                record = json.loads(line)
                event = record["e"]
                if record["k"] == "list":
                    kind = event["kind"].removesuffix("List")
                    found = [{"kind": kind, "apiVersion": event["apiVersion"], **item} for item in event["items"]]
                elif record["k"] == "watch" and event["type"] in ("ADDED", "MODIFIED"):
                    found = [event["object"]]
                else:
                    continue
                for item in found:
                    self.versions.setdefault((record["r"], item["metadata"]["name"]), []).append(item)

    def pod_life(self, job, exit_code):
        """The versions of the first pod of a slice whose container ended by itself with this code."""
        for (stream, name), versions in self.versions.items():
            if stream != "pods" or not name.startswith(job):
                continue
            states = [c["state"] for c in versions[-1]["status"].get("containerStatuses", [])]
            if any(state.get("terminated", {}).get("exitCode") == exit_code for state in states):
                return versions
        raise RuntimeError(f"no pod of {job} ended with exit code {exit_code} in {STORY}")


def template(item, names):
    """The object's text with names replaced: [(recorded, ours)], the longest first."""
    item = json.loads(json.dumps(item))
    item["metadata"]["resourceVersion"] = "${rv}"
    text = json.dumps(item, separators=(",", ":"))
    for recorded, ours in sorted(names, key=lambda pair: -len(pair[0])):
        text = text.replace(recorded, ours)
    return text


def pod_templates(versions, name, uid, job, node):
    """name, uid, job and node are patterns with ${...}; job is (name, uid)."""
    first, last = versions[0], versions[-1]
    labels = first["metadata"]["labels"]
    names = [(first["metadata"]["name"], name), (first["metadata"]["uid"], uid), (last["spec"]["nodeName"], node)]
    names += [(labels["batch.kubernetes.io/job-name"], job[0]), (labels["batch.kubernetes.io/controller-uid"], job[1])]
    texts = []
    for version in versions:
        version = json.loads(json.dumps(version))
        for kind in ("labels", "annotations"):
            indices = version["metadata"].get(kind, {})
            for key, value in (("batch.kubernetes.io/job-completion-index", "${member}"), ("jobset.sigs.k8s.io/job-index", "${group}")):
                if key in indices:
                    indices[key] = value
        texts.append(template(version, names))
    return texts


class Times:
    """Recorded times moved to the present, a second apart: the controller counts an event that arrives long after its time as unobserved, and computes bounds."""

    STAMP = re.compile(r"20\d\d-\d\d-\d\dT[0-9:.]+Z")

    def __init__(self, ago_s=0):
        self.moved, self.last, self.ago_s = {}, 0, ago_s

    def move(self, items):
        text = json.dumps(items)
        self.last = max(self.last, int(time.time()) - self.ago_s)
        for stamp in sorted(set(self.STAMP.findall(text)) - set(self.moved)):
            self.moved[stamp] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.last))
            self.last += 1
        return json.loads(self.STAMP.sub(lambda found: self.moved[found.group()], text))

    @classmethod
    def wait_for(cls, text):
        """Until the present has reached the newest time in it: no event is sent before its time."""
        newest = max(calendar.timegm(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S")) for stamp in cls.STAMP.findall(text))
        time.sleep(max(0, newest - time.time()))


class Files:
    def __init__(self, directory):
        self.directory, self.count = directory, 0

    def put(self, text):
        self.count += 1
        path = os.path.join(self.directory, f"template-{self.count}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def without_kueue(item):
    """As of a job that never was in a queue: it was never suspended."""
    item["metadata"].get("labels", {}).pop("kueue.x-k8s.io/queue-name", None)
    kept = [found for found in item["status"].get("conditions", []) if found["type"] != "Suspended"]
    item["status"]["conditions"] = kept
    for replicated in item["status"].get("replicatedJobsStatus", []):
        replicated["suspended"] = 0
    return item
