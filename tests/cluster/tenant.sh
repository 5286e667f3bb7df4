#!/bin/bash
# tenant.sh: a team that has rights in one namespace alone, on the cluster that up.sh started. The chart with Roles alone
# (rbac.clusterRoles=false) runs there, measures a job, and names what is lost without Nodes; the team's own account reads
# it with `kubectl goodput`. A job of another namespace stays unread. Prints ok / not ok lines.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
# shellcheck source=tests/harness/count.sh
. "$ROOT/tests/harness/count.sh"
umask 077
mine=tenant theirs=tenant-other health=28199 page=28198
chart=$ROOT/helm/goodput-controller
manifest=$RUN/tenant.yaml
controller_log=$LOGS/tenant-controller.log
export PATH=$ROOT/.build/bin:$PATH
pid=
# shellcheck disable=SC2317 # called by the trap
clean_up() {
  [ -z "$pid" ] || kill "$pid" || true
  kubectl delete jobset train -n $mine || true
  kubectl delete jobset train -n $theirs || true # its chips are free for the stories that follow
  kubectl delete namespace $mine $theirs --timeout=60s || true
}
trap 'clean_up >/dev/null 2>&1' EXIT

for namespace in $mine $theirs; do
  kubectl create namespace $namespace --dry-run=client -o yaml | kubectl apply -f - >/dev/null
done
helm template goodput "$chart" --namespace $mine --no-hooks --set "watchNamespaces={$mine},rbac.clusterRoles=false" \
  --set metrics.enabled=false,crds.install=false,image.repository=registry.test/goodput >"$manifest" ||
  die "the chart does not render"
python3 "$HERE/lib/pick_kinds.py" ServiceAccount Role RoleBinding <"$manifest" >"$RUN/tenant-applied.yaml"
check "the chart with Roles alone is applied" kubectl apply --server-side --force-conflicts -f "$RUN/tenant-applied.yaml"
account=$(kubectl get serviceaccount -n $mine -l app.kubernetes.io/managed-by=Helm -o jsonpath='{.items[0].metadata.name}')
"$HERE/sa-kubeconfig.sh" $mine "$account" >"$KC/tenant-controller"
# What a cluster's administrator grants a team; the chart's ClusterRoles do the same by aggregation.
kubectl create serviceaccount team -n $mine --dry-run=client -o yaml | kubectl apply -f - >/dev/null
kubectl create role team -n $mine --verb=get,list,watch,create,delete --resource=jobgoodputs.goodput.dev --dry-run=client -o yaml |
  kubectl apply -f - >/dev/null
kubectl create rolebinding team -n $mine --role=team --serviceaccount=$mine:team --dry-run=client -o yaml | kubectl apply -f - >/dev/null
"$HERE/sa-kubeconfig.sh" $mine team >"$KC/team"

job() { # namespace: a JobSet of two pods of four chips, and its record
  kubectl apply -n "$1" -f - >/dev/null <<JOB
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: slice
    replicas: 1
    template:
      spec:
        parallelism: 2
        completions: 2
        completionMode: Indexed
        backoffLimit: 6
        podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}
        template:
          spec:
            restartPolicy: Never
            tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
            containers: [{name: train, image: registry.example/train:v1, resources: {limits: {google.com/tpu: 4}, requests: {google.com/tpu: 4}}}]
---
apiVersion: goodput.dev/v1alpha1
kind: JobGoodput
metadata: {name: train}
spec: {targetRef: {apiGroup: jobset.x-k8s.io, kind: JobSet, name: train}, stepLog: {source: None}}
JOB
}
record() { kubectl get jgp train -n $mine -o jsonpath="$1"; }
condition() { record "{.status.conditions[?(@.type=='$1')].$2}"; }
by_team() { KUBECONFIG=$KC/team kubectl "$@"; }

job $mine
job $theirs
# With the flags that the chart's Deployment has, but for addresses that other processes here may use.
mapfile -t flags < <(python3 - "$manifest" <<'PYTHON'
import sys
import yaml

for manifest in yaml.safe_load_all(open(sys.argv[1], encoding="utf-8")):
    if manifest and manifest["kind"] == "Deployment":
        print("\n".join(manifest["spec"]["template"]["spec"]["containers"][0].get("args", [])))
PYTHON
)
"$ROOT/.build/bin/goodput-controller" "${flags[@]}" --kubeconfig="$KC/tenant-controller" --health-bind-address=127.0.0.1:$health \
  --page-bind-address=127.0.0.1:$page --lease-namespace=$mine --status-interval=1s >"$controller_log" 2>&1 &
