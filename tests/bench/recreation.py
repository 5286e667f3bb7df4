#!/usr/bin/env python3
"""recreation.py: how long the pods of a JobSet stay after they failed, until JobSet's re-creation deletes them.

Of the recordings of real clusters (tests/data/recordings): from the moment at which a watch shows a pod Failed, until one
shows its deletionTimestamp, and until it is deleted with its log."""
import glob
import gzip
import json
from datetime import datetime


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def pods_of(path):
    """By uid: when it was first seen Failed, marked for deletion, and deleted."""
    pods = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            event = record["e"]
            pod = event.get("object", {}) if record["r"] == "pods" else {}
            meta = pod.get("metadata", {})
            if "uid" not in meta or "jobset.sigs.k8s.io/jobset-name" not in meta.get("labels", {}):
                continue
            times = pods.setdefault(meta["uid"], {})
            if pod.get("status", {}).get("phase") == "Failed" and "deletionTimestamp" not in meta:
                times.setdefault("failed", seconds(record["t"]))
            if "deletionTimestamp" in meta:
                times.setdefault("marked", seconds(record["t"]))
            if event.get("type") == "DELETED":
                times.setdefault("deleted", seconds(record["t"]))
    return pods.values()


def describe(name, stays):
    stays.sort()
    if stays:
        print(f"  until {name:8s} {len(stays):4d} pods: {stays[0]:.3f} s at least, {stays[len(stays) // 2]:.3f} s median, {stays[-1]:.3f} s at most")


def main():
    for path in sorted(glob.glob("tests/data/recordings/*.jsonl.gz")):
        pods = [p for p in pods_of(path) if "failed" in p]
        if not pods:
            continue
        print(f"{path}: {len(pods)} pods failed")
        for name in ("marked", "deleted"):
            describe(name, [p[name] - p["failed"] for p in pods if name in p])


if __name__ == "__main__":
    main()
