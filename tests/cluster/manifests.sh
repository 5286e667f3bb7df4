#!/bin/bash
# manifests.sh: makes the JobSet, Kueue, Trainer and kwok manifests (CRDs, RBAC, webhook configurations), the autoscaler's CRD and
# node-problem-detector's RBAC from the sources of the pinned modules, into .build/cluster/manifests. Does nothing if they were made from the same pins.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
export GOTOOLCHAIN=$GO_VERSION GOFLAGS=-mod=readonly GOWORK=off

jobset=$(pins jobset k8s) kueue=$(pins kueue)
stamp=$(cat "$jobset/go.mod" "$kueue/go.mod" "$HERE"/modules/{k8s,trainer,node-problem-detector}/go.mod "$HERE/manifests.sh" "$HERE/lib/loopback_manifests.py" "$HERE/env.sh" | sha256sum)
[ "$(cat "$STAMPS/manifests" 2>/dev/null)" = "$stamp" ] && exit 0
command -v go >/dev/null 2>&1 || die "no Go on PATH: install Go 1.21 or newer"

source_of() { (cd "$1" && go mod download "$2" && go list -m -f '{{.Dir}}' "$2"); } # a part of another story may not be built
loopback() { python3 "$HERE/lib/loopback_manifests.py" "$1"; }

autoscaler=$(source_of "$kueue" k8s.io/autoscaler/cluster-autoscaler/apis)
jobset=$(source_of "$jobset" sigs.k8s.io/jobset)
kueue=$(source_of "$kueue" sigs.k8s.io/kueue)
kwok=$(source_of "$HERE/modules/k8s" sigs.k8s.io/kwok)
trainer=$(source_of "$HERE/modules/trainer" github.com/kubeflow/trainer/v2)
detector=$(source_of "$HERE/modules/node-problem-detector" k8s.io/node-problem-detector)
mkdir -p "$MANIFESTS" "$STAMPS"
kubectl kustomize "$jobset/config/default" 2>/dev/null | loopback "https://127.0.0.1:$JOBSET_WEBHOOK_PORT" >"$MANIFESTS/jobset.yaml"
kubectl kustomize "$kueue/config/default" 2>/dev/null | loopback "https://127.0.0.1:$KUEUE_WEBHOOK_PORT" >"$MANIFESTS/kueue.yaml"
{
  kubectl kustomize "$kwok/kustomize/crd"
  echo ---
  kubectl kustomize "$kwok/kustomize/rbac"
} | loopback '' >"$MANIFESTS/kwok.yaml"
# Trainer's overlay fetches another JobSet, and its webhooks are not run (modules/trainer/main.go).
overlay=$MANIFESTS/trainer.kustomize
rm -rf "$overlay" && mkdir "$overlay"
cp -r --no-preserve=mode "$trainer"/manifests/base/{crds,rbac} "$overlay"
printf 'namespace: kubeflow-system\nresources: [crds, rbac]\n' >"$overlay/kustomization.yaml"
{
  printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kubeflow-system}\n---\n'
  kubectl kustomize "$overlay"
} | loopback '' >"$MANIFESTS/trainer.yaml"
# Of the autoscaler Kueue needs only the CRD of ProvisioningRequests; story_provisioning.py plays it.
loopback '' <"$autoscaler/config/crd/autoscaling.x-k8s.io_provisioningrequests.yaml" >"$MANIFESTS/autoscaler.yaml"
loopback '' <"$detector/deployment/rbac.yaml" >"$MANIFESTS/node-problem-detector.yaml"
for name in jobset kueue trainer kwok autoscaler node-problem-detector; do
  [ -s "$MANIFESTS/$name.yaml" ] || die "there is no manifest of $name"
done
echo "$stamp" >"$STAMPS/manifests"
