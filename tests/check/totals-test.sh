#!/usr/bin/env bash
# A skip is not a pass: .ci/run fails where a target counted nothing, and node-test.sh fails where it cannot play.
set -u
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
put() { { echo '#!/bin/bash'; cat; } >"$work/bin/$1"; chmod +x "$work/bin/$1"; }

# ---- .ci/run, with a make that prints the totals of $work/NAME ----
mkdir -p "$work/bin" "$work/clone/.ci"
cp .ci/run "$work/clone/.ci/run"
put make <<SH
[ ! -e "$work/\$1" ] || { cat "$work/\$1"; exit 0; }
echo '3 passed, 0 failed'
SH
targets=$(sed -n 's/^for target in \(.*\); do$/\1/p' .ci/run | wc -w)
ci() { # the exit code and the last line
    local code=0
    PATH=$work/bin:$PATH "$work/clone/.ci/run" >"$work/out" 2>&1 || code=$?
    echo "$code $(tail -n 1 "$work/out")"
}
same "every target passes" "0 $((3 * targets)) passed, 0 failed" "$(ci)"
echo '0 passed, 0 failed' >"$work/node-smoke"
same "a target that counted nothing has failed" "1 $((3 * (targets - 1))) passed, 1 failed" "$(ci)"
same "... by its name" 1 "$(grep -c '^make node-smoke counted nothing' "$work/out")"
: >"$work/node-smoke"
same "a target without a total has failed" "1 $((3 * (targets - 1))) passed, 1 failed" "$(ci)"

# ---- node-test.sh, on a machine where it cannot play ----
refuses() { # what reason
    local code=0
    PATH=$work/bin:$PATH tests/nodes/node-test.sh smoke >"$work/out" 2>&1 || code=$?
    same "node-test.sh $1: exit code and total" "1 0 passed, 1 failed" "$code $(tail -n 1 "$work/out")"
    same "node-test.sh $1: the reason" "$2" "$(sed -n 's/^not ok - real nodes need //p' "$work/out")"
}
put id <<<'echo 1000'
refuses "without root" "root (namespaces, mounts, cgroups)"
put id <<<'echo 0'
put unshare <<<'exit 1'
refuses "without namespaces" "new namespaces, which this machine does not allow"
put unshare <<<'exit 0'
mkdir "$work/cgroup"
export NODES_CGROUPS=$work/cgroup
refuses "without cgroups" "cgroup v1 with memory and cpuset, or cgroup v2: $NODES_CGROUPS has neither"
finish
