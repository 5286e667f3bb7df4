#!/bin/bash
# up.sh: brings up the control plane, a registry and two real nodes, each in separate namespaces. build.sh and images.sh run first. down.sh takes everything down. Needs root.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
umask 022
begun=$(date +%s%N)
say() { printf '%6d ms  %s\n' $((($(date +%s%N) - begun) / 1000000)) "$*"; }

machine() { # name
  local name=$1
  rm -f "$RUN/$name/started"
  mkdir -p "$RUN/$name"
  unshare --mount --uts --ipc --net --pid --fork --kill-child=KILL --mount-proc --propagation private \
    "$NODES_HERE/machine.sh" "$name" >"$LOGS/$name.log" 2>&1 </dev/null 8>&- 9>&- &
  local parent=$!
  echo "$parent" >"$MACHINES/$name.parent"
  for ((i = 0; i < 1200; i++)); do
    [ -e "$RUN/$name/started" ] && break
    kill -0 "$parent" 2>/dev/null || break
    sleep 0.1
  done
  [ -e "$RUN/$name/started" ] || die "the machine $name did not start: $(tail -1 "$LOGS/$name.log")"
  pgrep -P "$parent" | head -1 >"$MACHINES/$name"
}

net() { nsenter --net="/proc/$(cat "$MACHINES/$1")/ns/net" "${@:2}"; } # only the network of a machine, the host's pids

connect() { # a bridge in the control plane's machine, a cable to each node, routes to the pods
  net cp ip link add br0 type bridge
  net cp ip addr add "$ADDRESS/24" dev br0
  net cp ip link set br0 up
  for ((n = 1; n <= NODES; n++)); do
    net cp ip link add "cable$n" type veth peer name eth0 netns "$(cat "$MACHINES/n$n")"
    net cp ip link set "cable$n" master br0 up
    net "n$n" ip addr add "$(node_address $n)/24" dev eth0
    net "n$n" ip link set eth0 up
    net "n$n" ip route add default via "$ADDRESS"
    net "n$n" sysctl -qw net.ipv4.ip_forward=1
    net cp ip route add "10.244.$n.0/24" via "$(node_address $n)"
    for ((m = 1; m <= NODES; m++)); do
      [ $m = $n ] || net "n$n" ip route add "10.244.$m.0/24" via "$(node_address $m)"
    done
  done
}

[ "$(id -u)" = 0 ] || die "real nodes need root"
[ ! -e "$MACHINES/cp" ] || die "already up, or left by a run that was killed: tests/nodes/down.sh takes it down"
mkdir -p "$RUN" "$LOGS" "$PIDS" "$MACHINES" "$TRUTH"
chmod 777 "$TRUTH"
# kubelet sets these for the whole machine; down.sh puts them back.
# shellcheck disable=SC2086 # a list of words
sysctl $KUBELET_SYSCTLS >"$RUN/sysctl.saved"
save_controllers >"$RUN/controllers.saved"
"$NODES_HERE/pki.sh"
machine cp
for ((n = 1; n <= NODES; n++)); do machine "n$n"; done
connect
say "machines"
starting=()
for ((n = 1; n <= NODES; n++)); do on "n$n" "$NODES_HERE/node.sh" "$n" start containerd & starting+=($!); done
on cp "$NODES_HERE/control-plane.sh" start
say "control plane, registry"
wait "${starting[@]}"
k() { on cp "$BIN/kubectl" --kubeconfig "$KC/admin" "$@"; }
k create clusterrolebinding kube-proxy --clusterrole=system:node-proxier --user=system:kube-proxy >/dev/null
for ((n = 1; n <= NODES; n++)); do on "n$n" "$NODES_HERE/node.sh" "$n" start; done
# While everything starts, an emulated machine may take longer for a TLS handshake than the ten seconds that kubectl allows.
again() {
  for ((i = 0; i < 20; i++)); do "$@" >/dev/null && return 0 || sleep 3; done
  return 1
}
for ((n = 1; n <= NODES; n++)); do
  for ((i = 0; i < 600; i++)); do k get node "n$n" >/dev/null 2>&1 && break || sleep 0.2; done
  again k wait --for=condition=Ready "node/n$n" --timeout=600s || die "node n$n is not Ready, see $LOGS/n$n-kubelet.log"
  # Chips, as a device plugin would announce them.
  again k patch node "n$n" --subresource=status --type=merge -p '{"status":{"capacity":{"google.com/tpu":"64"}}}' || die "node n$n got no chips"
done
say "up: $NODES nodes Ready"
