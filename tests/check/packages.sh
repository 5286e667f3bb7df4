#!/usr/bin/env bash
# packages.sh [--install] GROUP...   Says in one line which Debian/Ubuntu packages are missing; --install gets them.
set -eu
declare -A groups=(
    [build]="gcc make libc6-dev libcurl4-openssl-dev libwebsockets-dev libjansson-dev libyaml-dev libpcre2-dev zlib1g-dev libssl-dev"
    [test]="libcunit1-dev clang libclang-rt-14-dev curl openssl python3 python3-venv"
    [cluster]="curl openssl python3 python3-yaml procps"
    [export]="python3 python3-prometheus-client openssl prometheus chromium fonts-dejavu-core"
    [image]="buildah mmdebstrap"
    [nodes]="containerd runc containernetworking-plugins docker-registry iproute2 util-linux procps nftables python3 python3-yaml curl openssl"
    [cross]="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static mmdebstrap binutils"
    [coverage]="gcovr"
    [nightly]="valgrind cppcheck"
)
install=0
if [ "${1:-}" = --install ]; then
    install=1
    shift
fi
if ! command -v dpkg-query >/dev/null; then
    # Not Debian or Ubuntu: ask the compiler for the headers instead, and name what to install.
    for header in curl/curl.h libwebsockets.h jansson.h yaml.h zlib.h openssl/ssl.h; do
        if ! printf '#include <%s>\n' "$header" | cc -E - >/dev/null 2>&1; then
            echo "missing: $header; install the development packages of libcurl, libwebsockets, jansson, libyaml, pcre2, zlib, OpenSSL (and CUnit, clang for the tests)" >&2
            exit 1
        fi
    done
    exit 0
fi
missing=()
for group in "$@"; do
    for package in ${groups[$group]}; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true) in
        ii*) ;;
        *)
            # libclang-rt-14-dev exists only where clang is 14; elsewhere clang brings its own runtime.
            [ "$package" = libclang-rt-14-dev ] && ! apt-cache show "$package" >/dev/null 2>&1 && continue
            missing+=("$package")
            ;;
        esac
    done
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ $install = 0 ]; then
    echo "missing packages: ${missing[*]} (install them with: make deps)" >&2
    exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends --no-remove "${missing[@]}" >/dev/null || {
    echo "could not install: ${missing[*]}; install them by hand and run this again" >&2
    exit 1
}
