#!/usr/bin/env bash
# test.sh: what `make test` runs: every unit, replay and client test in two builds (release, ASan+UBSan), the checks
# of the source, the corpora and ten seconds of fuzzing a target. The last line is the total.
set -u
cd "$(dirname "$0")/../.."
logs=.build/test-logs
mkdir -p "$logs"
passed=0 failed=0 failures=()

# count LOG: adds the last "N passed, N failed" line of a log; a program without one counts as a failure.
count() {
    local line
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$2" | tail -n 1)
    if [ -z "$line" ]; then
        echo "FAIL $1: no total (see $2)"
        tail -n 15 "$2"
        failed=$((failed + 1))
        failures+=("$1")
        return
    fi
    read -r p _ f _ <<<"$line"
    passed=$((passed + p)) failed=$((failed + f))
    echo "$1: ${line}"
    if [ "$f" != 0 ]; then
        failures+=("$1")
        grep -aE -A2 '^not ok|FAILED|^    [0-9]+\.|^tests/[^ ]+:[0-9]+:' "$2" | head -60
    fi
}

# step NAME COMMAND...: one check that passes or fails as a whole.
step() {
    local name=$1 log=$logs/$1.log
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "$name: ok"
    else
        failed=$((failed + 1))
        failures+=("$name")
        echo "FAIL $name (see $log)"
        tail -n 20 "$log"
    fi
}

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
jobs=$(nproc)
for variant in release asan; do
    step "build-$variant" make -s -j"$jobs" V=$variant programs tests
done
step check make -s check
step hardening tests/check/hardening.sh .build/release/bin/goodput-controller .build/release/bin/kubectl-goodput
for variant in release asan; do
    for program in .build/$variant/tests/test-*; do
        case $program in *.log | *.d) continue ;; esac
        [ -x "$program" ] || continue
        name=$(basename "$program")-$variant
        GOODPUT_BIN=.build/$variant/bin timeout 600 "$program" >"$logs/$name.log" 2>&1
        count "$name" "$logs/$name.log"
    done
done
# Simulated jobs in every log format, against their truth: the tables are in the logs.
for variant in release asan; do
    step "truth-$variant" timeout 600 make -s truth V=$variant TRUTH_JOBS=500
done
# Random lives of training jobs with known truth, seen promptly, late and reordered, without Events, killed, with a gap, late.
for variant in release asan; do
    for sight in 0 1 2 3 4 5; do
        step "sim-$sight-$variant" timeout 600 .build/$variant/bin/test-sim -k $sight 500
    done
done
# A short piece of `make soak`, at a pace that a busy machine can keep. Not under a sanitizer, which keeps what is freed.
step soak env SOAK_SPEED=4 timeout 600 .build/release/bin/test-soak
# Locale and time zone must not matter.
for program in .build/release/tests/test-{base,ledger,steplog,operator,cli}; do
    [ -x "$program" ] || continue
    name=$(basename "$program")-kathmandu
    LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu timeout 600 "$program" >"$logs/$name.log" 2>&1
    count "$name" "$logs/$name.log"
done
# An unmodified kubectl of 1.30 or newer against the embedded server, where there is one (.ci/run builds one).
kubectl=.build/cluster/bin/kubectl
[ -x $kubectl ] || kubectl=$(command -v kubectl || true)
if [ -n "$kubectl" ]; then
    timeout 300 tests/apiserver/kubectl-check.sh "$kubectl" >"$logs/kubectl-check.log" 2>&1
    count kubectl-check "$logs/kubectl-check.log"
else
    echo "kubectl-check: not run, there is no kubectl here (tests/cluster/build.sh kubectl builds one)"
fi
# The Python library's answers: its own where it can be installed, else those that were kept.
if timeout 300 tests/parity/setup.sh >"$logs/parity-setup.log" 2>&1; then
    timeout 600 .build/parity/venv/bin/python tests/parity/parity.py 200 >"$logs/parity.log" 2>&1
    count parity "$logs/parity.log"
else
    python3 tests/parity/parity.py --frozen tests/data/library >"$logs/parity.log" 2>&1
    count "parity (against kept answers: the library cannot be installed here, see $logs/parity-setup.log)" "$logs/parity.log"
fi
step demo timeout 300 make -s demo
FUZZ_SEED=1 step fuzz make -s -j"$jobs" fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-10}"
[ ${#failures[@]} -eq 0 ] || echo "failed: ${failures[*]} (logs in $logs)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
