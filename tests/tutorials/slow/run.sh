#!/bin/bash
# run.sh CORPUS FOLDER STEPS: serves the data, and starts the trainer again until it ends well, as a Job with restarts does.
python=${PYTHON:-python3} here=$(dirname "$0")
coproc "$python" "$here/store.py" "$1"
store=$COPROC_PID
trap 'kill "$store"' EXIT
read -r url <&"${COPROC[0]}"
until "$python" "$here/train.py" "$url" "$2" "$3"; do sleep 10; done
