#!/bin/bash
# node.sh NUMBER start|stop|restart [PART...]: inside the machine of a node: containerd, kubelet, kube-proxy.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HERE/components.sh"
n=$1 verb=$2
shift 2
name=n$n
dir=$RUN/$name
PIDS=$dir/pids # process ids as the machine counts them
mkdir -p "$PIDS" "$dir/cni" "$dir/manifests" "$dir/certs.d/$REGISTRY"
socket=/run/containerd/containerd.sock
parts=${*:-containerd kubelet kube-proxy}

# fill FILE [AS]: conf/FILE with this node's values, written only if it differs (kube-proxy ends when its file changes)
fill() {
  local text as=${2:-$1}
  text=$(sed -e "s|@NAME@|$name|g; s|@N@|$n|g; s|@ADDRESS@|$(node_address "$n")|g; s|@REGISTRY@|$REGISTRY|g" \
    -e "s|@DIR@|$dir|g; s|@PKI@|$PKI|g; s|@KC@|$KC|g; s|@CGROUP@|$PARENT_CGROUP|g" "$NODES_HERE/conf/$1.in")
  [ "$(cat "$dir/$as" 2>/dev/null)" = "$text" ] || echo "$text" >"$dir/$as"
}

start_containerd() {
  fill containerd.toml
  fill bridge.conflist cni/10-bridge.conflist
  fill hosts.toml "certs.d/$REGISTRY/hosts.toml"
  start "$name-containerd" containerd --config "$dir/containerd.toml"
  wait_for "containerd of $name" 600 ctr -a $socket version
}

start_kubelet() {
  make_cgroups "$name"
  fill kubelet.yaml
  start "$name-kubelet" "$BIN/kubelet" --config="$dir/kubelet.yaml" --kubeconfig="$KC/$name" --hostname-override="$name" \
    --node-ip="$(node_address "$n")" --node-labels="cloud.google.com/gke-nodepool=pool-$n" --v=2
}

start_kube-proxy() {
  fill kube-proxy.yaml
  start "$name-kube-proxy" "$BIN/kube-proxy" --config="$dir/kube-proxy.yaml" --v=1
}

for part in $parts; do
  case $verb in
  start) "start_$part" ;;
  stop) stop "$name-$part" ;;
  restart)
    stop "$name-$part"
    "start_$part"
    ;;
  *) die "usage: node.sh NUMBER start|stop|restart [PART...]" ;;
  esac
done
