#!/bin/bash
# install.sh: JobSet and Kueue from their own charts, then the project's chart with a plain `helm install`, on the cluster
# that up.sh started, from the images that images.sh pushed. Run inside the machine cp (on cp tests/nodes/install.sh).
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
export GOTOOLCHAIN=$GO_VERSION GOFLAGS=-mod=readonly GOWORK=off
export HELM_CACHE_HOME=$RUN/helm/cache HELM_CONFIG_HOME=$RUN/helm/config HELM_DATA_HOME=$RUN/helm/data
begun=$(date +%s%N)
say() { printf '%6d ms  %s\n' $((($(date +%s%N) - begun) / 1000000)) "$*"; }
chart_of() { echo "$(cd "$HERE/modules/$1" && go list -m -f '{{.Dir}}' "sigs.k8s.io/$2")/charts/$2"; }

# One after the other: from its installation until its pod is ready, Kueue's webhook refuses every new Deployment.
helm install jobset "$(chart_of k8s jobset)" --namespace jobset-system --create-namespace \
  --set image.repository="$REGISTRY/jobset",image.tag=v0.12.0,image.pullPolicy=IfNotPresent \
  --set controller.resources.requests.cpu=50m >"$LOGS/helm-jobset.log" || die "helm install jobset failed"
helm install kueue "$(chart_of kueue kueue)" --namespace kueue-system --create-namespace \
  --set controllerManager.manager.image.repository="$REGISTRY/kueue",controllerManager.manager.image.tag=v0.16.2 \
  --set controllerManager.manager.image.pullPolicy=IfNotPresent,controllerManager.manager.resources.requests.cpu=50m \
  --set controllerManager.manager.resources.requests.memory=128Mi >"$LOGS/helm-kueue.log" || die "helm install kueue failed"
for name in jobset kueue; do
  kubectl --namespace $name-system rollout status deployment --timeout=300s >"$LOGS/rollout-$name.log" ||
    die "$name did not become available: $(kubectl --namespace $name-system get pods -o wide)"
done
say "JobSet and Kueue available"

# What a user does, word for word; the namespace refuses pods that are not restricted.
kubectl create namespace goodput-system >/dev/null
kubectl label namespace goodput-system pod-security.kubernetes.io/enforce=restricted >/dev/null
helm install goodput "$ROOT/helm/goodput-controller" --namespace goodput-system --create-namespace \
  --set image.repository="$REGISTRY/goodput-controller" >"$LOGS/helm-goodput.log" || die "helm install goodput failed"
date +%s.%N >"$RUN/helm-installed"
kubectl --namespace goodput-system rollout status deployment --timeout=300s >"$LOGS/rollout-goodput.log" ||
  die "the controller did not become available: $(kubectl --namespace goodput-system get pods,events)"
say "goodput-controller available"
