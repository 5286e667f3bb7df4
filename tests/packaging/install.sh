#!/bin/bash
# The chart on a real API server (KUBECONFIG: an administrator's): server-side dry runs, install, RBAC as the controller's
# ServiceAccount meets it, upgrade, uninstall. Installs into namespaces of its own and removes them.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
helm=${HELM:-.build/cluster/bin/helm}
kubectl=${KUBECTL:-.build/cluster/bin/kubectl}
chart=helm/goodput-controller image="image.repository=example/goodput-controller"
"$kubectl" get --raw /readyz >/dev/null 2>&1 || { echo "not ok - no API server answers; set KUBECONFIG, or run tests/packaging/run.sh"; exit 1; }
release=packaging-release jobs=packaging-jobs
trap '"$kubectl" delete namespace "$release" "$jobs" --wait=false >/dev/null 2>&1' EXIT
"$kubectl" create namespace "$release" >/dev/null
"$kubectl" create namespace "$jobs" >/dev/null

dry_run() { "$helm" template goodput "$chart" --skip-tests -n "$release" --kube-version 1.36.0 --set "$image" "$@" | "$kubectl" apply --server-side --dry-run=server -f -; }
check "helm template | kubectl apply --dry-run=server" dry_run
check "the same with watchNamespaces" dry_run --set "watchNamespaces={$jobs}"
check "the same with all that needs no other operator" dry_run --set networkPolicy.enabled=true,metrics.dashboard.enabled=true,autoCreate=all \
	--set-json 'networkPolicy.metricsFrom=[{"namespaceSelector":{"matchLabels":{"a":"b"}}}],topologySpreadConstraints=[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app.kubernetes.io/name":"goodput-controller"}}}]'
check "the same with a certificate of one's own" dry_run --set metrics.tls.secretName=own
check "the same with much set" dry_run --set 'replicas=3,podDisruptionBudget.maxUnavailable=50%,priorityClassName=system-cluster-critical' \
	--set-json 'tolerations=[{"operator":"Exists"}],nodeSelector={"a":"b"},podLabels={"team":"x"},affinity={"podAntiAffinity":{}},imagePullSecrets=[{"name":"s"}]'


# Compares rbac.txt with what the API server answers: a SubjectAccessReview a line, all in one request each way.
account=system:serviceaccount:$release:goodput-controller
review() { # verb resource namespace: resource is TYPE[.GROUP][/SUBRESOURCE or /NAME]
	local type=${2%%/*} part='' namespace=$3 field=name
	[[ $2 == */* ]] && part=${2#*/}
	case $part in status | log | proxy | exec | eviction) field=subresource ;; esac
	case $namespace in -) namespace='' ;; watched) namespace=$jobs ;; release) namespace=$release ;; esac
	local group=''
	[[ $type == *.* ]] && group=${type#*.} type=${type%%.*}
	printf -- '---\napiVersion: authorization.k8s.io/v1\nkind: SubjectAccessReview\nspec: {user: "%s", resourceAttributes: {verb: %s, group: "%s", resource: %s, %s: "%s", namespace: "%s"}}\n' \
		"$account" "$1" "$group" "$type" "$field" "$part" "$namespace"
}
rbac_answers() {
	while read -r _ verb resource where; do review "$verb" "$resource" "$where"; done < <(grep -v '^#' tests/packaging/rbac.txt) |
		"$kubectl" create -f - -o jsonpath='{.status.allowed}{"\n"}' | sed -e 's/true/yes/' -e 's/false/no/'
}
# New rules reach the authorizer by a watch: what counts are the answers that stay.
compare_rbac() {
	local answer verb resource where said wanted answers deadline=$((SECONDS + 180))
	wanted=$(grep -v '^#' tests/packaging/rbac.txt | cut -d' ' -f1)
	until answers=$(rbac_answers); [ "$answers" = "$wanted" ] || [ $SECONDS -ge $deadline ]; do sleep 0.2; done
	while read -r answer verb resource where said; do
		same "RBAC: $answer, $verb $resource in $where" "$answer" "$said"
	done < <(paste -d' ' <(grep -v '^#' tests/packaging/rbac.txt) - <<<"$answers")
}
may() { review "$@" | "$kubectl" create -f - -o jsonpath='{.status.allowed}'; }

# All that the account may do, by the authorizer's own list, compared with the agreed list: nothing more, nothing less.
list_of() { # account namespace
	"$kubectl" auth can-i --list --as="$1" --as-group=system:serviceaccounts --as-group=system:authenticated -n "$2" |
		tail -n +2 | sed -E -e 's/ +/ /g; s/ $//' -e "s/^(steplogformats.goodput.dev \[\]) \[($(ls $chart/files/formats | sed 's/[.]yaml$//' | paste -sd'|'))\]/\1 [SHIPPED]/" | LC_ALL=C sort -u
}
list_rbac() { LC_ALL=C comm -23 <(list_of "$account" "$1") <(list_of "system:serviceaccount:$release:nobody" "$1"); }
agreed() { sed -n "s/^$1: //p" tests/packaging/rbac-list.txt | LC_ALL=C sort; }

