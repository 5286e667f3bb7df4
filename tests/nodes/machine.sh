#!/bin/bash
# machine.sh NAME: the first process of a machine, started by up.sh in new namespaces; ends when it is killed, and then
# the kernel ends every process of the machine. It reaps what its processes leave behind, as an init does.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
name=$1
hostname "$name"
# Each machine has a private /run, /var/lib and /var/log: nothing is left on the host.
for place in run var/lib var/log; do
  mkdir -p "$RUN/$name/$place"
  mount --bind "$RUN/$name/$place" "/$place"
done
mount --make-rshared /
ip link set lo up
touch "$RUN/$name/started"
while :; do
  sleep 3600 &
  wait $! || true
done
