#!/usr/bin/env bash
# format.sh [--fix]   Compares the layout of C and of the page's JavaScript with what two pinned formatters write; --fix
#                     writes it. clang-format comes from PyPI, prettier from npm, both into .build/format.
set -eu
cd "$(dirname "$0")/../.."
clang_format=14.0.6
prettier=3.6.2
tools=.build/format

if [ ! -x "$tools/venv/bin/clang-format" ]; then
    python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install -q --disable-pip-version-check "clang-format==$clang_format"
fi
if [ ! -x "$tools/node_modules/.bin/prettier" ]; then
    command -v npm >/dev/null || tests/check/packages.sh --install format
    npm install --silent --no-audit --no-fund --prefix "$tools" "prettier@$prettier"
fi

mapfile -t c < <(git ls-files '*.c' '*.h')
mapfile -t js < <(git ls-files '*.js')
pretty=("$tools/node_modules/.bin/prettier" --tab-width 4 --print-width 120 --log-level warn)
if [ "${1:-}" = --fix ]; then
    "$tools/venv/bin/clang-format" -i "${c[@]}"
    "${pretty[@]}" --write "${js[@]}"
    exit
fi
wrong=$(printf '%s\0' "${c[@]}" | xargs -0 -P "$(nproc)" -n 64 "$tools/venv/bin/clang-format" --dry-run -Werror 2>&1 | sed -n 's/^\([^: ]*\.[ch]\):[0-9].*/\1/p' | sort -u)
wrong+=" $("${pretty[@]}" --list-different "${js[@]}" || true)"
failed=0
for file in $wrong; do
    echo "not ok - $file: run make format"
    failed=$((failed + 1))
done
echo "$((${#c[@]} + ${#js[@]} - failed)) passed, $failed failed"
[ "$failed" = 0 ]
