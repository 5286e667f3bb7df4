#!/bin/bash
# A bare etcd and kube-apiserver on loopback, enough to try CRDs and RBAC (no controllers, no nodes).
#   apiserver.sh start DIR   prints the path of an administrator's kubeconfig
#   apiserver.sh stop DIR
# BIN: folder of etcd and kube-apiserver (default .build/cluster/bin, made by tests/cluster/build.sh).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=${BIN:-$root/.build/cluster/bin}
verb=${1:?start or stop} dir=${2:?directory}

stop() {
	local name pid
	for name in kube-apiserver etcd; do
		[ -s "$dir/$name.pid" ] || continue
		pid=$(<"$dir/$name.pid")
		kill "$pid" 2>/dev/null || true
		for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
		kill -9 "$pid" 2>/dev/null || true
		rm -f "$dir/$name.pid"
	done
}

start() { # name command...: runs it in the background
	local name=$1
	shift
	setsid nohup "$@" >"$dir/$name.log" 2>&1 </dev/null &
	echo $! >"$dir/$name.pid"
}

wait_for() { # name command...: until it succeeds, at most 180 s, or until the process has ended
	local name=$1 deadline=$((SECONDS + 180))
	shift
	until "$@" >/dev/null 2>&1; do
		if ! kill -0 "$(<"$dir/$name.pid")" 2>/dev/null || [ $SECONDS -ge $deadline ]; then
			echo "apiserver.sh: $name did not come up; the end of $dir/$name.log:" >&2
			tail -5 "$dir/$name.log" >&2
			stop
			exit 1
		fi
		sleep 0.2
	done
}

if [ "$verb" = stop ]; then stop; exit 0; fi
for program in etcd kube-apiserver; do
	[ -x "$bin/$program" ] || { echo "apiserver.sh: no $bin/$program; build it with: tests/cluster/build.sh $program" >&2; exit 1; }
done
stop # one that an earlier, broken-off run left behind
rm -rf "$dir"
mkdir -p "$dir"
read -r client peer api < <(python3 -c '
import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(x.getsockname()[1] for x in s))')

openssl genrsa -out "$dir/sa.key" 2048 2>/dev/null
token=$(openssl rand -hex 16)
echo "$token,admin,admin,system:masters" >"$dir/tokens.csv"
chmod 600 "$dir/tokens.csv"

start etcd "$bin/etcd" --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn \
	--listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
	--listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
	--initial-cluster "default=http://127.0.0.1:$peer"
start kube-apiserver "$bin/kube-apiserver" --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$api" \
	--etcd-servers="http://127.0.0.1:$client" --cert-dir="$dir/certs" --token-auth-file="$dir/tokens.csv" \
	--authorization-mode=RBAC --anonymous-auth=false --endpoint-reconciler-type=none --service-cluster-ip-range=10.96.0.0/16 \
	--service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$dir/sa.key" \
	--service-account-signing-key-file="$dir/sa.key" --profiling=false

cat >"$dir/kubeconfig" <<KUBECONFIG
apiVersion: v1
kind: Config
clusters: [{name: packaging, cluster: {server: "https://127.0.0.1:$api", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: "$token"}}]
contexts: [{name: packaging, context: {cluster: packaging, user: admin, namespace: default}}]
current-context: packaging
KUBECONFIG
chmod 600 "$dir/kubeconfig"
ask=(curl -sfk -H "Authorization: Bearer $token")
wait_for kube-apiserver "${ask[@]}" "https://127.0.0.1:$api/readyz"
wait_for kube-apiserver "${ask[@]}" "https://127.0.0.1:$api/api/v1/namespaces/default"
wait_for kube-apiserver "${ask[@]}" "https://127.0.0.1:$api/api/v1/namespaces/kube-node-lease"
echo "$dir/kubeconfig"
