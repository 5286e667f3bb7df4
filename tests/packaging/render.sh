# render.sh: how the tests of the chart render it; sourced. Each output is kept, to be read strictly by finish_rendered.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/harness/count.sh
helm=${HELM:-.build/cluster/bin/helm}
chart=helm/goodput-controller
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
render() { "$helm" template goodput "$chart" --namespace goodput-system --kube-version 1.36.0 --set image.repository=example/goodput-controller "$@" | tee "$(mktemp "$rendered/XXXXXX")"; }
# kinds OUTPUT: the kinds of objects, sorted, with their numbers
kinds() { sed -n 's/^kind: //p' | sort | uniq -c | awk '{printf "%s%s=%s", sep, $2, $1; sep=" "}'; }
flags() { render -s templates/deployment.yaml "$@" | sed -n 's/^ *- "\{0,1\}\(--[^"]*\)"\{0,1\}$/\1/p' | paste -sd' '; }
# finish_rendered N: at least N outputs were kept, and no mapping of them has a key twice.
finish_rendered() {
	find "$rendered" -empty -delete # what was refused
	local outputs
	outputs=$(find "$rendered" -type f | wc -l)
	check "at least $1 outputs were rendered: $outputs" test "$outputs" -ge "$1"
	check "no mapping of them has a key twice" sh -c 'exec tests/packaging/strict-yaml.py "$0"/*' "$rendered"
	finish
}
