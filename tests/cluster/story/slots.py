"""From our own watch: when a target's slots were available, and when one of them was still pulling its image.

A slot is available while a pod of it is bound and has not begun to end (deleted, disrupted, a container terminated); a
slot whose pod succeeded stays available. Times are our receipts of the API's events.
"""
from cluster import COMPLETION_INDEX, JOB_NAME, JOBSET_NAME
from watch import is_true

JOB_INDEX = "jobset.sigs.k8s.io/job-index"
FOREVER = float("inf")


def lives(watch, namespace, target):
    """One dict per pod, in order of creation: uid, slot, bound, lost, pulling, pulled (None: not seen)."""
    found = {}
    for observation in list(watch.history["pods"]):
        pod = observation.object
        labels = pod["metadata"].get("labels", {})
        if pod["metadata"]["namespace"] != namespace or target not in (labels.get(JOBSET_NAME), labels.get(JOB_NAME)):
            continue
        slot = labels.get(JOB_INDEX, "0"), labels.get(COMPLETION_INDEX)
        life = found.setdefault(pod["metadata"]["uid"], {"slot": slot, "bound": None, "lost": None, "pulling": None, "pulled": None})
        if life["bound"] is None and pod["spec"].get("nodeName"):
            life["bound"] = observation.time
        if life["lost"] is None and _ending(pod):
            life["lost"] = observation.time
    for observation in list(watch.history["events"]):
        life = found.get(observation.object["involvedObject"].get("uid"))
        moment = {"Pulling": "pulling", "Pulled": "pulled"}.get(observation.object.get("reason"))
        if life and moment and life[moment] is None:
            life[moment] = observation.time
    return list(found.values())


def _ending(pod):
    if pod["status"].get("phase") == "Succeeded":
        return False
    ends = [c["state"]["terminated"]["exitCode"] for c in pod["status"].get("containerStatuses", []) if "terminated" in c.get("state", {})]
    return bool(pod["metadata"].get("deletionTimestamp") or is_true(pod, "DisruptionTarget") or any(ends))


def available_seconds(pods, required, end):
    """How long all `required` slots were available, up to `end`."""
    return _seconds(pods, required, end, lambda pod, at: True)


def pulling_seconds(pods, required, end):
    """How long all slots were available and one was still pulling."""
    return _seconds(pods, required, end, lambda pod, at: pod["pulling"] is not None and pod["pulling"] <= at < (pod["pulled"] or FOREVER))


def _seconds(pods, required, end, counts):
    edges = {end}
    for pod in pods:
        edges |= {pod[moment] for moment in ("bound", "lost", "pulling", "pulled") if pod[moment] is not None and pod[moment] < end}
    edges = sorted(edges)
    total = 0
    for begin, until in zip(edges, edges[1:]):
        here = [p for p in pods if p["bound"] is not None and p["bound"] <= begin < (p["lost"] or FOREVER)]
        if len({p["slot"] for p in here}) == required and any(counts(p, begin) for p in here):
            total += until - begin
    return total