# From the chart as it was: everything that it made is taken over, and nothing of it is left behind.
old=tests/data/charts/goodput-controller-0.1.0.tgz
check "helm install of the chart before" "$helm" install goodput "$old" -n "$release" --set "replicas=3,$image"
refused "helm upgrade --reuse-values from it" "missing properties" "$helm" upgrade goodput "$chart" -n "$release" --reuse-values
check "helm upgrade --reset-then-reuse-values from it" "$helm" upgrade goodput "$chart" -n "$release" --reset-then-reuse-values
same "keeps what was set" 3 "$("$kubectl" get deployment goodput-controller -n "$release" -o jsonpath='{.spec.replicas}')"
check "helm upgrade from it" "$helm" upgrade goodput "$chart" -n "$release" --set "autoCreate=annotated,$image" --reset-values
same "the upgraded CRD is this chart's" "goodput-controller-$(sed -n 's/^version: //p' "$chart/Chart.yaml")" \
	"$("$kubectl" get crd jobgoodputs.goodput.dev -o jsonpath='{.metadata.labels.helm\.sh/chart}')"
same_soon "autoCreate lets it make JobGoodputs" true may create jobgoodputs.goodput.dev watched
check "helm rollback to it" "$helm" rollback goodput 1 -n "$release"
check "helm uninstall of it" "$helm" uninstall goodput -n "$release"
same "which leaves nothing but the CRDs" "" "$("$kubectl" get deploy,svc,sa,pdb,role,rolebinding,clusterrole,clusterrolebinding -A -l app.kubernetes.io/name=goodput-controller -o name)"

installed() { "$helm" install goodput "$chart" -n "$release" --set "$image" >"$notes"; }
notes=$(mktemp)
check "helm install" installed
check "its notes say the next command" grep -q 'kubectl get jobgoodputs -A --watch' "$notes"
check "the CRD is established" "$kubectl" wait --for=condition=Established crd/jobgoodputs.goodput.dev --timeout=120s
compare_rbac
same_soon "all that it may do where jobs are (auth can-i --list)" "$(agreed watched)" list_rbac "$jobs"
same_soon "all that it may do where it is" "$(agreed release)" list_rbac "$release"
same_soon "all that it may do where nodes' leases are" "$(agreed nodes)" list_rbac kube-node-lease
same "the role view is to take in the viewer's rules" true \
	"$("$kubectl" get clusterrole goodput-controller-viewer -o jsonpath='{.metadata.labels.rbac\.authorization\.k8s\.io/aggregate-to-view}')"

# What the pod of `helm test` runs, as the controller's account.
able() { # FLAG...: --check's verdict, and how many lists cannot be read
	"$kubectl" config view --raw --minify >"$notes"
	"$kubectl" --kubeconfig "$notes" config set-credentials "$("$kubectl" --kubeconfig "$notes" config view -o jsonpath='{.users[0].name}')" \
		--token="$("$kubectl" create token goodput-controller -n "$release")" >/dev/null
	"${CONTROLLER:-.build/release/bin/goodput-controller}" --check --kubeconfig "$notes" "$@" >"$notes.said" 2>&1
	echo "$? $(grep -c '^not readable' "$notes.said") $(grep -c '^readable.*jobgoodputs' "$notes.said")"
}
same_soon "its account can read all that it watches" "0 0 1" able
check "helm upgrade to watchNamespaces" "$helm" upgrade goodput "$chart" -n "$release" --set "watchNamespaces={$jobs},$image"
compare_rbac
same_soon "RBAC: no other namespace" false may list pods default
same_soon "its account can read what it watches there" "0 0 1" able "--watch-namespaces=$jobs"
everywhere() { able | cut -d' ' -f1,3; }
same_soon "and no JobGoodput elsewhere" "1 0" everywhere

