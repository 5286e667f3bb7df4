#!/bin/bash
# The controller on a real API server (KUBECONFIG: an administrator's) with a ServiceAccount that lacks permissions: each
# is a condition on the jobs that it concerns, in the server's words, until it is granted.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
kubectl=${KUBECTL:-.build/cluster/bin/kubectl} controller=${CONTROLLER:-.build/release/bin/goodput-controller}
"$kubectl" get --raw /readyz >/dev/null 2>&1 || { echo "not ok - no API server answers; set KUBECONFIG, or run tests/packaging/run.sh"; exit 1; }
[ -x "$controller" ] || make -s programs || exit 1
here=rbac-here there=rbac-there work=$(mktemp -d) pid=
clean_up() {
	[ -z "$pid" ] || kill "$pid"
	"$kubectl" delete namespace $here $there --wait=false
	"$kubectl" delete clusterrole,clusterrolebinding -l rbac-missing
	rm -rf "$work"
}
trap 'clean_up >/dev/null 2>&1' EXIT
"$kubectl" apply -f crds/ >/dev/null && "$kubectl" wait --for=condition=Established crd/jobgoodputs.goodput.dev --timeout=300s >/dev/null
account=system:serviceaccount:$here:controller

# grant NAME KIND NAMESPACE RESOURCE...: list and watch. In a ClusterRole for KIND clusterrole, whose namespace is "-".
grant() {
	local name=$1 kind=$2 in=() resources
	[ "$3" = - ] || in=(-n "$3")
	resources=$(IFS=,; echo "${*:4}")
	"$kubectl" create "$kind" "$name" "${in[@]}" --verb=get,list,watch --resource="$resources" >/dev/null
	"$kubectl" create "${kind}binding" "$name" "${in[@]}" "--$kind=$name" --serviceaccount=$here:controller >/dev/null
	"$kubectl" label "$kind" "$name" "${in[@]}" rbac-missing= >/dev/null
	"$kubectl" label "${kind}binding" "$name" "${in[@]}" rbac-missing= >/dev/null
}
job() {
	"$kubectl" create -n "$1" -f - >/dev/null <<JOB
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}
---
apiVersion: goodput.dev/v1alpha1
kind: JobGoodput
metadata: {name: train}
spec: {targetRef: {apiGroup: batch, kind: Job, name: train}, stepLog: {source: None}}
JOB
}
condition() { "$kubectl" get jgp train -n "$1" -o jsonpath="{.status.conditions[?(@.type=='$2')].$3}"; }
words() { echo "$1 is forbidden: User \"$account\" cannot watch resource \"$1\" in API group \"\" $2"; }

for namespace in $here $there; do "$kubectl" create namespace $namespace >/dev/null && job $namespace; done
"$kubectl" create serviceaccount controller -n $here >/dev/null
for namespace in $here $there; do
	grant controller role $namespace jobgoodputs.goodput.dev jobs.batch events
	"$kubectl" create role status -n $namespace --verb=patch,update --resource=jobgoodputs.goodput.dev/status >/dev/null
	"$kubectl" create rolebinding status -n $namespace --role=status --serviceaccount=$here:controller >/dev/null
done
grant pods role $here pods
"$kubectl" config view --raw --minify >"$work/kubeconfig"
"$kubectl" --kubeconfig "$work/kubeconfig" config set-credentials admin --token="$("$kubectl" create token controller -n $here)" >/dev/null
"$controller" --kubeconfig "$work/kubeconfig" --leader-elect=false --watch-namespaces=$here,$there --health-bind-address=0 \
	--metrics-bind-address=0 --page-bind-address=0 --status-interval=1s >"$work/log" 2>&1 &
pid=$!
same_soon "a job says which permission is missing" "$(words nodes "at the cluster scope")" condition $here PermissionMissing message
same_soon "and is measured" Accounted condition $here Ready reason
same_soon "one whose pods are hidden says both" "$(words pods "in the namespace \"$there\""); $(words nodes "at the cluster scope")" \
	condition $there PermissionMissing message
same_soon "and is not measured" Forbidden condition $there Ready reason
same "so that no score is shown" "" "$("$kubectl" get jgp train -n $there -o jsonpath='{.status.goodput.scheduling}')"
grant pods role $there pods
same_soon "granted, it is measured" Accounted condition $there Ready reason
same_soon "and lacks nodes alone" "$(words nodes "at the cluster scope")" condition $there PermissionMissing message
grant rbac-missing-nodes clusterrole - nodes
same_soon "with nodes nothing is missing" "" condition $there PermissionMissing status
same_soon "for neither job" "" condition $here PermissionMissing status
check "the same controller runs" kill -0 "$pid"
finish
