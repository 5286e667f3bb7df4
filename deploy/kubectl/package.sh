#!/bin/sh
# The release of kubectl goodput: an archive for each platform, and krew's manifest for them.
#   deploy/kubectl/package.sh OUT URL OS-ARCH=PROGRAM...
# OUT: folder to write to. URL: where the archives will be found.
# OS-ARCH=PROGRAM: linux-amd64=.build/release/bin/kubectl-goodput; macOS is darwin.
# The same inputs give the same archives. Try the result: kubectl krew install --manifest=OUT/goodput.yaml
#   --archive=OUT/kubectl-goodput-linux-amd64.tar.gz
set -eu
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,8p >&2; exit 2; }
out=$1 url=$2
shift 2
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^VERSION := //p' Makefile)
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp deploy/kubectl/goodput.yaml "$scratch/goodput.yaml"
for pair in "$@"; do
	platform=${pair%%=*} program=${pair#*=}
	os=${platform%-*} arch=${platform#*-}
	[ -x "$program" ] || { echo "package.sh: no program $program for $platform" >&2; exit 1; }
	archive=kubectl-goodput-$platform.tar.gz
	rm -rf "$scratch/files"
	mkdir "$scratch/files"
	install -m 0755 "$program" "$scratch/files/kubectl-goodput"
	install -m 0755 deploy/kubectl/kubectl_complete-goodput "$scratch/files/"
	install -m 0644 deploy/kubectl/completion.bash deploy/kubectl/completion.zsh deploy/kubectl/completion.fish deploy/kubectl/kubectl-goodput.1 LICENSE "$scratch/files/"
	tar -C "$scratch/files" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - . | gzip -n >"$out/$archive"
	cat >>"$scratch/goodput.yaml" <<PLATFORM
  - selector:
      matchLabels: {os: $os, arch: $arch}
    uri: $url/$archive
    sha256: "$(sha256sum "$out/$archive" | cut -d' ' -f1)"
    bin: kubectl-goodput
    files:
    - {from: kubectl-goodput, to: .}
    - {from: kubectl_complete-goodput, to: .}
    - {from: kubectl-goodput.1, to: .}
    - {from: LICENSE, to: .}
PLATFORM
done
sed -e "s/VERSION/$version/" -e "s|URL|$url|" -e '/^#/d' "$scratch/goodput.yaml" >"$out/goodput.yaml"
