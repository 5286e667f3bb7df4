#!/usr/bin/env bash
# fuzz.sh SECONDS TARGET...: replays each target's corpus (tests/data/fuzz/<target>/), then fuzzes for SECONDS. FUZZ_SEED: of
# the search; `make test` gives one, so that it finds the same on every machine; nights search at random.
# FUZZ_STEPLOG_FORMAT: one format by itself, beside others that run at the same time. The log's end says how many inputs ran.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
for target in "$@"; do
    corpus=tests/data/fuzz/$target
    name=$target${FUZZ_STEPLOG_FORMAT:+-$FUZZ_STEPLOG_FORMAT}
    work=.build/fuzz/work/$name
    mkdir -p "$work"
    dirs=("$work")
    [ -d "$corpus" ] && dirs+=("$corpus")
    .build/fuzz/"$target" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix=.build/fuzz/crash-"$name"- "${dirs[@]}" >.build/fuzz/"$name".log 2>&1 || {
        tail -n 40 .build/fuzz/"$name".log
        echo "fuzz $name: found something; the input is .build/fuzz/crash-$name-*"
        exit 1
    }
    echo "fuzz $name: $seconds s, $(sed -n 's/^stat::number_of_executed_units: *//p' .build/fuzz/"$name".log) inputs"
done