# The shipped formats, by the account's rights: the kind is served long after the controller leads.
"$kubectl" delete crd steplogformats.goodput.dev >/dev/null
format() { "$kubectl" get steplogformats "$1" -o jsonpath="{$2}"; }
formats() { "$kubectl" get steplogformats -l app.kubernetes.io/managed-by=goodput-controller -o name | wc -l; }
shipped=$(ls $chart/files/formats/*.yaml | wc -l)
lead() { # waits until it leads no more, if it does, and starts it
	[ -z "${leader:-}" ] || { kill "$leader"; wait "$leader"; }
	"${CONTROLLER:-.build/release/bin/goodput-controller}" --kubeconfig "$notes" --leader-elect=false --health-bind-address=0 \
		--watch-namespaces="$jobs" --install-formats >"$notes.said" 2>&1 &
	leader=$!
}
lead
said() { grep -c "$1" "$notes.said"; }
same_soon "a controller leads where StepLogFormats are not served" 1 said '"resource not served","resource":"steplogformats"'
check "helm upgrade makes their definition" "$helm" upgrade goodput "$chart" -n "$release" --set "watchNamespaces={$jobs},$image"
same_soon "and the controller the formats" "$shipped" formats
same_soon "... the last of them is Ready" True format verl '.status.conditions[0].status'
annotate() { "$kubectl" annotate --overwrite steplogformats "$1" kubernetes.io/description=edited >/dev/null; }
annotate verl
annotate olmo
"$kubectl" label steplogformats olmo app.kubernetes.io/managed-by- >/dev/null
"$kubectl" delete steplogformats sockeye litgpt >/dev/null
"$kubectl" create -f - >/dev/null <<<'{"apiVersion":"goodput.dev/v1alpha1","kind":"StepLogFormat","metadata":{"name":"litgpt"},"spec":{"patterns":[{"name":"own","kind":"Step","pattern":"^own (?<step>[0-9]+)"}]}}'
lead
same_soon "the next one makes what was deleted, but for a user's" $((shipped - 2)) formats
description() { format "$1" .metadata.annotations.kubernetes\\.io/description; }
same_soon "... writes its formats again" "verl, PPO and GRPO and SFT" description verl
same "... not those without its label" "edited own" "$(description olmo) $(format litgpt '.spec.patterns[*].name')"
kill "$leader"
wait "$leader"
rm -f "$notes" "$notes.said"

"$kubectl" create -n "$jobs" -f tests/data/crd/good/minimal.yaml >/dev/null
# One JobGoodput: 13 MiB (deploy/docs/how-to/scale.md).
warned() { "$helm" upgrade goodput "$chart" -n "$release" --reset-values --dry-run=server --set "resources.limits.memory=$1,$image" | grep '^WARNING'; }
for limit in 12Mi 13000k 0.01Gi 12582912; do
	same "notes of a limit of $limit warn of what the cluster holds" \
		"WARNING: the JobGoodputs of this cluster (1) need up to 13Mi of memory; the limit is $limit. Beyond it the" "$(warned $limit)"
done
for limit in 13Mi 14M 1Gi 256Mi null; do same "... of $limit do not" "" "$(warned $limit)"; done
check "helm uninstall" "$helm" uninstall goodput -n "$release"
same "the record outlives the chart" jobgoodput.goodput.dev/minimal "$("$kubectl" get jgp -n "$jobs" -o name)"
same "nothing else does" "" "$("$kubectl" get deploy,svc,sa,pdb,networkpolicy,configmap,secret,role,rolebinding,clusterrole,clusterrolebinding -A -l app.kubernetes.io/name=goodput-controller -o name)"
"$kubectl" delete jgp -n "$jobs" minimal >/dev/null
same "and the formats" "$((shipped - 2))" "$(formats)"
check "a second install takes what was kept" "$helm" install goodput "$chart" -n "$release" --set "$image"
"$helm" uninstall goodput -n "$release" >/dev/null 2>&1
check "so does one by another name elsewhere, by --take-ownership" "$helm" install other "$chart" -n "$jobs" --take-ownership --set "$image"
check "its CRDs deleted first, it is uninstalled all the same" sh -c '"$0" delete crd jobgoodputs.goodput.dev fleetgoodputs.goodput.dev steplogformats.goodput.dev && "$1" uninstall other -n "$2"' "$kubectl" "$helm" "$jobs"

# Without Helm, as the README says it.
plain() { "$kubectl" get deployment,service,serviceaccount,poddisruptionbudget,role,rolebinding -n goodput-system -l app.kubernetes.io/name=goodput-controller -o name; }
check "kubectl kustomize deploy: no mapping has a key twice" sh -c '"$0" kustomize deploy | tests/packaging/strict-yaml.py' "$kubectl"
for how in "" --server-side; do
	check "kubectl apply $how -k deploy" "$kubectl" apply $how -k deploy
	for kind in jobgoodputs fleetgoodputs steplogformats; do
		check "... establishes $kind" "$kubectl" wait --for=condition=Established "crd/$kind.goodput.dev" --timeout=120s
	done
	same "... makes the namespace's objects" "deployment poddisruptionbudget role rolebinding service serviceaccount" \
		"$(plain | sed 's/[./].*//' | sort -u | paste -sd' ')"
	account=system:serviceaccount:goodput-system:goodput-controller
	same_soon "... lets the controller read jobs" true may list jobs.batch watched
	check "... a JobGoodput is taken" "$kubectl" create -n "$jobs" -f tests/data/crd/good/minimal.yaml
	check "... a FleetGoodput is taken" "$kubectl" create -f tests/data/crd/good/fleet-minimal.yaml
	check "kubectl apply $how -k deploy, again" "$kubectl" apply $how -k deploy
	check "kubectl delete -k deploy" "$kubectl" delete -k deploy --wait=false
	# No namespace controller runs here to finalize it.
	"$kubectl" get namespace goodput-system -o json | sed 's/"kubernetes"$//' |
		"$kubectl" replace --raw /api/v1/namespaces/goodput-system/finalize -f - >/dev/null
	check "... deletes all of it" "$kubectl" wait --for=delete namespace/goodput-system crd/jobgoodputs.goodput.dev \
		crd/fleetgoodputs.goodput.dev crd/steplogformats.goodput.dev --timeout=180s
done
finish
