#!/bin/bash
# skew.sh [ROW...]: the stories of a training run, of queues with preemption and of lost nodes on other versions of
# Kubernetes, JobSet and Kueue: skew/ROW/*/go.mod has the pins, adapted.sed what these versions write otherwise. A part
# without a folder there has the version that cluster-test.sh runs. Prints the matrix, and fails where one of its rows fails
# or deploy/docs/reference/versions.md has another.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
stories=queue,training,cohort,nodes
rows=("$@")
[ $# -gt 0 ] || rows=(oldest middle newest)
versioned=(etcd kube-apiserver kube-controller-manager kube-scheduler jobset-manager kueue-manager)
"$HERE/build.sh"

version_of() { # row, its folders, the Go module
  local row=$1 module=${!#}
  shift
  sed -nE "s|^.*\b$module v([0-9.]+).*|\1|p" "$(PINS=$HERE/skew/$row pins "${@:1:$#-1}")/go.mod" | head -1
}

versions() { # row: of Kubernetes, JobSet and Kueue
  echo "$(version_of "$1" k8s k8s.io/kubernetes) | $(version_of "$1" jobset k8s sigs.k8s.io/jobset) | $(version_of "$1" kueue sigs.k8s.io/kueue)"
}

play() { # row
  export CLUSTER_PINS=$HERE/skew/$1 CLUSTER_BUILD=$ROOT/.build/skew/$1 STRIKES=0
  [ -d "$CLUSTER_PINS" ] || die "there is no row $1 in tests/cluster/skew"
  mkdir -p "$CLUSTER_BUILD/bin" "$CLUSTER_BUILD/stamps"
  # The parts that are not a cluster's are the same in each row.
  for part in "$STAMPS"/*; do
    part=$(basename "$part")
    [[ " ${versioned[*]} manifests " != *" $part "* ]] || continue
    cp -f "$BIN/$part" "$CLUSTER_BUILD/bin/"
    cp -f "$STAMPS/$part" "$CLUSTER_BUILD/stamps/"
  done
  "$HERE/build.sh" "${versioned[@]}" && "$HERE/cluster-test.sh" --stories "$stories"
}

passed=0 failed=0 matrix=''
for row in "${rows[@]}"; do
  log=$ROOT/.build/skew/$row.log
  mkdir -p "$(dirname "$log")"
  echo "== $row: $(versions "$row")"
  (play "$row") 2>&1 | tee "$log" || true
  read -r p _ f _ < <(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -1 || echo "0 passed, 1 failed")
  passed=$((passed + p)) failed=$((failed + f))
  if grep -qF "| $(versions "$row") |" "$ROOT/deploy/docs/reference/versions.md"; then
    passed=$((passed + 1))
  else
    echo "not ok - deploy/docs/reference/versions.md has no row $(versions "$row")"
    failed=$((failed + 1))
  fi
  matrix+="| $(versions "$row") | $p passed, $f failed |"$'\n'
done
printf '\n| Kubernetes | JobSet | Kueue | Checks |\n|---|---|---|---|\n%s\n' "$matrix"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
