#!/usr/bin/env bash
# setup.sh: PyTorch and JAX in a virtual environment below .build/, from the package index that pip is configured for.
# About 6 GB: PyTorch's wheel needs CUDA's libraries even where it runs on a CPU.
set -eu
cd "$(dirname "$0")/../.."
venv=.build/deaths/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
while read -r package; do
    $venv/bin/python -c "
import importlib.metadata as m
name, _, version = '$package'.partition('==')
assert m.version(name).startswith(version)" 2>/dev/null || $venv/bin/pip install -q --retries 2 --timeout 60 "$package" </dev/null
done <tests/deaths/requirements.txt
