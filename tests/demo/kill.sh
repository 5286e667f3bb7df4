#!/bin/bash
# The demo's story, its controller killed (-9) every few seconds at random and started again: what the record says in the
# end must be what the trainer did, whoever was alive meanwhile. Prints kills, the figures and "N passed, N failed".
# SEED: of the moments; KILL_FROM, KILL_TO: seconds between two kills (1 to 6).
set -u
cd "$(dirname "$0")/../.." || exit 1
bin=.build/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/goodput-kill-XXXXXX") || exit 1
server= controller=
export KUBECTL=tests/harness/kubectl
trap 'kill -9 $controller $server 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
RANDOM=${SEED:=$RANDOM}
from=${KILL_FROM:-1} to=${KILL_TO:-6}

"$bin/test-apiserver" --crd crds/goodput.dev_jobgoodputs.yaml --crd crds/goodput.dev_steplogformats.yaml --crd crds/goodput.dev_fleetgoodputs.yaml --kubeconfig-out "$work/kubeconfig" \
    --scenario tests/demo/story.scenario 2>"$work/server.log" >/dev/null &
server=$!
for _ in $(seq 2400); do
    [ -s "$work/kubeconfig" ] && break
    sleep 0.05
done
start() {
    "$bin/goodput-controller" --kubeconfig "$work/kubeconfig" --leader-elect=false --health-bind-address 0 \
        --status-interval 1s 2>>"$work/controller.log" &
    controller=$!
}
start
kills=0
while ! grep -q 'The story is over' "$work/server.log"; do
    sleep "$((from + RANDOM % (to - from + 1))).$((RANDOM % 10))"
    grep -q 'The story is over' "$work/server.log" && break
    kill -0 $server 2>/dev/null || { cat "$work/server.log"; exit 1; }
    kill -9 $controller
    wait $controller 2>/dev/null
    kills=$((kills + 1))
    start
done
for _ in $(seq 600); do
    "$bin/kubectl-goodput" explain llama3-70b -n research --kubeconfig "$work/kubeconfig" >"$work/explained" 2>&1
    grep -q '^Completed' "$work/explained" && break
    sleep 0.2
done
sleep 2
"$bin/kubectl-goodput" explain llama3-70b -n research --kubeconfig "$work/kubeconfig" >"$work/explained" 2>&1
cat "$work/explained"
passed=0 failed=0
# A busy machine ends the trainer's phases too late: the trainer says by how much.
late=$(grep -oE 'took [0-9.]+ s too long' "$work/server.log" | tail -n 1 | cut -d ' ' -f 2)
echo "the trainer's phases took ${late:?the trainer did not end} s too long in all"
# near WHAT LINE EXPECTED TOLERANCE: the first number of seconds in the line.
near() {
    local value
    value=$(grep -m1 "^ *$2 " "$work/explained" | grep -oE '[0-9.]+s' | head -n 1 | tr -d s)
    if awk -v a="${value:-none}" -v b="$3" -v t="$4" -v late="$late" 'BEGIN { exit !(a != "none" && a - b <= t + late && b - a <= t) }'; then
        passed=$((passed + 1)); echo "ok - $1: $value s, the trainer did $3 s"
    else
        failed=$((failed + 1)); echo "not ok - $1: ${value:-nothing} s, the trainer did $3 s"
    fi
}
says() {
    if grep -q "$1" "$work/explained"; then passed=$((passed + 1)); echo "ok - $1"; else failed=$((failed + 1)); echo "not ok - $1"; fi
}
near 'productive (76 kept steps of 0.4 s)' productive 30.4 1.0
near 'ProgramStartup (3 compilations of 2.5 s, 2 of them after 0.1 s of tracing)' ProgramStartup 7.7 0.2
near 'CheckpointRestore (2 of 1 s)' CheckpointRestore 2.0 0.3
says 'Interruptions: 2 (1 NodeFailure, 1 KueuePreemption)'
says '76 retained, ' # how many are done again depends on when the job is preempted
echo "killed $kills times, SEED=$SEED"
[ "$failed" = 0 ] || tail -n 20 "$work/controller.log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
