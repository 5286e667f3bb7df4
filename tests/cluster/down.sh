#!/bin/bash
# down.sh [--wipe]: stops what up.sh started, each by its process id; --wipe also removes the run directory.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HERE/components.sh"
for name in $(awk '{ print $1 }' <<<"$OPERATORS") trainer kueue jobset kwok kube-scheduler kube-controller-manager kube-apiserver etcd; do
  stop $name
done
if [ "${1:-}" = --wipe ]; then
  # up.sh put these where Kueue looks for them; others' certificates stay.
  certs=/etc/kueue/metrics/certs
  if [ -w $certs ] && cmp -s "$PKI/webhook/tls.crt" $certs/tls.crt; then
    rm -f $certs/tls.crt $certs/tls.key
    rmdir -p --ignore-fail-on-non-empty $certs 2>/dev/null || true
  fi
  rm -rf "$RUN"
fi
