#!/bin/bash
# Builds deploy/Dockerfile with buildah and looks into the image. Needs root, buildah and mmdebstrap, no registry: the
# base image is made from Debian's packages. Once: 15 s for the base; then about 30 s.
#   image.sh             builds from the sources, as a user does
#   image.sh --stand-in  a small program that loads the same libraries in place of the sources (tries the Dockerfile alone)
# Leaves the image as the archive .build/packaging/image/goodput-controller.tar (docker-archive).
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
work=$PWD/.build/packaging/image
image=goodput-controller:0.1.0
for tool in buildah mmdebstrap; do
	command -v $tool >/dev/null || { echo "not ok - no $tool; install it with: apt-get install buildah mmdebstrap"; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "not ok - image.sh needs root (chroot isolation)"; exit 1; }
mkdir -p "$work"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }

base=debian:bookworm-slim
if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
	[ -s "$work/base.tar" ] || mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar" || { echo "not ok - mmdebstrap"; exit 1; }
	container=$(buildah from scratch)
	buildah add -q "$container" "$work/base.tar" / >/dev/null && buildah commit -q "$container" "$base" >/dev/null && buildah rm "$container" >/dev/null
fi

build="buildah --root $work/storage --runroot $work/run bud --pull=never --network=host"
if [ "${1:-}" = --stand-in ]; then
	context=$work/stand-in
	mkdir -p "$context/controller" "$context/tests/check" "$context/deploy"
	cp deploy/image-root.sh deploy/sbom.sh "$context/deploy/"
	cp LICENSE "$context/"
	cp tests/packaging/stand-in/program.c "$context/controller/"
	cp tests/packaging/stand-in/Makefile "$context/"
	touch "$context/tests/check/none"
	$build --ignorefile deploy/Dockerfile.dockerignore -f deploy/Dockerfile -t "$image" "$context" >"$work/build.log" 2>&1
else
	IMAGE_BUILDER=$build make -s image IMAGE="$image" >"$work/build.log" 2>&1
fi
same "the image builds" 0 $?
[ "$failed" = 0 ] || { tail -20 "$work/build.log"; finish; exit 1; }

config() { buildah inspect --type image --format "{{.OCIv1.Config.$1}}" "$image"; }
same "runs as nobody in particular" 65532:65532 "$(config User)"
same "starts the controller" "[/usr/bin/goodput-controller]" "$(config Entrypoint)"
container=$(buildah from --pull=never "$image")
root=$(buildah mount "$container")
size_kb=$(du -sk --apparent-size "$root" | cut -f1)
check "is under 40 MB: $((size_kb / 1024)) MiB" test "$size_kb" -lt 40000
same "has the two programs" $'./usr/bin/goodput-controller\n./usr/bin/kubectl-goodput' "$(cd "$root" && find . -type f -path '*/bin/*' | sort)"
same "has no shell, no package manager" "" "$(cd "$root" && find . -name 'sh' -o -name '*bash*' -o -name 'apt*' -o -name 'dpkg*' -o -name 'busybox')"
same "has no set-uid file" "" "$(find "$root" -perm /6000)"
same "has no file that others may write" "" "$(find "$root" -perm /o+w -not -type l)"
sbom=$(python3 tests/packaging/sbom.py "$root" 2>&1) || [[ $sbom == *"not ok - "* ]] || not_ok "SBOM: $(tail -n 1 <<<"$sbom")"
while read -r line; do
	case $line in "ok - "*) ok "${line#ok - }" ;; "not ok - "*) not_ok "${line#not ok - }" ;; esac
done <<<"$sbom"
[ "${1:-}" = --stand-in ] || check "the programs are hardened" tests/check/hardening.sh "$root"/usr/bin/*
# As a container runtime runs it: uid 65532, nothing but the image and the few devices that every runtime adds.
mkdir -p "$root/dev"
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 666 "$root/dev/null" c 1 3
smoke() { chroot --userspec=65532:65532 "$root" /usr/bin/goodput-controller "$@"; }
if [ "${1:-}" = --stand-in ]; then
	check "the program runs, with every library" smoke
else
	refused "the program runs: without a cluster it says so" "kubeconfig" timeout 60 chroot --userspec=65532:65532 "$root" \
		/usr/bin/goodput-controller --kubeconfig=/nowhere
fi
rm -rf "$root/dev"
buildah umount "$container" >/dev/null
buildah rm "$container" >/dev/null
rm -f "$work/goodput-controller.tar"
check "the archive is written" buildah push -q "$image" "docker-archive:$work/goodput-controller.tar:$image"
finish
