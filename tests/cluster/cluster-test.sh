#!/bin/bash
# cluster-test.sh [--record FILE] [--keep] [--stories NAMES] [--chaos]: plays training stories on a real control plane with the
# controller watching, and checks what it says. `make cluster-test` calls it after building the programs.
#   --record FILE  write all watch streams to FILE (jsonl), and the pod logs next to it
#   --keep         leave the cluster up at the end (down.sh --wipe stops it)
#   --stories      of queue,training,hand,failures,order,gates,nodes,cohort,provisioning,trainjob,podgroup,node_signals,claims,hotswap,elastic
#                  or, with the operators of more kinds of jobs, of pytorchjob,leaderworkerset,rayjob
#   --chaos        instead, CHAOS (200) strikes against the controller and the control plane over the stories and random
#                  lives, within CHAOS_SECONDS (3600) at most; SEED decides their order
# After the stories come ten strikes over random lives; STRIKES=0 leaves them out.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

keep='' record='' chaos='' stories=queue,training,hand,failures,order,gates,nodes,cohort,provisioning,trainjob,podgroup,node_signals,claims,hotswap,elastic
while [ $# -gt 0 ]; do
  case $1 in
  --keep) keep=1 ;;
  --chaos) chaos=1 ;;
  --record) record=${2:?"--record needs a file"} && shift ;;
  --stories) stories=${2?"--stories needs names"} && shift ;;
  *) die "unknown argument $1 (--record FILE, --keep, --stories NAMES, --chaos)" ;;
  esac
  shift
done
controller=$ROOT/.build/bin/goodput-controller
plugin=$ROOT/.build/bin/kubectl-goodput
for program in "$controller" "$plugin"; do
  [ -x "$program" ] || die "$program is missing: run make"
done
for tool in python3 curl openssl flock; do
  command -v $tool >/dev/null || die "$tool is missing"
done
python3 -c 'import yaml' 2>/dev/null || die "Python's yaml module is missing (Debian: python3-yaml)"

cleaned=''
# shellcheck disable=SC2317 # called by the trap
clean_up() {
  [ -z "$cleaned" ] || return 0
  cleaned=1
  [ -z "$story_pid" ] || kill "$story_pid" 2>/dev/null || true
  [ -z "$story_pid" ] || wait "$story_pid" 2>/dev/null || true
  [ -n "$keep" ] || "$HERE/down.sh" --wipe
}
story_pid=''
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

begun=$SECONDS
"$HERE/build.sh"
case ",$stories," in *,node_signals,*) "$HERE/build.sh" node-problem-detector ;; esac
case ",$stories," in
*,pytorchjob,* | *,leaderworkerset,* | *,rayjob,*)
  export CLUSTER_OPERATORS=1
  "$HERE/build.sh" job-operators
  ;;
esac
echo "built in $((SECONDS - begun)) s"
begun=$SECONDS
"$HERE/down.sh" --wipe # an earlier run may have been kept
"$HERE/up.sh"
for queues in queues ${CLUSTER_OPERATORS:+operators}; do adapted "$HERE/scenario/$queues.yaml" | kubectl apply -f - >/dev/null; done
"$HERE/install.sh" | tee "$RUN/install.out" || die "the chart could not be installed"
if [ -z "$chaos$PINS" ]; then "$HERE/tenant.sh" | tee -a "$RUN/install.out" || true; fi
failed=0
export PYTHONDONTWRITEBYTECODE=1
common=(--api "$API" --etcd "127.0.0.1:$ETCD_PORT" --run "$RUN" --scenario "$HERE/scenario" --stories "$stories"
  --trainer-logs "$ROOT/tests/data/trainer-logs/maxtext/restarts" --controller "$controller" --kubeconfig "$KC/controller"
  ${SEED:+--seed "$SEED"})
if [ -n "$chaos" ]; then
  python3 "$HERE/story/chaos.py" "${common[@]}" --strikes "${CHAOS:-200}" --seconds "${CHAOS_SECONDS:-3600}" ${record:+--record-chaos "$record"} &
else
  python3 "$HERE/story/main.py" "${common[@]}" --plugin "$plugin" --earlier-checks "$RUN/install.out" \
    --strikes "${STRIKES:-10}" --record "${record:-$RUN/recording.jsonl}" &
fi
story_pid=$!
wait "$story_pid" || failed=1
story_pid=''
# down.sh deletes the run; the record of a failed chaos run is kept next to it.
if [ -n "$chaos" ] && [ $failed = 1 ]; then mkdir -p "$BUILD/chaos" && tar -C "$RUN" -czf "$BUILD/chaos/logs.tgz" logs; fi
if [ -n "$record" ]; then tar -C "$RUN" -czf "${record%.jsonl}.podlogs.tgz" podlogs; fi
echo "cluster-test took $((SECONDS - begun)) s after the build"
exit $failed
