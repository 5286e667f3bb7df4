# image-contents.sh: what holds for the files of the controller's image, however it was built; sourced, after count.sh.
contents() { # ROOT
	local root=$1 size_kb sbom line
	size_kb=$(du -sk --apparent-size "$root" | cut -f1)
	check "is under 40 MB: $((size_kb / 1024)) MiB" test "$size_kb" -lt 40000
	same "has the two programs" $'./usr/bin/goodput-controller\n./usr/bin/kubectl-goodput' "$(cd "$root" && find . -type f -path '*/bin/*' | sort)"
	same "has no shell, no package manager" "" "$(cd "$root" && find . -name 'sh' -o -name '*bash*' -o -name 'apt*' -o -name 'dpkg*' -o -name 'busybox')"
	same "has no set-uid file" "" "$(find "$root" -perm /6000)"
	same "has no file that others may write" "" "$(find "$root" -perm /o+w -not -type l)"
	sbom=$(python3 tests/packaging/sbom.py "$root" 2>&1) || [[ $sbom == *"not ok - "* ]] || not_ok "SBOM: $(tail -n 1 <<<"$sbom")"
	while read -r line; do
		case $line in "ok - "*) ok "${line#ok - }" ;; "not ok - "*) not_ok "${line#not ok - }" ;; esac
	done <<<"$sbom"
}
