#!/usr/bin/env bash
# fresh.sh SUITE: the README's commands that need no cluster, each as the first one on a fresh machine of SUITE (bookworm, trixie, noble):
# a minimal root (root.sh), in it a clone of the last commit, no package list, and nothing else. `make plugin` and `make demo` run as a user with sudo, `make test` as root, as in a container. Fails if either
# does, or if a compiler or linker warns.
# FRESH_COMMANDS: other commands instead, a line each, in one root, as FRESH_USER (root; or fresh, who has sudo).
# FRESH_KEEP=1 keeps the last root.
# Needs root, mmdebstrap, and apt's mirrors, as this machine has them.
set -eu
cd "$(dirname "$0")/../.."
suite=${1:-}
case $suite in
bookworm | trixie | noble) ;;
*) echo "fresh.sh: SUITE is \"$suite\"; it can be bookworm, trixie or noble: make fresh-test SUITE=trixie" >&2; exit 2 ;;
esac
root=.build/fresh/$suite log=.build/fresh/$suite.log
die() {
    echo "not ok - $suite: $*"
    echo "0 passed, 1 failed"
    exit 1
}
[ "$(id -u)" = 0 ] || die "needs root: mmdebstrap and chroot do"
new_root() {
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    tar -xf "$base" -C "$root"
    [ -z "$(ls "$root/var/lib/apt/lists" | grep -v -e lock -e partial)" ] || die "the root has package lists: delete $base"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    chroot "$root" useradd --create-home --shell /bin/bash fresh
    echo 'fresh ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/fresh"
    git clone --quiet --no-hardlinks . "$root/home/fresh/goodput"
    chroot "$root" chown -R fresh:fresh /home/fresh
}

# run_in USER COMMAND: in the clone, with mounts and processes that end with it
run_in() {
    local shell=(env -i "HOME=/home/$1" "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    if [ "$1" = root ]; then
        chown -R root:root "$root/home/fresh/goodput"
        shell[2]=HOME=/root
    else
        shell=(setpriv --reuid=fresh --regid=fresh --init-groups "${shell[@]}")
    fi
    unshare --mount --pid --fork --kill-child --propagation=private bash -c '
        root=$1 command=$2
        shift 2
        mount --bind "$root" "$root" || exit 125 # a mount point, as the root of a machine is: tests mount below it
        mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" || exit 125
        mount -t tmpfs -o mode=1777 shm "$root/dev/shm" # this machine may have none
        exec chroot "$root" "$@" /bin/sh -c "cd /home/fresh/goodput && $command"' bash "$root" "$2" "${shell[@]}" </dev/null 2>&1
}

passed=0 failed=0
try() { # USER COMMAND
    local rc=0 warnings begun=$SECONDS
    echo "== $suite: $2 (as $1)"
    run_in "$1" "$2" | tee "$log" || rc=$?
    warnings=$(cat "$log" "$root"/home/fresh/goodput/.build/test-logs/*.log 2>/dev/null | grep -E -A3 '(:[0-9]+:|ld: |cc1: |clang: |make: )[^"]*\bwarning: ' || true)
    if [ "$rc" != 0 ]; then
        echo "not ok - $suite: $2: exit code $rc"
    elif [ -n "$warnings" ]; then
        echo "not ok - $suite: $2: there are warnings:"
        echo "$warnings" | head -40
    else
        echo "ok - $suite: $2 ($((SECONDS - begun)) s)"
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
}
set -o pipefail
base=$(tests/check/root.sh "$suite") || die "no root"
if [ -n "${FRESH_COMMANDS:-}" ]; then
    new_root
    while read -r command; do [ -z "$command" ] || try "${FRESH_USER:-root}" "$command"; done <<<"$FRESH_COMMANDS"
else
    new_root
    try fresh "make plugin && .build/bin/kubectl-goodput analyze tests/tutorials/slow/first.log.gz --format-file tests/tutorials/slow/format.yaml --html .build/picture.html"
    new_root
    try fresh "make demo"
    new_root
    try root "make test"
fi
[ -n "${FRESH_KEEP:-}" ] || rm -rf --one-file-system "$root"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
