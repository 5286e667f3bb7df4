#!/usr/bin/env bash
# check.sh: what no compiler checks: layers point downwards, files fit in the head, banned functions stay out.
set -u
cd "$(dirname "$0")/../.."
bad=0
say() {
    echo "$*"
    bad=1
}

# Layers: a file in controller/<layer>/ may include "<other>/..." only where <other> comes before it here.
layers=(base archive rootcause ledger formulas fleet steplog library io kube gcp aws objectstore sources recorder operator export cli)
declare -A rank
for i in "${!layers[@]}"; do rank[${layers[$i]}]=$i; done
while IFS=: read -r file line include; do
    from=${file#controller/}
    from=${from%%/*}
    to=${include#*\"}
    to=${to%%/*}
    [ -n "${rank[$from]:-}" ] || continue # the two mains see everything
    [ -n "${rank[$to]:-}" ] || { say "$file:$line: include of unknown layer \"$to\""; continue; }
    [ "${rank[$to]}" -le "${rank[$from]}" ] || say "$file:$line: $from/ must not include $to/ (layers point downwards)"
done < <(grep -rnE '^#include "[a-z-]+/' controller --include='*.[ch]')
# The pure layers know nothing of the outside, and the model nothing of the wire. libyaml only parses: yamldoc reads the files.
grep -nE '#include <(curl|libwebsockets|jansson|yaml|sys/socket)' controller/{base,rootcause,ledger,steplog}/*.[ch] |
    grep -v '^controller/base/yamldoc\.h:.*<yaml' && say "a pure layer includes an I/O or JSON library"
git ls-files "controller/operator/*.[ch]" | grep -v ^controller/operator/runtime/ | xargs grep -nE "#include \"(io|kube|gcp|aws|objectstore|sources|recorder)/" && say "only operator/runtime/ may use io/, kube/, gcp/, aws/, objectstore/, sources/ and recorder/"

grep -nE '#include ("(io|kube|gcp|aws|objectstore|sources|recorder)/|"operator/runtime/|<(curl|libwebsockets|openssl|sys/socket))' controller/cli/*.[ch] controller/cli/*/*.[ch] &&
    say "the plugin holds no network: kubectl reads the cluster (cli/kubectl/kubectl.h)"

# The rooms of operator/, likewise (tests/check/structure.py looks at the calls).
rooms=(objects store job facts status model runtime)
for i in "${!rooms[@]}"; do
    for later in "${rooms[@]:i+1}"; do
        grep -nE "#include \"operator/$later/" controller/operator/"${rooms[$i]}"/*.[ch] && say "operator/${rooms[$i]}/ must not include operator/$later/"
    done
done

# Writers of a status know no job: model_job is incomplete there, so that analyze can write the same status.
grep -nE '#include "operator/(job/job|store/store|facts/[a-z]+)\.h"' controller/operator/status/{view.h,status.[ch],forecast.[ch]} controller/cli/*.[ch] &&
    say "a writer of a status must not include the job or the store: put what it needs into struct view"

# Sizes: no file over 25 KB.
while read -r size file; do
    say "$file: $size bytes; the limit is 25600 (two rooms may want to be two files)"
done < <(git ls-files 'controller/*.[ch]' 'tests/*.[ch]' 'tests/*.sh' 'tests/*.py' | xargs -r stat -c '%s %n' 2>/dev/null | awk '$1 > 25600')

# Functions under 60 lines: from a line that opens a function at column 0 to its closing brace.
git ls-files 'controller/*.c' | while read -r f; do
    awk -v f="$f" '/^[a-zA-Z_].*\)? \{$/ && !/^(struct|enum|union|static const|typedef)/ {start=NR; name=$0}
        /^\}/ {if (start && NR-start > 60) print f ":" start ": function of " NR-start " lines (limit 60)"; start=0}' "$f"
done | grep . && bad=1

# A buffer that is freed at the end of its scope holds nothing to free before buf_init.
git ls-files 'controller/*.c' 'tests/*.c' | xargs awk 'FNR == 1 {left = 0}
    /CLEANUP_BUF struct buf [a-z0-9_, ]*;/ {names = $0; sub(/.*struct buf /, "", names); sub(/;.*/, "", names)
        left = split(names, name, /, */); line = FNR; next}
    left > 0 {for (i in name) if (index($0, name[i])) {delete name[i]; left--}
        if (left > 0 && (/[^a-z_]return[^a-z_]/ || /goto /)) {print FILENAME ":" line ": it may return before buf_init"; left = 0}}
    /^}/ {left = 0}' | grep . && say "a buffer is freed that was not initialized"

# Banned functions: each has a bounded or checked replacement.
grep -rnwE '(strcpy|strcat|sprintf|strtok|atoi|atol|gmtime|localtime|mktime|strptime|alloca|system|popen|signal)[ ]*\(' controller --include='*.[ch]' |
    grep -vE '^[^:]+:[0-9]+: *(/?\*|//)' | grep . && say "banned functions"
grep -rnwE '(fork|vfork|posix_spawnp?|execv[a-z]*)[ ]*\(' controller --include='*.c' | grep -vE '^controller/(kube/exec|cli/kubectl/(kubectl|browser))\.c:' | grep . &&
    say "a process is started outside the module for exec credentials and the plugin's for kubectl and the browser"

# Top level: exactly these, besides dotfiles.
for entry in $(git ls-tree --name-only HEAD); do
    case $entry in
    .* | controller | crds | deploy | helm | tests | Makefile | README.md | LICENSE | CHANGELOG.md | CONTRIBUTING.md | SECURITY.md) ;;
    *) say "$entry: does not belong at the top level" ;;
    esac
done
# Words that are not used (make prose looks at more, with Vale).
tests/check/prose/words.py || bad=1
# Promises of the documents have tests.
tests/check/promises.py || bad=1
[ $bad = 0 ] && echo "check: ok"
exit $bad
