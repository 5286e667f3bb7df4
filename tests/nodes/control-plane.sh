#!/bin/bash
# control-plane.sh start [registry]: inside the machine cp: etcd, API server, controller manager, scheduler, registry, or
# the registry alone. NODES_REGISTRY: its folder, where that has the images (images.sh fill).
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HERE/components.sh"

start_registry() {
  local folder=${NODES_REGISTRY:-$RUN/registry}
  mkdir -p "$folder"
  cat >"$RUN/registry.yaml" <<K
version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: $folder}}
http: {addr: "$REGISTRY"}
K
  start registry docker-registry serve "$RUN/registry.yaml"
  wait_for registry 1200 curl -sf "http://$REGISTRY/v2/"
}

[ "${1:-}" = start ] || die "usage: control-plane.sh start [registry]"
start_registry
[ "${2:-}" != registry ] || exit 0
start_etcd
# Services, webhooks and the visibility API are reached at pods' addresses, which have routes here.
start_apiserver ${NODES_SLOW:+--request-timeout=10m} --endpoint-reconciler-type=lease --enable-aggregator-routing=true --allow-privileged=false \
  --enable-admission-plugins=NodeRestriction
start_controller_manager ${NODES_SLOW:+--node-monitor-grace-period=3m}
start_scheduler
wait_for kube-scheduler 600 curl -sfk "https://127.0.0.1:$SCHEDULER_PORT/readyz"
wait_for kube-controller-manager 600 curl -sfk "https://127.0.0.1:$KCM_PORT/healthz"
