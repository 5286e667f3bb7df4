#!/bin/bash
# pki.sh: the control plane's certificates (tests/cluster/pki.sh), and those of the nodes and of kube-proxy.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
[ -s "$PKI/nodes-complete" ] && exit 0
"$HERE/pki.sh"
cd "$PKI"
umask 077
. "$HERE/pki-lib.sh"
for ((n = 1; n <= NODES; n++)); do
  certificate "n$n" "/O=system:nodes/CN=system:node:n$n" clientAuth,serverAuth "IP:$(node_address $n),DNS:n$n"
  client_kubeconfig "n$n"
done
certificate kube-proxy /CN=system:kube-proxy clientAuth
client_kubeconfig kube-proxy
echo ok >nodes-complete
