#!/usr/bin/env bash
# test.sh: what `make test` runs: every unit, replay and client test in two builds (release, ASan+UBSan), the corpora of
# the fuzzers and the checks of the source. As many steps run at once as there are cores; each says when it starts to take
# long and how long it took. The last line is the total.
# Environment: TEST_JOBS (steps at once; the number of cores), TEST_ONLY (a pattern of step names, to repeat some).
set -u
cd "$(dirname "$0")/../.."
logs=.build/test-logs
rm -rf "$logs"
mkdir -p "$logs"
jobs=${TEST_JOBS:-$(nproc)}
started=$SECONDS
passed=0 failed=0 failures=()
TIMEFORMAT='%R %U %S'

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1

# ---- a step: a log, a line with its times, and its exit status -------------------------------------------------------
run() { # NAME COMMAND...
    local name=$1
    shift
    { time "$@" >"$logs/$name.log" 2>&1; } 2>"$logs/$name.times"
    echo $? >"$logs/$name.status"
}

# report NAME: adds a finished step to the totals. A step whose log ends with "N passed, N failed" counts these; any other
# counts as one check.
report() {
    local name=$1 log=$logs/$1.log status line p=0 f=0 real user system
    status=$(cat "$logs/$name.status" 2>/dev/null || echo 1)
    line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    if [ -n "$line" ]; then
        read -r p _ f _ <<<"$line"
        [ "$status" = 0 ] || [ "$f" != 0 ] || f=1 # it ended badly after its total
        [ "$((p + f))" != 0 ] || f=1              # a skip is not a pass
    elif [ "$status" = 0 ] && [[ $name != test-* ]]; then
        p=1
    else
        f=1
    fi
    read -r real user system < <(tail -n 1 "$logs/$name.times")
    passed=$((passed + p)) failed=$((failed + f))
    if [ "$f" = 0 ]; then
        printf '%-28s %4d passed  %6.1f s (CPU %.1f s)\n' "$name" "$p" "$real" "$(bc_sum "$user" "$system")"
    else
        failures+=("$name")
        printf '%-28s %4d passed, %d FAILED after %.1f s (exit %s), log: %s\n' "$name" "$p" "$f" "$real" "$status" "$log"
        failing_lines "$log" 60
        tail -n 15 "$log"
    fi
}
failing_lines() { # LOG COUNT: the first COUNT lines of what failed
    grep -aE -A2 '^not ok|FAILED|^    [0-9]+\.|^tests/[^ ]+:[0-9]+:|ERROR: |runtime error' "$1" | head -n "$2"
}
bc_sum() { awk -v a="$1" -v b="$2" 'BEGIN {print a + b}'; }

