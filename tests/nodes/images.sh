#!/bin/bash
# images.sh: builds the images that the nodes run, into buildah's storage below .build/packaging/image: the controller's
# from deploy/Dockerfile (by tests/packaging/image.sh), JobSet's and Kueue's from the binaries of tests/cluster/build.sh, a
# small trainer, and the pod sandbox. What was built from the same sources is left alone.
#   images.sh jax                 builds the image of the trainer that uses JAX and Orbax
#   images.sh push                pushes them to the registry of the cluster that up.sh started
#   images.sh push-as IMAGE NAME  pushes one of them under another name
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
work=$ROOT/.build/packaging/image
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }
base=debian:bookworm-slim
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

sandbox_image() { # the first process of a pod sleeps
  local container
  outdated pause "$0" || return 0
  container=$(buildah from --pull=never "$base")
  buildah config --entrypoint '["/bin/sleep", "infinity"]' --user 65532:65532 "$container"
  commit "$container" pause
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

jax_image() { # the trainer's image with JAX and Orbax beside it: about 1 GB
  local container site=$ROOT/.build/nodes/site pins='jax==0.10.2 orbax-checkpoint==0.12.8' machine
  outdated trainer-jax "$0" "$NODES_HERE/trainer" || return 0
  machine=$(uname -m)
  if [ "$(cat "$site/pins" 2>/dev/null)" != "$pins" ]; then
    rm -rf "$site"
    # For the image's Python, which is Debian's, whatever runs here.
    # shellcheck disable=SC2086 # a list of words
    python3 -m pip install -q --target "$site" --python-version 3.11 --only-binary=:all: --platform "manylinux_2_28_$machine" \
      --platform "manylinux_2_27_$machine" --platform "manylinux2014_$machine" --platform "manylinux_2_17_$machine" $pins ||
      die "JAX could not be installed"
    echo "$pins" >"$site/pins"
  fi
  container=$(buildah from --pull=never trainer)
  buildah copy -q "$container" "$site" /site >/dev/null
  buildah run --user 0 "$container" -- python3 -m compileall -q /site >/dev/null 2>&1 || true # some packages hold templates
  buildah config --env PYTHONPATH=/site "$container"
  commit "$container" trainer-jax
}

build_all() {
  controller_image # first: it makes the base image as well
  program_image jobset "$BIN/jobset-manager"
  program_image kueue "$BIN/kueue-manager"
  [ ! -x "$BIN/coredns" ] || program_image coredns "$BIN/coredns"
  sandbox_image
  trainer_image trainer 'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*'
}

push() { # image name:tag: from inside the machine, where the registry is
  on cp buildah --root "$work/storage" --runroot "$work/run" push -q --disable-compression --tls-verify=false "$1" "docker://$REGISTRY/$2"
}

case ${1:-build} in
build) build_all ;;
jax) jax_image ;;
push)
  for image in pause:1 jobset:v0.12.0 kueue:v0.16.2 trainer:1 goodput-controller:0.1.0; do
    push "${image%:*}" "$image" || die "could not push $image"
  done
  [ ! -x "$BIN/coredns" ] || push coredns coredns:1 || die "could not push coredns"
  ;;
push-as) push "$2" "$3" ;;
*) die "usage: images.sh [jax | push | push-as IMAGE NAME]" ;;
esac
