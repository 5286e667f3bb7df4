"""Each publisher of node signals writes what it writes on real nodes, between two losses of the pod on the node: after the
first, so there it is a consequence, and before the second, so there it is a cause or evidence. All at once, a JobSet and a
node for each publisher. node-problem-detector itself writes for one of them, whose kernel reports that a GPU is lost."""
import os
import sys
import time
from collections import namedtuple

import shapes
import status as read
from api import path_of
from cluster import uids
from watch import condition

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "npd"))
from detector import XID79, Detector  # pylint: disable=wrong-import-position # it is found only now

NAMESPACE = "signals"
TABLE = os.path.join(os.path.dirname(__file__), "../../../controller/rootcause/node_signals.tsv")
STRATEGIC = "application/strategic-merge-patch+json"
NOW = "@NOW@"

# what, key, value and text are of the object, as in the table's columns: of a condition the text is (reason, message), of a
# taint its effect, of an Event its message; of a device (driver, effect). The rest is what the status must say of it, as
# the publisher's own documents and facts about classes have it; the table is not read for that.
Signal = namedtuple("Signal", "source what key value text name is_cause class_ owner")
Publisher = namedtuple("Publisher", "name loses signals")

EXITS, EVICTED = "exits", "evicted"
EKS, AKS, NPD = "EKS node monitoring agent", "AKS node-problem-detector", "node-problem-detector "
SYSLOG, FAULT = "NVSentinel syslog health monitor", "NVSentinel fault quarantine"
DRA, AMD = "NVIDIA DRA driver", "AMD GPU operator with node-problem-detector"
XID_119 = ("SysLogsXIDErrorIsNotHealthy", "ErrorCode:119 PCI:0000:0f:00 Recommended Action=COMPONENT_RESET;")
DOUBLE_BIT = ("GpuMemWatchIsNotHealthy", "ErrorCode:DCGM_FR_VOLATILE_DBE_DETECTED GPU:3 Recommended Action=COMPONENT_RESET;")
QUARANTINE = (
    '[{"version":1,"agent":"gpu-health-monitor","componentClass":"GPU","checkName":"GpuPcieWatch","isFatal":true,'
    f'"errorCode":["79"],"recommendedAction":15,"generatedTimestamp":"{NOW}"}}]'
)


def cause(source, what, key, value, text, name, class_, owner):
    return Signal(source, what, key, value, text, name, True, class_, owner)


def weak(source, what, key, value, text, name, class_):
    return Signal(source, what, key, value, text, name, False, class_, None)


