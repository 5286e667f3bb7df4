#!/bin/bash
# roots.sh ARCH=PROGRAM...: kubectl-goodput in minimal roots of Debian 12, Debian 13, Ubuntu 24.04 and musl's, as a newcomer calls
# it: root.sh makes them. Programs for arm64 run in the emulator. A root that cannot be had here is skipped by name.
# Needs root, mmdebstrap and qemu-user-static.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^VERSION := //p' Makefile)
log=tests/data/trainer-logs/torchtitan/restarts/attempt-1.log
expected=$(.build/release/bin/kubectl-goodput analyze - -o json <$log) || exit 1
printf 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    load()\nValueError: no such shard\n' >"$work/crash.log"

try() { # ARCH PROGRAM SUITE
	local arch=$1 program=$2 suite=$3 tar root=$work/root emulator=()
	if ! tar=$(tests/check/root.sh "$suite" "$arch" 2>"$work/why"); then
		echo "skip - $suite for $arch: $(tail -n 1 "$work/why")"
		return
	fi
	rm -rf "$root"
	mkdir "$root"
	tar -xf "$tar" -C "$root"
	install -m 0755 "$program" "$root/usr/local/bin/kubectl-goodput" 2>/dev/null || install -D -m 0755 "$program" "$root/usr/local/bin/kubectl-goodput"
	cp $log "$root/a.log"
	cp "$work/crash.log" "$root/"
	if [ "$arch" = arm64 ]; then
		cp "$(command -v qemu-aarch64-static)" "$root/qemu"
		emulator=(/qemu)
	fi
	inside() { chroot --userspec=65532:65532 "$root" "${emulator[@]}" /usr/local/bin/kubectl-goodput "$@"; }
	same "$suite, $arch: --version" "kubectl-goodput $version" "$(inside --version)"
	same "$suite, $arch: analyze says the same as here" "$expected" "$(inside analyze - -o json <$log)"
	check "$suite, $arch: the picture of a log" inside analyze /a.log
	same "$suite, $arch: why" UserException "$(inside why /crash.log | grep -o UserException | head -n 1)"
	# PATH has folders here that this user may not search. The emulator does not report that a program could not be started.
	[ "$arch" = arm64 ] || refused "$suite, $arch: a cluster's command names what is missing" "there is no kubectl on PATH" \
		env PATH="/root/bin:$PATH" chroot --userspec=65532:65532 "$root" /usr/local/bin/kubectl-goodput top
}
for pair in "$@"; do
	for suite in bookworm trixie noble musl; do try "${pair%%=*}" "${pair#*=}" $suite; done
done
finish
