#!/bin/bash
# The documents agree with what is installed.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tests/harness/count.sh
helm=${HELM:-.build/cluster/bin/helm}
rendered=$("$helm" template goodput helm/goodput-controller --kube-version 1.36.0 --set image.repository=example/goodput-controller)
granted=$(sed -n 's/^ *resources: \[\(.*\)\]/\1/p' <<<"$rendered" | tr -d ' ' | tr ',' '\n' | grep -v '"' | sort -u)
for resource in $granted; do
	check "permissions.md says why: $resource" grep -qF "\`$resource\`" deploy/docs/reference/permissions.md
done
same "permissions.md says nothing of what is not granted" "" \
	"$(sed -n 's/^| `\([a-z/]*\)`.*/\1/p' deploy/docs/reference/permissions.md | sort -u | comm -23 - <(echo "$granted"))"
# Every top-level value has a line in the chart's README.
while read -r value; do
	check "the chart's README explains $value" grep -qE "^\| \`$value[\`.]" helm/goodput-controller/README.md
done < <(sed -n 's/^\([a-zA-Z]*\):.*/\1/p' helm/goodput-controller/values.yaml)
# Every bucket and cause that the program knows is in the concepts; every command of kubectl goodput in its man page and
# in its completion.
for name in $(sed -n 's/.*X([A-Z_]*, "\([A-Za-z]*\)".*/\1/p' controller/ledger/buckets.h | sort -u); do
	check "concepts/ledger.md explains $name" grep -qE "\b$name\b" deploy/docs/concepts/ledger.md
done
for reason in $(sed -n 's/.*set(v, [A-Z_]*, \(true\|false\), "\([A-Za-z]*\)".*/\2/p' controller/operator/status/conditions.c | sort -u) Succeeded Failed Deleted; do
	check "troubleshooting.md explains the reason $reason" grep -qE "^\|.*\`$reason\`" deploy/docs/how-to/troubleshooting.md
done
for number in $(sed -n 's/^ *goodput: {\(.*\)}$/\1/p' tests/data/crd/status-full.yaml | grep -oE '[a-zA-Z]+:' | tr -d ':' | sort -u); do
	check "concepts/ledger.md explains goodput.$number" grep -qE "^\|.*\`goodput\.$number\`" deploy/docs/concepts/ledger.md
done
for command in $(sed -n 's/^    {"\([a-z]*\)", "\1 .*/\1/p' controller/cli/cli.c) analyze; do
	check "man page: $command" grep -q "^.B $command" deploy/kubectl/kubectl-goodput.1
	same "completion: $command" "$command" "$(deploy/kubectl/kubectl_complete-goodput "${command:0:3}" | sed -n 1p)"
done
options() { sed -n 's/^    {\("-[a-zA-Z]"\|NULL\|"--[a-z-]*"\), .*/&/p' "$@" | grep -oE -- '"--[a-z-]+"' | tr -d '"' | sort -u; }
for option in $(options controller/cli/cli.c); do
	check "man page: $option" grep -q -- "$option" deploy/kubectl/kubectl-goodput.1
done
for option in $(options controller/cli/analyze/options.c | grep -v -- --help); do
	same "completion: analyze $option" "$option" "$(deploy/kubectl/kubectl_complete-goodput analyze "$option" | grep -x -e "$option")"
done
completion() { deploy/kubectl/kubectl_complete-goodput "$@" | paste -sd' '; }
same "completion: outputs of top" "wide :4" "$(completion top -o w)"
same "completion: outputs of explain" "json yaml name :4" "$(completion explain -o '')"
same "completion: columns" "goodput :4" "$(completion top --sort-by go)"
same "completion of long options" "--selector --sort-by :4" "$(completion top --s)"
same "completion of owners" "Platform Provider :4" "$(completion report --owner P)"
same "completion of groups, after =" "queue :4" "$(completion fleet --group-by=q)"
same "completion of definitions" "ledger library both :4" "$(completion analyze --definition '')"
same "completion of help" "timeline :4" "$(completion help ti)"
same "completion of files" ":0 :0 :0" "$(completion top -f '') $(completion report a --html '') $(completion analyze --format-file=x)"
same "completion ends with what shells are to do" ":4" "$(deploy/kubectl/kubectl_complete-goodput explain -n x -- | tail -1)"

