#!/bin/bash
# down.sh [--wipe]: stops what up.sh started, each by its process id; --wipe also removes the run directory.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HERE/components.sh"
for name in kueue jobset kwok kube-scheduler kube-controller-manager kube-apiserver etcd; do
  stop $name
done
if [ "${1:-}" = --wipe ]; then rm -rf "$RUN"; fi
