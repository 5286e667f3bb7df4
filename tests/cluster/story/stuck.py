"""Why a life does not end: the state of all that it is made of, in a few lines, for whoever reads the run's output."""
import time

from kinds import JOBSET_NAME, target_of
from watch import is_true

CONDITIONS = ("Suspended", "Completed", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "Admitted", "QuotaReserved", "Evicted", "Finished", "Ready")


def explain(cluster, stream, namespace, name):
    """[line]."""
    watch = cluster.watch
    target = watch.object(stream, namespace, name)
    if target is None:
        return [f"{stream} {namespace}/{name} does not exist"]
    lines = [f"{stream} {_head(watch, stream, target)}, {_counts(target['status'], ('restarts', 'active', 'ready', 'succeeded', 'failed'))}"]
    for job in watch.objects("jobs", namespace):
        if job["metadata"].get("labels", {}).get(JOBSET_NAME) == name:
            lines.append(f"  job {_head(watch, 'jobs', job)}, {_counts(job['status'], ('active', 'ready', 'terminating', 'succeeded', 'failed'))}")
    workload = cluster.workload_of(namespace, name)
    if workload:
        lines.append(f"  workload {_head(watch, 'workloads', workload)}")
    nodes = set()
    for pod in watch.objects("pods", namespace):
        if target_of(pod) == name:
            lines.append(f"  pod {_head(watch, 'pods', pod)}, {_of_pod(pod)}")
            nodes.add(pod["spec"].get("nodeName"))
    for node in sorted(filter(None, nodes)):
        item = watch.object("nodes", None, node)
        if item is None or not is_true(item, "Ready") or item["spec"].get("unschedulable"):
            lines.append(f"  node {_head(watch, 'nodes', item) if item else node + ' does not exist'}")
    goodput = watch.object("jobgoodputs", namespace, name)
    lines.append(f"  jobgoodput {_head(watch, 'jobgoodputs', goodput)}, phase {goodput['status'].get('phase')}" if goodput else "  no jobgoodput")
    return lines


def report(cluster, stream, namespace, name, why):
    print("\n".join([f"    {namespace}/{name}: {why}; as it is now:"] + ["      " + line for line in explain(cluster, stream, namespace, name)]), flush=True)


def _head(watch, stream, item):
    """Name, age of the last version, what its spec wants, and the conditions."""
    meta, status, spec = item["metadata"], item.get("status", {}), item.get("spec", {})
    versions = watch.versions(stream, meta.get("namespace"), meta["name"])
    text = f"{meta['name']} (unchanged for {time.time() - versions[-1].time:.0f} s)"
    text += "".join(f", {key}" for key in ("suspend", "unschedulable") if spec.get(key))
    text += ", not active" if spec.get("active") is False else ""
    text += f", being deleted since {meta['deletionTimestamp']}" if meta.get("deletionTimestamp") else ""
    text += f", finalizers {','.join(meta['finalizers'])}" if meta.get("deletionTimestamp") and meta.get("finalizers") else ""
    found = [c for c in status.get("conditions") or [] if c["type"] in CONDITIONS]
    parts = [f"{c['type']}={c['status']}/{c.get('reason', '')}" + (f" ({c['message'][:120]})" if c["status"] == "False" and c.get("message") else "") for c in found]
    return text + (": " + ", ".join(parts) if parts else "")


def _counts(status, fields):
    return ", ".join(f"{field} {status[field]}" for field in fields if status.get(field)) or "no counts"


def _of_pod(pod):
    marks = pod["metadata"].get("annotations", {})
    parts = [f"{key.partition('/')[2]}={value}" for key, value in marks.items() if key.startswith("cluster-test/")]
    states = [next(iter(c.get("state", {})), "no state") for c in pod["status"].get("containerStatuses", [])]
    return f"{pod['status'].get('phase')}/{','.join(states) or 'no containers'} on {pod['spec'].get('nodeName', 'no node')} [{' '.join(parts)}]"
