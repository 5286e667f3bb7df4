#!/bin/bash
# run.sh CORPUS FOLDER STEPS: starts the trainer again until it ends well, as a Job with restarts does.
until "${PYTHON:-python3}" "$(dirname "$0")/train.py" "$@"; do sleep 10; done
