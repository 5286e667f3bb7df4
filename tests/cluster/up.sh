#!/bin/bash
# up.sh: starts the control plane on loopback, with fake nodes. Running it again starts only what is not running.
# With CLUSTER_OPERATORS=1 the operators of more kinds of jobs run, too (modules/operators).
# CLUSTER_NODES is the number of nodes (104, with those operators 116, in pools of four; lives.py says which the chaos test uses).
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HERE/components.sh"
umask 077 # kubeconfigs and keys
NODES=${CLUSTER_NODES:-$((104${CLUSTER_OPERATORS:+ + 12}))}
mkdir -p "$RUN" "$LOGS" "$PIDS" "$PODLOGS"
begun=$(date +%s%N)
say() { printf '%6d ms  %s\n' $((($(date +%s%N) - begun) / 1000000)) "$*"; }

# Kueue reads its metrics certificate from a path fixed in its source.
kueue_certs=/etc/kueue/metrics/certs
place_kueue_certificates() {
  cmp -s "$PKI/webhook/tls.crt" $kueue_certs/tls.crt && return 0
  [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || die "Kueue reads certificates from $kueue_certs: run as root, or with a sudo that asks no password"
  local as_root=''
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root mkdir -p $kueue_certs
  $as_root cp "$PKI/webhook/tls.crt" "$PKI/webhook/tls.key" $kueue_certs/
  $as_root chmod 644 $kueue_certs/tls.key # a key for this loopback test only
}

apply_manifests() {
  local ca
  [ -s "$RUN/applied" ] && return 0
  ca=$(base64 -w0 "$PKI/ca.crt")
  mkdir -p "$RUN/manifests"
  for name in kwok jobset kueue trainer autoscaler node-problem-detector ${CLUSTER_OPERATORS:+operators}; do
    sed "s|@CABUNDLE@|$ca|" "$MANIFESTS/$name.yaml" >"$RUN/manifests/$name.yaml"
  done
  wait_for "namespace kube-system" 300 kubectl get namespace kube-system
  # Again where the API server does not serve yet what the pass before has defined.
  for ((i = 0; i < 60; i++)); do
    kubectl apply --server-side --force-conflicts --validate=false -f "$RUN/manifests/" >"$LOGS/apply.log" 2>&1 && break
    grep -q 'no matches for kind' "$LOGS/apply.log" || die "manifests refused, see $LOGS/apply.log"
    sleep 1
  done
  [ $i -lt 60 ] || die "kinds of the manifests are not served, see $LOGS/apply.log"
  kubectl wait --for=condition=Established crd --all --timeout=300s >/dev/null || die "CRDs were not established in 300 s"
  echo 1 >"$RUN/applied"
}

service_account_kubeconfig() { # name namespace service-account
  [ -s "$KC/$1" ] && return 0
  "$HERE/sa-kubeconfig.sh" "$2" "$3" >"$KC/$1.new" || die "no token for $2/$3"
  mv "$KC/$1.new" "$KC/$1"
}

each_operator() { # command; the fields of a line of OPERATORS come after it
  [ -n "${CLUSTER_OPERATORS:-}" ] || return 0
  local line
  while read -r -a line; do
    if [ ${#line[@]} != 0 ]; then "$1" "${line[@]}"; fi
  done <<<"$OPERATORS"
}
operator_kubeconfig() { service_account_kubeconfig "$1" "$2" "$3"; }
operator_is_ready() { wait_for "$1" 600 curl -sf "http://127.0.0.1:$4/readyz"; }

create_nodes() {
  [ -s "$RUN/nodes" ] && return 0
  for ((i = 0; i < NODES; i++)); do
    sed -e "s/@NAME@/$(printf 'gke-tpu-%02d' "$i")/g; s/@POOL@/tpu-slice-$((i / 4))/" "$HERE/conf/node.yaml.in"
  done >"$RUN/nodes.yaml"
  kubectl create -f "$RUN/nodes.yaml" >"$LOGS/nodes.log" 2>&1 || die "nodes refused, see $LOGS/nodes.log"
  kubectl wait --for=condition=Ready node --all --timeout=300s >/dev/null || die "nodes not Ready in 300 s"
  echo 1 >"$RUN/nodes"
}

for name in etcd kube-apiserver kube-controller-manager kube-scheduler kwok jobset-manager kueue-manager trainer-manager kubectl ${CLUSTER_OPERATORS:+job-operators}; do
  [ -x "$BIN/$name" ] || die "$name is not built: run tests/cluster/build.sh"
done
"$HERE/manifests.sh"
[ -z "${CLUSTER_OPERATORS:-}" ] || "$HERE/manifests-operators.sh"
"$HERE/pki.sh"
place_kueue_certificates
start_etcd
start_apiserver "${APISERVER_FLAGS[@]}"
say "API server"
start_controller_manager
start_scheduler
apply_manifests
say "CRDs, RBAC, webhook configurations"
service_account_kubeconfig kwok kube-system kwok-controller
service_account_kubeconfig jobset jobset-system jobset-controller-manager
service_account_kubeconfig kueue kueue-system kueue-controller-manager
service_account_kubeconfig trainer kubeflow-system kubeflow-trainer-controller-manager
service_account_kubeconfig node-problem-detector kube-system node-problem-detector
each_operator operator_kubeconfig
for name in jobset kueue; do
  adapted "$HERE/conf/$name.yaml.in" | sed -e "s|@PKI@|$PKI|; s|@JOBSET_HEALTH_PORT@|$JOBSET_HEALTH_PORT|; s|@JOBSET_METRICS_PORT@|$JOBSET_METRICS_PORT|" \
    -e "s|@JOBSET_WEBHOOK_PORT@|$JOBSET_WEBHOOK_PORT|; s|@KUEUE_HEALTH_PORT@|$KUEUE_HEALTH_PORT|" \
    -e "s|@KUEUE_METRICS_PORT@|$KUEUE_METRICS_PORT|; s|@KUEUE_WEBHOOK_PORT@|$KUEUE_WEBHOOK_PORT|" >"$RUN/$name.yaml"
done
start_kwok
start_jobset
start_kueue
start_trainer
each_operator start_operator
wait_for kwok 300 curl -sfk "https://127.0.0.1:$KWOK_PORT/healthz"
wait_for jobset 600 curl -sf "http://127.0.0.1:$JOBSET_HEALTH_PORT/readyz"
wait_for kueue 600 curl -sf "http://127.0.0.1:$KUEUE_HEALTH_PORT/readyz"
wait_for trainer 600 curl -sf "http://127.0.0.1:$TRAINER_HEALTH_PORT/readyz"
each_operator operator_is_ready
say "kwok, JobSet, Kueue, Trainer${CLUSTER_OPERATORS:+, the operators of more kinds}"
create_nodes
wait_for kube-scheduler 300 curl -sfk "https://127.0.0.1:$SCHEDULER_PORT/readyz"
wait_for kube-controller-manager 300 curl -sfk "https://127.0.0.1:$KCM_PORT/healthz"
say "up: $NODES nodes Ready; KUBECONFIG=$KUBECONFIG"
