#!/usr/bin/env bash
# bench.sh [STEPS]: the same log of STEPS recorder steps (1,000,000) to the real library and to analyze, each as a whole
# process, in the same run; prints seconds and ratios.
set -eu
cd "$(dirname "$0")/../.."
tests/parity/setup.sh
python=.build/parity/venv/bin/python
program=${KUBECTL_GOODPUT:-.build/release/bin/kubectl-goodput}
steps=${1:-1000000}
log=.build/parity/bench.jsonl
$python - "$steps" >$log <<'END'
import random, sys
rng, t = random.Random(7), 1795223940.5
print('{"job_name": "bench", "job_start_time": %r}' % t)
for step in range(int(sys.argv[1])):
    t += 3 + rng.random() * 0.2
    print('{"job_name": "bench", "step_count": %d, "step_start_time": %r}' % (step, round(t, 6)))
print('{"job_name": "bench", "job_end_time": %r}' % round(t + 3, 6))
END
seconds() { # of the fastest of N runs of a command
    local n=$1 best=
    shift
    for _ in $(seq "$n"); do
        local from to
        from=$(date +%s%N)
        "$@" >.build/parity/bench.out
        to=$(date +%s%N)
        [ -n "$best" ] && [ $((to - from)) -ge "$best" ] || best=$((to - from))
    done
    echo "$best"
}
theirs=$(seconds 1 $python tests/parity/library_run.py $log)
for definition in library ledger; do
    ours=$(seconds 5 "$program" analyze --definition $definition -o json $log)
    awk -v a="$theirs" -v b="$ours" -v n="$steps" -v d=$definition \
        'BEGIN { printf "%d steps: library %.2f s, analyze --definition %s %.3f s: %.0fx\n", n, a/1e9, d, b/1e9, a/b }'
done
