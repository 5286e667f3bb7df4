#!/bin/bash
# node-test.sh [--keep] [--interrupt] [--record FILE] GROUP...: a real cluster on this machine, the project's image and chart
# on it, and the acts of story/acts.py. Needs root; builds what is missing. Ends with "N passed, N failed"; where the
# machine cannot do it, with the reason and "0 passed, 1 failed": a skip is not a pass. An act that cannot be played here
# has failed as well.
# NODES_REGISTRY: a folder with the images (images.sh fill); then nothing is built, all is there (vm.sh).
# --interrupt: before, a run of its own is left with Ctrl-C in the middle: nothing of it may stay.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

keep='' uninstall=--uninstall record='' groups='' interrupt=''
while [ $# -gt 0 ]; do
  case $1 in
  --keep) keep=1 uninstall='' ;;
  --interrupt) interrupt=1 ;;
  --record) record=${2:?"--record needs a file"} && shift ;;
  *) groups+=${groups:+,}$1 ;;
  esac
  shift
done
[ -n "$groups" ] || die "usage: node-test.sh [--keep] [--record FILE] GROUP... (groups are in tests/nodes/story/acts.py)"

passed=0 failed=0
need() { # what
  echo "not ok - real nodes need $*"
  echo "0 passed, 1 failed"
  exit 1
}
[ "$(id -u)" = 0 ] || need "root (namespaces, mounts, cgroups)"
unshare --mount --uts --ipc --net --pid --fork --mount-proc true 2>/dev/null || need "new namespaces, which this machine does not allow"
obstacle=$(cgroup_obstacle)
[ -z "$obstacle" ] || need "$obstacle"
echo "cgroups: version $(cgroup_version), $CGROUPS is $(stat -f -c %T "$CGROUPS")"
if [ -n "${NODES_REGISTRY:-}" ]; then
  "$ROOT/tests/check/packages.sh" nodes || need "these packages"
else
  "$ROOT/tests/check/packages.sh" --install image nodes || need "packages that could not be installed"
fi
free_mb=$(df -Pm "$ROOT" | awk 'END {print $4}')
need_gb=20
[ -z "${NODES_REGISTRY:-}" ] || need_gb=8
case ",$groups," in *,jax,*) need_gb=35 ;; esac
[ "$free_mb" -gt $((need_gb * 1000)) ] || need "$need_gb GB of free disk below $ROOT, there are $((free_mb / 1000))"
# without GROUP WHY: one failure; the other acts are played all the same.
without() {
  groups=$(tr ',' '\n' <<<"$groups" | { grep -vx "$1" || true; } | paste -sd,)
  failed=$((failed + 1))
  echo "not ok - the group $1 was not played: $2"
  [ -n "$groups" ] || { echo "$passed passed, $failed failed" && exit 1; }
}
wants() { case ",$groups," in *,"$1",*) ;; *) return 1 ;; esac }
# more_disk GROUP GB
more_disk() {
  local gb=$((need_gb + $2))
  wants "$1" || return 0
  if [ "$free_mb" -gt $((gb * 1000)) ]; then
    need_gb=$gb
  else
    without "$1" "it needs $gb GB of free disk below $ROOT, there are $((free_mb / 1000))"
  fi
}
compgen -G "$ROOT/.build/deaths/venv/lib/*/site-packages/torch/version.py" >/dev/null || # setup.sh was not run before
  more_disk deaths 10 # PyTorch with CUDA's libraries, and the archives that it comes in
more_disk maxtext 5 # 1.3 GB, unpacked from as much, and an image on two nodes
echo "free disk: $((free_mb / 1000)) GB, $need_gb needed"

