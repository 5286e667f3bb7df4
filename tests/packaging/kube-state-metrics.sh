#!/bin/bash
# deploy/kube-state-metrics.yaml in the real kube-state-metrics, which this builds (three minutes the first time), on a
# bare API server: each metric compared with the status that it is made of. Needs Go, and promtool.
set -euo pipefail
cd "$(dirname "$0")/../.."
export BIN=$PWD/.build/cluster/bin
work=$PWD/.build/packaging/kube-state-metrics
tests/cluster/build.sh etcd kube-apiserver kubectl kube-state-metrics
trap 'tests/packaging/apiserver.sh stop "$work"' EXIT
KUBECONFIG=$(tests/packaging/apiserver.sh start "$work")
export KUBECONFIG
"$BIN/kubectl" apply --server-side -f crds/goodput.dev_jobgoodputs.yaml
"$BIN/kubectl" wait --for=condition=Established crd/jobgoodputs.goodput.dev --timeout=300s
python3 tests/packaging/kube-state-metrics.py --live
