#!/bin/bash
# Builds what the demo runs, and says so while it does: what, how many files, how far. Prints nothing if all is built.
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MFLAGS # of the make that calls this: it may be silent, and what is counted here is what make prints
build=(make --no-print-directory -j"$(nproc)" programs .build/release/bin/test-apiserver)
compiles='/ -c -o / { n++ }'
count=$("${build[@]}" -n 2>/dev/null | awk "$compiles END { print n + 0 }")
if [ "$count" = 0 ]; then
    "${build[@]}" >/dev/null
    exit
fi
echo "Building the controller, kubectl-goodput and a stand-in for the Kubernetes API server: $count C files."
every=100
[ -t 1 ] && every=1
"${build[@]}" | awk -v all="$count" -v every="$every" -v tty="$([ -t 1 ] && echo 1)" "$compiles"'
    n > shown && (n % every == 0 || n == all) {
        printf(tty ? "\r    %d of %d" : "    %d of %d\n", n, all)
        fflush()
        shown = n
    }
    END { if (tty) print "" }'
