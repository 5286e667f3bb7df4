"""A small Kubernetes API client over http.client: requests with the admin's certificate, and raw watch streams."""
import http.client
import json
import os
import ssl
import threading

PATHS = {
    "jobsets": "/apis/jobset.x-k8s.io/v1alpha2",
    "jobs": "/apis/batch/v1",
    "pods": "/api/v1",
    "nodes": "/api/v1",
    "events": "/api/v1",
    "trainjobs": "/apis/trainer.kubeflow.org/v1alpha1",
    "clustertrainingruntimes": "/apis/trainer.kubeflow.org/v1alpha1",
    "pytorchjobs": "/apis/kubeflow.org/v1",
    "leaderworkersets": "/apis/leaderworkerset.x-k8s.io/v1",
    "rayjobs": "/apis/ray.io/v1",
    "rayclusters": "/apis/ray.io/v1",
    "workloads": "/apis/kueue.x-k8s.io/v1beta2",
    "workloads.v1beta1": "/apis/kueue.x-k8s.io/v1beta1",
    "clusterqueues": "/apis/kueue.x-k8s.io/v1beta2",
    "localqueues": "/apis/kueue.x-k8s.io/v1beta2",
    "resourceflavors": "/apis/kueue.x-k8s.io/v1beta2",
    "topologies": "/apis/kueue.x-k8s.io/v1beta2",
    "jobgoodputs": "/apis/goodput.dev/v1alpha1",
    "fleetgoodputs": "/apis/goodput.dev/v1alpha1",
    "logs": "/apis/kwok.x-k8s.io/v1alpha1",
    "leases": "/apis/coordination.k8s.io/v1",
    "admissionchecks": "/apis/kueue.x-k8s.io/v1beta2",
    "resourceslices": "/apis/resource.k8s.io/v1",
    "deviceclasses": "/apis/resource.k8s.io/v1",
    "resourceclaims": "/apis/resource.k8s.io/v1",
    "resourceclaimtemplates": "/apis/resource.k8s.io/v1",
    "provisioningrequests": "/apis/autoscaling.x-k8s.io/v1",
}
CLUSTER_SCOPED = ("nodes", "clusterqueues", "admissionchecks", "fleetgoodputs", "clustertrainingruntimes", "resourceslices", "deviceclasses", "resourceflavors", "topologies")


class ApiError(Exception):
    def __init__(self, status, body):
        self.status = status
        try:
            self.message = json.loads(body).get("message", "")
        except ValueError:
            self.message = body.decode("utf-8", "replace")
        super().__init__(f"{status}: {self.message}")


def path_of(resource, namespace=None, name=None, subresource=None):
    path = PATHS[resource]
    if namespace and resource not in CLUSTER_SCOPED:
        path += f"/namespaces/{namespace}"
    path += "/" + resource.split(".")[0]
    return path + (f"/{name}" if name else "") + (f"/{subresource}" if subresource else "")


class Api:
    """Safe to share: each thread has a separate connection."""

    def __init__(self, url, pki_dir):
        self.host, port = url.split("//")[1].split(":")
        self.port = int(port)
        self.tls = ssl.create_default_context(cafile=os.path.join(pki_dir, "ca.crt"))
        self.tls.load_cert_chain(os.path.join(pki_dir, "admin.crt"), os.path.join(pki_dir, "admin.key"))
        self.local = threading.local()

    def use_served_kueue(self):
        """Kueue before 0.15 serves v1beta1 alone."""
        served = [version["version"] for version in self.request("GET", "/apis/kueue.x-k8s.io")["versions"]]
        for resource, path in PATHS.items():
            if path.startswith("/apis/kueue.x-k8s.io/") and "v1beta2" not in served:
                PATHS[resource] = path.replace("v1beta2", "v1beta1")

    def connect(self, timeout):
        return http.client.HTTPSConnection(self.host, self.port, context=self.tls, timeout=timeout)

    def request(self, method, path, body=None, content_type="application/json"):
        """The parsed answer. Raises ApiError with the server's own sentence."""
        data = None if body is None else json.dumps(body).encode()
        for attempt in (1, 2):  # a kept connection may have been closed by the server
            connection = getattr(self.local, "connection", None) or self.connect(30)
            self.local.connection = connection
            try:
                connection.request(method, path, data, {"Content-Type": content_type, "Accept": "application/json"})
                answer = connection.getresponse()
                raw = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self.local.connection = None
                if attempt == 2:
                    raise
        if answer.status >= 300:
            raise ApiError(answer.status, raw)
        return json.loads(raw) if raw else None

    def get(self, resource, namespace, name):
        return self.request("GET", path_of(resource, namespace, name))

    def create(self, resource, manifest):
        namespace = manifest["metadata"].get("namespace")
        return self.request("POST", path_of(resource, namespace), manifest)

    def merge(self, resource, namespace, name, patch, subresource=None):
        path = path_of(resource, namespace, name, subresource)
        return self.request("PATCH", path, patch, "application/merge-patch+json")

    def annotate(self, resource, namespace, name, annotations):
        return self.merge(resource, namespace, name, {"metadata": {"annotations": annotations}})

    def delete(self, resource, namespace, name):
        return self.request("DELETE", path_of(resource, namespace, name))

    def evict(self, namespace, name):
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
        return self.request("POST", path_of("pods", namespace, name, "eviction"), eviction)
