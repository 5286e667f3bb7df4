# shellcheck shell=bash
# Sourced by pki.sh here and in tests/nodes, in the folder $PKI: certificates signed by ca.crt, and kubeconfigs.
# shellcheck disable=SC2154 # the variables come from env.sh
ec='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365'

openssl_quiet() { openssl "$@" 2>"$PKI/openssl.err" || die "openssl failed: $(tail -1 "$PKI/openssl.err")"; }

certificate() { # name subject extended-key-usage [alternative names]
  # shellcheck disable=SC2086 # $ec is a list of words
  openssl_quiet req -x509 -CA ca.crt -CAkey ca.key $ec -keyout "$1.key" -out "$1.crt" -subj "$2" \
    -addext 'basicConstraints=critical,CA:FALSE' -addext 'keyUsage=critical,digitalSignature' \
    -addext "extendedKeyUsage=$3" ${4:+-addext "subjectAltName=$4"}
}

client_kubeconfig() { # user, whose certificate is $PKI/USER.crt
  cat >"$KC/$1" <<K
apiVersion: v1
kind: Config
clusters: [{name: cluster-test, cluster: {server: "$API", certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w0 "$PKI/$1.crt"), client-key-data: $(base64 -w0 "$PKI/$1.key")}}]
contexts: [{name: cluster-test, context: {cluster: cluster-test, user: $1, namespace: default}}]
current-context: cluster-test
K
}
