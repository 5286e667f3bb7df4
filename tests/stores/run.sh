#!/usr/bin/env bash
# run.sh [PART...]: builds MinIO and fake-gcs-server from their Go modules, and holds the archive's uploads to them
# (stores.py). Its last line is the total.
set -eu
cd "$(dirname "$0")/../.."
tests/cluster/build.sh minio fake-gcs-server
venv=.build/stores/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
$venv/bin/python -c 'import importlib.metadata as m; assert m.version("minio") == "7.2.20"' 2>/dev/null ||
    $venv/bin/pip install -q --retries 1 --timeout 30 minio==7.2.20
exec $venv/bin/python -B tests/stores/stores.py "$@"
