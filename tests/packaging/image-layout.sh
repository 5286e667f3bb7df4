#!/bin/bash
# image-layout.sh ARCHIVE: the image of a release, an archive of an OCI image layout: skopeo reads it, a registry takes it, and
# its programs run from it, those for arm64 in the emulator. Needs root, skopeo, docker-registry, qemu-user-static.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
. tests/packaging/image-contents.sh
archive=$(realpath "$1")
work=$(mktemp -d)
version=$(sed -n 's/^VERSION := //p' Makefile)
image=oci-archive:$archive:$version
trap 'kill ${registry:-} 2>/dev/null; rm -rf "$work"' EXIT

field() { python3 -c 'import json, sys; x = json.load(sys.stdin); print(eval(sys.argv[1], {"x": x}))' "$1"; }
same "skopeo finds an image for each machine" "linux/amd64 linux/arm64" \
	"$(skopeo inspect --raw "$image" | field '" ".join(m["platform"]["os"] + "/" + m["platform"]["architecture"] for m in x["manifests"])')"
for arch in amd64 arm64; do
	config=$(skopeo --override-arch $arch inspect --config "$image")
	same "$arch: runs as nobody, and starts the controller" "$arch 65532:65532 ['/usr/bin/goodput-controller'] $version" \
		"$(field '" ".join([x["architecture"], x["config"]["User"], str(x["config"]["Entrypoint"]), x["config"]["Labels"]["org.opencontainers.image.version"]])' <<<"$config")"
	# skopeo verifies each digest and size as it copies.
	check "$arch: skopeo unpacks it" skopeo --override-arch $arch copy -q "$image" "dir:$work/$arch.dir"
	mkdir -p "$work/$arch"
	layer=$(field 'x["layers"][0]["digest"]' <"$work/$arch.dir/manifest.json")
	same "$arch: the layer's own digest" "$(field 'x["rootfs"]["diff_ids"][0]' <<<"$config")" "sha256:$(gzip -dc "$work/$arch.dir/${layer#*:}" | sha256sum | cut -d' ' -f1)"
	check "$arch: tar unpacks it" tar -xzf "$work/$arch.dir/${layer#*:}" -C "$work/$arch"
	contents "$work/$arch"
	check "$arch: the programs are hardened" tests/check/hardening.sh "$work/$arch"/usr/bin/*
done

# As a container runtime runs it: uid 65532, nothing but the image and the few devices that every runtime adds.
run() { # ARCH PROGRAM ARGUMENT...
	local root=$work/$1 emulator=() program=$2
	[ "$1" = amd64 ] || emulator=(/qemu)
	shift 2
	chroot --userspec=65532:65532 "$root" "${emulator[@]}" "/usr/bin/$program" "$@"
}
cp "$(command -v qemu-aarch64-static)" "$work/arm64/qemu"
log=tests/data/trainer-logs/torchtitan/restarts/attempt-1.log
for arch in amd64 arm64; do
	mkdir -p "$work/$arch/dev"
	mknod -m 666 "$work/$arch/dev/urandom" c 1 9
	mknod -m 666 "$work/$arch/dev/null" c 1 3
	same "$arch: its version" "goodput-controller $version" "$(run $arch goodput-controller --version)"
	refused "$arch: the controller runs: without a cluster it says so" "kubeconfig" timeout 60 chroot --userspec=65532:65532 "$work/$arch" \
		$([ $arch = amd64 ] || echo /qemu) /usr/bin/goodput-controller --kubeconfig=/nowhere
	run $arch kubectl-goodput analyze - -o json <$log >"$work/$arch.json"
done
check "both machines' plugins say the same of a log" cmp "$work/amd64.json" "$work/arm64.json"
check "... which they have read" grep -q productiveMilliseconds "$work/amd64.json"

# The way of the documentation into a registry: skopeo copy --all.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$work/registry.yml" <<YML
version: 0.1
storage: {filesystem: {rootdirectory: $work/registry}}
http: {addr: "127.0.0.1:$port"}
YML
docker-registry serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
registry=$!
for _ in $(seq 1200); do curl -sf "http://127.0.0.1:$port/v2/" >/dev/null && break; sleep 0.1; done
there=docker://127.0.0.1:$port/goodput-controller:$version
check "a registry takes it" skopeo copy -q --all --dest-tls-verify=false "$image" "$there"
same "... with the same digest" "$(skopeo inspect --raw "$image" | sha256sum)" "$(skopeo inspect --raw --tls-verify=false "$there" | sha256sum)"
finish
