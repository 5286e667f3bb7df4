#!/usr/bin/env bash
# What packages.sh asks for on machines that are not this one: each has programs of its own for apt-get, sudo and clang.
set -u
unset DEBIAN_FRONTEND CC
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# put NAME: a program of the machine, from standard input
put() { { echo '#!/bin/bash'; cat; } >"$machine/$1"; chmod +x "$machine/$1"; }
# machine NAME: empty but for what a shell script needs
machine() {
    machine=$work/$1
    mkdir -p "$machine/installed"
    local tool
    for tool in bash cat cut env ln mktemp mkdir rm sed touch; do ln -s "$(command -v $tool)" "$machine/$tool"; done
    export MACHINE=$machine
}
# debian VERSION UID: a Debian whose clang is of VERSION and has no separate runtime
debian() {
    put id <<<"echo $2"
    put dpkg-query <<'SH'
[ -e "$MACHINE/installed/${!#}" ] && echo 'ii '
SH
    put apt-get <<SH
echo "apt-get \$1 as \${SUDO:-root} frontend=\${DEBIAN_FRONTEND:-none}" >>"\$MACHINE/log"
[ "\$1" = update ] && touch "\$MACHINE/lists"
[ "\$1" = install ] || exit 0
[ -e "\$MACHINE/lists" ] || { echo 'E: Unable to locate package' >&2; exit 100; }
for p in "\${@:2}"; do
    case \$p in
    -*) continue ;;
    libclang-rt-$1-dev | [!l]* | lib[!c]* | libc[!l]*) ;;
    *) echo "E: Unable to locate package \$p" >&2; exit 100 ;;
    esac
    touch "\$MACHINE/installed/\$p"
    [ "\$p" != clang ] || ln -sf clang.of "\$MACHINE/clang"
done
SH
    put clang.of <<SH
[ "\$1" != -dumpversion ] || { echo $1.1.7; exit; }
[ -e "\$MACHINE/installed/libclang-rt-$1-dev" ]
SH
    put sudo <<'SH'
exec env -i PATH="$PATH" MACHINE="$MACHINE" SUDO=sudo "$@"
SH
}
packages() { PATH=$machine bash tests/check/packages.sh "$@" 2>&1; }

for version in 14 18 19; do
    machine "root-$version" && debian $version 0
    packages --install build test >"$work/out"
    same "clang $version: success" 0 $?
    same "clang $version: its runtime" "libclang-rt-$version-dev" "$(ls "$machine/installed" | grep libclang)"
    same "clang $version: the lists are fetched first" "apt-get update as root frontend=none" "$(head -n 1 "$machine/log")"
    same "clang $version: nothing more the second time" "" "$(packages --install build test)"
done
machine user && debian 19 1000
packages --install build test >"$work/out"
same "through sudo: success" 0 $?
same "through sudo: no question is asked" "apt-get install as sudo frontend=noninteractive" "$(grep install "$machine/log" | sort -u)"
machine nosudo && debian 19 1000 && rm "$machine/sudo"
same "no sudo: how to go on" "install them as root: there is no sudo" "$(packages --install build | grep -o 'install them as root.*')"
machine bare && debian 19 0
same "without --install: what is missing" "missing packages: gcc" "$(packages build | grep -o '^missing packages: gcc')"
same "... and nothing is installed" "" "$(ls "$machine/installed")"

# Not Debian: a compiler that lacks one header.
for header in curl/curl.h libwebsockets.h jansson.h yaml.h pcre2.h zlib.h openssl/ssl.h; do
    machine "other-${header%%/*}"
    put cc <<SH
[[ \$(cat) != *'<$header>'* ]]
SH
    same "not Debian, without $header" "($header)" "$(packages build | grep -oE '\([^)]*\.h\)')"
    packages build >/dev/null
    same "not Debian, without $header: failure" 1 $?
done
machine other
put cc <<<'exit 0'
packages build
same "not Debian, with all headers" 0 $?
same "not Debian, without clang" "clang with its sanitizers and libFuzzer" "$(packages build test | grep -o 'clang with its sanitizers and libFuzzer')"
finish
