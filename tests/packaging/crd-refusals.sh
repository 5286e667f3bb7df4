#!/bin/bash
# What a real API server says to changes of an object, to defaults and to status writes.
# The CRD must be installed. KUBECONFIG says where, KUBECTL which kubectl, NAMESPACE in which namespace (default: default).
# Leaves nothing behind.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
data=tests/data/crd
kubectl=${KUBECTL:-.build/cluster/bin/kubectl}
[ -x "$kubectl" ] || kubectl=$(command -v kubectl) || { echo "not ok - no kubectl; build it with: tests/cluster/build.sh kubectl"; exit 1; }
k() { "$kubectl" -n "${NAMESPACE:-default}" "$@"; }
header() { sed -n "s/^# $2: //p" "$1" | head -1; }

# Changes of an object that exists: a file says which one it is "after", a bad one the sentence that it expects.
# (crd-specs.py tries the specs of new objects.)
changes=0
for file in $(grep -l '^# after: ' "$data"/good/*.yaml "$data"/bad/*.yaml); do
	name=$(basename "$file" .yaml) sentence=$(header "$file" expect) before=$(header "$file" after)
	k create -f "$data/$before" >/dev/null
	change=(k replace --dry-run=server -f "$file")
	case $file in
	*/good/*) check "accepted: $name" "${change[@]}" ;;
	*) refused "refused: $name" "${sentence:-(a line # expect: SENTENCE)}" "${change[@]}" ;;
	esac
	k delete -f "$data/$before" >/dev/null
	changes=$((changes + 1))
done
check "at least 8 changes were tried: $changes" [ $changes -ge 8 ]

defaults=$(k create --dry-run=server -f "$data/good/minimal.yaml" -o jsonpath='{.spec.stepLog.source} {.spec.stepLog.format}')
same "defaults: source PodLog, format Auto" "PodLog Auto" "$defaults"
defaults=$(k create --dry-run=server -f "$data/good/file.yaml" -o jsonpath='{.spec.stepLog.source} {.spec.stepLog.format}')
same "a given source keeps, its format defaults to Auto" "File Auto" "$defaults"

# A status with every field: nothing is pruned, nothing is refused, and the columns show it.
k create -f "$data/good/everything.yaml" >/dev/null
check "a status with every field is accepted" k apply --server-side --subresource=status --field-manager=test --validate=strict -f "$data/status-full.yaml"
flat() { python3 -c '
import json, sys, yaml
def leaves(x, path=""):
    if isinstance(x, dict):
        for key in sorted(x): yield from leaves(x[key], path + "." + key)
    elif isinstance(x, list):
        for i, item in enumerate(x): yield from leaves(item, "%s[%d]" % (path, i))
    else: yield "%s = %s" % (path, json.dumps(x))
print("\n".join(leaves(yaml.safe_load(sys.stdin)["status"])))'; }
check "and is read back whole" diff <(flat <"$data/status-full.yaml") <(k get jobgoodput everything -o yaml | flat)
same "columns" "NAME PHASE SCHEDULING RUNTIME GOODPUT TOP-BADPUT INTERRUPTIONS STEP READY AGE" \
	"$(k get jgp everything | sed -n 1p | xargs)"
same "wide columns" "NAME PHASE SCHEDULING RUNTIME GOODPUT TOP-BADPUT INTERRUPTIONS STEP READY AGE TARGET PRODUCTIVITY EVIDENCE QUEUE CHIPS OWNER WAITING-FOR" \
	"$(k get jgp everything -o wide | sed -n 1p | xargs)"
same "and their values" "everything Recovering 90.00% 80.00% 72.00% WastedProgress 3 18211 True" \
	"$(k get jgp everything --no-headers | awk '{print $1, $2, $3, $4, $5, $6, $7, $8, $9}')"
k patch jgp everything --subresource=status --type=merge -p '{"status":{"phase":"Provisioning","topBadput":"TrainingPreparation"}}' >/dev/null
longest=$(k get jgp everything | awk '{ if (length($0) > n) n = length($0) } END { print n }')
check "the columns fit into 120 characters: $longest" [ "$longest" -le 120 ]
k patch jgp everything --subresource=status --type=merge -p '{"status":{"phase":"Recovering"}}' >/dev/null
check "category goodput" grep -qx jobgoodput.goodput.dev/everything <<<"$(k get goodput -o name)"
same "field selector on the target's name" "everything" \
	"$(k get jgp --field-selector spec.targetRef.name=llama3-70b --no-headers -o custom-columns=N:.metadata.name)"
same "field selector on the phase" "jobgoodput.goodput.dev/everything" "$(k get jgp --field-selector status.phase=Recovering -o name)"
refused "the same bucket twice" "Duplicate value" k patch jgp everything --subresource=status --type=json \
	-p '[{"op":"add","path":"/status/badput/-","value":{"family":"Runtime","bucket":"WastedProgress","milliseconds":1}}]'
refused "a checkpoint above 32 KiB" "Too long" k patch jgp everything --subresource=status --type=merge \
	-p "{\"status\":{\"checkpoint\":\"$(printf '%32769s' | tr ' ' x)\"}}"
check "a checkpoint of 32 KiB" k patch jgp everything --subresource=status --type=merge \
	-p "{\"status\":{\"checkpoint\":\"$(printf '%32768s' | tr ' ' x)\"}}"
check "a phase that only a newer controller knows" k patch jgp everything --subresource=status --type=merge \
	-p '{"status":{"phase":"Draining"}}'
refused "a phase that is not one word" "status.phase" k patch jgp everything --subresource=status --type=merge \
	-p '{"status":{"phase":"is draining"}}'
refused "a condition without a reason" "reason: Required value" k patch jgp everything --subresource=status --type=merge \
	-p '{"status":{"conditions":[{"type":"Ready","status":"True","observedGeneration":1,"lastTransitionTime":"2026-11-01T00:00:00Z","message":"m"}]}}'
k delete -f "$data/good/everything.yaml" >/dev/null

explained=$(k explain jobgoodput.status.badput)
for word in "milliseconds" "wall time" "WastedProgress" "Unattributed"; do
	check "kubectl explain jobgoodput.status.badput tells of: $word" grep -qiE "${word// /[[:space:]]+}" <<<"$(tr -s ' \n' ' ' <<<"$explained")"
done
finish
