# shellcheck shell=bash
# Sourced by up.sh, component.sh and tests/nodes: how each process of the control plane is started, stopped and known to be ready.
# shellcheck disable=SC2154 # the variables come from env.sh

alive() { [ -s "$PIDS/$1" ] && kill -0 "$(cat "$PIDS/$1")" 2>/dev/null; }

start() { # name command...
  local name=$1
  shift
  alive "$name" && return 0
  setsid env GOMAXPROCS=2 "$@" >>"$LOGS/$name.log" 2>&1 </dev/null &
  echo $! >"$PIDS/$name"
}

stop() { # name
  local pid
  pid=$(cat "$PIDS/$1" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || true
  for ((i = 0; i < 50; i++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
  rm -f "$PIDS/$1"
}

wait_for() { # what tenths-of-a-second command...
  local what=$1 tries=$2
  shift 2
  for ((i = 0; i < tries; i++)); do
    "$@" >/dev/null 2>&1 && return 0
    [ ! -s "$PIDS/$what" ] || alive "$what" || die "$what ended before it was ready, see $LOGS"
    sleep "${POLL_SECONDS:-0.1}"
  done
  die "$what did not become ready in $((tries / 10)) s, see $LOGS"
}

start_etcd() {
  start etcd "$BIN/etcd" --name cluster-test --data-dir "$RUN/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "https://127.0.0.1:$ETCD_PORT" --advertise-client-urls "https://127.0.0.1:$ETCD_PORT" \
    --listen-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" --initial-advertise-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" \
    --initial-cluster "cluster-test=http://127.0.0.1:$ETCD_PEER_PORT" --client-cert-auth --trusted-ca-file "$PKI/ca.crt" \
    --cert-file "$PKI/etcd.crt" --key-file "$PKI/etcd.key"
  wait_for etcd 1200 curl -sf --cacert "$PKI/ca.crt" --cert "$PKI/etcd-client.crt" --key "$PKI/etcd-client.key" \
    "https://127.0.0.1:$ETCD_PORT/health"
}

start_apiserver() { # flags, which come after these
  start kube-apiserver "$BIN/kube-apiserver" --bind-address="$ADDRESS" --advertise-address="$ADDRESS" --secure-port="$API_PORT" \
    --etcd-servers="https://127.0.0.1:$ETCD_PORT" --etcd-cafile="$PKI/ca.crt" \
    --etcd-certfile="$PKI/etcd-client.crt" --etcd-keyfile="$PKI/etcd-client.key" \
    --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" --client-ca-file="$PKI/ca.crt" \
    --service-account-key-file="$PKI/sa.pub" --service-account-signing-key-file="$PKI/sa.key" --service-account-issuer="$API" \
    --authorization-mode=Node,RBAC --endpoint-reconciler-type=none --service-cluster-ip-range=10.96.0.0/16 \
    --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-client-certificate="$PKI/kubelet-client.crt" \
    --kubelet-client-key="$PKI/kubelet-client.key" --kubelet-preferred-address-types=InternalIP \
    --profiling=false --cert-dir="$RUN/apiserver-certs" --v=1 "$@"
  wait_for kube-apiserver 3000 curl -sf --cacert "$PKI/ca.crt" "$API/readyz"
}

start_controller_manager() {
  start kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$KC/kcm" --authentication-kubeconfig="$KC/kcm" \
    --authorization-kubeconfig="$KC/kcm" --bind-address=127.0.0.1 --secure-port="$KCM_PORT" \
    --tls-cert-file="$PKI/component.crt" --tls-private-key-file="$PKI/component.key" \
    --service-account-private-key-file="$PKI/sa.key" --root-ca-file="$PKI/ca.crt" --use-service-account-credentials=true \
    --leader-elect=false --profiling=false --node-monitor-period=2s --node-monitor-grace-period=20s "$@"
}

start_scheduler() {
  start kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$KC/scheduler" --authentication-kubeconfig="$KC/scheduler" \
    --authorization-kubeconfig="$KC/scheduler" --bind-address=127.0.0.1 --secure-port="$SCHEDULER_PORT" \
    --tls-cert-file="$PKI/component.crt" --tls-private-key-file="$PKI/component.key" --leader-elect=false --profiling=false
}

start_kwok() {
  start kwok "$BIN/kwok" --kubeconfig="$KC/kwok" --config="$HERE/conf/kwok-stages.yaml" --manage-all-nodes=false \
    --manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake --node-ip=127.0.0.1 --node-port="$KWOK_PORT" \
    --server-address="127.0.0.1:$KWOK_PORT" --tls-cert-file="$PKI/kwok-server.crt" --tls-private-key-file="$PKI/kwok-server.key" \
    --cidr=10.1.0.0/16 --node-lease-duration-seconds=40 --enable-crds=Logs,ClusterLogs,PortForward
}

start_jobset() {
  start jobset "$BIN/jobset-manager" --config="$RUN/jobset.yaml" --zap-log-level=2 --kubeconfig="$KC/jobset"
}

start_trainer() {
  start trainer "$BIN/trainer-manager" --health-probe-bind-address="127.0.0.1:$TRAINER_HEALTH_PORT" --kubeconfig="$KC/trainer"
}

start_operator() { # a line of OPERATORS
  start "$1" env KUBECONFIG="$KC/$1" "$BIN/job-operators" --health-probe-bind-address="127.0.0.1:$4" --webhook-port="$LWS_WEBHOOK_PORT" \
    --webhook-cert-dir="$PKI/webhook" "$1"
}

start_kueue() {
  start kueue env KUBECONFIG="$KC/kueue" "$BIN/kueue-manager" --config="$RUN/kueue.yaml" --zap-log-level=2
}
