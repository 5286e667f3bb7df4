#!/bin/bash
# sa-kubeconfig.sh NAMESPACE SERVICEACCOUNT: prints a kubeconfig that holds a token of that ServiceAccount and nothing more.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
[ $# = 2 ] || die "usage: sa-kubeconfig.sh NAMESPACE SERVICEACCOUNT"
umask 077
token=$(kubectl create token -n "$1" "$2" --duration=24h)
cat <<K
apiVersion: v1
kind: Config
clusters: [{name: cluster-test, cluster: {server: "$API", certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")}}]
users: [{name: "$2", user: {token: "$token"}}]
contexts: [{name: cluster-test, context: {cluster: cluster-test, user: "$2", namespace: "$1"}}]
current-context: cluster-test
K