# make install, and the release of the plugin: what is unpacked works, and krew's manifest fits its archive.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check "make install" make -s install DESTDIR="$work/root" PREFIX=/usr
same "installs programs, man page, completions" "bin/goodput-controller bin/kubectl-goodput bin/kubectl_complete-goodput share/bash-completion/completions/kubectl-goodput share/fish/vendor_completions.d/kubectl-goodput.fish share/man/man1/kubectl-goodput.1 share/zsh/site-functions/_kubectl-goodput" \
	"$(cd "$work/root/usr" && find . -type f -printf '%P\n' | LC_ALL=C sort | paste -sd' ')"
# shellcheck disable=SC2317 # called by check
completes() { (PATH=$work/root/usr/bin:$PATH && . "$work/root/usr/share/bash-completion/completions/kubectl-goodput" && COMP_WORDS=(kubectl-goodput ti) COMP_CWORD=1 && _kubectl_goodput && [ "${COMPREPLY[*]}" = timeline ]); }
check "the installed completion completes" completes
# zsh shows its answers only to a terminal: python gives it one.
zsh_completes() {
	PATH=$work/root/usr/bin:$PATH python3 - "$work/root/usr/share/zsh/site-functions" <<'TERMINAL'
import os, pty, sys, time
child, terminal = pty.fork()
if child == 0:
    os.execvp("zsh", ["zsh", "-f", "-i"])
os.write(terminal, f"PS1=; fpath=({sys.argv[1]} $fpath); autoload -U compinit; compinit -u -D; echo be''gun\n".encode())
seen, asked, limit = b"", False, time.monotonic() + 60
while b"kubectl-goodput timeline" not in seen and time.monotonic() < limit:
    seen += os.read(terminal, 4096)
    if not asked and b"begun" in seen:
        asked = True
        os.write(terminal, b"kubectl-goodput ti\t")
os.kill(child, 9)
sys.exit(b"kubectl-goodput timeline" not in seen)
TERMINAL
}
if command -v zsh >/dev/null; then check "zsh completes" zsh_completes; fi
if command -v fish >/dev/null; then
	same "fish completes" timeline "$(PATH=$work/root/usr/bin:$PATH fish --no-config -c "source $work/root/usr/share/fish/vendor_completions.d/kubectl-goodput.fish; complete -C 'kubectl-goodput ti'")"
fi
if command -v mandoc >/dev/null; then same "mandoc has nothing to say of the man page" "" "$(mandoc -Tlint -Wwarning "$work/root/usr/share/man/man1/kubectl-goodput.1" 2>&1)"; fi
if command -v groff >/dev/null; then same "groff has nothing to say of the man page" "" "$(groff -man -Tutf8 -ww -z "$work/root/usr/share/man/man1/kubectl-goodput.1" 2>&1)"; fi
release=https://example.invalid/v1
check "deploy/kubectl/package.sh" deploy/kubectl/package.sh "$work/release" $release linux-amd64=.build/release/bin/kubectl-goodput linux-arm64=.build/release/bin/kubectl-goodput darwin-arm64=.build/release/bin/kubectl-goodput
check "krew's manifest fits the archives" python3 - "$work/release" $release <<'CHECK'
import hashlib, os, re, sys, tarfile, yaml
folder, url = sys.argv[1:]
manifest = yaml.safe_load(open(f"{folder}/goodput.yaml"))
assert re.fullmatch(r"v[0-9]+\.[0-9]+\.[0-9]+", manifest["spec"]["version"]), manifest["spec"]["version"]
platforms = manifest["spec"]["platforms"]
labels = [{"os": "linux", "arch": "amd64"}, {"os": "linux", "arch": "arm64"}, {"os": "darwin", "arch": "arm64"}]
assert [p["selector"]["matchLabels"] for p in platforms] == labels, platforms
for platform in platforms:
    assert platform["uri"].startswith(url + "/"), platform
    path = os.path.join(folder, os.path.basename(platform["uri"]))
    assert hashlib.sha256(open(path, "rb").read()).hexdigest() == platform["sha256"], path
    names = {os.path.normpath(m.name) for m in tarfile.open(path)}
    wanted = {f["from"] for f in platform["files"]}
    assert wanted <= names and platform["bin"] in wanted, (wanted, names)
CHECK
mkdir "$work/unpacked" && tar -C "$work/unpacked" -xzf "$work/release/kubectl-goodput-linux-amd64.tar.gz"
check "the plugin in the archive runs" "$work/unpacked/kubectl-goodput" version
before=$(sha256sum "$work/release/goodput.yaml")
deploy/kubectl/package.sh "$work/release" $release linux-amd64=.build/release/bin/kubectl-goodput linux-arm64=.build/release/bin/kubectl-goodput darwin-arm64=.build/release/bin/kubectl-goodput
same "made again, the release is the same" "$before" "$(sha256sum "$work/release/goodput.yaml")"
finish