PUBLISHERS = (
    Publisher("gke", EXITS, (
        cause("GKE GPU device plugin", "condition", "XidCriticalError", "True", ('{"79":true}', "5ae1f0c2-7a52-4b7e-9d0a-3c1f"), "Xid79", "GPUHardware", "Provider"),
    )),
    Publisher("gke-maintenance", EVICTED, (
        cause("GKE host maintenance", "label", "cloud.google.com/active-node-maintenance", "ONGOING", None, "MaintenanceOngoing", "Preemption", "Provider"),
        cause("GKE spot and maintenance", "taint", "cloud.google.com/impending-node-termination", "", "NoSchedule", "ImpendingNodeTermination", "Preemption", "Provider"),
    )),
    Publisher("eks", EXITS, (
        cause(EKS, "condition", "AcceleratedHardwareReady", "False", ("NvidiaXID64Error", "row remapping failed"), "Xid64", "GPUHardware", "Provider"),
        weak(EKS, "condition", "ContainerRuntimeReady", "False", ("ContainerRuntimeFailed", "containerd restarted"), "ContainerRuntimeNotReady", "Unknown"),
        weak(EKS, "event", "NvidiaXID13Warning", None, "XID 13 on GPU 3", "Xid13", "CUDAError"),
        weak(EKS, "event", "NvidiaThermalError", None, "GPU 3 is too hot", "NvidiaThermalError", "GPUHardware"),
    )),
    Publisher("aws-termination", EVICTED, (
        cause("AWS node termination handler", "taint", "aws-node-termination-handler/spot-itn", "spot-itn-0c1d2e3f", "NoSchedule", "SpotInterruption", "Preemption", "Provider"),
    )),
    Publisher("karpenter", EVICTED, (
        cause("Karpenter v1", "taint", "karpenter.sh/disrupted", "", "NoSchedule", "KarpenterDisruption", "Preemption", "Platform"),
    )),
    Publisher("karpenter-beta", EVICTED, (
        cause("Karpenter v1beta1", "taint", "karpenter.sh/disruption", "disrupting", "NoSchedule", "KarpenterDisruption", "Preemption", "Platform"),
    )),
    Publisher("aks", EXITS, (
        cause(AKS, "condition", "XIDErrors", "True", ("XIDErrors", "XID 94 on GPU 2"), "Xid94", "GPUHardware", "Provider"),
        cause(AKS, "condition", "IBLinkFlapping", "True", ("IBLinkFlapping", "mlx5_3 flapped 4 times"), "IBLinkFlapping", "Network", "Provider"),
        weak(AKS, "condition", "GPUClockThrottling", "True", ("GPUClockThrottling", "GPU 2 is slowed"), "GPUClockThrottling", "GPUHardware"),
    )),
    Publisher("kernel-log", EXITS, (
        cause(NPD[:-1] + ", a rule for the log of the kernel", "condition", "NvidiaXidError", "True",
              ("XidError", "NVRM: Xid (PCI:0000:3b:00): 119, pid=1234, Timeout waiting for RPC from GSP!"), "Xid119", "GPUHardware", "Provider"),
    )),
    Publisher("npd-itself", EXITS, (
        cause(NPD[:-1] + ", a rule for the log of the kernel", "condition", "GPUXidProblem", "True", ("GPUXid", XID79), "Xid79", "GPUHardware", "Provider"),
    )),
    Publisher("nebius", EXITS, (
        cause("Nebius node health checks", "condition", "NebiusGPUError", "True", ("GPUError", "ECC errors on GPU 1"), "NebiusGPUError", "GPUHardware", "Provider"),
        weak("Nebius node health checks", "condition", "NebiusMaintenanceScheduled", "True", ("MaintenanceScheduled", "in 7 days"), "NebiusMaintenanceScheduled", "Preemption"),
    )),
    Publisher("nvsentinel", EXITS, (
        cause(SYSLOG, "condition", "SysLogsXIDError", "True", XID_119, "Xid119", "GPUHardware", "Provider"),
        cause("NVSentinel GPU health monitor", "condition", "GpuMemWatch", "True", DOUBLE_BIT, "GpuHealthWatch", "GPUHardware", "Provider"),
        cause(FAULT, "annotation", "quarantineHealthEvent", QUARANTINE, None, "Xid79", "GPUHardware", "Provider"),
        weak(SYSLOG, "event", "SysLogsXIDErrorIsNotHealthy", None, "ErrorCode:31 PCI:0000:0f:00 Recommended Action=NONE;", "Xid31", "CUDAError"),
    )),
    Publisher("gpu-operator", EVICTED, (
        cause("NVIDIA GPU operator", "label", "nvidia.com/gpu-driver-upgrade-state", "pod-deletion-required", None, "GPUDriverUpgrade", "GPUDriver", "Platform"),
    )),
    Publisher("amd", EXITS, (
        cause("AMD device metrics exporter", "label", "metricsexporter.amd.com.gpu.3.state", "unhealthy", None, "AMDGPUUnhealthy", "GPUHardware", "Provider"),
        cause(AMD, "condition", "AMDGPUXgmi", "True", ("AMDGPUIsDown", "XGMI WAFL error"), "AMDGPUXgmi", "GPUHardware", "Provider"),
        weak(AMD, "condition", "AMDGPUThrottle", "True", ("AMDGPUIsDown", "thermal throttling"), "AMDGPUThrottle", "GPUHardware"),
    )),
    Publisher("amd-operator", EXITS, (
        cause("AMD GPU operator", "taint", "amd-gpu-unhealthy", "true", "NoSchedule", "AMDGPUUnhealthy", "GPUHardware", "Provider"),
    )),
    Publisher("dra-nvidia", EXITS, (
        cause(DRA, "device", "gpu.nvidia.com/xid", "79", ("gpu.nvidia.com", "NoSchedule"), "Xid79", "GPUHardware", "Provider"),
        cause(DRA, "device", "gpu.nvidia.com/gpu-lost", "", ("gpu.nvidia.com", "NoSchedule"), "GPULost", "GPUHardware", "Provider"),
        weak(DRA, "device", "gpu.nvidia.com/xid", "13", ("gpu.nvidia.com", "None"), "XidNotFatal", "CUDAError"),
        weak(DRA, "device", "gpu.nvidia.com/unmonitored", "", ("gpu.nvidia.com", "None"), "GPUUnmonitored", "GPUDriver"),
    )),
    Publisher("dra-other", EXITS, (
        cause("DRA device taints (KEP-5055)", "device", "dra.example.com/unhealthy", "", ("dra.example.com", "NoExecute"), "DeviceTainted", "Unknown", "Platform"),
    )),
    Publisher("npd", EXITS, (
        cause(NPD + "kernel-monitor.json", "condition", "KernelDeadlock", "True", ("DockerHung", "task docker:7 blocked for more than 120 seconds."), "KernelDeadlock", "Unknown", "Platform"),
        cause(NPD + "readonly-monitor.json", "condition", "ReadonlyFilesystem", "True", ("FilesystemIsReadOnly", "Remounting filesystem read-only"), "ReadonlyFilesystem", "StorageError", "Platform"),
        weak(NPD + "docker-monitor.json", "condition", "CorruptDockerOverlay2", "True", ("CorruptDockerOverlay2", "returned error: readlink /var/lib/docker/overlay2"), "CorruptDockerOverlay2", "StorageError"),
        weak(NPD + "health-checker-kubelet.json", "condition", "KubeletUnhealthy", "True", ("KubeletUnhealthy", "The kubelet is unhealthy"), "KubeletUnhealthy", "Unknown"),
        weak(NPD + "health-checker-containerd.json", "condition", "ContainerRuntimeUnhealthy", "True", ("ContainerdUnhealthy", "containerd is unhealthy"), "ContainerRuntimeUnhealthy", "Unknown"),
        weak(NPD + "network monitors", "condition", "FrequentUnregisterNetDevice", "True", ("UnregisterNetDevice", "unregister_netdevice: waiting for eth0"), "FrequentUnregisterNetDevice", "Network"),
    )),
    Publisher("npd-weak", EXITS, (
        weak(NPD + "kernel-monitor.json", "event", "OOMKilling", None, "Killed process 4242 (python3) total-vm:181000kB", "OOMKilling", "HostOOM"),
        weak(NPD + "network-problem-monitor.json", "event", "ConntrackFull", None, "nf_conntrack: table full, dropping packet", "ConntrackFull", "Network"),
        weak(NPD + "systemd-monitor-counter.json", "condition", "FrequentKubeletRestart", "True", ("FrequentKubeletRestart", "Found 5 restarts"), "FrequentRestart", "Unknown"),
    )),
    Publisher("kubelet", EXITS, (
        cause("kubelet", "event", "SystemOOM", None, "System OOM encountered, victim process: python3, pid: 4242", "SystemOOM", "HostOOM", "Tenant"),
        weak("kubelet", "condition", "MemoryPressure", "True", ("KubeletHasInsufficientMemory", "kubelet has insufficient memory available"), "MemoryPressure", "HostOOM"),
        weak("kubelet", "event", "Rebooted", None, "Node has been rebooted, boot id: 5ae1f0c2", "Rebooted", "Unknown"),
    )),
    Publisher("cloud-controller", EVICTED, (
        cause("cloud controller manager", "taint", "node.cloudprovider.kubernetes.io/shutdown", "", "NoSchedule", "NodeShutdown", "Preemption", "Provider"),
        weak("cloud controller manager", "condition", "NetworkUnavailable", "True", ("NoRouteCreated", "Node created without a route"), "NetworkUnavailable", "Network"),
    )),
    Publisher("autoscaler", EVICTED, (
        cause("Cluster Autoscaler", "taint", "ToBeDeletedByClusterAutoscaler", "1764162000", "NoSchedule", "ScaleDown", "Preemption", "Platform"),
    )),
    Publisher("person", EVICTED, (
        cause("a person", "taint", "node.kubernetes.io/out-of-service", "nodeshutdown", "NoExecute", "OutOfService", "Preemption", "Platform"),
    )),
)


