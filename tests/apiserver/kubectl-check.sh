#!/bin/bash
# An unmodified kubectl (1.30 or newer) against the embedded API server: every verb a user of JobGoodputs types, and the
# plugin, which reads the cluster through it.
# usage: kubectl-check.sh [KUBECTL]; over HTTP/1.1 and over TLS with HTTP/2. Exit code 1 if a check failed.
set -u
cd "$(dirname "$0")/../.." || exit 1
server=${TEST_APISERVER:-.build/bin/test-apiserver}
plugin=${GOODPUT_BIN:-.build/bin}/kubectl-goodput
kubectl=${1:-kubectl}
if ! command -v "$kubectl" >/dev/null; then
    echo "kubectl-check: there is no $kubectl: tests/cluster/build.sh kubectl builds one"
    exit 1
fi
work=$(mktemp -d) || exit 1
pid= watcher= watcher2=
trap 'kill $watcher $watcher2 $pid 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0
ok() {
    passed=$((passed + 1))
    echo "ok - $mode: $1"
}
not_ok() {
    failed=$((failed + 1))
    echo "not ok - $mode: $1"
    sed 's/^/    /' "$work/out"
}
# check NAME PATTERN COMMAND...: succeeds and prints something that matches
check() {
    local name=$1 pattern=$2
    shift 2
    if timeout 120 "$@" >"$work/out" 2>&1 && grep -qE -- "$pattern" "$work/out"; then ok "$name"; else echo "exit code $?" >>"$work/out"; not_ok "$name"; fi
}
# refuse NAME PATTERN COMMAND...: fails and says something that matches
refuse() {
    local name=$1 pattern=$2
    shift 2
    if ! timeout 120 "$@" >"$work/out" 2>&1 && grep -qE -- "$pattern" "$work/out"; then ok "$name"; else not_ok "$name"; fi
}
K=("$kubectl" --kubeconfig "$work/kubeconfig" --cache-dir "$work/cache")

cat >"$work/jg.yaml" <<END
apiVersion: goodput.dev/v1alpha1
kind: JobGoodput
metadata: {name: demo, namespace: default, labels: {team: a}}
spec:
  targetRef: {apiGroup: jobset.x-k8s.io, kind: JobSet, name: demo}
END
sed 's/kind: JobSet, name: demo/kind: JobSet/' "$work/jg.yaml" >"$work/missing.yaml"
sed 's/^spec:/spec:\n  stepLogs: {}/' "$work/jg.yaml" >"$work/unknown.yaml"
cat >"$work/pods.scenario" <<END
apply <<X
apiVersion: v1
kind: Pod
metadata: {name: p0, namespace: default}
spec: {nodeName: n1, containers: [{name: trainer, image: i}]}
status: {phase: Running, containerStatuses: [{name: trainer, ready: true, restartCount: 2, state: {running: {startedAt: "2026-01-01T00:00:00Z"}}}]}
X
log default/p0 first line
wait 600s seen log pods 3
after 0.5s log default/p0 second line
after 0.2s exit default/p0
END

