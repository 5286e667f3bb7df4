#!/bin/bash
# images.sh: builds the images that the nodes run, into buildah's storage below .build/packaging/image: the controller's
# from deploy/Dockerfile (by tests/packaging/image.sh), JobSet's and Kueue's from the binaries of tests/cluster/build.sh, a
# small trainer, and the pod sandbox; and copies JobSet's and Kueue's charts. What was built from the same sources is left alone.
#   images.sh jax                 builds the image of the trainer that uses JAX and Orbax
#   images.sh maxtext             builds an image with a newer Python, and .build/nodes/maxtext: MaxText itself
#   images.sh deaths              makes .build/nodes/deaths: PyTorch and JAX
#   images.sh push                pushes them to the registry of the cluster that up.sh started
#   images.sh push-as IMAGE NAME  pushes one of them under another name
#   images.sh fill FOLDER         makes FOLDER what such a registry keeps its images in; nothing listens on the host
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
work=$ROOT/.build/packaging/image
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
base=debian:packages
stamps=$ROOT/.build/nodes/images
mkdir -p "$stamps"

# outdated NAME SOURCE...: true if the image has to be built; sets $digest, of the contents of its sources
outdated() {
  local name=$1
  shift
  digest=$(find "$@" -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  [ "$(cat "$stamps/$name" 2>/dev/null)" != "$digest" ] || ! buildah inspect --type image "$name" >/dev/null 2>&1
}

commit() { # container name
  buildah commit -q "$1" "$2" >/dev/null
  buildah rm "$1" >/dev/null
  echo "$digest" >"$stamps/$2"
  echo "built the image $2"
}

program_image() { # name program: nothing but a static program
  local container
  outdated "$1" "$2" || return 0
  container=$(buildah from scratch)
  buildah copy -q "$container" "$2" /manager >/dev/null
  buildah config --entrypoint '["/manager"]' --user 65532:65532 "$container"
  commit "$container" "$1"
}

controller_image() {
  outdated goodput-controller "$ROOT"/{controller,deploy/Dockerfile,deploy/*.sh,Makefile,tests/check} || return 0
  "$ROOT/tests/packaging/image.sh" >"$stamps/controller.log" 2>&1 || die "the controller's image did not build, see $stamps/controller.log"
  buildah tag goodput-controller:0.1.0 goodput-controller
  echo "$digest" >"$stamps/goodput-controller"
  echo "built the image goodput-controller"
}

sandbox_image() { # small: a node unpacks it while kubelet waits for the pod's sandbox
  local program=$ROOT/.build/nodes/pause
  (cd "$NODES_HERE/sandbox" && GOTOOLCHAIN=$GO_VERSION GOWORK=off CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$program" pause.go) ||
    die "the sandbox's program did not build"
  program_image pause "$program"
}

trainer_image() { # name, commands that install what it needs
  local container
  outdated "$1" "$NODES_HERE/trainer" || return 0
  container=$(buildah from --pull=never "$base")
  buildah run --network=host "$container" -- sh -ec "$2" >"$stamps/$1.log" 2>&1 || die "the image $1 did not build, see $stamps/$1.log"
  buildah copy -q "$container" "$NODES_HERE/trainer" /trainer >/dev/null
  buildah config --user 65532:65532 "$container"
  commit "$container" "$1"
}

# site_packages FOLDER PYTHON PIP-ARGUMENT...: packages for an image's Python, whatever Python runs here
site_packages() {
  local folder=$1 version=$2 machine
  shift 2
  machine=$(uname -m)
  [ "$(cat "$folder/pins" 2>/dev/null)" != "$*" ] || return 0
  rm -rf "$folder"
  python3 -m pip install -q --root-user-action=ignore --target "$folder" --python-version "$version" --only-binary=:all: \
    --platform "manylinux_2_34_$machine" --platform "manylinux_2_28_$machine" --platform "manylinux_2_27_$machine" \
    --platform "manylinux_2_24_$machine" --platform "manylinux2014_$machine" --platform "manylinux_2_17_$machine" \
    --platform "manylinux2010_$machine" --platform "manylinux1_$machine" "$@" || return 1
  echo "$*" >"$folder/pins"
}

jax_image() { # the trainer's image with JAX and Orbax: about 1 GB
  local container site=$ROOT/.build/nodes/site
  outdated trainer-jax "$0" "$NODES_HERE/trainer" || return 0
  site_packages "$site" 3.11 jax==0.10.2 orbax-checkpoint==0.12.8 || die "JAX could not be installed"
  container=$(buildah from --pull=never trainer)
  buildah copy -q "$container" "$site" /site >/dev/null
  buildah run --user 0 "$container" -- python3 -m compileall -q /site >/dev/null 2>&1 || true # some packages hold templates
  buildah config --env PYTHONPATH=/site "$container"
  commit "$container" trainer-jax
}

maxtext_image() { # MaxText needs a newer Python; itself it is too large for an image: a folder that the pods mount
  local container
  site_packages "$ROOT/.build/nodes/maxtext" 3.13 --no-deps --ignore-requires-python -r "$NODES_HERE/maxtext/requirements.txt" || die "MaxText could not be installed"
  outdated trainer-maxtext "$NODES_HERE/trainer" "$NODES_HERE/maxtext" || return 0
  [ -s "$work/trixie.tar" ] || mmdebstrap --quiet --variant=minbase --include=python3 trixie "$work/trixie.tar" ||
    die "no base image with a newer Python"
  container=$(buildah from scratch)
  buildah add -q "$container" "$work/trixie.tar" / >/dev/null
  buildah copy -q "$container" "$NODES_HERE/trainer" /trainer >/dev/null
  buildah copy -q "$container" "$NODES_HERE/maxtext" /trainer >/dev/null
  buildah config --user 65532:65532 --env PYTHONPATH=/site --env HOME=/tmp "$container"
  commit "$container" trainer-maxtext
}

deaths_site() { # PyTorch is too large for an image: a folder that the pods mount; what `make deaths` installed, if it is for their Python
  local site=$ROOT/.build/nodes/deaths venv=$ROOT/.build/deaths/venv/lib/python3.11/site-packages
  if [ -d "$venv" ]; then
    rm -rf "$site"
    ln -s "$venv" "$site"
    return 0
  fi
  site_packages "$site" 3.11 -r "$ROOT/tests/deaths/requirements.txt" || die "PyTorch could not be installed"
}

chart() { # module name: from the Go module, whose folders are read-only
  local dir copy=$ROOT/.build/nodes/charts/$2
  dir=$(cd "$HERE/modules/$1" && GOTOOLCHAIN=$GO_VERSION GOFLAGS=-mod=readonly GOWORK=off go list -m -f '{{.Dir}}' "sigs.k8s.io/$2")
  rm -rf "$copy"
  mkdir -p "$copy"
  cp -r --no-preserve=mode "$dir/charts/$2/." "$copy"
}

build_all() {
  chart k8s jobset
  chart kueue kueue
  controller_image # first: it makes the base image as well
  program_image jobset "$BIN/jobset-manager"
  program_image kueue "$BIN/kueue-manager"
  [ ! -x "$BIN/coredns" ] || program_image coredns "$BIN/coredns"
  sandbox_image
  trainer_image trainer 'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*'
}

enter=(on cp)
push() { # image name:tag: from inside the machine, where the registry is
  "${enter[@]}" buildah --root "$work/storage" --runroot "$work/run" push -q --disable-compression --tls-verify=false "$1" "docker://$REGISTRY/$2"
}

push_all() {
  local image
  for image in pause:1 jobset:v0.12.0 kueue:v0.16.2 trainer:1 goodput-controller:0.1.0; do
    push "${image%:*}" "$image" || die "could not push $image"
  done
  [ ! -x "$BIN/coredns" ] || push coredns coredns:1 || die "could not push coredns"
}

# The registry runs at its address on a loopback interface that nothing else has, and ends with these namespaces.
fill() { # folder
  rm -rf "$1"
  NODES_REGISTRY=$(realpath "$1") NODES_RUN=$(realpath "$1").run unshare --net --pid --fork --kill-child --mount-proc "$0" fill-inside
  rm -rf "$1.run"
}
fill_inside() {
  enter=(env)
  mkdir -p "$PIDS" "$LOGS"
  ip link set lo up
  ip addr add "$ADDRESS/32" dev lo
  "$NODES_HERE/control-plane.sh" start registry
  push_all
}

case ${1:-build} in
build) build_all ;;
jax) jax_image ;;
maxtext) maxtext_image ;;
deaths) deaths_site ;;
push) push_all ;;
fill) fill "$2" ;;
fill-inside) fill_inside ;;
push-as) push "$2" "$3" ;;
*) die "usage: images.sh [jax | maxtext | deaths | push | push-as IMAGE NAME | fill FOLDER]" ;;
esac
