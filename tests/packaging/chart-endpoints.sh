#!/bin/bash
# The chart without a cluster: the endpoint that recorders write to, where numbers are sent to, and under which name of the
# cluster.
set -uo pipefail
. "$(dirname "$0")/render.sh"

named=clusterName=prod-1,metrics.serviceMonitor.enabled=true,metrics.podMonitor.enabled=true,metrics.clusterPodMonitoring.enabled=true
same "a named cluster: the flag, and a label of both monitors' targets; Google's operator sets its own" \
	"Deployment --cluster-name=prod-1 PodMonitor targetLabel: cluster replacement: prod-1 ServiceMonitor targetLabel: cluster replacement: prod-1" \
	"$(render --set $named | python3 -c '
import sys, yaml
for o in sorted((o for o in yaml.safe_load_all(sys.stdin) if o), key=lambda o: o["kind"]):
    s = o.get("spec", {})
    for e in s.get("endpoints", []) + s.get("podMetricsEndpoints", []):
        for r in e.get("relabelings", []):
            print(o["kind"], *(f"{k}: {v}" for k, v in r.items()))
    if o["kind"] == "Deployment":
        print(o["kind"], *(a for a in s["template"]["spec"]["containers"][0]["args"] if "cluster" in a))' | paste -sd' ')"
refused "a name of a cluster with a space" "at '/clusterName': 'a b' does not match pattern" render --set 'clusterName=a b'
ingest=replicas=1,ingest.enabled=true,ingest.tls.secretName=cert,ingest.volume.persistentVolumeClaim.claimName=store
same "the endpoint of recorders: its flags, its mounts, one pod at a time" "type: Recreate --ingest-bind-address=:8444 --ingest-cert-dir=/etc/goodput/ingest-certificate --ingest-store=/var/lib/goodput/store mountPath: /etc/goodput/ingest-certificate mountPath: /var/lib/goodput/store claimName: store" \
	"$(render --set $ingest,metrics.enabled=false -s templates/deployment.yaml | sed -nE 's/^[- ]*(--ingest.*|mountPath: .*|claimName: .*|type: Recreate)/\1/p' | paste -sd' ')"
same "... its Service, and who asks whose tokens they are" "clusterIP: \"10.0.0.9\" port: 443 resources: [tokenreviews]" \
	"$(render --set $ingest,metrics.enabled=false,ingest.service.clusterIP=10.0.0.9 | sed -nE 's/^[- ]*(clusterIP: .*|port: 443|resources: \[tokenreviews\])$/\1/p' | sort | paste -sd' ')"
same "... tokens of jobs, from a Secret that is mounted" "--ingest-tokens=/etc/goodput/ingest-tokens mountPath: /etc/goodput/ingest-tokens secretName: tokens" \
	"$(render --set $ingest,ingest.tokens.secretName=tokens,metrics.enabled=false -s templates/deployment.yaml | sed -nE 's/^[- ]*(--ingest-tokens.*|mountPath: .*tokens|secretName: tokens)/\1/p' | paste -sd' ')"
