#!/bin/bash
# The release of the plugin in the real krew, which this builds (half a minute the first time; needs Go): krew's own
# rules for manifests, a plugin installed from its archive, found and run by kubectl, and removed again.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
tests/cluster/build.sh kubectl krew validate-krew-manifest || { echo "0 passed, 1 failed"; exit 1; }
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/release"
ln -s "$PWD/.build/cluster/bin/kubectl" "$work/bin/kubectl"
ln -s "$PWD/.build/cluster/bin/krew" "$work/bin/kubectl-krew"
export KREW_ROOT=$work/root PATH=$work/root/bin:$work/bin:$PATH
# krew fetches what the manifest names: from a port of the kernel's choice on this machine.
python3 - "$work/release" >"$work/port" <<'SERVER' &
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
print(server.server_port, flush=True)
server.serve_forever()
SERVER
server=$!
while [ ! -s "$work/port" ] && kill -0 "$server" 2>/dev/null; do sleep 0.05; done
program=.build/release/bin/kubectl-goodput archive=$work/release/kubectl-goodput-linux-amd64.tar.gz manifest=$work/release/goodput.yaml
check "the release is made" deploy/kubectl/package.sh "$work/release" "http://127.0.0.1:$(cat "$work/port")" linux-amd64=$program linux-arm64=$program darwin-arm64=$program
check "krew's rules: structure, platforms, an install of each" .build/cluster/bin/validate-krew-manifest -manifest "$manifest"
check "kubectl krew install from the archive" kubectl krew install --manifest="$manifest" --archive="$archive"
same "kubectl finds and runs the plugin" "$($program version)" "$(kubectl goodput version)"
check "krew keeps the completion and the man page" test -x "$(echo "$KREW_ROOT"/store/goodput/v*/kubectl_complete-goodput)" -a -f "$(echo "$KREW_ROOT"/store/goodput/v*/kubectl-goodput.1)"
ln -s "$(echo "$KREW_ROOT"/store/goodput/v*/kubectl_complete-goodput)" "$work/bin/"
same "kubectl's own completion asks the plugin" "timeline :4" "$(kubectl __complete goodput ti 2>/dev/null | paste -sd' ')"
# The same from an index, as users do it.
index=$work/index
git init -q "$index" && mkdir "$index/plugins" && cp "$manifest" "$index/plugins/" && git -C "$index" add -A &&
	git -C "$index" -c user.name=test -c user.email=test@localhost commit -qm index
export KREW_DEFAULT_INDEX_URI=$index
rm -rf "$KREW_ROOT"
check "kubectl krew update" kubectl krew update
check "kubectl krew install goodput" kubectl krew install goodput
same "kubectl finds it again" "$($program version)" "$(kubectl goodput version)"
check "kubectl krew uninstall" kubectl krew uninstall goodput
same "which leaves nothing" "" "$(find "$KREW_ROOT/bin" "$KREW_ROOT/store" -name '*goodput*')"
sed -i "s/sha256: .*/sha256: \"$(printf '0%.0s' {1..64})\"/" "$manifest"
refused "an archive that is another" "checksum does not match" kubectl krew install --manifest="$manifest" --archive="$archive"
finish
