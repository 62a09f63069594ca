# Completion in bash for all the tools: options, and values that are a choice of words, are those
# that the tool's own --help shows. Installed once for each tool, under its name.

_sion_tool()
{
    local current=${COMP_WORDS[COMP_CWORD]} option='' help
    local -a words=()

    help=$("$1" --help 2>/dev/null </dev/null)
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
    fi
    mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -o default -F _sion_tool "${BASH_SOURCE[0]##*/}"
