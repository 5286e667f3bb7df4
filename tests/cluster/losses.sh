#!/bin/bash
# losses.sh: LOSSES (1000) pods of JOBS (250) batch/v1 Jobs are lost on a real control plane, half of them while all watches of
# the controller are reset again and again: how long each takes to be in status (tests/bench/losses.py).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
trap '"$HERE/down.sh" --wipe' EXIT
"$HERE/build.sh"
"$HERE/down.sh" --wipe # an earlier run may have been kept
"$HERE/up.sh"
"$HERE/install.sh"
python3 "$ROOT/tests/bench/losses.py" --cluster "$RUN" --losses "${LOSSES:-1000}" --jobs "${JOBS:-250}"