checks() {
    check "api-resources" "jobgoodputs +jgp +goodput.dev/v1alpha1 +true +JobGoodput" "${K[@]}" api-resources
    check "api-versions" "kueue.x-k8s.io/v1beta1" "${K[@]}" api-versions
    check "version" "Server Version: v1" "${K[@]}" version
    refuse "apply refuses a missing field" "spec.targetRef.name: Required value|missing required field" "${K[@]}" apply -f "$work/missing.yaml"
    refuse "apply refuses an unknown field" "unknown field \"spec.stepLogs\"" "${K[@]}" apply -f "$work/unknown.yaml"
    check "create --dry-run=server" "created \(server dry run\)" "${K[@]}" create --dry-run=server -f "$work/jg.yaml"
    refuse "get of nothing" "jobgoodputs.goodput.dev \"demo\" not found" "${K[@]}" get jgp demo
    timeout 900 "${K[@]}" get jgp -A -w >"$work/watch" 2>&1 &
    watcher=$!
    check "apply creates" "demo created" "${K[@]}" apply -f "$work/jg.yaml"
    check "apply again" "demo unchanged" "${K[@]}" apply -f "$work/jg.yaml"
    sed -i 's/team: a/team: b/' "$work/jg.yaml"
    check "apply changes" "demo configured" "${K[@]}" apply -f "$work/jg.yaml"
    check "apply --server-side" "demo serverside-applied" "${K[@]}" apply --server-side -f "$work/jg.yaml"
    sed 's/team: b/team: c/' "$work/jg.yaml" >"$work/other.yaml"
    refuse "apply --server-side by another" "conflict" "${K[@]}" apply --server-side --field-manager=other -f "$work/other.yaml"
    check "apply --force-conflicts" "serverside-applied" "${K[@]}" apply --server-side --field-manager=other --force-conflicts -f "$work/other.yaml"
    check "defaults of the schema" "PodLog" "${K[@]}" get jgp demo -o "jsonpath={.spec.stepLog.source}"
    check "get" "^NAME +PHASE +SCHEDULING +RUNTIME +GOODPUT +TOP-BADPUT +INTERRUPTIONS +STEP +READY +AGE *$" "${K[@]}" get jgp
    check "get -o wide" "TARGET +PRODUCTIVITY +EVIDENCE +QUEUE +CHIPS +OWNER +WAITING-FOR" "${K[@]}" get jobgoodput -o wide
    check "get by category" "demo" "${K[@]}" get goodput
    check "get -l" "demo" "${K[@]}" get jgp -l "team in (c,d)"
    check "get -l that selects nothing" "No resources found" "${K[@]}" get jgp -l team!=c
    check "patch status" "patched" "${K[@]}" patch jgp demo --subresource=status --type=merge -p '{"status":{"phase":"Training"}}'
    check "patch status leaves the generation" "^2$|^1$" "${K[@]}" get jgp demo -o "jsonpath={.metadata.generation}"
    check "wait --for=jsonpath" "condition met" "${K[@]}" wait --for=jsonpath='{.status.phase}'=Training jgp/demo --timeout=60s
    check "describe" "Phase: +Training" "${K[@]}" describe jgp demo
    cat >"$work/event.yaml" <<END
apiVersion: v1
kind: Event
metadata: {name: demo.1, namespace: default}
involvedObject: {apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, name: demo, namespace: default, uid: $("${K[@]}" get jgp demo -o "jsonpath={.metadata.uid}")}
type: Normal
reason: Observed
message: first step seen
END
    check "create an event" "created" "${K[@]}" create -f "$work/event.yaml"
    check "describe shows events" "first step seen" "${K[@]}" describe jgp demo
    check "explain" "targetRef" "${K[@]}" explain jobgoodput.spec
    check "explain --recursive" "badput" "${K[@]}" explain jgp.status --recursive
    check "label" "labeled" "${K[@]}" label jgp demo x=y
    check "annotate" "annotated" "${K[@]}" annotate jgp demo x=y
    check "get pods" "p0 +1/1 +Running +2" "${K[@]}" get pods
    check "logs" "^first line$" "${K[@]}" logs p0
    check "logs --timestamps --tail" "^20[0-9T:.Z-]+ first line$" "${K[@]}" logs p0 --timestamps --tail=1
    check "logs -f" "second line" "${K[@]}" logs -f p0
    refuse "logs of no container" "container nope is not valid for pod p0" "${K[@]}" logs p0 -c nope
    check "get events" "Observed" "${K[@]}" get events
    check "get --field-selector" "pod/p0" "${K[@]}" get pods --field-selector spec.nodeName=n1,status.phase=Running -o name
    check "get by raw path" '"ok"|ok' "${K[@]}" get --raw /readyz
    plugin_checks
    check "delete" "\"demo\" deleted" "${K[@]}" delete jgp demo
    kill $watcher 2>/dev/null
    wait $watcher 2>/dev/null
    cp "$work/watch" "$work/out"
    if [ "$(grep -c '^default +*demo\|^default  *demo' "$work/watch")" -ge 3 ] && grep -q Training "$work/watch"; then
        ok "get -A -w"
    else
        not_ok "get -A -w"
    fi
}

