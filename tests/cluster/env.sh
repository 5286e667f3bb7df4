# shellcheck shell=bash
# shellcheck disable=SC2034 # sourced: the variables are for the scripts that source it
# Sourced by every script here: where things are, and the addresses, all on loopback. tests/nodes sets CLUSTER_ADDRESS:
# there the API server is reached from other network namespaces.
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
BUILD=${CLUSTER_BUILD:-$ROOT/.build/cluster}
BIN=$BUILD/bin
STAMPS=$BUILD/stamps
MANIFESTS=$BUILD/manifests
RUN=${CLUSTER_RUN:-$BUILD/run}
# skew.sh sets it: a folder of modules with other versions, which go before those in modules/.
PINS=${CLUSTER_PINS:-}
PKI=$RUN/pki
LOGS=$RUN/logs
PIDS=$RUN/pids
KC=$RUN/kubeconfig
PODLOGS=$RUN/podlogs

GO_VERSION=go1.26.8

ADDRESS=${CLUSTER_ADDRESS:-127.0.0.1}
API_PORT=26443
API=https://$ADDRESS:$API_PORT
ETCD_PORT=22379
ETCD_PEER_PORT=22380
KWOK_PORT=20247
KCM_PORT=20257
SCHEDULER_PORT=20259
JOBSET_HEALTH_PORT=28081
JOBSET_METRICS_PORT=28443
JOBSET_WEBHOOK_PORT=29443
KUEUE_HEALTH_PORT=28082
KUEUE_METRICS_PORT=28444
KUEUE_WEBHOOK_PORT=29444
TRAINER_HEALTH_PORT=28083
# name, namespace and ServiceAccount, and port of /readyz of what job-operators runs (modules/operators).
OPERATORS='
training-operator kubeflow training-operator 28084
lws lws-system lws-controller-manager 28085
kuberay ray-system kuberay-operator 28086
'
LWS_WEBHOOK_PORT=29445
# As JSON, so that the chaos test can read the truth from etcd itself (story/etcd.py).
APISERVER_FLAGS=(--storage-media-type=application/json)

export KUBECONFIG=$KC/admin
export PATH=$BIN:$PATH

pins() { # module...: the folder of the first that PINS has; else that of the last in modules/
  local module
  for module in "$@"; do
    if [ -n "$PINS" ] && [ -d "$PINS/$module" ]; then
      echo "$PINS/$module"
      return
    fi
  done
  echo "$HERE/modules/$module"
}

adapted() { # file: with what PINS' versions write otherwise
  if [ -s "$PINS/adapted.sed" ]; then sed -f "$PINS/adapted.sed" "$1"; else cat "$1"; fi
}

die() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}
