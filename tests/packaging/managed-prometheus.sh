#!/bin/bash
# The chart's objects for Google's managed Prometheus, read by the operator's own types and functions, from its Go module:
# which labels its collector would give to the controller's series, and which rules it would load.
set -uo pipefail
. "$(dirname "$0")/render.sh"
tests/cluster/build.sh helm managed-prometheus-check || { not_ok "the operator's functions were built"; finish; }
read_by_operator() { .build/cluster/bin/managed-prometheus-check "$@" 2>&1; }
monitor() { render --set metrics.clusterPodMonitoring.enabled=true -s templates/clusterpodmonitoring.yaml | one ClusterPodMonitoring; }
one() { python3 -c 'import sys, yaml
print(yaml.safe_dump([d for d in yaml.safe_load_all(sys.stdin) if d["kind"] == sys.argv[1]][0]))' "$1"; }
# What Prometheus discovers of the controller's pod; its labels are those of the chart's Deployment.
mapfile -t pod < <(render -s templates/deployment.yaml | python3 -c 'import re, sys, yaml
for name, value in yaml.safe_load(sys.stdin)["spec"]["template"]["metadata"]["labels"].items():
    name = re.sub("[^a-zA-Z0-9]", "_", name)
    print(f"__meta_kubernetes_pod_label_{name}={value}", f"__meta_kubernetes_pod_labelpresent_{name}=true", sep="\n")'
printf '__meta_kubernetes_%s\n' namespace=goodput-system pod_name=controller-0 pod_node_name=node-0 pod_phase=Running pod_container_port_name=metrics)
added="cluster=a-cluster instance=controller-0:metrics job=goodput-controller location=a-location project_id=a-project"
same "the collector leaves the series the job's namespace" "honor_labels=false $added" "$(monitor | read_by_operator "${pod[@]}")"
same "without targetLabels it would not" "honor_labels=false ${added/project_id/namespace=goodput-system project_id}" \
	"$(monitor | python3 -c 'import sys, yaml
m = yaml.safe_load(sys.stdin); del m["spec"]["targetLabels"]; print(yaml.safe_dump(m))' | read_by_operator "${pod[@]}")"
same "another pod is no target" "ClusterPodMonitoring/goodput-controller/metrics does not keep this pod" \
	"$(monitor | read_by_operator "${pod[@]/goodput-controller/other}")"
loaded=$(mktemp --suffix=.yaml)
render --set metrics.clusterRules.enabled=true -s templates/clusterrules.yaml | one ClusterRules | read_by_operator >"$loaded"
same "the evaluator loads every alert" "$(render --set metrics.prometheusRule.enabled=true -s templates/prometheusrule.yaml | grep -c 'alert: ')" "$(grep -c 'alert: ' "$loaded")"
check "and promtool accepts what it loads" promtool check rules "$loaded"
rm -f "$loaded"
finish
