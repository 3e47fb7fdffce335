# bash completion for cognito-session(1). It asks the program, whose help comes from the same table as its parser.

_cognito_session() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' commands help value word
    COMPREPLY=()
    commands=$(LC_ALL=C cognito-session --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $'\n'$commands$'\n' == *$'\n'"$word"$'\n'* ]]; then
            command=$word
            break
        fi
    done
    # Without a command, status is meant.
    help=$(LC_ALL=C cognito-session "${command:-status}" --help 2>/dev/null)

    # A word in capitals behind an option is a value; which, only the names of accounts and files tell by themselves.
    value=$(sed -n "s/^  \(-., \)\{0,1\}$previous \([A-Z][A-Z]*\).*/\2/p" <<<"$help" 2>/dev/null)
    if [[ -n $value ]]; then
        case $value in
            USER) mapfile -t COMPREPLY < <(compgen -u -- "$current") ;;
            PATH)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                ;;
        esac
    elif [[ $current == -* ]]; then
        word=$(sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' <<<"$help")
        mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    elif [[ $help == *' COMMAND'* ]]; then
        # Somebody else's command line.
        compopt -o default 2>/dev/null
        if [[ $previous == "$command" || $previous == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "$current")
        fi
    fi
}

complete -F _cognito_session cognito-session
