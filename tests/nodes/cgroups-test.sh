#!/usr/bin/env bash
# What cgroups.sh makes of hierarchies that this machine does not mount: folders with the kernel's files. The kernel's own
# answers are node-test's business (version 1 on a build machine, version 2 in vm.sh).
set -u
cd "$(dirname "$0")"
. ../harness/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
printf '#!/bin/bash\ncat "${!#}/type" 2>/dev/null || echo tmpfs\n' >"$work/bin/stat" # the file system's type
chmod +x "$work/bin/stat"
PATH=$work/bin:$PATH
export NODES_RUN=$work/run NODES_CGROUPS
. ./env.sh
set +e

tree() { # NAME FILE=TEXT... FOLDER/...
  local entry
  CGROUPS=$work/$1
  shift
  for entry in "$@"; do
    case $entry in
    */) mkdir -p "$CGROUPS/$entry" ;;
    *) mkdir -p "$(dirname "$CGROUPS/$entry")" && printf '%s' "${entry#*=}" >"$CGROUPS/${entry%%=*}" ;;
    esac
  done
}
v2=(type=cgroup2fs 'cgroup.controllers=cpuset cpu io memory hugetlb pids rdma misc' cgroup.procs=1 'cgroup.subtree_control=memory pids')

tree none unified/
same "neither" "" "$(cgroup_version)"
tree hybrid memory/ cpuset/cpuset.cpus=0-1 cpuset/cpuset.mems=0 cpu/ unified/
same "both: version 1 is kept" 1 "$(cgroup_version)"
same "both: usable" "" "$(cgroup_obstacle)"
tree two "${v2[@]}"
same "unified" 2 "$(cgroup_version)"
same "unified: usable" "" "$(cgroup_obstacle)"
tree empty type=cgroup2fs cgroup.controllers=pids cgroup.procs=1 cgroup.subtree_control=
same "unified without its controllers" "cgroup v2 with cpu cpuset memory, which belong to version 1 or to nothing here" "$(cgroup_obstacle)"
tree container "${v2[@]}" 'cgroup.type=domain'
same "a container's group with processes" "the root of cgroup v2: $CGROUPS is a group with processes in it (a container's), so that it can give its groups no controllers" "$(cgroup_obstacle)"
tree delegated "${v2[@]}" 'cgroup.type=domain' 'cgroup.subtree_control=cpuset cpu io memory hugetlb pids'
same "a container's group whose controllers are given" "" "$(cgroup_obstacle)"

group=goodput-nodes
tree make1 memory/ "cpu/$group/cpu.shares=1024" cpuset/cpuset.cpus=0-1 cpuset/cpuset.mems=0
make_cgroups n1
same "version 1: a group in each hierarchy" 3 "$(find "$CGROUPS" -name n1 | wc -l)"
same "version 1: its weight" 16384 "$(cat "$CGROUPS/cpu/$group/cpu.shares")"
same "version 1: a cpuset is filled" "0-1 0" "$(cd "$CGROUPS/cpuset/$group/n1" && echo "$(cat cpuset.cpus) $(cat cpuset.mems)")"
tree make2 "${v2[@]}" "$group/cgroup.controllers=cpuset cpu memory pids" "$group/cgroup.subtree_control=" "$group/cpu.weight=100"
make_cgroups n1
same "version 2: one group" "$CGROUPS/$group/n1" "$(find "$CGROUPS" -name n1)"
same "version 2: its weight" 1600 "$(cat "$CGROUPS/$group/cpu.weight")"
same "version 2: controllers of the root's groups" "+cpuset +cpu +io +memory +hugetlb +pids" "$(cat "$CGROUPS/cgroup.subtree_control")"
same "version 2: controllers of the nodes" "+cpuset +cpu +memory +pids" "$(cat "$CGROUPS/$group/cgroup.subtree_control")"
finish
