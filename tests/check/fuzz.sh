#!/usr/bin/env bash
# fuzz.sh SECONDS TARGET...: replays each target's corpus (tests/data/fuzz/<target>/), then fuzzes for SECONDS. FUZZ_SEED: of
# the search; `make test` gives one, so that it finds the same on every machine; nights search at random.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
for target in "$@"; do
    corpus=tests/data/fuzz/$target
    work=.build/fuzz/work/$target
    mkdir -p "$work"
    dirs=("$work")
    [ -d "$corpus" ] && dirs+=("$corpus")
    echo "fuzz $target: $seconds s"
    .build/fuzz/"$target" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=0 \
        -artifact_prefix=.build/fuzz/crash-"$target"- "${dirs[@]}" >.build/fuzz/"$target".log 2>&1 || {
        tail -n 40 .build/fuzz/"$target".log
        echo "fuzz $target: found something; the input is .build/fuzz/crash-$target-*"
        exit 1
    }
done
