# count.sh: counts the checks of a shell test. A script sources this file first, calls a function per claim, and finish last.
passed=0 failed=0
ok() { passed=$((passed + 1)); echo "ok - $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok - $1"; }

# check WHAT COMMAND...: ok if the command succeeds; what it prints is shown only if it fails.
check() {
	local what=$1 output
	shift
	if output=$("$@" 2>&1); then ok "$what"; else not_ok "$what"; sed 's/^/    /' <<<"$output"; fi
}

# refused WHAT SENTENCE COMMAND...: ok if the command fails and says the sentence.
refused() {
	local what=$1 sentence=$2 output
	shift 2
	if output=$("$@" 2>&1); then
		not_ok "$what: was not refused"
	elif [[ $output == *"$sentence"* ]]; then
		ok "$what: $sentence"
	else
		not_ok "$what: refused, but not with: $sentence"
		sed 's/^/    /' <<<"$output"
	fi
}

# same WHAT EXPECTED ACTUAL
same() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1"; printf '    expected: %s\n    got:      %s\n' "$2" "$3"; fi
}

# same_soon WHAT EXPECTED COMMAND...: the same of what the command prints, once it does; RBAC's rules reach the authorizer
# by a watch. The deadline only ends a check that failed.
same_soon() {
	local what=$1 expected=$2 got deadline=$((SECONDS + 180))
	shift 2
	until got=$("$@"); [ "$got" = "$expected" ] || [ $SECONDS -ge $deadline ]; do sleep 0.2; done
	same "$what" "$expected" "$got"
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
