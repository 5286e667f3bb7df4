#!/usr/bin/env bash
# run.sh: what the controller shows to others, as those others see it: promtool reads the metrics and the alert rules, a
# Prometheus answers the dashboards, a headless browser shows the page. The last line is the total.
set -u
cd "$(dirname "$0")/../.."
passed=0 failed=0
# axe reads the states of the page for barriers, eslint its script.
if [ ! -e .build/axe/4.14.1-9.39.5 ]; then
    # A Node.js from elsewhere has npm, too, and Debian's conflicts with it.
    command -v npm >/dev/null || tests/check/packages.sh --install format || exit 1
    npm install --silent --no-audit --no-fund --prefix .build/axe axe-core@4.14.1 eslint@9.39.5 || exit 1
    touch .build/axe/4.14.1-9.39.5
fi
for part in metrics dashboards tutorials certificates scripts page compared shared states; do
    echo "== $part"
    log=.build/export-$part.log
    timeout 900 python3 tests/export/$part.py 2>&1 | tee "$log"
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
