"""loopback_manifests.py WEBHOOK_URL < kustomize output > manifest

Keeps the CRDs, RBAC, namespaces, flow schemas and webhook configurations of a project's own kustomize output and drops
what needs a pod network. Each webhook that names a Service gets a URL below WEBHOOK_URL and the placeholder @CABUNDLE@.
"""
import sys

import yaml

NEEDS_A_NETWORK = ("Deployment", "Service", "Secret", "ConfigMap", "APIService")
APPLY_FIRST = {"Namespace": 0, "CustomResourceDefinition": 1}
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def point_to(url, client_config):
    service = client_config.pop("service", None)
    if service:
        client_config["url"] = url + service.get("path", "/")
    client_config["caBundle"] = "@CABUNDLE@"


def rewrite(url, manifest):
    if "WebhookConfiguration" in manifest["kind"]:
        for webhook in manifest["webhooks"]:
            point_to(url, webhook["clientConfig"])
    conversion = manifest["spec"].get("conversion") if manifest["kind"] == "CustomResourceDefinition" else None
    if conversion and conversion.get("strategy") == "Webhook":
        if len(manifest["spec"]["versions"]) > 1:
            point_to(url, conversion["webhook"]["clientConfig"])
        else:
            manifest["spec"]["conversion"] = {"strategy": "None"}
    return manifest


def main():
    manifests = [m for m in yaml.load_all(sys.stdin, Loader) if m and m["kind"] not in NEEDS_A_NETWORK]
    manifests = sorted((rewrite(sys.argv[1], m) for m in manifests), key=lambda m: APPLY_FIRST.get(m["kind"], 2))
    yaml.dump_all(manifests, sys.stdout, Dumper, sort_keys=False)


if __name__ == "__main__":
    main()
