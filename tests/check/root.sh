#!/usr/bin/env bash
# root.sh SUITE [ARCH]: the path of a tar archive of a minimal root file system of SUITE: bookworm, trixie, noble, or musl,
# which is the nearest to Alpine that Debian's packages give: musl's C library and busybox. Built by mmdebstrap the first
# time, and kept in .build/fresh. ARCH: amd64 (the default), or arm64. A root of arm64 and that of musl are only unpacked:
# no script of a package was run in them, and programs run in them by qemu-user.
# Needs root, mmdebstrap, and apt's mirrors, as this machine has them. noble for arm64 is on other mirrors.
set -eu
cd "$(dirname "$0")/../.."
suite=${1:-} arch=${2:-amd64}
case $suite in
bookworm | trixie | musl) distribution=debian ;;
noble) distribution=ubuntu ;;
*) echo "root.sh: SUITE is \"$suite\"; it can be bookworm, trixie, noble or musl" >&2; exit 2 ;;
esac
work=.build/fresh
tar=$work/$suite$([ "$arch" = amd64 ] || echo "-$arch").tar
die() { echo "root.sh: $suite for $arch: $*" >&2; exit 1; }
command -v mmdebstrap >/dev/null || die "no mmdebstrap: apt-get install mmdebstrap"
mkdir -p "$work"

# The mirrors of this machine's apt, of its own distribution: those of SUITE. Nothing for another distribution, whose
# default mmdebstrap knows.
mirrors() {
    local ID VERSION_CODENAME
    . /etc/os-release
    [ "$ID" = $distribution ] || return 0
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) main' "Created-By: Packages" |
        sed -nE "s/ $VERSION_CODENAME(-updates|-security)? main\$/ $release\1 main/p" | sort -u
}
proxy=$(apt-config dump --format '%f "%v";%n' Acquire::http::Proxy Acquire::https::Proxy)
bootstrap() { mmdebstrap --quiet ${proxy:+--aptopt="$proxy"} "$@"; }

# Debian packages Ubuntu's keys from trixie on.
ubuntu_keys() {
    local keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    if [ ! -s $keys ]; then
        keys=$work/keys$keys
        [ -s "$keys" ] || { rm -rf "$work/keys"; bootstrap --variant=extract --include=ubuntu-keyring trixie "$work/keys" >&2; } || return 1
    fi
    echo "$keys"
}

release=$suite
options=(--architectures="$arch")
case $suite-$arch in
musl-*) release=trixie && options+=(--variant=extract --include=musl,busybox) ;;
*-amd64) options+=(--variant=minbase --include=apt,git,make,sudo) ;;
*) options+=(--variant=extract --include=base-files,base-passwd,bash,coreutils,grep,libc-bin,sed,tar) ;;
esac
if [ ! -s "$tar" ]; then
    if [ $distribution = ubuntu ]; then
        keys=$(ubuntu_keys) || die "could not get Ubuntu's archive keys (package ubuntu-keyring of Debian trixie)"
        options+=(--keyring="$keys" --components=main,universe)
    fi
    sources=$(mirrors)
    echo "building the root of $suite for $arch" >&2
    bootstrap "${options[@]}" "$release" "$tar.new.tar" ${sources:+-} <<<"$sources" >&2 ||
        die "mmdebstrap could not build the root: its mirror does not answer, or not with this suite (see above)"
    mv "$tar.new.tar" "$tar"
fi
echo "$tar"
