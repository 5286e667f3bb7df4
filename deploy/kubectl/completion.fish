# fish completion of kubectl-goodput called by its own name: put this file as kubectl-goodput.fish into a folder of
# $fish_complete_path. (kubectl goodput: kubectl_complete-goodput.)
function __kubectl_goodput
    set -l words (commandline -opc) (commandline -ct)
    set -l answers (kubectl_complete-goodput $words[2..-1] 2>/dev/null)
    if test "$answers[-1]" = ":0"
        __fish_complete_path (commandline -ct)
    else
        string match -v -r '^:[0-9]+$' -- $answers
    end
end
complete -c kubectl-goodput -f -a '(__kubectl_goodput)'
