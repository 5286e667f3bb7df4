#!/bin/bash
# What `make release` makes: the same bytes twice, in another folder; programs that run where nothing else is; manifests
# and bills of materials that fit them. Takes about three minutes of CPU time for each build.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
url=https://example.invalid/v1 out=$work/first
check "a release is made" deploy/release.sh "$out" $url
# The files of the work tree, without what git ignores, elsewhere; it is not a repository there.
mkdir "$work/elsewhere"
git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$work/elsewhere"
again() { PARTS=$PWD/.build/release-parts SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) "$work/elsewhere/deploy/release.sh" "$work/second" $url; }
check "and again in another folder" again
[ ! -s "$out/SHA256SUMS" ] || same "both have the same bytes" "$(cat "$out/SHA256SUMS")" "$(cat "$work/second/SHA256SUMS")"
check "SHA256SUMS is that of the files" sh -c 'cd "$1" && sha256sum --check --quiet --strict SHA256SUMS' sh "$out"
version=$(sed -n 's/^VERSION := //p' Makefile)
same "the files" "$(printf '%s\n' SHA256SUMS "goodput-controller-$version.tgz" "goodput-controller-image-$version.tar" goodput-controller.yaml goodput.yaml kubectl-goodput-{darwin,linux}-{amd64,arm64}.{spdx.json,tar.gz})" \
	"$(cd "$out" && LC_ALL=C ls)"
same "the chart's home is where the release is" "home: $url" "$(tar -xOzf "$out/goodput-controller-$version.tgz" goodput-controller/Chart.yaml | grep '^home:')"
same "and that of krew's manifest" "  homepage: $url" "$(grep homepage "$out/goodput.yaml")"
for platform in linux-amd64 linux-arm64 darwin-amd64 darwin-arm64; do
	mkdir "$work/$platform"
	check "$platform: the archive unpacks" tar -C "$work/$platform" -xzf "$out/kubectl-goodput-$platform.tar.gz"
	same "$platform: krew's manifest has its checksum" "$(sha256sum <"$out/kubectl-goodput-$platform.tar.gz" | cut -d' ' -f1)" \
		"$(grep -A1 "$url/kubectl-goodput-$platform.tar.gz" "$out/goodput.yaml" | sed -n 's/.*sha256: "\(.*\)"/\1/p')"
	check "$platform: the bill of materials fits the program" python3 - "$out/kubectl-goodput-$platform.spdx.json" "$work/$platform/kubectl-goodput" <<'CHECK'
import hashlib, json, sys
bill = json.load(open(sys.argv[1]))
ours, *theirs = bill["packages"]
assert ours["checksums"][0]["checksumValue"] == hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest()
names = {p["name"].removesuffix("-arm64-cross") for p in theirs}
if "-darwin-" in sys.argv[1]:
    assert names == {"libyaml", "jansson", "pcre2", "zlib", "zig"}, names
else:
    assert {"libyaml-dev", "libjansson-dev", "libpcre2-dev", "zlib1g-dev", "libc6-dev"} <= names, names
assert not any("curl" in n or "ssl" in n or "websockets" in n for n in names), names
assert all(p["versionInfo"] for p in theirs)
assert {x["licenseId"] for x in bill["hasExtractedLicensingInfos"]} == {p["licenseDeclared"] for p in theirs} - {"MIT"}
CHECK
done
count() { # what a part printed
	while read -r line; do
		case $line in "ok - "*) ok "$1: ${line#ok - }" ;; "not ok - "*) not_ok "$1: ${line#not ok - }" ;; *" passed, "*) ;; *) echo "$line" ;; esac
	done
}
count image < <(tests/packaging/image-layout.sh "$out/goodput-controller-image-$version.tar" 2>&1)
count roots < <(tests/packaging/roots.sh amd64="$work/linux-amd64/kubectl-goodput" arm64="$work/linux-arm64/kubectl-goodput" 2>&1)
check "amd64: it needs nothing of the machine" tests/check/static.sh "$work/linux-amd64/kubectl-goodput"
log=tests/data/trainer-logs/torchtitan/restarts/attempt-1.log
same "arm64: analyze says the same, emulated" "$("$work/linux-amd64/kubectl-goodput" analyze - -o json <$log)" \
	"$(qemu-aarch64-static "$work/linux-arm64/kubectl-goodput" analyze - -o json <$log)"
same "arm64: no loader" "" "$(LC_ALL=C readelf -lW "$work/linux-arm64/kubectl-goodput" | grep INTERP)"
check "macOS on amd64: what can be checked without a Mac" python3 tests/packaging/macho.py "$work/darwin-amd64/kubectl-goodput" x86_64
check "macOS on arm64: what can be checked without a Mac" python3 tests/packaging/macho.py "$work/darwin-arm64/kubectl-goodput" arm64
helm=${HELM:-.build/cluster/bin/helm}
[ ! -x "$helm" ] || same "the chart's package renders as the chart does" "$("$helm" template g helm/goodput-controller --kube-version 1.36.0 --set image.repository=x)" \
	"$("$helm" template g "$out/goodput-controller-$version.tgz" --kube-version 1.36.0 --set image.repository=x)"
finish
