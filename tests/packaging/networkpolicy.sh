#!/bin/bash
# The chart's NetworkPolicy, enforced: network namespaces stand for pods, one between them for their node, where the real
# kube-network-policies drops what the policy does not let through (nftables, NFQUEUE); its API server is the embedded one.
# KUBE_NETWORK_POLICIES: the binary; tests/cluster/build.sh kube-network-policies makes it. Needs root.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
helm=${HELM:-.build/cluster/bin/helm}
enforcer=${KUBE_NETWORK_POLICIES:-.build/cluster/bin/kube-network-policies}
[ -x "$enforcer" ] || { echo "not ok - there is no $enforcer: tests/cluster/build.sh kube-network-policies makes it; or set KUBE_NETWORK_POLICIES"; exit 1; }
[ "$(id -u)" = 0 ] || { echo "not ok - network namespaces need root"; exit 1; }
dir=$(mktemp -d) node=np-node-$$ pids=()
names=(controller prometheus stranger apiserver)
trap 'kill "${pids[@]}" 2>/dev/null; ip netns del $node 2>/dev/null; for n in "${names[@]}"; do ip netns del np-$n-$$ 2>/dev/null; done; rm -rf "$dir"' EXIT
address() { echo "10.77.$1.2"; }
inside() { local n=$1; shift; ip netns exec "np-$n-$$" "$@"; }

ip netns add $node
ip -n $node link set lo up
ip netns exec $node sysctl -qw net.ipv4.ip_forward=1
for i in "${!names[@]}"; do
	n=np-${names[$i]}-$$
	ip netns add "$n"
	ip -n "$n" link set lo up
	ip link add "np$i-$$" netns $node type veth peer name eth0 netns "$n"
	ip -n $node address add "10.77.$i.1/24" dev "np$i-$$"
	ip -n $node link set "np$i-$$" up
	ip -n "$n" address add "$(address "$i")/24" dev eth0
	ip -n "$n" link set eth0 up
	ip -n "$n" route add default via "10.77.$i.1"
done

cat >"$dir/crd.yaml" <<'CRD'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: networkpolicies.networking.k8s.io}
spec:
  group: networking.k8s.io
  scope: Namespaced
  names: {kind: NetworkPolicy, listKind: NetworkPolicyList, plural: networkpolicies, singular: networkpolicy}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
CRD
pod() { # INDEX NAMESPACE LABELS
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, uid: pod-%s, labels: {%s}}\nspec: {nodeName: node, containers: [{name: c}]}\nstatus: {phase: Running, podIP: %s, podIPs: [{ip: %s}]}\n' \
		"${names[$1]}" "$2" "$1" "$3" "$(address "$1")" "$(address "$1")"
}
{
	echo 'apply <<DOCUMENTS'
	for n in goodput-system monitoring research; do printf -- '---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {kubernetes.io/metadata.name: %s}}\n' $n $n; done
	pod 0 goodput-system 'app.kubernetes.io/name: goodput-controller, app.kubernetes.io/instance: goodput'
	pod 1 monitoring 'app: prometheus'
	pod 2 research 'app: trainer'
	pod 3 research 'app: apiserver'
	"$helm" template goodput helm/goodput-controller -n goodput-system --kube-version 1.36.0 -s templates/networkpolicy.yaml --set image.repository=example/goodput-controller,networkPolicy.enabled=true,metrics.port=8443 \
		--set-json 'networkPolicy.metricsFrom=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}]' |
		sed -E 's/^( *)- port: ([0-9]+)$/\1- port: \2\n\1  protocol: TCP/' # as the real API server defaults it
	echo DOCUMENTS
} >"$dir/objects"
ip netns exec $node .build/bin/test-apiserver --crd "$dir/crd.yaml" --kubeconfig-out "$dir/kubeconfig" --scenario "$dir/objects" >"$dir/apiserver.log" 2>&1 &
pids+=($!)
until [ -s "$dir/kubeconfig" ]; do kill -0 "${pids[0]}" || { cat "$dir/apiserver.log"; exit 1; }; sleep 0.1; done

cat >"$dir/serve.py" <<'PYTHON'
import selectors, socket, sys
s = selectors.DefaultSelector()
for port in map(int, sys.argv[1:]):
    l = socket.create_server(("0.0.0.0", port))
    s.register(l, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in s.select():
        key.fileobj.accept()[0].close()
PYTHON
serve() { # NAME PORT...
	local n=$1
	shift
	ip netns exec "np-$n-$$" python3 "$dir/serve.py" "$@" >"$dir/serve-$n" & # no function: its process is what is killed
	pids+=($!)
	until grep -q ready "$dir/serve-$n"; do sleep 0.1; done
}
serve controller 8081 8443 8082 22
serve apiserver 443 6443 5432
reach() { # FROM INDEX PORT
	inside "$1" python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)' "$(address "$2")" "$3" 2>/dev/null && echo yes || echo no
}
same "without the enforcer all is open (so what follows is its doing)" "yes yes yes yes" \
	"$(echo $(reach prometheus 0 8443) $(reach stranger 0 8443) $(reach stranger 0 8082) $(reach controller 3 5432))"

ip netns exec $node "$enforcer" --kubeconfig "$dir/kubeconfig" --hostname-override node --disable-nri --fail-open=false --metrics-bind-address 127.0.0.1:9080 --v=2 >"$dir/enforcer.log" 2>&1 &
pids+=($!)
# Its own rules need nft_queue, which some kernels lack; this one hands the same packets to it.
ip netns exec $node iptables -t mangle -A FORWARD -m conntrack --ctstate NEW -j NFQUEUE --queue-num 100
tries=0
until [ "$(reach stranger 0 22)" = no ]; do
	kill -0 "${pids[-1]}" || { tail -n 20 "$dir/enforcer.log"; echo "not ok - kube-network-policies ended"; exit 1; }
	((tries++ < 100)) || break
done
same "Prometheus' namespace reaches the metrics" yes "$(reach prometheus 0 8443)"
same "another namespace does not" no "$(reach stranger 0 8443)"
same "everybody reaches the health checks" "yes yes" "$(echo $(reach prometheus 0 8081) $(reach stranger 0 8081))"
same "nobody reaches the page, nor a port that nobody spoke of" "no no no" "$(echo $(reach prometheus 0 8082) $(reach stranger 0 8082) $(reach stranger 0 22))"
same "the controller reaches the API server's ports" "yes yes" "$(echo $(reach controller 3 443) $(reach controller 3 6443))"
same "the controller reaches nothing else" no "$(reach controller 3 5432)"
same "others are not concerned" yes "$(reach stranger 3 5432)"
[ -z "${NP_SHOW:-}" ] || { ip netns exec $node nft list ruleset | head -60; tail -n 30 "$dir/enforcer.log" "$dir/apiserver.log"; }
finish
