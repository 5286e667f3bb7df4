#!/bin/bash
# Builds deploy/Dockerfile with buildah and looks into the image. Needs root, buildah and mmdebstrap, no registry: the
# base image is made from Debian's packages. Once: 15 s for the base; then about 30 s.
#   image.sh             builds from the sources, as a user does
#   image.sh --stand-in  a small program that loads the same libraries in place of the sources (tries the Dockerfile alone)
# Leaves the image as the archive .build/packaging/image/goodput-controller.tar (docker-archive).
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
. tests/packaging/image-contents.sh
work=$PWD/.build/packaging/image
image=goodput-controller:0.1.0
for tool in buildah mmdebstrap; do
	command -v $tool >/dev/null || { echo "not ok - no $tool; install it with: apt-get install buildah mmdebstrap"; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "not ok - image.sh needs root (chroot isolation)"; exit 1; }
mkdir -p "$work"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$work/storage" --runroot "$work/run" "$@"; }

# The base image that the Dockerfile names, as far as it can be had without a registry: Debian's packages of today, and
# apt's sources as in Debian's own images, which name the snapshot that they were made from. archive.py is that snapshot;
# the address that it replaces leads nowhere.
base=$(sed -n 's/^ARG BASE=//p' deploy/Dockerfile) date=$(sed -n 's/^ARG SNAPSHOT=//p' deploy/Dockerfile)
same "base image and snapshot are of one date" "${date%T*}" "$(sed 's/[^0-9]//g' <<<"${base#*-}")"
plain=debian:packages
if ! buildah inspect --type image "$plain" >/dev/null 2>&1; then
	[ -s "$work/base.tar" ] || mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar" || { echo "not ok - mmdebstrap"; exit 1; }
	container=$(buildah from scratch)
	buildah add -q "$container" "$work/base.tar" / >/dev/null && buildah commit -q "$container" "$plain" >/dev/null && buildah rm "$container" >/dev/null
fi
rm -f "$work/asked.log"
exec 3< <(exec python3 tests/packaging/archive.py "$date" "$work/asked.log")
archive=$!
trap 'kill $archive 2>/dev/null' EXIT
read -r port <&3 || { echo "not ok - archive.py did not start"; exit 1; }
sources() { # name, suites
	printf 'Types: deb\n# http://127.0.0.1:%s/archive/%s/%s\nURIs: http://live.invalid/%s\nSuites: %s\n' "$port" "$1" "$date" "$1" "$2"
	printf 'Components: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
}
{ sources debian "bookworm bookworm-updates" && sources debian-security bookworm-security; } >"$work/debian.sources"
container=$(buildah from --pull=never "$plain")
buildah run "$container" -- sh -c 'rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*'
buildah add -q "$container" "$work/debian.sources" /etc/apt/sources.list.d/debian.sources >/dev/null
buildah commit -q "$container" "$base" >/dev/null && buildah rm "$container" >/dev/null

build="buildah --root $work/storage --runroot $work/run bud --pull=never --network=host"
stand_in=$work/stand-in
make_stand_in() {
	mkdir -p "$stand_in/controller" "$stand_in/tests/check" "$stand_in/deploy"
	cp deploy/image-root.sh deploy/sbom.sh deploy/snapshot.sh "$stand_in/deploy/"
	cp LICENSE tests/packaging/stand-in/Makefile "$stand_in/"
	cp tests/packaging/stand-in/program.c "$stand_in/controller/"
	touch "$stand_in/tests/check/none"
}
build_stand_in() { # tag, more arguments
	local tag=$1
	shift
	$build --ignorefile deploy/Dockerfile.dockerignore "$@" -f deploy/Dockerfile -t "$tag" "$stand_in"
}
make_stand_in
if [ "${1:-}" = --stand-in ]; then
	build_stand_in "$image" >"$work/build.log" 2>&1
else
	IMAGE_BUILDER=$build make -s image IMAGE="$image" >"$work/build.log" 2>&1
fi
same "the image builds" 0 $?
[ "$failed" = 0 ] || { tail -20 "$work/build.log"; finish; exit 1; }

# What was installed, from which archive, and that it is the same when it is built again.
installed() { sed -n 's/^Setting up \([^ ]*\) (\(.*\)) \.\.\..*/\1 \2/p' "$1" | sort; }
check "packages are installed: $(installed "$work/build.log" | wc -l)" test "$(installed "$work/build.log" | wc -l)" -gt 20
same "nothing is read but the snapshot of $date" "" "$(grep -v "^/archive/[a-z-]*/$date/" "$work/asked.log")"
check "the snapshot is read" grep -q "/archive/debian/$date/pool/" "$work/asked.log"
build_stand_in goodput-controller:again >"$work/again.log" 2>&1
same "built again, the packages have the same versions" "$(installed "$work/build.log")" "$(installed "$work/again.log")"
refused "a snapshot of another date than the base image's is refused" "the base image names no snapshot of 20200101T000000Z" \
	build_stand_in goodput-controller:other --build-arg SNAPSHOT=20200101T000000Z
label() { buildah inspect --type image --format "{{index .OCIv1.Config.Labels \"org.opencontainers.image.base.$1\"}}" "$image"; }
if [ "${1:-}" != --stand-in ]; then
	same "its base image by name" "$base" "$(label name)"
	digest=$(buildah inspect --type image --format "{{.FromImageDigest}}" "$base")
	check "the base image has a digest" grep -qE "^sha256:[0-9a-f]{64}\$" <<<"$digest"
	same "its base image by digest" "$digest" "$(label digest)"
fi

config() { buildah inspect --type image --format "{{.OCIv1.Config.$1}}" "$image"; }
same "runs as nobody in particular" 65532:65532 "$(config User)"
same "starts the controller" "[/usr/bin/goodput-controller]" "$(config Entrypoint)"
container=$(buildah from --pull=never "$image")
root=$(buildah mount "$container")
contents "$root"
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