ITSELF = next(p for p in PUBLISHERS if p.name == "npd-itself")


def node_of(publisher):
    return "signals-" + publisher.name


def play(cluster, run):
    """run: the cluster's folder."""
    api = cluster.api
    for publisher in PUBLISHERS:
        api.create("nodes", _node(node_of(publisher)))
        for slice_ in _slices(publisher, with_taints=False):
            api.create("resourceslices", slice_)
        cluster.observe(NAMESPACE, publisher.name, stepLog={"source": "None"})
        cluster.create(_jobset(publisher))
    kubeconfig = os.path.join(run, "kubeconfig", "node-problem-detector")
    detector = Detector("node-problem-detector", f"https://{api.host}:{api.port}", os.path.join(run, "logs"), node_of(ITSELF), kubeconfig)
    try:
        _play_losses(cluster, detector)
    finally:
        detector.stop()
    _clear(cluster)


def _play_losses(cluster, detector):
    _wait_detected(cluster, "False")
    first = _wait_running(cluster, ())
    time.sleep(3)
    cluster.mark("signals: all pods exit with code 1")
    cluster.end_pods(first, 1)
    second = _wait_running(cluster, uids(first))
    time.sleep(3)  # stamps are whole seconds
    cluster.mark("signals: all publishers write")
    for publisher in PUBLISHERS:
        if publisher != ITSELF:
            _publish(cluster.api, publisher)
    detector.kernel_writes(XID79)
    _wait_detected(cluster, "True")
    time.sleep(5)  # labels have no time but that at which the controller receives them
    for pod in second:
        publisher = next(p for p in PUBLISHERS if node_of(p) == pod["spec"]["nodeName"])
        if publisher.loses == EVICTED:
            cluster.evict(pod)
        else:
            cluster.end_pods([pod], 1)
    cluster.mark("signals: all pods are lost again")
    last = _wait_running(cluster, uids(first) | uids(second))
    time.sleep(2)
    cluster.end_pods(last, 0)
    for publisher in PUBLISHERS:
        cluster.wait_condition("jobsets", NAMESPACE, publisher.name, "Completed")


