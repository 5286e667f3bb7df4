#!/bin/bash
# pki.sh: makes the CA, serving and client certificates, the service-account key pair and the client-certificate
# kubeconfigs under the run directory; does nothing if they exist.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
[ -s "$PKI/complete" ] && exit 0
mkdir -p "$PKI/webhook" "$KC"
cd "$PKI"
umask 077
. "$HERE/pki-lib.sh"

loopback=IP:127.0.0.1,IP:$ADDRESS,DNS:localhost

# shellcheck disable=SC2086
openssl_quiet req -x509 $ec -keyout ca.key -out ca.crt -subj /CN=cluster-test-ca \
  -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature'
certificate etcd /CN=etcd serverAuth,clientAuth $loopback
certificate etcd-client /CN=apiserver-etcd-client clientAuth
certificate apiserver /CN=kube-apiserver serverAuth $loopback,IP:10.96.0.1,DNS:kubernetes.default.svc
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

for user in admin kcm scheduler; do client_kubeconfig $user; done
echo ok >complete
