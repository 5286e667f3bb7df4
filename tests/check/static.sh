#!/usr/bin/env bash
# static.sh PROGRAM: kubectl-goodput needs no file of the machine: no loader, no shared library; as root it also runs in a
# root file system that holds nothing but it and a log.
set -u
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
program=$1
same "no loader" "" "$(LC_ALL=C readelf -lW "$program" | grep INTERP)"
same "no shared library" "" "$(LC_ALL=C readelf -dW "$program" | grep NEEDED)"
if [ "$(id -u)" = 0 ]; then
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    cp "$program" "$root/kubectl-goodput"
    cp tests/data/trainer-logs/torchtitan/restarts/attempt-1.log "$root/a.log"
    inside() { chroot "$root" /kubectl-goodput "$@"; }
    log=tests/data/trainer-logs/torchtitan/restarts/attempt-1.log
    same "analyze in an empty root says the same" "$("$program" analyze - -o json <"$log")" "$(inside analyze - -o json <"$log")"
    check "patterns in an empty root" inside analyze '/*.log'
    check "a report in an empty root" inside analyze /a.log --html /a.html
    refused "there is no kubectl in an empty root" "there is no kubectl on PATH" inside top
fi
finish
