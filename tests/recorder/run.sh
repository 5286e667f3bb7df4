#!/usr/bin/env bash
# run.sh [PART...]: Google's unmodified clients against this controller, each part with a total; the last line is the
# sum.
set -u
cd "$(dirname "$0")/../.."
passed=0 failed=0
[ $# -gt 0 ] || set -- cloud_logging cloud_monitoring otlp endpoint bad_input tensorboard
for part in "$@"; do
    echo "== $part"
    log=.build/recorder-$part.log
    timeout 900 .build/parity/venv/bin/python "tests/recorder/$part.py" 2>&1 | tee "$log"
    if ! grep -qaE '^[0-9]+ passed, [0-9]+ failed' "$log"; then
        echo "not ok - $part ended without a total"
        failed=$((failed + 1))
        continue
    fi
    read -r p _ f _ <<<"$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)"
    passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
