#!/bin/bash
# The documents agree with what is installed.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/packaging/lib.sh
helm=${HELM:-.build/cluster/bin/helm}
rendered=$("$helm" template goodput helm/goodput-controller --kube-version 1.36.0)
granted=$(sed -n 's/^ *resources: \[\(.*\)\]/\1/p' <<<"$rendered" | tr -d ' ' | tr ',' '\n' | grep -v '"' | sort -u)
for resource in $granted; do
	check "rbac.md says why: $resource" grep -qF "\`$resource\`" deploy/docs/rbac.md
done
same "rbac.md says nothing of what is not granted" "" \
	"$(sed -n 's/^| `\([a-z/]*\)`.*/\1/p' deploy/docs/rbac.md | sort -u | comm -23 - <(echo "$granted"))"
# Every top-level value has a line in the chart's README.
while read -r value; do
	check "the chart's README tells of $value" grep -qE "^\| \`$value[\`.]" helm/goodput-controller/README.md
done < <(sed -n 's/^\([a-zA-Z]*\):.*/\1/p' helm/goodput-controller/values.yaml)
# Every bucket and cause that the program knows is in the concepts; every command of kubectl goodput in its man page and
# in its completion.
for name in $(sed -n 's/.*X([A-Z_]*, "\([A-Za-z]*\)".*/\1/p' controller/ledger/buckets.h | sort -u); do
	check "concepts.md tells of $name" grep -qE "\b$name\b" deploy/docs/concepts.md
done
for command in $(sed -n 's/^    {"\([a-z]*\)", "\1 .*/\1/p' controller/cli/cli.c) analyze; do
	check "man page: $command" grep -q "^.B $command" deploy/kubectl/kubectl-goodput.1
	same "completion: $command" "$command" "$(deploy/kubectl/kubectl_complete-goodput "${command:0:3}" | sed -n 1p)"
done
same "completion ends with what shells are to do" ":4" "$(deploy/kubectl/kubectl_complete-goodput explain -n x -- | tail -1)"
finish
