#!/bin/bash
# release.sh OUT URL: what a release hands out, in the folder OUT: the plugin for Linux and macOS on amd64 and arm64 with
# krew's manifest for it, the chart, the plain manifests, a bill of materials (SPDX) for each program, and SHA256SUMS. URL:
# where users will find these files. `make release` calls it.
#
# The programs for Linux are static. That of this machine's type is built against its own packages, that for arm64 against
# Debian's, which are only unpacked. Those for macOS: release-macos.sh. The same commit, compiler and packages give the same
# bytes, in any folder: times are SOURCE_DATE_EPOCH, by default that of the commit, and programs are stripped.
# PARTS: the folder that keeps what is downloaded and unpacked (.build/release-parts).
set -euo pipefail
[ $# = 2 ] || { echo "usage: deploy/release.sh OUT URL" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath "$1") url=$2
cd "$(dirname "$0")/.."
version=$(sed -n 's/^VERSION := //p' Makefile)
suite=bookworm
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C TZ=UTC
export CCACHE_DISABLE=1 # its objects may name another folder
parts=${PARTS:-$PWD/.build/release-parts}
sysroot=$parts/sysroot
[ "$(uname -m)" = x86_64 ] || { echo "release.sh: needs a machine of amd64" >&2; exit 1; }
packages=libc6-dev,libgcc-12-dev,libjansson-dev,libyaml-dev,libpcre2-dev,zlib1g-dev

# Unpacked only: no script of a package is run, so that neither root nor an emulator is needed for it.
unpack() {
	[ "$(cat "$sysroot.packages" 2>/dev/null)" = "$suite $packages" ] && return
	rm -rf "$sysroot"
	mkdir -p "$parts"
	mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$packages" "$suite" "$sysroot" >&2
	echo "$suite $packages" >"$sysroot.packages"
}

build() { # arch, prefix of the tools, more options for the compiler
	local arch=$1 tools=$2 more=$3 to=.build/dist/linux-$1
	rm -rf "$to"
	mkdir -p "$to"
	make -s -j"$(nproc)" OUT="$to" CC="${tools}gcc$more" AR="${tools}ar" CFLAGS="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$sysroot=/" \
		LDFLAGS="-Wl,-Map=$to/link.map" "$to/bin/kubectl-goodput"
	"${tools}strip" --strip-all -o "$to/kubectl-goodput" "$to/bin/kubectl-goodput"
	deploy/release-sbom.py "$sysroot" "$to/link.map" "$to/kubectl-goodput" "$version" "linux-$arch" >"$out/kubectl-goodput-linux-$arch.spdx.json"
}

unpack
rm -f "$out"/*
build amd64 "" ""
build arm64 aarch64-linux-gnu- " --sysroot=$sysroot"
for arch in amd64 arm64; do
	deploy/release-macos.sh "$parts" ".build/dist/darwin-$arch" $arch
	deploy/release-sbom.py "$parts/sources" - ".build/dist/darwin-$arch/kubectl-goodput" "$version" "darwin-$arch" >"$out/kubectl-goodput-darwin-$arch.spdx.json"
done
programs=()
for platform in linux-amd64 linux-arm64 darwin-amd64 darwin-arm64; do programs+=("$platform=.build/dist/$platform/kubectl-goodput"); done
deploy/kubectl/package.sh "$out" "$url" "${programs[@]}"
tar -C helm --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w --mtime="@$SOURCE_DATE_EPOCH" -cf - goodput-controller |
	gzip -n >"$out/goodput-controller-$version.tgz"
install -m 0644 deploy/goodput-controller.yaml "$out/"
(cd "$out" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
