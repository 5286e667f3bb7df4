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
finish