# ---- the steps of a group run $jobs at once; besides them, one after the other, those that mostly wait ---------------
declare -A running=() waiting=()
finished() { # reports what has ended; true if anything has
    local pid name any=1
    for name in "${!waiting[@]}"; do
        [ -e "$logs/$name.status" ] || continue
        report "$name"
        unset "waiting[$name]"
        any=0
    done
    for pid in "${!running[@]}"; do
        [ -e "$logs/${running[$pid]}.status" ] || continue
        wait "$pid"
        report "${running[$pid]}"
        unset "running[$pid]"
        any=0
    done
    return $any
}
step() { # NAME COMMAND...
    [[ $1 =~ ${TEST_ONLY:-.} ]] || return 0
    while [ ${#running[@]} -ge "$jobs" ]; do await; done
    run "$@" &
    running[$!]=$1
}
line=() # the steps that mostly wait; start_line starts them
waits() { # NAME COMMAND...: a step that takes no place of those that run at once
    [[ $1 =~ ${TEST_ONLY:-.} ]] || return 0
    waiting[$1]=1
    line+=("run$(printf ' %q' "$@")")
}
start_line() { # a subshell that the script outlives: await sees what each step leaves
    (for command in ${line[@]+"${line[@]}"}; do eval "$command"; done) &
}
said=$SECONDS
await() {
    finished && said=$SECONDS && return 0
    if [ $((SECONDS - said)) -ge 60 ]; then
        echo "    $(((SECONDS - started) / 60)) min: still running: ${running[*]} ${!waiting[*]}"
        said=$SECONDS
    fi
    sleep 0.2
}
all_done() { while [ $((${#running[@]} + ${#waiting[@]})) -gt 0 ]; do await; done; }
alone() { # NAME COMMAND...: nothing else runs meanwhile
    all_done
    step "$@"
    all_done
}

# ---- build -----------------------------------------------------------------------------------------------------------
echo "make test: two builds, then unit tests, simulations, faults; $jobs steps at once; logs in $logs"
for variant in release asan; do
    alone "build-$variant" make -s -j"$jobs" V=$variant programs tests
done

# ---- tests: the long ones first --------------------------------------------------------------------------------------
# The release build runs in another locale and time zone, which must not matter. The faults play once, where ASan sees what
# they leave behind; nights play them without it.
for variant in asan release; do
    built=(env GOODPUT_BIN=".build/$variant/bin" TEST_APISERVER=".build/$variant/bin/test-apiserver")
    [ $variant = asan ] || built+=(LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu)
    waits "test-runtime-$variant" "${built[@]}" timeout 900 ".build/$variant/tests/test-runtime"
done
waits demo timeout 300 tests/demo/demo_test.py
# A short piece of `make soak`, at a pace that a busy machine can keep. Not under a sanitizer, which keeps what is freed.
waits soak env SOAK_SPEED=4 timeout 600 .build/release/bin/test-soak
start_line
for variant in asan release; do
    built=(env GOODPUT_BIN=".build/$variant/bin" TEST_APISERVER=".build/$variant/bin/test-apiserver")
    [ $variant = asan ] || built+=(LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu)
    for program in faults operator export ledger cli kube io recorder sources fleet steplog; do
        name=test-$program
        [ -x ".build/$variant/tests/$name" ] && [ "$program-$variant" != faults-release ] || continue
        step "$name-$variant" "${built[@]}" timeout 900 ".build/$variant/tests/$name"
    done
    for program in ".build/$variant"/tests/test-*; do
        name=$(basename "$program")
        [ -x "$program" ] && [[ $name != *.* ]] && [ "$name-$variant" != test-faults-release ] && [ "$name" != test-runtime ] && [ ! -e "$logs/$name-$variant.log" ] || continue
        step "$name-$variant" "${built[@]}" timeout 900 "$program"
    done
done
# Every subcommand and output on every log and status, also stretched to hours and days.
step outputs timeout 600 make -s V=asan outputs
# Simulated jobs in every log format, against their truth: the tables are in the logs.
step truth-release timeout 600 make -s truth TRUTH_JOBS=500
step truth-asan timeout 600 make -s truth V=asan TRUTH_JOBS=100
# The styles of trainers that no format names are read, and no step is read of 200 programs that do not train.
step styles-release timeout 600 make -s styles STYLE_JOBS=10
step styles-asan timeout 600 make -s styles V=asan STYLE_JOBS=2
step advice timeout 300 make -s advice-proof ADVICE_JOBS=200

# Random lives of training jobs with known truth, observed promptly, late and reordered, without Events, killed, with a gap.
for sight in 0 1 2 3 4 5 6; do
    step "sim-$sight-release" timeout 600 .build/release/bin/test-sim -k $sight 500
    step "sim-$sight-asan" timeout 600 .build/asan/bin/test-sim -k $sight 100
done
for found in 4:70216 5:2760 5:10311 5:51327; do # sight:seed of lives that were judged wrongly once
    step "sim-seed-${found#*:}" .build/release/bin/test-sim -k "${found%:*}" 1 "${found#*:}"
done
step check make -s check
step documents tests/check/documents.py
step reference tests/check/reference.py .build/release/bin
step structure tests/check/structure.py .build/release/obj/controller
step packages tests/check/packages-test.sh
step totals tests/check/totals-test.sh
step node-cgroups tests/nodes/cgroups-test.sh
step static tests/check/static.sh .build/release/bin/kubectl-goodput
step hardening tests/check/hardening.sh .build/release/bin/goodput-controller .build/release/bin/kubectl-goodput
# The Python library's answers: its own where it can be installed, else the recorded ones.
parity() {
    if timeout 300 tests/parity/setup.sh; then
        timeout 600 .build/parity/venv/bin/python tests/parity/parity.py 200
    else
        echo "against the recorded answers: the library cannot be installed here"
        python3 tests/parity/parity.py --frozen tests/data/library
    fi
}
step parity parity
step parity-kept python3 tests/parity/parity.py --frozen tests/data/library
# An unmodified kubectl of 1.30 or newer against the embedded server, where there is one (.ci/run builds one).
kubectl=.build/cluster/bin/kubectl
[ -x $kubectl ] || kubectl=$(command -v kubectl || true)
if [ -n "$kubectl" ]; then
    step kubectl-check timeout 300 tests/apiserver/kubectl-check.sh "$kubectl"
else
    echo "kubectl-check: not run, there is no kubectl here (tests/cluster/build.sh kubectl builds one)"
fi
all_done
for name in ${failures[@]+"${failures[@]}"}; do
    echo "failed: $name, log: $logs/$name.log"
    failing_lines "$logs/$name.log" 20
done
echo "took $(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
