#!/usr/bin/env bash
# nightly.sh: what `make nightly` runs: the second compiler, static analyzers, valgrind, long random searches, long
# fuzzing, and the benchmarks, whose figures it prints. Environment: FUZZ_SECONDS (3600 a target), JOBS (60000 random
# jobs), LOGS (20000 against the Python library). The last line is the total.
set -u
cd "$(dirname "$0")/../.."
logs=.build/nightly-logs
mkdir -p "$logs"
passed=0 failed=0

step() {
    local name=$1 log=$logs/$1.log
    shift
    local begun=$SECONDS
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok - $name ($((SECONDS - begun)) s)"
    else
        failed=$((failed + 1))
        echo "not ok - $name (see $log)"
        tail -n 20 "$log"
    fi
}
jobs=$(nproc)

step build-clang make -s -j"$jobs" V=clang programs tests
step hardening-clang tests/check/hardening.sh .build/clang/bin/goodput-controller .build/clang/bin/kubectl-goodput
step build-release make -s -j"$jobs" V=release programs tests
for program in .build/clang/tests/test-*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    case $program in *.d) continue ;; esac
    GOODPUT_BIN=.build/clang/bin step "clang-$(basename "$program")" timeout 900 "$program"
done
GOODPUT_BIN=.build/release/bin TEST_APISERVER=.build/release/bin/test-apiserver step faults timeout 900 .build/release/tests/test-faults
analyze() {
    local file
    for file in $(git ls-files "controller/*.c"); do
        # gcc 12 takes a variable that its cleanup function frees for uninitialized on paths where it was set to NULL.
        gcc -std=c17 -D_GNU_SOURCE -DGOODPUT_VERSION='"0"' -I controller -O2 -fanalyzer -Werror \
            -Wno-analyzer-use-of-uninitialized-value -c -o /dev/null "$file" || return 1
    done
}
step fanalyzer analyze
step cppcheck cppcheck -q --error-exitcode=1 --inline-suppr --enable=warning,portability --suppress=missingIncludeSystem \
    --suppress=unknownMacro --suppress=varFuncNullUB -D'__attribute__(x)=' -I controller controller
for layer in base ledger formulas rootcause steplog operator cli; do
    GOODPUT_VALGRIND=1 GOODPUT_JOBS=20 step "valgrind-$layer" valgrind -q --error-exitcode=9 --leak-check=full .build/release/tests/test-$layer
done
step tsan tests/check/tsan.sh
step coverage make -s coverage
sed -n '/^lines:/,$p' "$logs/coverage.log"
step parity make -s parity LOGS="${LOGS:-20000}"
step recompute-test make -s recompute-test RECOMPUTE_LIVES=5000
step sql-test make -s sql-test SQL_LIVES=1000
step stores-test make -s stores-test
step recorder-test make -s recorder-test
step truth make -s truth TRUTH_JOBS="${JOBS:-60000}" SPREAD_JOBS=10000 STYLE_SPREAD_JOBS=200
step styles make -s styles STYLE_JOBS=200
step strangers make -s strangers STRANGER_JOBS=20
step strangers-one-file make -s strangers STRANGER_JOBS=20 STRANGERS=--one-file
step strangers-days-apart make -s strangers STRANGER_JOBS=20 STRANGERS=--days-apart
step deaths make -s deaths
step advice make -s advice-proof
step compare make -s bench-compare
step sim-lives make -s sim LIVES="${LIVES:-10000}"
step cuts env CUTS=all .build/release/tests/test-operator bounds_hold
grep -hE '^[a-z0-9-]+ +(relist|killed|late|cut) ' "$logs/cuts.log"
GOODPUT_UNREAD_MIB=2048 step unread timeout 900 .build/release/tests/test-cli a_long_log_without_a_step
step long-search env GOODPUT_JOBS="${JOBS:-60000}" GOODPUT_SEED="$RANDOM" .build/release/tests/test-ledger
for _ in 1 2 3; do step kill-the-controller tests/demo/kill.sh; done
step soak make -s soak SOAK_HOURS="${SOAK_HOURS:-24}"
step fuzz make -s -j"$jobs" fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-3600}" FUZZ_JOBS="$jobs"
grep -h '^fuzz ' "$logs/fuzz.log"
step build-asan make -s -j"$jobs" V=asan programs tests
step failing tests/check/failing.sh "${FAILING:-150}"
grep -h 'places where' "$logs/failing.log"
step cross-arm64 tests/check/cross.sh
step release-test make -s release-test
for suite in bookworm trixie noble; do step "fresh-$suite" make -s fresh-test SUITE=$suite; done
step kinds-test make -s kinds-test
step kube-state-metrics tests/packaging/kube-state-metrics.sh
step managed-prometheus tests/packaging/managed-prometheus.sh
step build-network-policies tests/cluster/build.sh kube-network-policies
step networkpolicy tests/packaging/networkpolicy.sh
step node-test make -s node-test NODE_MORE=maxtext
grep -hE '^not ok|event to status|cost of the controller|helm install to' "$logs/node-test.log"
step node-vm make -s node-vm # the same on cgroup v2
grep -hE '^(not ok|cgroups:|a virtual machine|the virtual machine)' "$logs/node-vm.log"
step skew-test make -s skew-test
step chaos make -s chaos CHAOS="${CHAOS:-200}"
grep -h '^chaos: seed' "$logs/chaos.log"
step losses python3 tests/bench/losses.py
step changes python3 tests/bench/changes.py
step losses-cluster env -u JOBS tests/cluster/losses.sh
grep -hE 'losses, in status' "$logs"/losses*.log
step fuzz-formats make -s fuzz-formats FUZZ_SECONDS="${FORMAT_SECONDS:-600}"
step bench-ledger make -s bench-ledger
step bench-ledger-layer env GOODPUT_BENCH=1 .build/release/tests/test-ledger test_speed
step bench-steplog .build/release/tests/test-steplog speed
grep -hE '[0-9] (ms|s|us|lines/s|M/s|MB/s)' "$logs"/bench-*.log
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