# What points Google's clients to it: the settings that tests/recorder/endpoint.py runs the real ones with, but for the
# proxy that stands for hostAliases there.
clients() { render --set "$ingest,ingest.client.namespaces={research,ml},ingest.client.ca=PEM" -s templates/ingest-client.yaml; }
same "... in each namespace of recorders two ConfigMaps" "ConfigMap=4" "$(clients | kinds)"
same "... the environment that the real clients are tested with, but for the proxy" "$(python3 - <<'SETTINGS'
import re
text = open("tests/recorder/endpoint.py").read()
part = text[text.index("return {**os.environ"):]
part = part[:part.index("}\n")]
print(*sorted(set(re.findall(r'"([A-Z_]+)":', part)) - {"HTTPS_PROXY", "GCE_METADATA_HOST", "GCE_METADATA_IP"}))
SETTINGS
)" "$(clients | python3 -c '
import sys, yaml
maps = [m for m in yaml.safe_load_all(sys.stdin) if m]
print(*sorted({key for m in maps for key in m["data"] if m["metadata"]["name"] == "goodput-recorder-env"}))')"
same "... its credentials as the real clients are tested with, and the namespace as the project" "research ml audience credential_source subject_token_type token_url type" "$(clients | python3 -c '
import json, sys, yaml
maps = [m for m in yaml.safe_load_all(sys.stdin) if m]
print(*[m["data"]["GOOGLE_CLOUD_PROJECT"] for m in maps if "GOOGLE_CLOUD_PROJECT" in m["data"] and m["metadata"]["namespace"] == m["data"]["GOOGLE_CLOUD_PROJECT"]],
      *sorted(json.loads(maps[1]["data"]["credentials.json"])))')"
refused "... without the authority" "ingest.client.namespaces needs ingest.client.ca" render --set "$ingest,ingest.client.namespaces={ml}"
same "... with two replicas its Service reaches the leader, by the label that it sets" \
	'goodput.dev/role: leader --lease-namespace=$(POD_NAMESPACE) --standby-watches=true --pod-name=$(POD_NAME) fieldPath: metadata.name' \
	"$(render --set $ingest,replicas=2 | sed -nE 's/^[- ]*(goodput.dev\/role: .*|--lease-namespace.*|--pod-name.*|--standby-watches.*|fieldPath: metadata.name|type: Recreate)$/\1/p' | paste -sd' ')"
same "... which it may write, in its own namespace" "resources: [pods] verbs: [patch]" \
	"$(render --set $ingest,replicas=2 -s templates/role-leader.yaml | grep -A1 'resources: \[pods\]' | xargs)"
same "without the endpoint no pod is written to" "" "$(render | grep -E 'pod-name|goodput.dev/role|POD_NAME$')$(render -s templates/role-leader.yaml | grep pods)"
same "without election every replica is reached" "" "$(render --set $ingest,leaderElection.enabled=false | grep -E 'pod-name|goodput.dev/role')"
refused "the endpoint of recorders in two replicas with a store each" "ingest.volume must not be an emptyDir with several replicas" \
	render --set replicas=2,ingest.enabled=true,ingest.tls.secretName=cert,ingest.volume.emptyDir.medium=Memory
same "standbys that do not watch" "--standby-watches=false" "$(flags --set leaderElection.standbyWatches=false | grep -o -- '--standby-watches=[a-z]*')"
refused "... without a volume" "ingest.enabled needs ingest.volume" render --set replicas=1,ingest.enabled=true,ingest.tls.secretName=cert
refused "... without a certificate" "ingest.enabled needs ingest.tls.secretName" render --set replicas=1,ingest.enabled=true,ingest.volume.emptyDir.medium=Memory
same "event files for TensorBoard: the flag, the mount, the volume" "--tensorboard-dir=/var/lib/goodput/tensorboard --tensorboard-interval=30s mountPath: /var/lib/goodput/tensorboard claimName: boards" \
	"$(render --set tensorboard.volume.persistentVolumeClaim.claimName=boards,metrics.enabled=false -s templates/deployment.yaml | sed -nE 's/^[- ]*(--tensorboard.*|mountPath: .*|claimName: .*)/\1/p' | paste -sd' ')"
refused "an interval without unit" "at '/tensorboard/interval': got number, want string" render --set tensorboard.interval=30
same "Cloud Monitoring: its flags" "--cloud-monitoring-project=p --cloud-monitoring-location=us-east5-a --cloud-monitoring-replica-id=0 --cloud-monitoring-namespaced=true --cloud-monitoring-interval=1m" \
	"$(flags --set cloudMonitoring.project=p,cloudMonitoring.location=us-east5-a,cloudMonitoring.namespaced=true,cloudMonitoring.interval=1m | grep -oE -- '--cloud-monitoring[^ ]+' | xargs)"
refused "Cloud Monitoring without a location" "cloudMonitoring.project needs cloudMonitoring.location" render --set cloudMonitoring.project=p
refused "points more often than the API takes them" "at '/cloudMonitoring/interval': '4s' does not match pattern" render --set cloudMonitoring.interval=4s
same "OpenTelemetry: its flags, its Secrets" "--otlp-endpoint=https://c.ns:4318 --otlp-interval=30s --otlp-headers=/etc/goodput/otlp-headers/headers --otlp-ca=/etc/goodput/otlp-ca/ca.crt mountPath: /etc/goodput/otlp-headers mountPath: /etc/goodput/otlp-ca secretName: h secretName: ca" \
	"$(render --set otlp.endpoint=https://c.ns:4318,otlp.headersSecretName=h,otlp.caSecretName=ca,metrics.enabled=false -s templates/deployment.yaml | sed -nE 's/^[- ]*"?(--otlp[^"]*|mountPath: .*|secretName: .*)"?$/\1/p' | paste -sd' ')"
refused "an endpoint without a scheme" "at '/otlp/endpoint': 'collector:4318' does not match pattern" render --set otlp.endpoint=collector:4318
egress() { render --set "networkPolicy.enabled=true,$1" -s templates/networkpolicy.yaml | sed '1,/egress:/d' | sed -nE 's/^ *- port: ([0-9]+)$/\1/p' | paste -sd' '; }
same "the network policy lets out what is pushed, and nothing by default" "443 6443; 443 6443 53 53 443 80 988; 443 6443 53 53 4318; 443 6443 53 53 443; 443 6443 53 53 80" \
	"$(egress replicas=2); $(egress cloudMonitoring.project=p,cloudMonitoring.location=l); $(egress otlp.endpoint=http://c:4318/x); $(egress otlp.endpoint=https://c); $(egress otlp.endpoint=http://c)"
finish_rendered 15
