#!/bin/bash
# vm.sh [GROUP...]: node-test's acts (smoke if none is named) on cgroup v2, in a virtual machine: Debian's kernel and systemd
# in qemu, with no network. All that runs in it is built and fetched out here. Uses KVM where that boots the kernel
# (NODE_VM_ACCEL=kvm or tcg decides), else qemu's emulation, which is some ten times slower. Ends after NODE_VM_MINUTES (120)
# at the latest, with the total of node-test.sh in there and of what is checked out here. Needs root, amd64 and 15 GB of free
# disk; the logs are .build/vm/test.log and console.log.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
work=$ROOT/.build/vm
groups=${*:-smoke}
inside=/goodput # the repository
passed=0 failed=0
finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ] && exit 0
  exit 1
}
need() { # what
  echo "not ok - the virtual machine needs $*"
  failed=1
  finish
}
[ "$(id -u)" = 0 ] || need "root (the owners of its files)"
[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || need "Debian or Ubuntu on amd64"
"$ROOT/tests/check/packages.sh" --install image nodes vm || need "packages that could not be installed"
free_mb=$(df -Pm "$ROOT" | awk 'END {print $4}')
[ "$free_mb" -gt 15000 ] || need "15 GB of free disk below $ROOT, there are $((free_mb / 1000))"
mkdir -p "$work"
exec 7>"$work/lock"
flock 7

# ---- its disk: a root of Debian's packages, the repository, the programs and the images ----
packages=linux-image-cloud-amd64,systemd-sysv,$("$ROOT/tests/check/packages.sh" --list nodes | tr ' ' ,)
make_root() {
  [ ! -s "$work/root.tar" ] || [ "$(cat "$work/packages" 2>/dev/null)" != "$packages" ] || return 0
  rm -f "$work/packages"
  mmdebstrap --quiet --variant=minbase --include="$packages" bookworm "$work/root.tar" || need "Debian's packages, which mmdebstrap did not get"
  echo "$packages" >"$work/packages"
}

unit() { # node-test as what the machine boots into; it is switched off when that ends
  cat <<U
[Unit]
Description=node-test on cgroup v2
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
WorkingDirectory=$inside
Environment=HOME=/root POLL_SECONDS=2 NODES_SLOW=1 NODES_REGISTRY=$inside/.build/nodes/registry
ExecStart=$inside/tests/nodes/node-test.sh $groups
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS1
TasksMax=infinity
LimitNOFILE=1048576
OOMPolicy=continue
U
}

# JobSet's and Kueue's controllers end where a lease is not renewed for ten seconds, and are taken out of service or killed
# where a probe takes longer than one: both happen under emulation, and neither is what is tested here.
be_patient() { # charts
  sed -i -E 's/leaderElect: true/leaderElect: false/; s/timeoutSeconds: 1$/timeoutSeconds: 60/; s/failureThreshold: 3$/failureThreshold: 20/' "$1/kueue/values.yaml"
  sed -i -E '/^  leaderElection:/,/enable:/s/enable: true/enable: false/' "$1/jobset/values.yaml"
  sed -i -E 's/^( +)periodSeconds: [0-9]+$/&\n\1timeoutSeconds: 60/' "$1/jobset/templates/controller/deployment.yaml"
}

make_disk() {
  local root=$work/root program
  rm -rf "$root"
  mkdir -p "$root"
  tar -xf "$work/root.tar" -C "$root"
  mkdir -p "$root$inside/.build/cluster/bin" "$root$inside/.build/nodes"
  (cd "$ROOT" && git ls-files -z | tar -c --null --files-from=- --ignore-failed-read) | tar -x -C "$root$inside"
  for program in $MACHINE_PROGRAMS; do cp "$BIN/$program" "$root$inside/.build/cluster/bin/"; done
  [ ! -x "$BIN/coredns" ] || cp "$BIN/coredns" "$root$inside/.build/cluster/bin/" # install.sh starts it if it is there
  "$NODES_HERE/images.sh" fill "$root$inside/.build/nodes/registry"
  cp -r "$ROOT/.build/nodes/charts" "$root$inside/.build/nodes/"
  be_patient "$root$inside/.build/nodes/charts"
  unit >"$root/etc/systemd/system/node-test.service"
  echo "/dev/vda / ext4 defaults 0 1" >"$root/etc/fstab"
  cp "$root"/boot/vmlinuz-* "$work/vmlinuz"
  cp "$root"/boot/initrd.img-* "$work/initrd"
  rm -f "$work/disk"
  mke2fs -q -t ext4 -d "$root" "$work/disk" 16G # a sparse file
  rm -rf "$root"
}

# ---- qemu ----
# Under emulation each change of the page table empties the TLB: the kernel's own protections would make most of the work.
qemu() { # limit of time, accelerator, console, kernel's arguments, more of qemu's
  local limit=$1 accelerator=$2 console=$3 arguments=$4
  shift 4
  timeout --foreground "$limit" qemu-system-x86_64 -accel "$accelerator" -cpu max,-arch-capabilities,-la57 -smp 2 -display none \
    -monitor none -no-reboot -nic none -kernel "$work/vmlinuz" -initrd "$work/initrd" \
    -append "console=ttyS0 panic=-1 mitigations=off $arguments" -serial "file:$console" "$@" </dev/null
}

# A /dev/kvm may be there and still not run an unmodified kernel: one that has no init ends at once, with a panic.
boots_with_kvm() {
  [ -w /dev/kvm ] || return 1
  rm -f "$work/probe"
  qemu 30 kvm "$work/probe" rdinit=/bin/false -m 1G >/dev/null 2>&1 || true
  grep -qs 'Kernel panic - not syncing: Attempted to kill init' "$work/probe"
}

run_machine() { # accelerator: ends with the machine, or with the time limit
  local minutes=${NODE_VM_MINUTES:-120} code=0
  qemu "${minutes}m" "$1" "$work/console.log" "root=/dev/vda rw systemd.unit=node-test.service" -m 6G -serial stdio \
    -drive "file=$work/disk,if=virtio,format=raw,cache=unsafe" | sed -u 's|\r||' | tee "$work/test.log" || code=$?
  [ $code = 0 ] || echo "qemu ended with exit code $code (124: after the limit of $minutes minutes)"
}

check() { # what, test...
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    echo "ok - $what"
  else
    failed=$((failed + 1))
    echo "not ok - $what"
  fi
}

begun=$SECONDS
# shellcheck disable=SC2086 # a list of words
"$HERE/build.sh" $MACHINE_PROGRAMS jobset-manager kueue-manager
"$NODES_HERE/images.sh"
make_root
make_disk
echo "built in $((SECONDS - begun)) s"
accelerator=${NODE_VM_ACCEL:-}
[ -n "$accelerator" ] || accelerator=$(boots_with_kvm && echo kvm || echo tcg)
echo "a virtual machine with $accelerator, 2 CPUs, 6 GiB"
begun=$SECONDS
rm -f "$work/console.log" "$work/test.log"
run_machine "$accelerator"
echo "the virtual machine ran for $((SECONDS - begun)) s"
check "it has cgroup v2 alone" grep -q '^cgroups: version 2, /sys/fs/cgroup is cgroup2fs' "$work/test.log"
total=$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$work/test.log" | tail -n 1 || true)
if [ -n "$total" ]; then
  read -r more _ wrong _ <<<"$total"
  passed=$((passed + more)) failed=$((failed + wrong))
  [ "$((more + wrong))" != 0 ] || failed=$((failed + 1))
else
  failed=$((failed + 1))
  echo "not ok - node-test.sh in it ended with a total; its last lines, and the console's:"
  tail -n 5 "$work/test.log" "$work/console.log" 2>/dev/null || true
fi
rm -f "$work/disk"
finish
