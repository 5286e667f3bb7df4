# shellcheck shell=bash
# Sourced by env.sh: the nodes' cgroups, below $PARENT_CGROUP, in the version that this machine mounts.
# shellcheck disable=SC2154 # the variables come from env.sh
CGROUPS=${NODES_CGROUPS:-/sys/fs/cgroup}
CONTROLLERS='cpuset cpu io memory hugetlb pids' # of version 2: what kubelet and runc use, where the kernel has it

# 1 where a hierarchy of version 1 has memory and cpuset, also next to one of version 2; 2 where that is the only one.
cgroup_version() {
  if [ "$(stat -f -c %T "$CGROUPS")" = cgroup2fs ]; then
    echo 2
  elif [ -d "$CGROUPS/memory" ] && [ -d "$CGROUPS/cpuset" ]; then
    echo 1
  fi
}

# words_without LIST OTHER: the words of LIST that OTHER does not have
words_without() {
  local word words=''
  for word in $1; do
    case " $2 " in *" $word "*) ;; *) words+=" $word" ;; esac
  done
  echo "${words# }"
}

# What kubelet needs of the cgroups and does not find here; nothing where it can run. Changes nothing.
cgroup_obstacle() {
  local missing needed='cpu cpuset memory pids'
  case $(cgroup_version) in
  1) [ -w "$CGROUPS/memory" ] || echo "cgroup v1 that can be written: $CGROUPS is read-only" ;;
  2)
    missing=$(words_without "$needed" "$(cat "$CGROUPS/cgroup.controllers")")
    if [ -n "$missing" ]; then
      echo "cgroup v2 with $missing, which belong to version 1 or to nothing here"
    elif [ ! -w "$CGROUPS/cgroup.procs" ]; then
      echo "cgroup v2 that can be written: $CGROUPS is read-only"
    elif [ -e "$CGROUPS/cgroup.type" ] && [ -n "$(head -n 1 "$CGROUPS/cgroup.procs")" ] && # the real root has no type
      [ -n "$(words_without "$needed" "$(cat "$CGROUPS/cgroup.subtree_control")")" ]; then
      echo "the root of cgroup v2: $CGROUPS is a group with processes in it (a container's), so that it can give its groups no controllers"
    fi
    ;;
  *) echo "cgroup v1 with memory and cpuset, or cgroup v2: $CGROUPS has neither" ;;
  esac
}

# make_cgroups NODE: what else runs on this machine weighs as much as a process or a slice (1024 in version 1, 100 in
# version 2); all pods of both nodes together would weigh no more.
make_cgroups() {
  case $(cgroup_version) in
  1) make_cgroups_v1 "$1" ;;
  2) make_cgroups_v2 "$1" ;;
  *) die "the nodes need $(cgroup_obstacle)" ;;
  esac
}

make_cgroups_v1() { # node
  local controller file folder
  for controller in "$CGROUPS"/*/; do
    mkdir -p "$controller$PARENT_CGROUP/$1"
    [ "${controller%/}" != "$CGROUPS/cpu" ] || echo 16384 >"$controller$PARENT_CGROUP/cpu.shares"
    [ "${controller%/}" = "$CGROUPS/cpuset" ] || continue
    for folder in "$controller$PARENT_CGROUP" "$controller$PARENT_CGROUP/$1"; do # empty in a new cpuset
      for file in cpuset.cpus cpuset.mems; do cat "$folder/../$file" >"$folder/$file"; done
    done
  done
}

# A group with controllers for its groups may hold no process: kubelet makes those for the pods below the node's. Cpusets
# are inherited.
make_cgroups_v2() { # node
  mkdir -p "$CGROUPS/$PARENT_CGROUP/$1"
  give_controllers "$CGROUPS"
  give_controllers "$CGROUPS/$PARENT_CGROUP"
  echo 1600 >"$CGROUPS/$PARENT_CGROUP/cpu.weight"
}

give_controllers() { # group: to the groups in it
  local here controller line=''
  here=$(cat "$1/cgroup.controllers")
  for controller in $CONTROLLERS; do
    case " $here " in *" $controller "*) line+=" +$controller" ;; esac
  done
  echo "${line# }" >"$1/cgroup.subtree_control" || die "cannot give the controllers$line to the groups in $1"
}

# The folders of the nodes, in every hierarchy.
cgroup_folders() {
  local folder
  for folder in "$CGROUPS/$PARENT_CGROUP" "$CGROUPS"/*/"$PARENT_CGROUP"; do [ ! -d "$folder" ] || echo "$folder"; done
}

# Version 2: the controllers that the root's groups have; make_cgroups and runc add to them.
save_controllers() { cat "$CGROUPS/cgroup.subtree_control" 2>/dev/null || true; }

# remove_cgroups [SAVED]: the nodes' cgroups, and the controllers that the root's groups did not have before. The kernel
# refuses the removal of a controller that another group's groups have got meanwhile: it stays.
remove_cgroups() {
  local folder controller
  for folder in $(cgroup_folders); do
    for ((i = 0; i < 100; i++)); do # the processes may still be ending
      find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ -d "$folder" ] || break
      sleep 0.1
    done
  done
  [ $# = 1 ] && [ "$(cgroup_version)" = 2 ] || return 0
  for controller in $(words_without "$(save_controllers)" "$1"); do
    echo "-$controller" >"$CGROUPS/cgroup.subtree_control" 2>/dev/null || true
  done
}
