#!/bin/bash
# component.sh start NAME: starts a part of the control plane of which up.sh started the first one, and waits until it answers.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
. "$HERE/components.sh"
[ "${1:-}" = start ] && [ $# = 2 ] || die "usage: component.sh start etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kwok|jobset|kueue|trainer"
rm -f "$PIDS/$2" # the old one is dead; it may still be a zombie, whose id answers
case $2 in
etcd) start_etcd ;;
kube-apiserver) start_apiserver "${APISERVER_FLAGS[@]}" ;;
kube-controller-manager) start_controller_manager ;;
kube-scheduler) start_scheduler ;;
kwok) start_kwok ;;
jobset)
  start_jobset
  wait_for jobset 1200 curl -sf "http://127.0.0.1:$JOBSET_HEALTH_PORT/readyz"
  ;;
trainer)
  start_trainer
  wait_for trainer 1200 curl -sf "http://127.0.0.1:$TRAINER_HEALTH_PORT/readyz"
  ;;
kueue)
  start_kueue
  wait_for kueue 1200 curl -sf "http://127.0.0.1:$KUEUE_HEALTH_PORT/readyz"
  ;;
*) die "unknown part $2" ;;
esac
