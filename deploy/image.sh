#!/bin/sh
# image.sh [IMAGE [PLATFORM]]: builds deploy/Dockerfile with docker, podman or buildah, whichever works here.
# PLATFORM: linux/arm64, say (another one than this machine's needs qemu-user-static).
# IMAGE_BUILDER: the command to use instead, with flags of one's own.
set -eu
cd "$(dirname "$0")/.."
image=${1:-goodput-controller:$(sed -n 's/^VERSION := //p' Makefile)}
ignore=--ignorefile=deploy/Dockerfile.dockerignore
if [ -n "${IMAGE_BUILDER:-}" ]; then
	builder=$IMAGE_BUILDER
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
	builder="docker build" ignore= # BuildKit finds it beside the Dockerfile
elif command -v podman >/dev/null; then
	builder="podman build"
elif command -v buildah >/dev/null; then
	builder="buildah bud"
else
	echo "image.sh: an image needs docker (with its daemon running), podman or buildah; on Debian or Ubuntu: apt-get install buildah" >&2
	exit 1
fi
exec $builder $ignore ${2:+--platform="$2"} -f deploy/Dockerfile -t "$image" .
