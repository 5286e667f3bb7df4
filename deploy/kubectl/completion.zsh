#compdef kubectl-goodput
# zsh completion of kubectl-goodput called by its own name: put this file as _kubectl-goodput into a folder of $fpath.
# (kubectl goodput: kubectl_complete-goodput.)
local -a answers
answers=("${(@f)$(kubectl_complete-goodput "${(@)words[2,CURRENT]}" 2>/dev/null)}")
if [[ ${answers[-1]} == :0 ]]; then
	_files
else
	compadd -- "${(@)answers[1,-2]}"
fi
