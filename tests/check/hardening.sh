#!/usr/bin/env bash
# hardening.sh PROGRAM...: says what a built program lacks of what the release build promises: position-independent (PIE),
# relocations read-only once loaded (full RELRO), no memory both writable and executable (NX), stack protector, checked
# libc calls (FORTIFY), no embedded library path; on x86-64 also landing pads (CET) and probes of large frames (stack
# clash). Of a program with debug information also that each of its files was compiled with each flag. Before that it tries
# itself on small programs that each lack one, and the Makefile's flags on gcc and clang.
set -u
. "$(dirname "$0")/../harness/count.sh"

# lacks PROGRAM: one line for each thing that is missing.
lacks() {
    local headers segments dynamic imports
    headers=$(LC_ALL=C readelf -hW "$1") || return 1
    segments=$(LC_ALL=C readelf -lW "$1") dynamic=$(LC_ALL=C readelf -dW "$1")
    if grep -q INTERP <<<"$segments"; then # a static program imports nothing: all its symbols instead
        imports=$(LC_ALL=C readelf -W --dyn-syms "$1")
    else
        imports=$(LC_ALL=C readelf -W --syms "$1")
        # Without symbols (stripped) only the messages of these calls are left.
        grep -q symtab <<<"$(LC_ALL=C readelf -SW "$1")" ||
            imports=$(grep -aqF 'stack smashing detected' "$1" && echo __stack_chk_fail
                grep -aqF 'buffer overflow detected' "$1" && echo __snprintf_chk)
    fi
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
    # The C library's start-up code brings six more.
    [ "$(grep -c 'endbr64' "$scratch/code")" -gt $((6 + $(grep -cw 'call' "$scratch/code") / 50)) ] ||
        echo "no landing pads for indirect calls (-fcf-protection=full)"
    grep -A1 -E 'sub +\$0x1000,%rsp' "$scratch/code" | grep -qE '(or|mov)q? +\$0x0,(0x[0-9a-f]+)?\(%rsp\)' ||
        echo "large frames are not probed (-fstack-clash-protection)"
}

# compiled_without PROGRAM FLAG...: the flags that some file of it was compiled without, as its debug information has it.
compiled_without() {
    local program=$1 flag
    shift
    LC_ALL=C readelf --debug-dump=info "$program" 2>/dev/null | sed -n 's/.*DW_AT_producer *: *(.*): //p; s/.*DW_AT_producer *: \([^(]\)/\1/p' >"$scratch/producers"
    grep -q 'GNU C' "$scratch/producers" || return 0 # stripped, or clang's, which does not record it
    for flag in "$@"; do
        grep 'GNU C' "$scratch/producers" | grep -qv -e " $flag" && echo "a file without $flag"
    done
}
# The Makefile's flags for a compiler.
flags_of() { make -s V=release CC="$1" --eval='flags:;@echo $(CFLAGS_release) $(LDFLAGS_release)' flags; }

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
# Ends with 0 if an automatic variable is what the call before it left on the stack.
cat >"$scratch/zero.c" <<'C'
__attribute__((noinline)) static int sum(int fills) {
    volatile char a[256];
    int s = 0;
    for (int i = 0; fills && i < 256; i++) a[i] = 7;
    for (int i = 0; i < 256; i++) s += a[i];
    return s;
}
int main(void) { sum(1); return sum(0) == 0; }
C
# Ends with 0 if it may write behind memory whose size is known only when it runs.
cat >"$scratch/behind.c" <<'C'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) { char *p = malloc((size_t)argc * 8); memset(p, argc, strlen(argv[1])); return p[0] != argc; }
C
cet=()
[ "$(uname -m)" != x86_64 ] || cet=(-fcf-protection=full)
good=("${cet[@]}" -w -O2 -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-clash-protection -fPIE -pie -Wl,-z,relro,-z,now)
# tried WHAT EXPECTED FLAG...: a program built with these flags too lacks just that.
tried() {
    local what=$1 expected=$2
    shift 2
    "${CC:-gcc}" "${good[@]}" "$@" -o "$scratch/p" "$scratch/p.c" || { not_ok "no program to try $what"; return; }
    same "$what" "$expected" "$(lacks "$scratch/p")"
}
# ends FLAGS FILE CODE: a program built with these flags ends so.
ends() {
    local code=0
    # shellcheck disable=SC2086 # a list of flags
    $1 -w -o "$scratch/ends" "$scratch/$2.c" || return 1
    "$scratch/ends" 0123456789012345678901234567890 >/dev/null 2>&1 || code=$?
    [ "$code" = "$3" ] || { echo "exit code $code, not $3"; return 1; }
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
    "${CC:-gcc}" -g "${good[@]}" -c -o "$scratch/p.o" "$scratch/p.c" && "${CC:-gcc}" -g -O2 -fno-stack-protector -c -o "$scratch/zero.o" "$scratch/zero.c"
    objcopy --redefine-sym main=other "$scratch/zero.o" && "${CC:-gcc}" -pie -o "$scratch/p" "$scratch/p.o" "$scratch/zero.o"
    same "one file without a flag" "a file without -fstack-protector-strong" "$(compiled_without "$scratch/p" -fstack-protector-strong -O2)"
    check "a variable is what was on the stack before" ends "gcc -O1" zero 0
    check "FORTIFY=2 does not see a size that is known only when it runs" ends "gcc -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2" behind 0
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        flags=$(flags_of $compiler)
        # shellcheck disable=SC2086 # a list of flags
        check "a program is built with the Makefile's flags by $compiler" $compiler -w $flags -o "$scratch/p" "$scratch/p.c"
        same "it lacks nothing ($compiler)" "" "$(lacks "$scratch/p")"
        check "its variables are zero at first ($compiler)" ends "$compiler $flags" zero 1
        check "it ends before it writes behind memory (FORTIFY=3, $compiler)" ends "$compiler $flags" behind 134
    done
fi
read -r -a flags <<<"$(flags_of gcc | tr ' ' '\n' | grep -E '^-(O|m|f)' | paste -sd' ')"
for program in "$@"; do
    missing=$(lacks "$program") || missing="no ELF program"
    missing+=$(compiled_without "$program" "${flags[@]}")
    same "$program is hardened" "" "$missing"
done
finish && [ $# -gt 0 ]