def _wait_detected(cluster, status):
    """Until node-problem-detector has written what it knows."""
    key = ITSELF.signals[0].key
    node = lambda: cluster.watch.object("nodes", None, node_of(ITSELF)) or {}  # pylint: disable=unnecessary-lambda-assignment
    cluster.watch.wait(f"{key} to be {status}", lambda: condition(node(), key).get("status") == status, 60)


def _clear(cluster):
    """Nothing of it is left for what comes after: an idle controller is measured."""
    for publisher in PUBLISHERS:
        cluster.api.delete("nodes", None, node_of(publisher))
        for slice_ in _slices(publisher, with_taints=False):
            cluster.api.delete("resourceslices", None, slice_["metadata"]["name"])


def _wait_running(cluster, not_these):
    return [pod for p in PUBLISHERS for pod in cluster.wait_running(NAMESPACE, p.name, 1, not_these)]


# --- objects ---


def _node(name):
    sizes = {"cpu": "112", "memory": "192Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": {"kubernetes.io/hostname": name, "cloud.google.com/gke-nodepool": name}},
        "spec": {"taints": [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}]},
        "status": {"allocatable": sizes, "capacity": sizes},
    }


def _jobset(publisher):
    """It tolerates the taints, so that its next pod comes to the same node."""
    job = shapes.replicated_job("w", [node_of(publisher)], hosts=1, has_chips=False)
    job["template"]["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
    return shapes.jobset(NAMESPACE, publisher.name, [job])


def _slices(publisher, with_taints):
    """A ResourceSlice with a device for each signal of devices."""
    signals = [s for s in publisher.signals if s.what == "device"]
    if not signals:
        return []
    devices = [{"name": f"gpu-{i}"} for i in range(len(signals))]
    for device, signal in zip(devices, signals) if with_taints else ():
        device["taints"] = [{"key": signal.key, "value": signal.value, "effect": signal.text[1]}]
    pool = {"name": node_of(publisher), "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": signals[0].text[0], "nodeName": node_of(publisher), "pool": pool, "devices": devices}
    return [{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": node_of(publisher)}, "spec": spec}]


def _publish(api, publisher):
    node, now = api.get("nodes", None, node_of(publisher)), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    name = node["metadata"]["name"]
    of = lambda what: [s for s in publisher.signals if s.what == what]  # pylint: disable=unnecessary-lambda-assignment
    conditions = [
        {"type": s.key, "status": s.value, "reason": s.text[0], "message": s.text[1], "lastTransitionTime": now, "lastHeartbeatTime": now}
        for s in of("condition")
    ]
    if conditions:
        api.request("PATCH", path_of("nodes", None, name, "status"), {"status": {"conditions": conditions}}, STRATEGIC)
    taints = node["spec"].get("taints", []) + [{"key": s.key, "value": s.value, "effect": s.text} for s in of("taint")]
    metadata = {what + "s": {s.key: s.value.replace(NOW, now) for s in of(what)} for what in ("label", "annotation")}
    api.merge("nodes", None, name, {"metadata": metadata, "spec": {"taints": taints}})
    for i, signal in enumerate(of("event")):
        api.create("events", _event(node, f"{name}.{i}", signal, now))
    for slice_ in _slices(publisher, with_taints=True):
        api.merge("resourceslices", None, name, {"spec": slice_["spec"]})


def _event(node, name, signal, now):
    regarding = {"kind": "Node", "name": node["metadata"]["name"], "uid": node["metadata"]["name"]}  # as agents do: the name twice
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "default", "name": name},
        "involvedObject": regarding,
        "type": "Warning",
        "reason": signal.key,
        "message": signal.text,
        "source": {"component": "agent", "host": node["metadata"]["name"]},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }


# --- what the status must say ---


def check(tally, cluster):
    every_source_is_played(tally)
    _has_written_event(tally, cluster.api)
    for publisher in PUBLISHERS:
        executions = {e["number"]: e for e in read.status(cluster.goodput(NAMESPACE, publisher.name)).get("executions") or []}
        before, after = executions.get(2, {}), executions.get(1, {})
        _after_the_loss(tally, publisher, after)
        _before_the_loss(tally, publisher, before)


def every_source_is_played(tally):
    """What follows a colon in the table's last column is a remark."""
    with open(TABLE, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    sources = {row[-1].split(":")[0] for row in rows if row[0] != "xid"}
    played = {signal.source for publisher in PUBLISHERS for signal in publisher.signals}
    seen = f"{len(played)} of {len(sources)}; not played {sorted(sources - played)}, not in the table {sorted(played - sources)}"
    tally.check(played == sources, "node signals: each publisher in the table is played", seen)


def _has_written_event(tally, api):
    """node-problem-detector reports what its kernel says by a condition and by an Event; the status has both as one signal."""
    node, reason = node_of(ITSELF), ITSELF.signals[0].text[0]
    events = api.request("GET", path_of("events", "default") + f"?fieldSelector=involvedObject.name={node},reason={reason}")["items"]
    seen = [(event["source"]["component"], event["message"]) for event in events]
    tally.check(("gpu-monitor", XID79) in seen, f"{ITSELF.name}: node-problem-detector has written an Event too", seen)


def _evidence(execution):
    return sorted((e["signal"], e["role"], e["class"], e["node"]) for e in execution.get("nodeEvidence") or [])


def _expected(publisher, role_of):
    return sorted((s.name, role_of(s), s.class_, node_of(publisher)) for s in publisher.signals)


def _after_the_loss(tally, publisher, execution):
    seen = _evidence(execution)
    right = seen == _expected(publisher, lambda _: "Consequence")
    tally.check(right, f"{publisher.name}: after the loss each signal is a consequence", seen)
    root = execution.get("rootCause") or {}
    right = root.get("class", "Unknown") == "Unknown" and root.get("reason") not in {s.name for s in publisher.signals}
    tally.check(right, f"{publisher.name}: and not its root cause", root)


def _before_the_loss(tally, publisher, execution):
    seen = _evidence(execution)
    right = seen == _expected(publisher, lambda signal: "Cause" if signal.is_cause else "Evidence")
    tally.check(right, f"{publisher.name}: before the loss each signal is a cause, or evidence if it is weak", seen)
    root = execution.get("rootCause") or {}
    verdict = tuple(root.get(field) for field in ("reason", "class", "owner", "node")) + (execution.get("owner"),)
    causes = [(s.name, s.class_, s.owner, node_of(publisher), s.owner) for s in publisher.signals if s.is_cause]
    if causes:
        tally.check(verdict in causes, f"{publisher.name}: the root cause is a signal, with its class and owner", verdict)
    else:
        right = root.get("class", "Unknown") == "Unknown" and root.get("reason") not in {s.name for s in publisher.signals}
        tally.check(right, f"{publisher.name}: weak signals are no root cause", root)
