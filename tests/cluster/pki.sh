#!/bin/bash
# pki.sh: makes the CA, serving and client certificates, the service-account key pair and the client-certificate
# kubeconfigs under the run directory; does nothing if they exist.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
[ -s "$PKI/complete" ] && exit 0
mkdir -p "$PKI/webhook" "$KC"
cd "$PKI"
umask 077

ec='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365'
loopback=IP:127.0.0.1,DNS:localhost

openssl_quiet() { openssl "$@" 2>"$PKI/openssl.err" || die "openssl failed: $(tail -1 "$PKI/openssl.err")"; }

certificate() { # name subject extended-key-usage [alternative names]
  # shellcheck disable=SC2086 # $ec is a list of words
  openssl_quiet req -x509 -CA ca.crt -CAkey ca.key $ec -keyout "$1.key" -out "$1.crt" -subj "$2" \
    -addext 'basicConstraints=critical,CA:FALSE' -addext 'keyUsage=critical,digitalSignature' \
    -addext "extendedKeyUsage=$3" ${4:+-addext "subjectAltName=$4"}
}

# shellcheck disable=SC2086
openssl_quiet req -x509 $ec -keyout ca.key -out ca.crt -subj /CN=cluster-test-ca \
  -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature'
certificate etcd /CN=etcd serverAuth,clientAuth $loopback
certificate etcd-client /CN=apiserver-etcd-client clientAuth
certificate apiserver /CN=kube-apiserver serverAuth $loopback,DNS:kubernetes.default.svc
certificate kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client clientAuth
certificate kwok-server /CN=kwok serverAuth $loopback
certificate webhook /CN=webhook serverAuth $loopback
certificate component /CN=component serverAuth $loopback
certificate admin /O=system:masters/CN=admin clientAuth
certificate kcm /CN=system:kube-controller-manager clientAuth
certificate scheduler /CN=system:kube-scheduler clientAuth
openssl_quiet ecparam -name prime256v1 -genkey -noout -out sa.key
openssl_quiet ec -in sa.key -pubout -out sa.pub
cp webhook.crt webhook/tls.crt
cp webhook.key webhook/tls.key

ca=$(base64 -w0 ca.crt)
for user in admin kcm scheduler; do
  cat >"$KC/$user" <<K
apiVersion: v1
kind: Config
clusters: [{name: cluster-test, cluster: {server: "$API", certificate-authority-data: $ca}}]
users: [{name: $user, user: {client-certificate-data: $(base64 -w0 $user.crt), client-key-data: $(base64 -w0 $user.key)}}]
contexts: [{name: cluster-test, context: {cluster: cluster-test, user: $user, namespace: default}}]
current-context: cluster-test
K
done
echo ok >complete
