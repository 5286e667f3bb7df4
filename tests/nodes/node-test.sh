#!/bin/bash
# node-test.sh [--keep] [--record FILE] GROUP...: a real cluster on this machine, the project's image and chart on it, and
# the acts of story/acts.py. Needs root; builds what is missing. Ends with "N passed, N failed"; where the machine cannot
# do it, with "SKIPPED: why" and "0 passed, 0 failed".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

keep='' uninstall=--uninstall record='' groups=''
while [ $# -gt 0 ]; do
  case $1 in
  --keep) keep=1 uninstall='' ;;
  --record) record=${2:?"--record needs a file"} && shift ;;
  *) groups+=${groups:+,}$1 ;;
  esac
  shift
done
[ -n "$groups" ] || die "usage: node-test.sh [--keep] [--record FILE] GROUP... (groups are in tests/nodes/story/acts.py)"

skip() {
  echo "SKIPPED: real nodes cannot be had here: $*"
  echo "0 passed, 0 failed"
  exit 0
}
[ "$(id -u)" = 0 ] || skip "they need root (namespaces, mounts, cgroups)"
unshare --mount --uts --ipc --net --pid --fork --mount-proc true 2>/dev/null || skip "this machine allows no new namespaces"
[ -d /sys/fs/cgroup/memory ] && [ -d /sys/fs/cgroup/cpuset ] || skip "they need cgroup v1 with memory and cpuset (cgroup v2 has not been tried)"
mkdir -p /sys/fs/cgroup/memory/$PARENT_CGROUP 2>/dev/null || skip "cgroups cannot be made"
"$ROOT/tests/check/packages.sh" --install image nodes || skip "packages are missing"
free_mb=$(df -Pm "$ROOT" | awk 'END {print $4}')
[ "$free_mb" -gt 20000 ] || skip "they need 20 GB of free disk below $ROOT, there are $((free_mb / 1000))"
echo "free disk: $((free_mb / 1000)) GB"

cleaned=''
# shellcheck disable=SC2317 # called by the trap
clean_up() {
  [ -z "$cleaned" ] || return 0
  cleaned=1
  [ -z "$story" ] || kill "$story" 2>/dev/null || true
  [ -z "$story" ] || wait "$story" 2>/dev/null || true
  [ -n "$keep" ] || "$NODES_HERE/down.sh"
}
story=''
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

begun=$SECONDS
"$HERE/build.sh" etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy jobset-manager kueue-manager helm kubectl
"$NODES_HERE/images.sh"
case ",$groups," in *,jax,*) "$NODES_HERE/images.sh" jax ;; esac
echo "built in $((SECONDS - begun)) s"
begun=$SECONDS
"$NODES_HERE/down.sh" --wipe # an earlier run may have been kept
"$NODES_HERE/up.sh"
"$NODES_HERE/images.sh" push
echo "images pushed"
on cp "$NODES_HERE/install.sh"
# The story sees the host's processes, and the network of the control plane.
PYTHONDONTWRITEBYTECODE=1 nsenter --net="/proc/$(cat "$MACHINES/cp")/ns/net" python3 "$NODES_HERE/story/main.py" \
  --api "$API" --run "$RUN" --groups "$groups" ${record:+--record "$record"} ${uninstall:+"$uninstall"} &
story=$!
failed=0
wait "$story" || failed=1
story=''
echo "took $((SECONDS - begun)) s after the build"
exit $failed
