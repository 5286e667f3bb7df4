#!/bin/bash
# Chart, CRD, plain manifests and RBAC: without a cluster, then on a bare API server that this starts and ends.
# Needs the binaries that tests/cluster/build.sh makes. The image has a separate test: tests/packaging/image.sh.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD work=.build/packaging
export BIN=$root/.build/cluster/bin
for tool in helm kubectl etcd kube-apiserver; do
	[ -x "$BIN/$tool" ] || { echo "not ok - no $tool; build it with: tests/cluster/build.sh $tool"; echo "0 passed, 1 failed"; exit 1; }
done
mkdir -p $work
log=$work/run.log
: >$log
# part NAME COMMAND...: its lines are counted; a part that ends badly without saying so counts as one failure
part() {
	local name=$1 rc
	shift
	echo "== $name" | tee -a $log
	"$@" 2>&1 | grep -vE '^[0-9]+ passed, [0-9]+ failed$' | tee $work/part.log
	rc=${PIPESTATUS[0]}
	cat $work/part.log >>$log
	if [ "$rc" != 0 ] && ! grep -q '^not ok - ' $work/part.log; then echo "not ok - $name: exit code $rc" | tee -a $log; fi
}

part "kube-state-metrics' configuration" python3 tests/packaging/kube-state-metrics.py
part "chart" tests/packaging/chart.sh
part "chart: endpoints" tests/packaging/chart-endpoints.sh
part "documents" tests/packaging/docs.sh

trap 'tests/packaging/apiserver.sh stop "$work/api"' EXIT
if KUBECONFIG=$(tests/packaging/apiserver.sh start "$root/$work/api"); then
	export KUBECONFIG
	part "install" tests/packaging/install.sh
	part "missing permissions" tests/packaging/rbac-missing.sh
	part "a real Prometheus" python3 tests/packaging/prometheus.py
	part "good and bad specs" python3 -B tests/packaging/crd-specs.py crds/*.yaml
	part "what the API server says" tests/packaging/crd-refusals.sh
else
	echo "not ok - the API server did not start" | tee -a $log
fi
passed=$(grep -c '^ok - ' $log) failed=$(grep -c '^not ok - ' $log)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