pid=$!
ready() { curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$health/readyz" || true; }
same_soon "the controller with Roles alone becomes ready" 200 ready
same_soon "it measures a job of its namespace" "Accounted 2/2" record "{.status.conditions[?(@.type=='Ready')].reason} {.status.availability.available}/{.status.availability.required}"
same "with its chips" 8 "$(record '{.status.target.chips}')"
same "a condition names what is lost without Nodes" \
  "nodes is forbidden: User \"system:serviceaccount:$mine:$account\" cannot watch resource \"nodes\" in API group \"\" at the cluster scope" \
  "$(condition PermissionMissing message)"
kubectl create --raw "/api/v1/namespaces/$mine/pods/$(kubectl get pods -n $mine -o jsonpath='{.items[0].metadata.name}')/eviction" -f - >/dev/null <<EVICTION
{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "$(kubectl get pods -n $mine -o jsonpath='{.items[0].metadata.name}')", "namespace": "$mine"}}
EVICTION
same_soon "an eviction is counted, with its cause" "1 Eviction 2/2" \
  record '{.status.interruptions.total} {.status.interruptions.byCause[0].cause} {.status.availability.available}/{.status.availability.required}'
kubectl annotate pods --all -n $mine cluster-test/exit=0 >/dev/null
same_soon "and the end" Succeeded condition Finished reason
same "a job of another namespace stays unread" "" "$(kubectl get jgp train -n $theirs -o jsonpath='{.status}')"

for command in "top" "explain train" "timeline train" "fleet" "fleet -n $mine --group-by queue,accelerator"; do
  # shellcheck disable=SC2086 # words
  check "the team reads kubectl goodput $command" by_team goodput $command
done
check "the team writes a report" by_team goodput report train --html "$RUN/tenant-report.html"
fleet_of() { python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True))'; }
kubectl get jgp -n $mine -o json >"$RUN/tenant-records.json"
same "its fleet is the one that an administrator computes" "$(kubectl goodput fleet -f "$RUN/tenant-records.json" -o json | fleet_of)" \
  "$(by_team goodput fleet -o json | fleet_of)"
refused "all namespaces" "cannot list resource \"jobgoodputs\" in API group \"goodput.dev\" at the cluster scope" by_team goodput top -A
refused "a fleet of all namespaces" "at the cluster scope" by_team goodput fleet -A
refused "another namespace" "in the namespace \"$theirs\"" by_team goodput top -n $theirs
refused "spans of a controller of the whole cluster" "in the namespace \"goodput-system\"" by_team goodput ledger train
# kwok forwards the port of a pod that stands for the controller's, which is a process here.
kubectl apply -f - >/dev/null <<CONTROLLER
apiVersion: kwok.x-k8s.io/v1alpha1
kind: PortForward
metadata: {name: controller, namespace: $mine}
spec: {forwards: [{ports: [8082], target: {port: $page, address: 127.0.0.1}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: controller, namespace: $mine, labels: {app.kubernetes.io/name: goodput-controller}}
spec:
  tolerations: [{operator: Exists}]
  containers: [{name: controller, image: registry.example/goodput:v1, args: ["--page-bind-address=127.0.0.1:8082"]}]
CONTROLLER
kubectl wait pod controller -n $mine --for=jsonpath='{.status.phase}'=Running --timeout=60s >/dev/null
spans() { by_team goodput ledger train --controller-namespace $mine; }
allow() { # rights of the team in its namespace: name, verbs, resource
  kubectl create role "$1" -n $mine --verb="$2" --resource="$3" >/dev/null
  kubectl create rolebinding "$1" -n $mine --role="$1" --serviceaccount=$mine:team >/dev/null
}
refused "spans of its own controller, without the right to list pods" "cannot list resource \"pods\"" spans
allow pods get,list pods
refusal() { spans 2>&1 | grep -o 'cannot create resource "pods/portforward"'; }
same_soon "the same, without the right to forward ports" 'cannot create resource "pods/portforward"' refusal
allow forwards create pods/portforward
rescheduled() { spans | grep -o Rescheduling | sort -u; }
same_soon "with both it reads them" Rescheduling rescheduled
refused "a FleetGoodput, which belongs to no namespace" "cannot get resource \"fleetgoodputs\"" by_team goodput fleet capacity
finish
