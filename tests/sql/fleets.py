"""fleets: the same JobGoodputs as an archive's views sum them, as `kubectl goodput fleet` does, as a FleetGoodput of the
controller shows them, and as the page reads them. Milliseconds where a number has them, else the seconds that they make."""
import collections
import datetime
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../export"))
from rig import JOBGOODPUTS, Rig, fetch, wait_for  # noqa: E402

BIN = os.environ.get("GOODPUT_BIN", ".build/release/bin")
MS = datetime.timedelta(milliseconds=1)
SUMS = ("requested_chip_ms", "available_chip_ms", "known_chip_ms", "known_available_chip_ms", "productive_chip_ms")
SCORES = {"allScheduling": (1, 0), "scheduling": (3, 2), "runtime": (4, 3), "job": (4, 2), "evidence": (2, 0)}
SHOWN = {"asked": 0, "available": 1, "productive": 4}


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def stamp(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def moved(status, by):
    """The same life at another time, which a window of the controller's clock covers."""
    times = {k: stamp(time_of(status["time"][k]) + by) for k in ("start", "end", "observedThrough") if k in status["time"]}
    return {**status, "time": {**status["time"], **times}}


def ppm(part, whole):
    return (part * 1000000 + whole // 2) // whole


class Sums:
    """What views, command, object and page must agree on, of some clusters of the archive."""

    def __init__(self, tables, clusters):
        rows = [row for row in tables["fleet_by_hour"] if row["cluster"] in clusters]
        self.ms = [sum(row[name] for row in rows) for name in SUMS]
        self.scores = {k: ppm(self.ms[a], self.ms[b]) for k, (a, b) in SCORES.items() if self.ms[b]}
        if not self.ms[2]:  # of no job the steps are known
            self.scores["scheduling"] = self.scores["allScheduling"]
        self.lost = {}
        for b in tables["buckets_by_hour"]:
            if b["cluster"] in clusters and b["family"] != "Productive":
                key = (b["family"], "Custom" if b["bucket"].startswith("Custom/") else b["bucket"])
                self.lost[key] = self.lost.get(key, 0) + b["chip_ms"]


def check_command(c, name, sums, items):
    path = f".build/sql/fleet-{name}.json"
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, out)
    done = subprocess.run([f"{BIN}/kubectl-goodput", "fleet", "-f", path, "-o", "json"], check=True, capture_output=True)
    of = json.loads(done.stdout)["all"]
    c.same(f"four: {name} command", [sums.ms[0], sums.ms[1], sums.ms[4]],
           [of["chipMilliseconds"], of["availableChipMilliseconds"], of.get("productiveChipMilliseconds", 0)])
    c.same(f"four: {name} command scores", sums.scores, {k: of["goodputPPM"][k] for k in SCORES if k in of["goodputPPM"]})
    lost, expected = collections.Counter(), collections.Counter()
    for item in of["lost"]:
        lost[item["bucket"]] += item["chipMilliseconds"]
    for (_, bucket), chip_ms in sums.lost.items():
        expected[bucket] += chip_ms if bucket != "Unobserved" else 0
    c.same(f"four: {name} command lost", +expected, +lost)


def check_status(c, name, what, sums, status):
    c.same(f"four: {name} {what}", {k: sums.ms[i] // 1000 for k, i in SHOWN.items() if k != "productive" or sums.ms[2]},
           {k: status["chipSeconds"][k] for k in SHOWN if k in status["chipSeconds"]})
    c.same(f"four: {name} {what} scores", sums.scores, {k: status["goodputPPM"][k] for k in SCORES if k in status["goodputPPM"]})
    for loss in status["topLosses"]:
        c.same(f"four: {name} {what} lost", sums.lost[loss["family"], loss["bucket"]] // 1000, loss["chipSeconds"])


def check_four(c, tables, jobs):
    """jobs: by cluster, the JobGoodputs with final statuses. Nothing of the other jobs of the archive may be in these clusters."""
    ends = [time_of(j["status"]["time"]["end"]) for items in jobs.values() for j in items]
    by = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(hours=1) - max(ends)
    by = datetime.timedelta(hours=by // datetime.timedelta(hours=1))
    largest = sorted(jobs, key=lambda cluster: (-Sums(tables, {cluster}).ms[4], cluster))[:7] + ["again"]
    fleets = {"all": set(jobs), **{f"cluster-{cluster}": {cluster} for cluster in largest}}
    rig = Rig(is_follower=False)
    try:
        for cluster, items in jobs.items():
            for j in items:
                rig.put({**j, "metadata": {**j["metadata"], "namespace": f"cluster-{cluster}"}, "status": moved(j["status"], by)})
        for name in fleets:
            selector = {} if name == "all" else {"selector": {"namespaces": [name]}}
            rig.create(f"{JOBGOODPUTS}/fleetgoodputs", {"apiVersion": "goodput.dev/v1alpha1", "kind": "FleetGoodput", "metadata": {"name": name},
                                                      "spec": {**selector, "window": {"rolling": "7d"}}})
        rig.restart_controller()  # so that one roll-up has all of them
        for name, clusters in fleets.items():
            items = [j for cluster in clusters for j in jobs[cluster]]
            sums = Sums(tables, clusters)
            found = lambda: rig.ask("GET", f"{JOBGOODPUTS}/fleetgoodputs/{name}").get("status", {})
            wait_for(f"{name} with {len(items)} jobs", lambda: found().get("jobs", {}).get("counted") == len(items), 150)
            check_command(c, name, sums, items)
            check_status(c, name, "object", sums, found())
            page = lambda: {x["metadata"]["name"]: x["status"] for x in json.loads(fetch(rig.page + "fleets")[1])["items"]}
            wait_for(f"{name} on the page", lambda: page().get(name, {}).get("jobs", {}).get("counted") == len(items))
            check_status(c, name, "page", sums, page()[name])
        c.same("four: jobs", True, sum(len(items) for items in jobs.values()) >= 100)
    finally:
        rig.close()
