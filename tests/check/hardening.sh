#!/usr/bin/env bash
# hardening.sh PROGRAM...: says what a built program lacks of what the release build promises: position-independent (PIE),
# relocations read-only once loaded (full RELRO), no memory both writable and executable (NX), stack protector, checked
# libc calls (FORTIFY), no library path of its own; on x86-64 also landing pads (CET) and probes of large frames (stack
# clash). Before that it tries itself on small programs that each lack one.
set -u

# lacks PROGRAM: one line for each thing that is missing.
lacks() {
    local headers segments dynamic imports
    headers=$(LC_ALL=C readelf -hW "$1") || return 1
    segments=$(LC_ALL=C readelf -lW "$1") dynamic=$(LC_ALL=C readelf -dW "$1") imports=$(LC_ALL=C readelf -W --dyn-syms "$1")
    grep -q 'Type: *DYN' <<<"$headers" && grep -q 'FLAGS_1.*PIE' <<<"$dynamic" || echo "not position-independent (-fPIE -pie)"
    grep -q GNU_RELRO <<<"$segments" || echo "no RELRO (-Wl,-z,relro)"
    grep -qE 'BIND_NOW|FLAGS_1.*NOW' <<<"$dynamic" || echo "bound lazily (-Wl,-z,now)"
    grep -qE 'GNU_STACK.* RW ' <<<"$segments" || echo "executable stack (-Wl,-z,noexecstack)"
    grep -qE '^ *LOAD.* RWE ' <<<"$segments" && echo "a segment both writable and executable"
    grep -q TEXTREL <<<"$dynamic" && echo "relocations in its code (TEXTREL)"
    grep -qE '\((RPATH|RUNPATH)\)' <<<"$dynamic" && echo "a library path of its own (RPATH)"
    grep -q '__stack_chk_fail' <<<"$imports" || echo "no stack protector (-fstack-protector-strong)"
    grep -qE '__[a-z]+_chk' <<<"$imports" && grep -qE '__(v?snprintf|v?fprintf|memcpy|strcpy)_chk' <<<"$imports" ||
        echo "no checked libc calls (-D_FORTIFY_SOURCE=3)"
    grep -q 'Machine:.*X86-64' <<<"$headers" || return 0
    objdump -d --no-show-raw-insn "$1" >"$scratch/code"
    # The C library's start-up code brings six of its own.
    [ "$(grep -c 'endbr64' "$scratch/code")" -gt $((6 + $(grep -cw 'call' "$scratch/code") / 50)) ] ||
        echo "no landing pads for indirect calls (-fcf-protection=full)"
    grep -A1 -E 'sub +\$0x1000,%rsp' "$scratch/code" | grep -qE '(or|mov)q? +\$0x0,(0x[0-9a-f]+)?\(%rsp\)' ||
        echo "large frames are not probed (-fstack-clash-protection)"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/p.c" <<'C'
#include <stdio.h>
int a(int x) { return x + 1; }
int b(int x) { return x + 2; }
int c(int x) { return x + 3; }
int d(int x) { return x + 4; }
int (*all[])(int) = {a, b, c, d};
int main(int argc, char **argv) {
    char text[65536];
    snprintf(text, (size_t)argc * 8, "%s", argv[0]);
    return puts(text) < all[argc & 3](argc);
}
C
cet=()
[ "$(uname -m)" != x86_64 ] || cet=(-fcf-protection=full)
good=("${cet[@]}" -w -O2 -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-clash-protection -fPIE -pie -Wl,-z,relro,-z,now)
passed=0 failed=0
# tried WHAT EXPECTED FLAG...: a program built with these flags too lacks just that.
tried() {
    local what=$1 expected=$2
    shift 2
    "${CC:-gcc}" "${good[@]}" "$@" -o "$scratch/p" "$scratch/p.c" || { echo "not ok - no program to try $what"; failed=$((failed + 1)); return; }
    if [ "$(lacks "$scratch/p")" = "$expected" ]; then passed=$((passed + 1)); else
        echo "not ok - $what: found \"$(lacks "$scratch/p")\" instead of \"$expected\""
        failed=$((failed + 1))
    fi
}
if [ "${1:-}" = --tried ]; then shift; else # --tried: has tried itself already in this run
    tried "a hardened one" ""
    tried "fixed addresses" "not position-independent (-fPIE -pie)" -no-pie -fno-pie
    tried "no RELRO" "no RELRO (-Wl,-z,relro)" -Wl,-z,norelro
    tried "lazy binding" "bound lazily (-Wl,-z,now)" -Wl,-z,lazy
    tried "an executable stack" "executable stack (-Wl,-z,noexecstack)" -Wl,-z,execstack
    tried "no stack protector" "no stack protector (-fstack-protector-strong)" -fno-stack-protector
    tried "no FORTIFY" "no checked libc calls (-D_FORTIFY_SOURCE=3)" -U_FORTIFY_SOURCE
    if [ "$(uname -m)" = x86_64 ]; then
        tried "no landing pads" "no landing pads for indirect calls (-fcf-protection=full)" -fcf-protection=none
        tried "no probes" "large frames are not probed (-fstack-clash-protection)" -fno-stack-clash-protection
    fi
    tried "a library path" "a library path of its own (RPATH)" -Wl,-rpath,/tmp
fi
for program in "$@"; do
    missing=$(lacks "$program") || missing="no ELF program"
    if [ -z "$missing" ]; then passed=$((passed + 1)); echo "ok - $program is hardened"; else
        echo "not ok - $program: $missing"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ $# -gt 0 ]
