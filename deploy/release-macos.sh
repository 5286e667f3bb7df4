#!/bin/bash
# release-macos.sh PARTS TO ARCH: the plugin for macOS on ARCH (amd64, arm64), as TO/kubectl-goodput. Debian has no compiler
# for macOS: zig, from PyPI, brings one with the headers and the stub of libSystem. jansson, libyaml, pcre2 and zlib are
# built from Debian's sources and linked statically. PARTS keeps the downloads.
# zig signs the program ad hoc, without which a Mac with Apple's processor starts none.
set -euo pipefail
cd "$(dirname "$0")/.."
parts=$1 to=$2 arch=$3
suite=bookworm zig_version=0.17.1 oldest=11.0
case $arch in amd64) machine=x86_64 ;; arm64) machine=aarch64 ;; *) echo "release-macos.sh: ARCH is amd64 or arm64" >&2; exit 2 ;; esac
sources=$parts/sources python=$parts/zig/bin/python
export ZIG_GLOBAL_CACHE_DIR=$parts/zig-cache ZIG_LOCAL_CACHE_DIR=$parts/zig-cache

get_zig() {
	[ "$("$python" -m ziglang version 2>/dev/null)" = $zig_version ] && return
	rm -rf "$parts/zig"
	python3 -m venv "$parts/zig"
	"$python" -m pip install --quiet --disable-pip-version-check ziglang==$zig_version
}

# The sources of this machine's mirrors, of the suite; apt checks the signatures.
get_sources() {
	[ -s "$sources/complete" ] && return
	rm -rf "$sources"
	mkdir -p "$sources/lists/partial"
	local VERSION_CODENAME apt package
	. /etc/os-release
	apt-get indextargets --format 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) main' \
		"Created-By: Packages" | sed -nE "s/ $VERSION_CODENAME(-updates|-security)? main\$/ $suite\1 main/p" | sort -u -k4,4 -k3,3 >"$sources/sources.list"
	apt=(apt-get -qq -o "Dir::Etc::sourcelist=$sources/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$sources/lists" -o APT::Sandbox::User=root)
	"${apt[@]}" update
	for package in jansson libyaml pcre2 zlib; do
		(cd "$sources" && "${apt[@]}" source $package >/dev/null) || {
			echo "release-macos.sh: the mirror lacks the newest source of $package: the macOS plugin has that of $suite's release" >&2
			(cd "$sources" && "${apt[@]}" source $package/$suite >/dev/null)
		}
		mv "$sources/$package"-*/ "$sources/$package"
	done
	rm -rf "$sources/lists"
	date -u >"$sources/complete"
}

cc="$python -m ziglang cc -target $machine-macos.$oldest"
libraries=$parts/macos-$arch
library() { # name, options, files
	local name=$1 options=$2 file objects=$libraries/obj-$1
	shift 2
	mkdir -p "$objects"
	for file; do
		# shellcheck disable=SC2086
		$cc -O2 -g0 -w -fstack-protector-strong -ffile-prefix-map="$sources=." -I "$libraries/include" $options -c -o "$objects/$(basename "$file" .c).o" "$file"
	done
	"$python" -m ziglang ar qcsD "$libraries/lib/lib$name.a" "$objects"/*.o
}

# What each library's configure would find on macOS.
build_libraries() {
	[ -s "$libraries/complete" ] && return
	rm -rf "$libraries"
	mkdir -p "$libraries/include" "$libraries/lib"
	local include=$libraries/include pcre2=$sources/pcre2/src
	sed 's/@json_inline@/inline/; s/@json_have_[a-z_]*@/1/' "$sources/jansson/src/jansson_config.h.in" >"$include/jansson_config.h"
	: >"$include/jansson_private_config.h"
	cp "$sources/jansson/src/jansson.h" "$sources/libyaml/include/yaml.h" "$sources"/zlib/z{lib,conf}.h "$include/"
	cp "$pcre2/pcre2.h.generic" "$include/pcre2.h"
	cp "$pcre2/config.h.generic" "$include/config.h"
	cp "$pcre2/pcre2_chartables.c.dist" "$pcre2/pcre2_chartables.c"
	library jansson "-DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_FCNTL_H -DHAVE_SCHED_H -DHAVE_SYS_STAT_H -DHAVE_SYS_TIME_H -DHAVE_SYS_TYPES_H -DHAVE_OPEN \
		-DHAVE_CLOSE -DHAVE_READ -DHAVE_GETTIMEOFDAY -DHAVE_GETPID -DHAVE_SCHED_YIELD -DHAVE_ATOMIC_BUILTINS" "$sources"/jansson/src/*.c
	library yaml '-DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING="0.2.5"' "$sources"/libyaml/src/*.c
	# pcre2_tables.c includes pcre2_ucptables.c.
	mapfile -t files < <(sed -n 's/^ *\(pcre2_[a-z_0-9]*\.c\)$/\1/p' "$sources/pcre2/NON-AUTOTOOLS-BUILD" | grep -vx pcre2_ucptables.c | sed "s#^#$pcre2/#")
	library pcre2-8 "-I $pcre2 -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DPCRE2_STATIC -DSUPPORT_UNICODE" "${files[@]}"
	# zlib before 1.3 takes TARGET_OS_MAC for the Mac OS of 1999.
	library z "-DHAVE_UNISTD_H -fno-define-target-os-macros" "$sources"/zlib/{adler32,compress,crc32,deflate,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c
	date -u >"$libraries/complete"
}

get_zig
get_sources
build_libraries
rm -rf "$to"
mkdir -p "$to"
# zig leaves assertions out of optimized programs: -UNDEBUG.
make -s -j"$(nproc)" OUT="$to" CC="$cc" AR="$python -m ziglang ar" STATIC= HARDENING="-fstack-protector-strong -ftrivial-auto-var-init=zero" LDFLAGS_release="-s -L $libraries/lib" \
	CFLAGS="-g0 -UNDEBUG -DPCRE2_STATIC -I $libraries/include -ffile-prefix-map=$PWD=. -ffile-prefix-map=$libraries=/" "$to/bin/kubectl-goodput"
rm -f null.o # what zig makes of -o /dev/null, when the Makefile asks which flags it knows
install -m 0755 "$to/bin/kubectl-goodput" "$to/kubectl-goodput"
