#!/bin/bash
# install.sh: JobSet and Kueue from their own charts, then the project's chart with a plain `helm install`, by the commands of
# deploy/docs/tutorials/gke.md, on the cluster
# that up.sh started, from the images that images.sh pushed. Run inside the machine cp (on cp tests/nodes/install.sh).
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
export HELM_CACHE_HOME=$RUN/helm/cache HELM_CONFIG_HOME=$RUN/helm/config HELM_DATA_HOME=$RUN/helm/data
patience=10m
[ -z "${NODES_SLOW:-}" ] || patience=40m # an emulated machine
begun=$(date +%s%N)
say() { printf '%6d ms  %s\n' $((($(date +%s%N) - begun) / 1000000)) "$*"; }
chart_of() { echo "$ROOT/.build/nodes/charts/$1"; } # images.sh put it there

# as_guide START [MORE]: the command of deploy/docs/tutorials/gke.md that begins so, as a user reads it there, with more words at its
# end; the charts of JobSet and Kueue come from their Go modules, as no registry on the net is asked here.
as_guide() {
  local text tries=1 log=$LOGS/guide-${1//[^a-z]/-}.log
  text=$(RUN=$RUN python3 "$NODES_HERE/story/guides.py" tutorials/gke.md "$1") || die "no such command in gke.md: $1"
  text=${text//'oci://registry.k8s.io/jobset/charts/jobset --version 0.12.0'/$(chart_of jobset)}
  text=${text//'oci://registry.k8s.io/kueue/charts/kueue --version 0.16.2'/$(chart_of kueue)}
  [ -z "${NODES_SLOW:-}" ] || tries=5 # an emulated machine takes longer than what the API server and webhooks wait
  until (cd "$ROOT" && eval "$text ${2:-}") >"$log" 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || die "failed: $text: $(tail -3 "$log")"
    say "again, in a minute: $(tail -1 "$log")"
    [[ $text != 'helm install '* ]] || helm uninstall "$(cut -d' ' -f3 <<<"$text")" -n "$(sed -E 's/.*--namespace[ =]([^ ]*).*/\1/' <<<"${text//$'\n'/ }")" >>"$log" 2>&1 || true
    sleep 60
  done
}

# One after the other: from its installation until its pod is ready, Kueue's webhook refuses every new Deployment.
as_guide "helm install jobset" "--set image.repository=$REGISTRY/jobset,image.tag=v0.12.0,image.pullPolicy=IfNotPresent \
  --set controller.resources.requests.cpu=50m"
as_guide "helm install kueue" "--set controllerManager.manager.image.repository=$REGISTRY/kueue,controllerManager.manager.image.tag=v0.16.2 \
  --set controllerManager.manager.image.pullPolicy=IfNotPresent,controllerManager.manager.resources.requests.cpu=50m \
  --set controllerManager.manager.resources.requests.memory=128Mi"
for name in jobset kueue; do
  as_guide "kubectl --namespace $name-system rollout status" --timeout=$patience ||
    die "$name did not become available: $(kubectl --namespace $name-system get pods -o wide)"
done
say "JobSet and Kueue available"

# What a user does, word for word; the namespace refuses pods that are not restricted.
kubectl create namespace goodput-system >/dev/null
as_guide "kubectl label namespace goodput-system"
IMAGE=$REGISTRY/goodput-controller
date +%s.%N >"$RUN/helm-installed"
as_guide "helm install goodput"
as_guide "kubectl --namespace goodput-system rollout status" --timeout=$patience ||
  die "the controller did not become available: $(kubectl --namespace goodput-system get pods,events)"
say "goodput-controller available"

# The cluster's DNS, where its program was built (make node-test): the controller itself needs none.
if [ -x "$BIN/coredns" ]; then
  kubectl apply -f "$NODES_HERE/conf/coredns.yaml" >"$LOGS/coredns.log"
  kubectl --namespace kube-system rollout status deployment coredns --timeout=$patience >>"$LOGS/coredns.log" || die "CoreDNS did not become available"
  say "CoreDNS available"
fi