# The plugin, found by kubectl; its own kubectl is the one that found it.
plugin_checks() {
    local G=("$work/bin/kubectl" goodput) F=(--kubeconfig "$work/kubeconfig" --cache-dir "$work/cache") flag
    check "plugin: top" "^demo +Training" "${G[@]}" top "${F[@]}"
    check "plugin: top -l with --as, --as-group, --request-timeout" "^demo +Training" "${G[@]}" top -l team=c --as=x --as-group=y --request-timeout 20s "${F[@]}"
    check "plugin: top of an empty namespace" "^No resources found in other namespace.$" "${G[@]}" top -n other "${F[@]}"
    check "plugin: top -A -o jsonpath" "^demo$" "${G[@]}" top -A -o "jsonpath={.items[*].metadata.name}" "${F[@]}"
    check "plugin: top -o custom-columns --sort-by" "^demo +JobSet$" "${G[@]}" top --sort-by phase -o custom-columns=N:.metadata.name,K:.spec.targetRef.kind "${F[@]}"
    check "plugin: explain" "^default/demo \(JobSet demo\)$" "${G[@]}" explain demo --context "$("${K[@]}" config current-context)" "${F[@]}"
    check "plugin: explain -o go-template" "^JobGoodput$" "${G[@]}" explain demo -o go-template="{{.kind}}{{println}}" "${F[@]}"
    refuse "plugin: an error of kubectl as it is" '^Error from server \(NotFound\): jobgoodputs.goodput.dev "none" not found$' "${G[@]}" explain none "${F[@]}"
    refuse "plugin: a context that is not there" "context.* none|context \"none\" does not exist" "${G[@]}" top --context none "${F[@]}"
    refuse "plugin: a kind that is not served" "is goodput-controller installed" "${G[@]}" fleet none "${F[@]}"
    timeout 600 "$plugin" top -w "${F[@]}" >"$work/out" 2>&1 &
    watcher2=$!
    for _ in $(seq 300); do grep -q "^demo +*Training" "$work/out" && break; sleep 0.1; done
    "${K[@]}" patch jgp demo --subresource=status --type=merge -p '{"status":{"phase":"Stalled"}}' >/dev/null
    for _ in $(seq 300); do grep -q "^demo  *Stalled" "$work/out" && break; sleep 0.1; done
    kill $watcher2
    wait $watcher2
    if [ $? = 0 ] && grep -q "^demo  *Stalled" "$work/out"; then ok "plugin: top -w"; else not_ok "plugin: top -w"; fi
    : >"$work/out"
    for flag in $("${K[@]}" options | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        "$plugin" version "$flag=1" >/dev/null 2>>"$work/out" || echo "$flag" >>"$work/out"
    done
    if [ -s "$work/out" ]; then not_ok "plugin: takes all global flags of kubectl"; else ok "plugin: takes all global flags of kubectl"; fi
}

mkdir "$work/bin"
ln -s "$(command -v "$kubectl" | xargs realpath)" "$work/bin/kubectl"
ln -s "$(realpath "$plugin")" "$work/bin/kubectl-goodput"
PATH=$work/bin:$PATH
for mode in http1 tls-h2; do
    case $mode in http1) flags=--http1 ;; *) flags=--tls ;; esac
    sed -i 's/team: b/team: a/' "$work/jg.yaml"
    rm -f "$work/kubeconfig" "$work/port"
    "$server" $flags --crd crds/goodput.dev_jobgoodputs.yaml --kubeconfig-out "$work/kubeconfig" --port-file "$work/port" \
        --scenario "$work/pods.scenario" &
    pid=$!
    for _ in $(seq 600); do
        [ -s "$work/port" ] && [ -s "$work/kubeconfig" ] && break
        sleep 0.1
    done
    checks
    kill "$pid"
    wait "$pid" 2>/dev/null
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
