#!/usr/bin/env bash
# setup.sh [NAME==VERSION...]: the real library, in a virtual environment below .build/, from the package index that pip
# is configured for; and more packages, without their optional dependencies.
set -eu
cd "$(dirname "$0")/../.."
venv=.build/parity/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/python -c 'import importlib.metadata as m; assert m.version("ml-goodput-measurement") == "0.2.3"' 2>/dev/null ||
    $venv/bin/pip install -q --retries 1 --timeout 30 ml-goodput-measurement==0.2.3
for package in "$@"; do
    $venv/bin/python -c "import importlib.metadata as m; assert m.version('${package%%==*}') == '${package##*==}'" 2>/dev/null ||
        $venv/bin/python -m pip install -q --retries 1 --timeout 30 --no-deps "$package"
done
