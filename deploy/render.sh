#!/bin/sh
# Makes what is made from others: the chart's copies of the CRDs (from crds/) and the plain manifests (from the chart).
#   deploy/render.sh          writes them
#   deploy/render.sh --check  says which differ, exit code 1 if any does
# HELM names the helm to use; default .build/cluster/bin/helm, else helm on PATH.
set -eu
cd "$(dirname "$0")/.."
chart=helm/goodput-controller
helm=${HELM:-}
[ -n "$helm" ] || { [ -x .build/cluster/bin/helm ] && helm=.build/cluster/bin/helm; } || helm=$(command -v helm) ||
	{ echo "deploy/render.sh: no helm found; build it with: tests/cluster/build.sh helm" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What belongs to Helm alone has no place in plain manifests.
plain() {
	cat <<'HEAD'
# The goodput controller without Helm: kubectl apply --server-side -f deploy/goodput-controller.yaml
# Made from helm/goodput-controller by deploy/render.sh. Change the chart, not this file.
apiVersion: v1
kind: Namespace
metadata:
  name: goodput-system
  labels:
    app.kubernetes.io/name: goodput-controller
    pod-security.kubernetes.io/enforce: restricted
HEAD
	"$helm" template goodput "$1" --skip-tests --namespace goodput-system --kube-version 1.36.0 --set crds.keep=false,image.repository=goodput-controller |
		sed -e '/^# Source: /d' -e '/helm\.sh\/chart:/d' -e '/app\.kubernetes\.io\/managed-by:/d' -e 's/[ ]*$//'
}

cp -r "$chart" "$scratch/chart"
cp crds/*.yaml "$scratch/chart/files/"
plain "$scratch/chart" >"$scratch/plain.yaml"

if [ "${1:-}" = --check ]; then
	rc=0
	for crd in crds/*.yaml; do
		cmp -s "$crd" "$chart/files/${crd#crds/}" || { echo "$chart/files/${crd#crds/} differs from $crd: run deploy/render.sh"; rc=1; }
	done
	cmp -s "$scratch/plain.yaml" deploy/goodput-controller.yaml || { echo "deploy/goodput-controller.yaml differs from the chart: run deploy/render.sh"; rc=1; }
	exit $rc
fi
cp crds/*.yaml "$chart/files/"
cp "$scratch/plain.yaml" deploy/goodput-controller.yaml
