#!/usr/bin/env bash
# packages.sh [--install] GROUP...   Says in one line which Debian/Ubuntu packages are missing; --install gets them.
# packages.sh --list GROUP           prints the packages of a group
set -eu
declare -A groups=(
    [build]="gcc make libc6-dev libcurl4-openssl-dev libwebsockets-dev libjansson-dev libyaml-dev libpcre2-dev zlib1g-dev libssl-dev"
    [plugin]="gcc make libc6-dev libjansson-dev libyaml-dev libpcre2-dev zlib1g-dev"
    [test]="libcunit1-dev clang curl openssl python3 python3-venv python3-yaml"
    [cluster]="curl openssl python3 python3-yaml procps"
    [export]="python3 python3-prometheus-client python3-numpy openssl prometheus chromium fonts-dejavu-core"
    [image]="buildah mmdebstrap"
    [nodes]="containerd runc containernetworking-plugins docker-registry iproute2 util-linux procps nftables python3 python3-yaml curl openssl"
    [vm]="qemu-system-x86 mmdebstrap debian-archive-keyring e2fsprogs"
    [cross]="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static mmdebstrap binutils dpkg-dev python3-venv skopeo docker-registry curl"
    [coverage]="gcovr"
    [format]="nodejs npm python3-venv"
    [nightly]="valgrind cppcheck"
)
if [ "${1:-}" = --list ]; then
    echo "${groups[$2]}"
    exit 0
fi
install=0
if [ "${1:-}" = --install ]; then
    install=1
    shift
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Debian and Ubuntu keep clang's sanitizers and fuzzer in a package of their own from clang 14 on, named by its version.
can_fuzz() {
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n); int LLVMFuzzerTestOneInput(const char *d, long n) { return d == 0 && n > 0; }' |
        clang -x c -fsanitize=fuzzer,address,undefined -o "$scratch/fuzz" - >/dev/null 2>&1
}
clang_version() { clang -dumpversion | cut -d. -f1; }

if ! command -v dpkg-query >/dev/null; then
    # Not Debian or Ubuntu: ask the compiler for the headers instead, and name the libraries to install.
    declare -A headers=(
        [build]="curl/curl.h=libcurl libwebsockets.h=libwebsockets jansson.h=jansson yaml.h=libyaml pcre2.h=pcre2 zlib.h=zlib openssl/ssl.h=OpenSSL"
        [test]="CUnit/Basic.h=CUnit"
    )
    missing=()
    for group in "$@"; do
        for header in ${headers[$group]:-}; do
            printf '#define PCRE2_CODE_UNIT_WIDTH 8\n#include <%s>\n' "${header%=*}" | ${CC:-cc} -E - >/dev/null 2>&1 ||
                missing+=("${header#*=} (${header%=*})")
        done
        [ "$group" != test ] || can_fuzz || missing+=("clang with its sanitizers and libFuzzer (compiler-rt)")
    done
    [ ${#missing[@]} -eq 0 ] && exit 0
    echo "missing: $(printf '%s, ' "${missing[@]}" | sed 's/, $//'); install their development packages" >&2
    exit 1
fi

# The packages of the groups that are not installed, in missing.
find_missing() {
    missing=()
    local group package
    for group in "$@"; do
        for package in ${groups[$group]}; do
            case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true) in
            ii*) ;;
            *) missing+=("$package") ;;
            esac
        done
    done
    if [[ " $* " = *" test "* ]] && command -v clang >/dev/null && ! can_fuzz; then
        missing+=("libclang-rt-$(clang_version)-dev")
    fi
}

# sudo drops the environment, so DEBIAN_FRONTEND is set behind it. A new machine often upgrades itself meanwhile: its lock
# is waited for.
install_missing() {
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "missing packages: ${missing[*]}; install them as root: there is no sudo" >&2; exit 1; }
        as_root=(sudo)
    fi
    echo "installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -o DPkg::Lock::Timeout=300 -y -qq --no-install-recommends --no-remove "${missing[@]}" >/dev/null || {
        echo "could not install: ${missing[*]}; install them by hand and run this again" >&2
        exit 1
    }
}

find_missing "$@"
[ ${#missing[@]} -eq 0 ] && exit 0
if [ $install = 0 ]; then
    echo "missing packages: ${missing[*]} (install them with: make deps)" >&2
    exit 1
fi
install_missing
find_missing "$@" # the version of clang is known now
[ ${#missing[@]} -eq 0 ] && exit 0
install_missing
find_missing "$@"
[ ${#missing[@]} -eq 0 ] || { echo "still missing after the installation: ${missing[*]}" >&2; exit 1; }
