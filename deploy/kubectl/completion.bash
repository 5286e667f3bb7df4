# bash completion of kubectl-goodput called by its own name: source this file. (kubectl goodput: kubectl_complete-goodput.)
_kubectl_goodput() {
	local answer
	answer=$(kubectl_complete-goodput "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [ "${answer##*:}" = 0 ]; then
		mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
	else
		mapfile -t COMPREPLY < <(sed '$d' <<<"$answer")
	fi
}
complete -F _kubectl_goodput kubectl-goodput
