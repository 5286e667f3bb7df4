#!/usr/bin/env bash
# api-check.sh: the CRDs as Kubernetes' own tools see them. Every field has what crd-structure.py requires;
# controller-gen's schema of the Go types in v1alpha1/ equals crds/; kube-api-linter, the gate of JobSet's and Kueue's
# APIs, finds nothing in the types that has no excuse on its line. Both tools are built from the Go modules pinned in
# go.mod. Ends with "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/../../.."
. tests/harness/count.sh
. tests/cluster/env.sh
"$ROOT/tests/cluster/build.sh" controller-gen api-lint || { echo "0 passed, 1 failed"; exit 1; }
export GOTOOLCHAIN=$GO_VERSION GOFLAGS=-mod=readonly GOWORK=off CGO_ENABLED=0
# counted MIN SCRIPT ARGUMENT...: the checks of a script, at least MIN of them
counted() {
    local lines least=$1 yes no
    shift
    lines=$(python3 -B tests/check/api/"$1" "${@:2}" 2>&1)
    echo "$lines"
    yes=$(grep -c '^ok - ' <<<"$lines") no=$(grep -c '^not ok - ' <<<"$lines")
    passed=$((passed + yes)) failed=$((failed + no))
    [ $((yes + no)) -ge "$least" ] || not_ok "$1 made at least $least checks"
}
counted 60 crd-structure.py deploy/docs/reference/jobgoodput.md crds/*.yaml

generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT

(cd tests/check/api && controller-gen crd paths=./v1alpha1 output:crd:dir="$generated") ||
    not_ok "controller-gen reads the Go types"
unequal=$failed
counted 24 compare.py "$generated" crds/*.yaml
[ "$failed" = "$unequal" ] ||
    echo "    each field of crds/ has its counterpart in tests/check/api/v1alpha1: change both; texts are in crds/ only"

if findings=$(cd tests/check/api && api-lint lint.yaml ./v1alpha1 2>&1); then
    ok "kube-api-linter: $(tail -n 1 <<<"$findings")"
else
    not_ok "kube-api-linter: $(tail -n 1 <<<"$findings")"
    sed "s|.*$ROOT/||; s/^/    /" <<<"$findings"
fi
# A linter that read nothing finds nothing: a copy of the types with three faults has three findings.
copy=$(mktemp -d tests/check/api/faulty-XXXXXX)
trap 'rm -rf "$generated" "$copy"' EXIT
cp tests/check/api/v1alpha1/*.go "$copy/"
sed -i 's|^// +kubebuilder:validation:MaxLength=32$||' "$copy/doc.go"
sed -i 's|//nolint:nophase // belongs.*||' "$copy/jobgoodput_status.go"
sed -i 's|//nolint:nobools // an entry.*|//nolint:nobools|' "$copy/fleetgoodput_status.go"
findings=$(cd tests/check/api && api-lint lint.yaml "./$(basename "$copy")" 2>&1)
for expected in 'maxlength: .*Decimal' 'nophase: .*PhaseSince' 'an excuse needs its reason'; do
    check "it finds a fault: $expected" grep -q "$expected" <<<"$findings"
done
finish
