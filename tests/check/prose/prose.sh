#!/usr/bin/env bash
# prose.sh [PATH...]   Vale (built from its Go module) and codespell (from PyPI), both pinned, over the prose of the
#                      repository; with PATH: all findings below it.
set -eu
cd "$(dirname "$0")/../../.."
codespell=2.4.3
tools=.build/prose

if [ ! -x "$tools/venv/bin/codespell" ]; then
    python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install -q --disable-pip-version-check "codespell==$codespell"
fi
tests/cluster/build.sh vale
exec python3 -B tests/check/prose/prose.py .build/cluster/bin/vale "$tools/venv/bin/codespell" "$@"
