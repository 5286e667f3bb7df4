#!/bin/bash
# manifests-operators.sh: makes the manifests (CRDs, RBAC, and of LeaderWorkerSet the webhook configurations) of what
# job-operators runs, from the sources of the pinned modules, into .build/cluster/manifests/operators.yaml. Does nothing
# if they were made from the same pins.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
export GOTOOLCHAIN=$GO_VERSION GOFLAGS=-mod=readonly GOWORK=off

stamp=$(cat "$HERE/modules/operators/go.mod" "$HERE/manifests-operators.sh" "$HERE/lib/loopback_manifests.py" "$HERE/env.sh" | sha256sum)
[ "$(cat "$STAMPS/manifests-operators" 2>/dev/null)" = "$stamp" ] && exit 0
command -v go >/dev/null 2>&1 || die "no Go on PATH: install Go 1.21 or newer"

source_of() { (cd "$HERE/modules/operators" && go list -m -f '{{.Dir}}' "$1"); }
training=$(source_of github.com/kubeflow/training-operator)
kuberay=$(source_of github.com/ray-project/kuberay/ray-operator)
lws=$(source_of sigs.k8s.io/lws)

overlay=$MANIFESTS/operators.kustomize
without_webhooks() { # namespace directory...
  local namespace=$1 resources=''
  shift
  rm -rf "$overlay" && mkdir -p "$overlay"
  for directory in "$@"; do
    cp -r --no-preserve=mode "$directory" "$overlay"
    resources+=" $(basename "$directory"),"
  done
  [ -e "$overlay/rbac/kustomization.yaml" ] || printf 'resources: [cluster-role-binding.yaml, role.yaml, service-account.yaml]\n' >"$overlay/rbac/kustomization.yaml"
  printf 'namespace: %s\nresources: [%s]\n' "$namespace" "$resources" >"$overlay/kustomization.yaml"
  printf -- '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n---\n' "$namespace"
  kubectl kustomize "$overlay" | loopback ''
}
loopback() { python3 "$HERE/lib/loopback_manifests.py" "$1"; }
mkdir -p "$MANIFESTS" "$STAMPS"
{
  without_webhooks kubeflow "$training"/manifests/base/{crds,rbac}
  without_webhooks ray-system "$kuberay"/config/{crd,rbac}
  echo ---
  kubectl kustomize "$lws/config/default" 2>/dev/null | loopback "https://127.0.0.1:$LWS_WEBHOOK_PORT"
} >"$MANIFESTS/operators.yaml"
for name in pytorchjobs.kubeflow.org rayjobs.ray.io leaderworkersets.leaderworkerset.x-k8s.io; do
  grep -q "name: $name" "$MANIFESTS/operators.yaml" || die "there is no CRD $name in operators.yaml"
done
echo "$stamp" >"$STAMPS/manifests-operators"
