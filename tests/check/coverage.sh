#!/usr/bin/env bash
# coverage.sh: what `make coverage` runs: the unit programs and the fault scenarios in a build that counts, then the lines and
# branches of controller/ that they reached, by layer, and the functions of which they reached the least.
set -eu
cd "$(dirname "$0")/../.."
jobs=$(nproc)
logs=.build/coverage/logs
make -s -j"$jobs" V=coverage programs tests
find .build/coverage -name '*.gcda' -delete
mkdir -p "$logs"
failed=0
# A program that is killed writes no counts: controllers that a test leaves running end by SIGTERM instead.
export PROGRAM_TERMINATES=1
for program in .build/coverage/tests/test-*; do
    [ -x "$program" ] && [[ $(basename "$program") != *.* ]] || continue
    GOODPUT_BIN=.build/coverage/bin TEST_APISERVER=.build/coverage/bin/test-apiserver timeout 1200 "$program" >"$logs/$(basename "$program").log" 2>&1 || {
        echo "$(basename "$program") failed: $(tail -n 1 "$logs/$(basename "$program").log")"
        failed=1
    }
done
gcovr --root . --filter 'controller/' --exclude-unreachable-branches --json-summary .build/coverage/summary.json \
    --json .build/coverage/lines.json --print-summary .build/coverage/obj/controller 2>/dev/null
python3 tests/check/coverage.py .build/coverage
exit $failed
