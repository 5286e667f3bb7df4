#!/usr/bin/env bash
# cross.sh: both programs for arm64, with Debian's cross compiler and arm64's own libraries, unpacked below .build/arm64
# (nothing is installed on this machine's own system but the compiler and the emulator); then run in the emulator, the
# unit tests of the pure layers as well. The last line is the total. The image for arm64 is docker buildx's or buildah's
# business (--platform linux/arm64): the Dockerfile is the same.
set -u
cd "$(dirname "$0")/../.."
tests/check/packages.sh --install cross || exit 1
work=$PWD/.build/arm64 triple=aarch64-linux-gnu
root=$work/root
. tests/harness/count.sh

# Unpacked only: no script of a package is run, so that neither root nor an emulator is needed for it.
unpack() {
    local code packages=libc6-dev,libgcc-12-dev,libcunit1-dev,libcurl4-openssl-dev,libwebsockets-dev,libjansson-dev,libyaml-dev
    packages+=,libpcre2-dev,zlib1g-dev,libssl-dev
    [ "$(cat "$work/packages" 2>/dev/null)" = "$packages" ] && return
    code=$(. /etc/os-release && echo "$VERSION_CODENAME")
    rm -rf "$root"
    mkdir -p "$root"
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$packages" "$code" "$root" && echo "$packages" >"$work/packages"
}
emulated() { qemu-aarch64-static -L "$root" "$@"; }
is_arm64() { readelf -h "$1" | grep -q 'Machine: *AArch64'; }

mkdir -p "$work"
check "arm64's libraries are unpacked" unpack
layers="base ledger steplog"
# shellcheck disable=SC2086 # a list of words
check "both programs and the tests of $layers build for arm64" make -j"$(nproc)" V=arm64 CC="$triple-gcc --sysroot=$root" AR=$triple-ar \
    CFLAGS="-O2 -fstack-protector-strong -fPIE" LDFLAGS="-pie" .build/arm64/bin/goodput-controller .build/arm64/bin/kubectl-goodput \
    $(printf '.build/arm64/tests/test-%s ' $layers)
for program in goodput-controller kubectl-goodput; do
    check "$program is of arm64" is_arm64 ".build/arm64/bin/$program"
done
check "goodput-controller runs" emulated .build/arm64/bin/goodput-controller --version
same_analysis() { # the analysis of a log is the same on both
    local log=tests/data/trainer-logs/torchtitan/restarts/attempt-1.log
    cmp <(emulated .build/arm64/bin/kubectl-goodput analyze "$log" -o json) <(.build/release/bin/kubectl-goodput analyze "$log" -o json)
}
make -s -j"$(nproc)" programs || exit 1
check "analyze says the same as here" same_analysis
for layer in $layers; do
    check "tests of $layer, emulated" emulated ".build/arm64/tests/test-$layer"
done
finish
