#!/bin/bash
# down.sh [--wipe]: ends the machines, and with them every process, mount and network of theirs; removes their cgroups and
# puts back what kubelet set for the whole machine. --wipe also removes the run directory. Fine to call at any time.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
is_machine() { grep -qsa machine.sh "/proc/$1/cmdline"; } # a pid from an earlier boot may be someone else's by now
for file in "$MACHINES"/*.parent; do
  [ -s "$file" ] || continue
  parent=$(cat "$file") first=$(cat "${file%.parent}" 2>/dev/null || echo 0)
  # When the first process of a machine ends, the kernel ends the others.
  for pid in "$parent" "$first"; do
    for ((i = 0; i < 200; i++)); do
      is_machine "$pid" || break
      kill -KILL "$pid" 2>/dev/null || true
      sleep 0.05
    done
  done
  rm -f "$file" "${file%.parent}"
done
if [ -e "$RUN/controllers.saved" ]; then
  remove_cgroups "$(cat "$RUN/controllers.saved")"
  rm -f "$RUN/controllers.saved"
else
  remove_cgroups
fi
if [ -s "$RUN/sysctl.saved" ]; then
  sed 's/ = /=/' "$RUN/sysctl.saved" | xargs -r sysctl -qw
  rm -f "$RUN/sysctl.saved"
fi
rm -rf "$RUN"/n*/var/lib "$RUN/registry" # the images; the logs stay
[ "${1:-}" != --wipe ] || rm -rf "$RUN"