# What a run may not leave behind on the host, one line each; addresses, as names of interfaces go with their machines.
host_state() {
  # shellcheck disable=SC2086 # a list of words
  sysctl $KUBELET_SYSCTLS net.ipv4.ip_forward
  ip -o addr show | awk '{print "address", $2, $4}'
  ip route show | sed 's/^/route /'
  awk -v root="$RUN" 'index($2, root) {print "mount", $2}' /proc/mounts
  { nft list tables 2>/dev/null || true; } | sed 's/^/firewall /'
  cgroup_folders
  save_controllers | sed 's/^/controllers /'
  pgrep -af "$NODES_HERE/machine.sh|$RUN" | sed 's/^[0-9]* /process /' || true # there should be none
}
check_host() { # what: the host is as it was
  local now
  now=$(host_state)
  if [ "$now" = "$before" ]; then
    passed=$((passed + 1))
    echo "ok - $1: sysctls, addresses, routes, mounts, firewall, cgroups and processes are as before"
  else
    failed=$((failed + 1))
    echo "not ok - $1: the host is not as before: $(diff <(echo "$before") <(echo "$now") | head -5 | tr '\n' ';')"
  fi
}

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
build_all() {
  # shellcheck disable=SC2086 # a list of words
  "$HERE/build.sh" $MACHINE_PROGRAMS jobset-manager kueue-manager
  if wants names || wants deaths; then "$HERE/build.sh" coredns; fi
  if wants guides; then make -s -C "$ROOT" programs; fi # the plugin for kubectl
  "$NODES_HERE/images.sh"
  ! wants jax || "$NODES_HERE/images.sh" jax
  ! wants deaths || { "$ROOT/tests/deaths/setup.sh" && "$NODES_HERE/images.sh" deaths; } || without deaths "PyTorch cannot be had here, as said above"
  ! wants maxtext || "$NODES_HERE/images.sh" maxtext || without maxtext "it cannot be had here, as said above"
}
[ -n "${NODES_REGISTRY:-}" ] || build_all
echo "built in $((SECONDS - begun)) s"
begun=$SECONDS
# The cgroups and kubelet's sysctls are the machine's: only one run at once, from whichever clone.
if [ -z "${NODES_LOCKED:-}" ]; then
  exec 8>/run/goodput-nodes.lock
  flock -n 8 || { echo "another run on this machine comes first" && flock 8; }
  export NODES_LOCKED=1
fi
"$NODES_HERE/down.sh" --wipe # an earlier run may have been kept
before=$(host_state)

if [ -n "$interrupt" ]; then
  # Without job control a command in the background ignores SIGINT; as a person's would, this one does not.
  set -m
  "$0" smoke >"$ROOT/.build/nodes/interrupted.log" 2>&1 &
  other=$!
  set +m
  for ((i = 0; i < 3000; i++)); do
    ! grep -qs "images pushed" "$ROOT/.build/nodes/interrupted.log" || break
    kill -0 $other 2>/dev/null || break
    sleep 0.2
  done
  sleep 5 # in the middle of the charts' installation
  kill -INT -- -$other
  code=0
  wait $other || code=$?
  # 130, or 1 if the program that ran took the signal for its own and failed.
  if [ $code != 0 ] && ! grep -q "^== smoke" "$ROOT/.build/nodes/interrupted.log"; then
    passed=$((passed + 1))
    echo "ok - Ctrl-C ends a run that was installing the charts: exit code $code"
  else
    failed=$((failed + 1))
    echo "not ok - Ctrl-C ends a run that was installing the charts: exit code $code, $(tail -1 "$ROOT/.build/nodes/interrupted.log")"
  fi
  check_host "after Ctrl-C"
  "$NODES_HERE/down.sh" --wipe
fi

"$NODES_HERE/up.sh"
[ -n "${NODES_REGISTRY:-}" ] || "$NODES_HERE/images.sh" push
echo "images pushed"
on cp "$NODES_HERE/install.sh"
# The story sees the host's processes, and the network of the control plane.
log=$ROOT/.build/nodes/story.log
PYTHONDONTWRITEBYTECODE=1 nsenter --net="/proc/$(cat "$MACHINES/cp")/ns/net" python3 -u "$NODES_HERE/story/main.py" \
  --api "$API" --run "$RUN" --groups "$groups" ${record:+--record "$record"} ${uninstall:+"$uninstall"} > >(tee "$log") 2>&1 &
story=$!
wait "$story" || true
story=''
read -r more _ wrong _ < <(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true) || more=0 wrong=1
passed=$((passed + more)) failed=$((failed + wrong))
echo "took $((SECONDS - begun)) s after the build"
if [ -z "$keep" ]; then
  "$NODES_HERE/down.sh"
  check_host "at the end"
  "$NODES_HERE/down.sh"
  check_host "taken down twice"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
