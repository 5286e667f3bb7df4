#!/bin/sh
# image.sh [IMAGE [PLATFORM]]: builds deploy/Dockerfile with docker, podman or buildah, whichever works here.
# PLATFORM: linux/arm64, say (another one than this machine's needs qemu-user-static).
# IMAGE_BUILDER: the command to use instead, with its flags.
set -eu
cd "$(dirname "$0")/.."
image=${1:-goodput-controller:$(sed -n 's/^VERSION := //p' Makefile)}
ignore=--ignorefile=deploy/Dockerfile.dockerignore
if [ -n "${IMAGE_BUILDER:-}" ]; then
	builder=$IMAGE_BUILDER
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
	builder="docker build" ignore= # BuildKit finds it next to the Dockerfile
elif command -v podman >/dev/null; then
	builder="podman build"
elif command -v buildah >/dev/null; then
	builder="buildah bud"
else
	echo "image.sh: an image needs docker (with its daemon running), podman or buildah; on Debian or Ubuntu: apt-get install buildah" >&2
	exit 1
fi

# The digest that the tag of the base image has now: the image is then built from that, and says so in its labels. Where
# the builder cannot resolve it, the tag alone names the base image.
digest_of() {
	case $builder in
	"docker build"*) docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}' ;;
	podman*) podman pull -q "$1" >/dev/null && podman image inspect --format '{{.Digest}}' "$1" ;;
	*" bud"*)
		case $builder in *--pull=never*) ;; *) ${builder%% bud*} pull -q "$1" >/dev/null ;; esac
		${builder%% bud*} inspect --type image --format '{{.FromImageDigest}}' "$1"
		;;
	esac
}
base=$(sed -n 's/^ARG BASE=//p' deploy/Dockerfile) from=
digest=$(digest_of "$base" 2>/dev/null) || digest=
case $digest in
sha256:*) from=${base%%:*}@$digest ;;
*) digest= from=$base && echo "image.sh: the digest of $base is not known here: building from its tag" >&2 ;;
esac
exec $builder $ignore ${2:+--platform="$2"} --build-arg BASE="$from" --label org.opencontainers.image.base.name="$base" \
	${digest:+--label org.opencontainers.image.base.digest="$digest"} -f deploy/Dockerfile -t "$image" .
