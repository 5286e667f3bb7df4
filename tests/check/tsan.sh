#!/usr/bin/env bash
# tsan.sh: the tests of what uses threads, under ThreadSanitizer. Threads are made by io/work.c alone, for: followed files
# (sources/file.c), the recorder's store (recorder/endpoint.c) and TensorBoard's files (export/push/tensorboard.c). Layers
# without threads are left out. Libraries are not instrumented; our own code touches nothing of theirs from two threads.
set -u
cd "$(dirname "$0")/../.."
logs=.build/tsan/logs
mkdir -p "$logs"
make -s -j"$(nproc)" V=tsan .build/tsan/tests/test-{io,sources,recorder,export} .build/tsan/bin/test-apiserver || exit 1
passed=0 failed=0
for program in io sources recorder export; do
    # Where addresses are very random, gcc's runtime does not find its own memory.
    if TSAN_OPTIONS="halt_on_error=0 exitcode=66 second_deadlock_stack=1" timeout 1800 setarch "$(uname -m)" -R \
        ".build/tsan/tests/test-$program" >"$logs/$program.log" 2>&1 && ! grep -q 'WARNING: ThreadSanitizer' "$logs/$program.log"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok - test-$program under ThreadSanitizer (see $logs/$program.log)"
        grep -A20 -m1 'WARNING: ThreadSanitizer' "$logs/$program.log" || tail -n 10 "$logs/$program.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
