#!/bin/bash
# install.sh: what a user's `helm install` would create, as far as it can live without real nodes: the chart is linted,
# taken whole by the API server in a dry run, and its CRD and RBAC are applied. Prints ok / not ok lines; the kubeconfig
# of the chart's ServiceAccount goes to $KC/controller.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
umask 077 # kubeconfigs hold tokens
chart=$ROOT/helm/goodput-controller
namespace=goodput-system
manifest=$RUN/chart.yaml

check() { # what command...
  local what=$1
  shift
  if "$@" >"$LOGS/install.log" 2>&1; then
    echo "ok - $what"
  else
    echo "not ok - $what: $(tail -3 "$LOGS/install.log")"
  fi
}

kubectl create namespace $namespace --dry-run=client -o yaml | kubectl apply -f - >/dev/null
check "helm lint" helm lint --strict "$chart"
helm template goodput "$chart" --namespace $namespace --include-crds --no-hooks --set image.repository=registry.test/goodput >"$manifest" || die "the chart does not render"
check "the API server takes all of the chart (server-side dry run)" kubectl apply --dry-run=server -f "$manifest"
python3 "$HERE/lib/pick_kinds.py" CustomResourceDefinition ServiceAccount ClusterRole ClusterRoleBinding Role RoleBinding \
  <"$manifest" >"$RUN/chart-applied.yaml"
check "the chart's CRD and RBAC are applied" kubectl apply --server-side -f "$RUN/chart-applied.yaml"
check "the CRD is established" kubectl wait --for=condition=Established crd/jobgoodputs.goodput.dev --timeout=300s
account=$(kubectl get serviceaccount -n $namespace -o name | grep -v '/default$' | head -1)
[ -n "$account" ] || die "the chart made no ServiceAccount"
"$HERE/sa-kubeconfig.sh" $namespace "${account#*/}" >"$KC/controller"
# The API server publishes the schema a little after the CRD is established.
for _ in $(seq 240); do
  explain=$(kubectl explain jobgoodput.status.badput 2>&1) && break
  sleep 0.5
done
# shellcheck disable=SC2317 # called by check
useful() { grep -q bucket <<<"$explain" && grep -q family <<<"$explain" && [ "$(wc -w <<<"$explain")" -ge 40 ]; }
check "kubectl explain jobgoodput.status.badput is useful ($(wc -w <<<"$explain") words)" useful
