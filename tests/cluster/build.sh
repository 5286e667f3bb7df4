#!/bin/bash
# build.sh [NAME...]: builds the parts of the control plane, kubectl and helm from their Go modules at the versions
# pinned in modules/*/go.mod, into .build/cluster/bin. What is present and was built from the same pins and flags is
# left alone. Without names it builds all that the cluster needs, those that others wait for first; not what only real
# nodes or `make bench-operator` need.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

command -v go >/dev/null 2>&1 || die "no Go on PATH: install Go 1.21 or newer (it fetches the pinned $GO_VERSION itself)"
export GOTOOLCHAIN=$GO_VERSION GOFLAGS='-mod=readonly -trimpath -buildvcs=false' CGO_ENABLED=0 GOWORK=off
go version >/dev/null 2>&1 || die "Go could not get $GO_VERSION: Go 1.21 or newer and a reachable Go module proxy are needed"

v=k8s.io/component-base/version
kubernetes_ldflags() { # module's folder
  local version
  version=$(sed -nE 's|^\s*k8s.io/kubernetes v([0-9.]+).*|\1|p' "$1/go.mod")
  IFS=. read -r major minor _ <<<"$version"
  echo "-X $v.gitVersion=v$version -X $v.gitMajor=$major -X $v.gitMinor=$minor -X $v.gitTreeState=clean"
}
# Without these helm takes itself for one of Kubernetes 1.20.
h=helm.sh/helm/v3
helm_ldflags="-X $h/internal/version.version=v3.22.0"
for package in chartutil lint/rules; do
  helm_ldflags+=" -X $h/pkg/$package.k8sVersionMajor=1 -X $h/pkg/$package.k8sVersionMinor=36"
done

# name, module directory, package
parts='
helm helm helm.sh/helm/v3/cmd/helm
kubectl k8s k8s.io/kubernetes/cmd/kubectl
etcd k8s go.etcd.io/etcd/server/v3
kwok k8s sigs.k8s.io/kwok/cmd/kwok
jobset-manager k8s sigs.k8s.io/jobset
kube-apiserver k8s k8s.io/kubernetes/cmd/kube-apiserver
kube-controller-manager k8s k8s.io/kubernetes/cmd/kube-controller-manager
kube-scheduler k8s k8s.io/kubernetes/cmd/kube-scheduler
kueue-manager kueue sigs.k8s.io/kueue/cmd/kueue
trainer-manager trainer .
job-operators operators .
kubelet k8s k8s.io/kubernetes/cmd/kubelet
kube-proxy k8s k8s.io/kubernetes/cmd/kube-proxy
coredns coredns github.com/coredns/coredns
informer ../../bench/informer .
protobuf-frames ../../protobuf .
kube-state-metrics kube-state-metrics k8s.io/kube-state-metrics/v2
node-problem-detector node-problem-detector k8s.io/node-problem-detector/cmd/nodeproblemdetector
kube-network-policies network-policies sigs.k8s.io/kube-network-policies/cmd/kube-network-policies/standard
krew krew sigs.k8s.io/krew/cmd/krew
validate-krew-manifest krew sigs.k8s.io/krew/cmd/validate-krew-manifest
dashboard-check grafana-sdk .
managed-prometheus-check prometheus-engine .
vale vale github.com/vale-cli/vale/v3/cmd/vale
minio minio github.com/minio/minio
fake-gcs-server fake-gcs-server github.com/fsouza/fake-gcs-server
controller-gen ../../check/api sigs.k8s.io/controller-tools/cmd/controller-gen
api-lint ../../check/api .
'
when_named=' job-operators kubelet kube-proxy coredns informer protobuf-frames kube-state-metrics node-problem-detector kube-network-policies krew validate-krew-manifest dashboard-check managed-prometheus-check vale minio fake-gcs-server controller-gen api-lint '

# Only the parts of which a cluster has a version.
folder_of() { # name module
  case $1 in
  etcd | kube-apiserver | kube-controller-manager | kube-scheduler | kueue-manager) pins "$2" ;;
  jobset-manager) pins jobset "$2" ;;
  *) echo "$HERE/modules/$2" ;;
  esac
}

ldflags_of() { # name folder
  case $1 in
  kubectl | kubelet | kube-apiserver | kube-controller-manager | kube-scheduler | kube-proxy) echo "-s -w $(kubernetes_ldflags "$2")" ;;
  helm) echo "-s -w $helm_ldflags" ;;
  *) echo "-s -w" ;;
  esac
}

build_one() { # name module package
  local name=$1 dir package=$3 ldflags stamp begun
  dir=$(folder_of "$name" "$2")
  ldflags=$(ldflags_of "$name" "$dir")
  stamp=$({
    cat "$dir/go.mod" "$dir/go.sum"
    find "$dir" -name '*.go' -exec cat {} +
    echo "$package $ldflags $GO_VERSION $GOFLAGS"
  } | sha256sum)
  if [ -x "$BIN/$name" ] && [ "$(cat "$STAMPS/$name" 2>/dev/null)" = "$stamp" ]; then return 0; fi
  begun=$SECONDS
  (
    cd "$dir"
    if [ "$name" = vale ]; then export CGO_ENABLED=1; fi # its parsers of comments are C
    go build -ldflags "$ldflags" -o "$BIN/$name.new" "$package"
  ) || die "$name did not build"
  mv "$BIN/$name.new" "$BIN/$name"
  rm -f "$STAMPS/$name" # a copied folder may share its files
  echo "$stamp" >"$STAMPS/$name"
  echo "built $name in $((SECONDS - begun)) s"
}

mkdir -p "$BIN" "$STAMPS"
wanted=" $* "
exec 9>"$BUILD/lock" # two builds at once would only be slower
flock 9
while read -r name module package; do
  [ -n "$name" ] || continue
  if [ $# -eq 0 ]; then
    [[ $when_named != *" $name "* ]] || continue
  else
    [[ $wanted == *" $name "* ]] || continue
  fi
  build_one "$name" "$module" "$package"
done <<<"$parts"
