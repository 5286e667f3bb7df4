#!/usr/bin/env bash
# fuzz.sh SECONDS TARGET...: replays each target's seeds (tests/data/fuzz/<target>/), which must reach what the target
# says (tests/harness/reach.h), then fuzzes for SECONDS. FUZZ_SEED: of the search; `make fuzz-short` gives one, so that it
# finds the same on every machine; nights search at random.
# FUZZ_RUNS: at most that many inputs besides the seeds, so that a slow machine and a fast one search the same ones.
# FUZZ_STEPLOG_FORMAT: only one format, next to others that run in parallel. The log's end says how many inputs ran.
# What a search finds of use is kept in .build/fuzz/work for the next one, but is written to memory while it runs: on a
# disk that others use, too, nine tenths of the time went into waiting for it.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
memory=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/fuzz.XXXXXX")
trap 'rm -rf "$memory"' EXIT

# Real lines of all formats, in groups of four, as they are and with a transport's stamp, and their words.
steplog_seeds() {
    mkdir -p "$memory/seeds"
    awk -v to="$memory/seeds/" '
        /^[#!\t]/ { next }
        { gsub("␛", "\033"); gsub("␍", "\r")
          if (++row % 4 == 1) { close(seed); close(seed "-stamped"); seed = to row; first = 1 }
          print (first ? "@" : "") $0 >seed
          print (first ? "D" : "") "2026-11-21T02:21:" 10 + row % 50 ".25Z " $0 >(seed "-stamped")
          first = 0 }' tests/data/steplog/*.tsv
    cat tests/data/steplog/*.tsv | grep -v '^[#!	]' | grep -oE '[A-Za-z_/]{4,24}' | sort -u | sed 's/.*/"&"/' >"$memory/words"
    seeds+=("$memory/seeds")
    # Longer lines are the business of tests/steplog: what is short is tried a hundred times as often.
    options=(-max_len=1024 -dict="$memory/words")
}

for target in "$@"; do
    corpus=tests/data/fuzz/$target
    name=$target${FUZZ_STEPLOG_FORMAT:+-$FUZZ_STEPLOG_FORMAT}
    kept=.build/fuzz/work/$name
    work=$memory/$name
    mkdir -p "$kept" "$work"
    cp -r "$kept/." "$work"
    seeds=() options=() whole=()
    [ -d "$corpus" ] && seeds=("$corpus") && whole=("$corpus"/*)
    [ "$target" = fuzz_steplog ] && steplog_seeds
    [ -z "${FUZZ_RUNS:-}" ] || options+=(-runs=$((FUZZ_RUNS + $(find "$work" "${seeds[@]}" -type f | wc -l))))
    reach=$target
    [ -z "${FUZZ_STEPLOG_FORMAT:-}" ] || reach= # one format does not reach what all of them do
    FUZZ_SEEDS=$reach .build/fuzz/"$target" -timeout=10 -verbosity=0 "${whole[@]}" >.build/fuzz/"$name".log 2>&1 &&
        ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=4${ASAN_OPTIONS:+:$ASAN_OPTIONS} \
            .build/fuzz/"$target" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
            -print_final_stats=1 -entropic=0 -reload=0 "${options[@]}" -artifact_prefix=.build/fuzz/crash-"$name"- \
            "$work" "${seeds[@]}" >.build/fuzz/"$name".log 2>&1 || {
        tail -n 40 .build/fuzz/"$name".log
        echo "fuzz $name: found something; the input is .build/fuzz/crash-$name-*"
        exit 1
    }
    cp -r "$work/." "$kept"
    rm -rf "$work"
    echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' .build/fuzz/"$name".log) inputs"
done
