# Completion in bash for all the tools: commands, options, and values that are a choice of words, are
# those that the tool's own --help shows; after a command, those of the command's help. Installed
# once for each tool, under its name.

# The commands that a help text shows: each begins a line between "Commands:" and an empty one.
_sion_commands()
{
    sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p' <<<"$1"
}

# The command that stands on the command line before the word that is completed, if any.
_sion_command()
{
    local commands=$1 word

    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ -n $word ]] && grep -qxF -- "$word" <<<"$commands"; then
            echo "$word"
            return
        fi
    done
}

_sion_tool()
{
    local current=${COMP_WORDS[COMP_CWORD]} option='' help commands command
    local -a words=()

    help=$("$1" --help 2>/dev/null </dev/null)
    commands=$(_sion_commands "$help")
    command=$(_sion_command "$commands")
    if [[ -n $command ]]; then
        help=$("$1" "$command" --help 2>/dev/null </dev/null)
    fi
    # bash takes "=" for a word of its own.
    if [[ $current == '=' ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
        current=''
    elif [[ $COMP_CWORD -ge 2 && ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ -n $option ]]; then
        mapfile -t words < <(grep -oE -- "$option=[a-z]+([|][a-z]+)+" <<<"$help" | head -n 1 |
            sed 's/.*=//' | tr '|' '\n')
    elif [[ $current == -* ]]; then
        mapfile -t words < <(grep -oE -- '(^|[][ (|,])--?[[:alnum:]][-[:alnum:]]*=?' <<<"$help" |
            sed 's/^[^-]*//' | grep -vx -e -def | sort -u) # -def: a word of partest's usage text
    elif [[ -z $command && -n $commands ]]; then
        mapfile -t words <<<"$commands"
    fi
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o default -F _sion_tool "${BASH_SOURCE[0]##*/}"
