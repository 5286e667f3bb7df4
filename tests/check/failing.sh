#!/usr/bin/env bash
# failing.sh POINTS [NAME...]: runs the sanitized unit tests and kubectl-goodput again and again, and in each run one
# allocation, or one call that reads, writes or opens, fails (tests/preload/fail.c): POINTS places of each kind, spread over
# the run; POINTS "all": every place. A run may fail, in words: what is wrong, or "out of memory". It may not crash, leak, touch
# foreign memory, or never end. Two things are not counted: a test that stumbles over the failure of its own call
# (the message is from tests/), and memory that OpenSSL keeps after a failed allocation. Names: of layers with tests,
# "analyze" (kubectl-goodput reads a log), "controller" (the controller itself in tests/faults/undisturbed.scenario).
# FAIL_SEED moves the places.
set -u
cd "$(dirname "$0")/../.."
points=$1
shift
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(base ledger formulas fleet steplog library io kube sources recorder operator export cli analyze controller)
bin=${BIN:-.build/asan}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf 'leak:libcrypto.so\nleak:libssl.so\n' >"$scratch/suppressed"
export LSAN_OPTIONS=suppressions=$scratch/suppressed:print_suppressions=0
export ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0:abort_on_error=0:exitcode=99 UBSAN_OPTIONS=exitcode=99
export GOODPUT_BIN=$bin/bin GOODPUT_JOBS=2 GOODPUT_FAILING=1
passed=0 failed=0

# command NAME: sets `command` and `program`.
command_of() {
    case $1 in
    analyze) command=("$bin/bin/kubectl-goodput" analyze tests/data/trainer-logs/maxtext/restarts/attempt-*.log -o json) ;;
    controller) command=(env FAULTS_SHOW=1 "$bin/tests/test-faults" undisturbed) ;;
    *) command=("$bin/tests/test-$1") ;;
    esac
    program=$(basename "${command[0]}")
    [ "$1" != controller ] || program=goodput-controller
}

# one NAME KIND N: a run with the N-th of its kind failing.
one() {
    local out=$scratch/$1-$2-$3 code
    (
        [ "$2" = alloc ] && export FAIL_ALLOC=$3 || export FAIL_IO=$3
        LD_PRELOAD=$PWD/$bin/preload/fail.so FAIL_PROGRAM=$program timeout -s KILL 600 "${command[@]}" >"$out" 2>&1
    ) 2>/dev/null
    code=$?
    if grep -qaE '^tests/[^ ]*: runtime error: null pointer passed|: tests/[^ ]*: [^ ]* Assertion' "$out" &&
        ! grep -qaE 'ERROR: (Address|Leak)Sanitizer|controller/[^ ]*: runtime error' "$out"; then
        rm -f "$out"
        return 0
    fi
    if [ $code = 99 ] || grep -qaE 'ERROR: (Address|Leak)Sanitizer|runtime error:' "$out"; then
        why="a sanitizer"
    elif [ $code = 137 ]; then
        why="it did not end"
    elif [ $code -ge 128 ]; then
        why="signal $((code - 128))"
    else
        rm -f "$out"
        return 0
    fi
    echo "not ok - $1, $2 $3: $why"
    grep -aE -A14 'ERROR: |runtime error|Assertion' "$out" | head -n 30
    return 1
}

for name in "${names[@]}"; do
    command_of "$name"
    LD_PRELOAD=$PWD/$bin/preload/fail.so FAIL_PROGRAM=$program FAIL_COUNT=$scratch/count "${command[@]}" >"$scratch/whole" 2>&1 ||
        { echo "not ok - $name does not even pass undisturbed"; tail -n 5 "$scratch/whole"; failed=$((failed + 1)); continue; }
    read -r allocations calls <"$scratch/count"
    for kind in alloc io; do
        count=$allocations
        [ $kind = alloc ] || count=$calls
        tried=0 bad=0
        for n in $(awk -v count="$count" -v points="$points" -v seed="${FAIL_SEED:-1}" 'BEGIN {
            if (points == "all" || points >= count) { for (i = 1; i <= count; i++) print i; exit }
            for (i = 0; i < points; i++) { x = (i + seed) * 0.6180339887498949; x -= int(x); print 1 + int(x * count) } }'); do
            tried=$((tried + 1))
            one "$name" $kind "$n" || bad=$((bad + 1))
        done
        echo "$name: $tried of $count places where $kind fails, $bad badly"
        passed=$((passed + tried - bad)) failed=$((failed + bad))
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
