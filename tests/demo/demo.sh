#!/bin/bash
# The main job in about a minute, with nothing installed: the embedded API server plays a training job's life
# (story.scenario), the controller runs against it unchanged, and the JobGoodput is printed as it changes.
# REPORT=FILE: also writes the job's pictures to FILE, as `kubectl goodput report` draws them.
# Exit code 0 if the job's record is complete and its buckets add up to the wall time, 1 if not, 130 after Ctrl-C.
set -u
cd "$(dirname "$0")/../.." || exit 1
bin=.build/bin
for program in test-apiserver goodput-controller kubectl-goodput; do
    if [ ! -x "$bin/$program" ]; then
        echo "demo: $bin/$program is missing: run make" >&2
        exit 1
    fi
done
work=$(mktemp -d "${TMPDIR:-/tmp}/goodput-demo-XXXXXX") || exit 1
server= controller= table=
cleanup() {
    for pid in $table $controller $server; do
        kill "$pid" 2>/dev/null
    done
    for pid in $table $controller $server; do
        wait "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
# job NAME: the JobGoodput as kubectl get -o json prints it, where there may be no kubectl.
job() {
    local address
    address=$(sed -n 's|.*server: http://\([0-9.]*\):\([0-9]*\).*|\1/\2|p' "$work/kubeconfig")
    exec 3<>"/dev/tcp/$address" || return 1
    printf 'GET /apis/goodput.dev/v1alpha1/namespaces/research/jobgoodputs/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
    sed '1,/^\r*$/d' <&3
    exec 3>&-
}
trap cleanup EXIT
trap 'echo; echo "demo: stopped" >&2; exit 130' INT
trap 'exit 143' TERM

"$bin/test-apiserver" --crd crds/goodput.dev_jobgoodputs.yaml --crd crds/goodput.dev_steplogformats.yaml --crd crds/goodput.dev_fleetgoodputs.yaml --kubeconfig-out "$work/kubeconfig" \
    --scenario tests/demo/story.scenario --print-table jobgoodputs >"$work/table" 2>"$work/server.log" &
server=$!
for _ in $(seq 600); do # a minute: only a demo that failed waits so long
    [ -s "$work/kubeconfig" ] && break
    sleep 0.1
done
"$bin/goodput-controller" --kubeconfig "$work/kubeconfig" --leader-elect=false --health-bind-address 0 \
    --page-bind-address 127.0.0.1:0 --status-interval 3s 2>"$work/controller.log" &
controller=$!
for _ in $(seq 600); do
    port=$(sed -n 's/.*"page served","port":\([0-9]*\).*/\1/p' "$work/controller.log")
    [ -n "$port" ] && break
    sleep 0.1
done

cat <<END
A training job of 2 TPU slices x 4 hosts is queued, admitted, trains, loses a host, is preempted, and completes.
It takes about 75 seconds; Ctrl-C ends everything. To look meanwhile: http://127.0.0.1:$port/, or in another terminal:

    export KUBECONFIG=$work/kubeconfig
    kubectl get jgp -A -w
    kubectl logs -n research -f -l jobset.sigs.k8s.io/job-index=0,batch.kubernetes.io/job-completion-index=0

A stand-in plays the API server. It checks objects against the schemas of the CRDs, but not against their CEL rules:
what those refuse on a real cluster is accepted here.

END
tail -n +1 -f "$work/table" & # from here on, so that the introduction comes before the first row
table=$!

while :; do
    if grep -q 'The story is over' "$work/server.log"; then
        break
    fi
    if ! kill -0 "$server" 2>/dev/null; then
        echo "demo: the story did not come to its end:" >&2
        cat "$work/server.log" >&2
        grep -E '"level":"(warn|error)' "$work/controller.log" | tail -5 >&2
        exit 1
    fi
    if ! kill -0 "$controller" 2>/dev/null; then
        echo "demo: the controller ended:" >&2
        tail -5 "$work/controller.log" >&2
        exit 1
    fi
    sleep 0.2
done

sleep 0.5 # tail shows the last row
kill "$table" 2>/dev/null

echo
job llama3-70b >"$work/job.json" || exit 1
"$bin/kubectl-goodput" explain -f "$work/job.json" || exit 1
[ -z "${REPORT:-}" ] || "$bin/kubectl-goodput" report -f "$work/job.json" --html "$REPORT" || exit 1
echo
awk '/VmRSS/ { printf "The controller holds %.1f MiB of memory.\n", $2 / 1024 }' "/proc/$controller/status"
if [ -t 0 ]; then
    echo
    echo "The page stays: http://127.0.0.1:$port/. Press Enter to end the demo."
    read -r _
fi
