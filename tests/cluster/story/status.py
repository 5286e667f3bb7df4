"""Reads a JobGoodput's status; absent fields read as None or 0, never as an error."""
import json
import os
import subprocess

from watch import condition

CHECK = os.path.join(os.path.dirname(__file__), "../../../.build/release/bin/test-status")


def status(goodput):
    return (goodput or {}).get("status") or {}


def phase(goodput):
    return status(goodput).get("phase")


def time_ms(goodput, field):
    return status(goodput).get("time", {}).get(field)


def bucket_seconds(goodput, bucket, family=None):
    """Seconds of a bucket in all its families, or in one."""
    entries = status(goodput).get("badput") or []
    return sum(e["milliseconds"] for e in entries if e["bucket"] == bucket and family in (None, e["family"])) / 1000


def interruptions(goodput):
    """{cause: count}; KueueEviction/<reason> keeps its reason."""
    entries = status(goodput).get("interruptions", {}).get("byCause") or []
    return {entry["cause"]: entry["count"] for entry in entries}


def interruption_total(goodput):
    return status(goodput).get("interruptions", {}).get("total", 0)


def execution_number(goodput):
    """The number of the newest execution."""
    return max((e["number"] for e in status(goodput).get("executions") or []), default=0)


def ledger_gap_ms(goodput):
    """Wall time less the sum of the ledger: 0 in every version. None where there is no time yet."""
    wall = time_ms(goodput, "wallMilliseconds")
    if wall is None:
        return None
    badput = sum(entry["milliseconds"] for entry in status(goodput).get("badput") or [])
    return wall - badput - (time_ms(goodput, "productiveMilliseconds") or 0)


def wrong(goodputs):
    """What is wrong with the numbers of these JobGoodputs, a line each with its place in the list: each is derived from
    the others by the check that all tests share (tests/harness/status_check.h)."""
    lines = "".join(json.dumps(goodput) + "\n" for goodput in goodputs)
    done = subprocess.run([CHECK], input=lines, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if line.startswith("line ")] if done.stdout else [done.stderr]


def describe(goodput, kind):
    found = condition(goodput or {}, kind)
    return f"{kind}={found.get('status')}/{found.get('reason')}: {found.get('message')}" if found else f"no condition {kind}"
