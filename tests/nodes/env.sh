# shellcheck shell=bash
# shellcheck disable=SC2034 # sourced: the variables are for the scripts that source it
# Sourced by every script here: the control plane of tests/cluster, moved into a separate machine, and two nodes.
# Every address is inside network namespaces that up.sh makes: machines 172.30.0.0/24, pods 10.244.0.0/16, services
# 10.96.0.0/16. None of them appears on the host.
NODES_HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CLUSTER_ADDRESS=172.30.0.1
export CLUSTER_RUN=${NODES_RUN:-$(cd "$NODES_HERE/../.." && pwd)/.build/nodes/run}
. "$NODES_HERE/../cluster/env.sh"
REGISTRY=$ADDRESS:5000
NODES=2
MACHINES=$RUN/machines # NAME: the pid of the process that holds the machine's namespaces
TRUTH=$RUN/truth       # what the trainers say of themselves, and their checkpoints: a hostPath volume on every node
PARENT_CGROUP=goodput-nodes
. "$NODES_HERE/cgroups.sh"
# What runs in the machines; build.sh makes it.
MACHINE_PROGRAMS='etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy helm kubectl'
KUBELET_SYSCTLS='vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops kernel.keys.root_maxkeys kernel.keys.root_maxbytes'

node_address() { echo "172.30.0.$((10 + $1))"; }

# on MACHINE COMMAND...: runs it inside the machine's namespaces
on() {
  local pid
  pid=$(cat "$MACHINES/$1" 2>/dev/null) && kill -0 "$pid" 2>/dev/null || die "the machine $1 is not up"
  shift
  nsenter --target "$pid" --mount --uts --ipc --net --pid -- "$@" 8>&- # what it starts does not hold the lock of node-test.sh
}
