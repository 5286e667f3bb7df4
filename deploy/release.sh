#!/bin/bash
# release.sh OUT URL: what a release hands out, in the folder OUT: the plugin for Linux and macOS on amd64 and arm64 with
# krew's manifest for it, the controller's image for amd64 and arm64, the chart, the plain manifests, a bill of materials
# (SPDX) for each program (the image has its own inside), and SHA256SUMS. URL: where users will find these files.
# `make release` calls it.
#
# The plugin for Linux is static. What runs on Linux is built against Debian's packages of $suite, which are only unpacked.
# The plugin for macOS: release-macos.sh. The same commit, compiler and packages give the same
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
[ "$(uname -m)" = x86_64 ] || { echo "release.sh: needs a machine of amd64" >&2; exit 1; }
packages=libc6-dev,libgcc-12-dev,libjansson-dev,libyaml-dev,libpcre2-dev,zlib1g-dev,libcurl4-openssl-dev,libwebsockets-dev,libssl-dev,ca-certificates

# Unpacked only: no script of a package is run, so that neither root nor an emulator is needed for it. dpkg's lists are
# written from the packages, so that dpkg-query says whose a file is.
unpack() { # arch
	local sysroot=$parts/sysroot-$1 info deb name
	[ "$(cat "$sysroot.packages" 2>/dev/null)" = "$suite $packages" ] && return
	rm -rf "$sysroot"
	mkdir -p "$parts"
	mmdebstrap --quiet --variant=extract --skip=cleanup/apt/cache --architectures="$1" --include="$packages" "$suite" "$sysroot" >&2
	info=$sysroot/var/lib/dpkg/info
	mkdir -p "$info"
	echo 1 >"$info/format"
	for deb in "$sysroot"/var/cache/apt/archives/*.deb; do
		name=$(dpkg-deb --field "$deb" Package)
		[ "$(dpkg-deb --field "$deb" Multi-Arch)" != same ] || name+=:$1
		dpkg-deb --fsys-tarfile "$deb" | tar -tf - | sed -e 's:^\./\{0,1\}:/:' -e 's:\(.\)/$:\1:' -e 's:^/$:/.:' >"$info/$name.list"
		dpkg-deb --field "$deb" && printf 'Status: install ok installed\n\n'
	done >"$sysroot/var/lib/dpkg/status"
	rm -f "$sysroot"/var/cache/apt/archives/*.deb
	echo "$suite $packages" >"$sysroot.packages"
}

build() { # arch, prefix of the tools
	local arch=$1 tools=$2 to=.build/dist/linux-$1 sysroot=$parts/sysroot-$1 program
	local make=(make -s -j"$(nproc)" OUT="$to" CC="${tools}gcc --sysroot=$sysroot" AR="${tools}ar"
		CFLAGS="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$sysroot=/")
	unpack "$arch"
	rm -rf "$to"
	mkdir -p "$to/image"
	"${make[@]}" LDFLAGS="-Wl,-Map=$to/link.map" "$to/bin/kubectl-goodput"
	"${tools}strip" --strip-all -o "$to/kubectl-goodput" "$to/bin/kubectl-goodput"
	deploy/release-sbom.py "$sysroot" "$to/link.map" "$to/kubectl-goodput" "$version" "linux-$arch" >"$out/kubectl-goodput-linux-$arch.spdx.json"
	"${make[@]}" "$to/bin/goodput-controller"
	for program in goodput-controller kubectl-goodput; do
		SYSROOT=$sysroot STRIP=${tools}strip deploy/image-root.sh "$to/image" "$to/bin/$program"
	done
	SYSROOT=$sysroot deploy/sbom.sh "$to/image" "$version"
}

rm -f "$out"/*
build amd64 ""
build arm64 aarch64-linux-gnu-
deploy/image-layout.py "$out/goodput-controller-image-$version.tar" "$version" amd64=.build/dist/linux-amd64/image arm64=.build/dist/linux-arm64/image
for arch in amd64 arm64; do
	deploy/release-macos.sh "$parts" ".build/dist/darwin-$arch" $arch
	deploy/release-sbom.py "$parts/sources" - ".build/dist/darwin-$arch/kubectl-goodput" "$version" "darwin-$arch" >"$out/kubectl-goodput-darwin-$arch.spdx.json"
done
programs=()
for platform in linux-amd64 linux-arm64 darwin-amd64 darwin-arm64; do programs+=("$platform=.build/dist/$platform/kubectl-goodput"); done
deploy/kubectl/package.sh "$out" "$url" "${programs[@]}"
rm -rf .build/dist/chart
mkdir -p .build/dist/chart
cp -R helm/goodput-controller .build/dist/chart/
sed -i "s|^# home .*|home: $url|" .build/dist/chart/goodput-controller/Chart.yaml
tar -C .build/dist/chart --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w --mtime="@$SOURCE_DATE_EPOCH" -cf - goodput-controller |
	gzip -n >"$out/goodput-controller-$version.tgz"
install -m 0644 deploy/goodput-controller.yaml "$out/"
(cd "$out" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
