#!/bin/sh
# The option --progress of all tools that copy.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
file=$GOLDEN/serial/s04_multichunk.sion
end='[####################] 100.0%'

shown()
{
    check "$1 --progress=always: at least the end is shown" failed_with 0 "$end"
}
hidden()
{
    check "$1 $2: nothing is shown if stderr is no terminal" same "$scratch/err" /dev/null
}
for tool in 'sioncat F' 'sionsplit F part.' 'siondefrag F new.sion' 'sionmerge all.sion F'; do
    # shellcheck disable=SC2046
    set -- $(echo "$tool" | sed "s|F|$file|")
    program=$1
    shift
    run "$program" --progress=always "$@"
    shown "$program"
    run "$program" --progress=never "$@"
    hidden "$program" --progress=never
    run "$program" --progress=auto "$@"
    hidden "$program" --progress=auto
    run "$program" --progress=maybe "$@"
    check "$program --progress=maybe" failed_with 1 \
        "--progress takes auto, always or never, not 'maybe'"
done

cd "$GOLDEN/serial" || exit 99
run siondump -k --progress=always s07_keyval.sion
check 'siondump -k --progress=always' failed_with 0 "$end"
check 'siondump -k: the output is the same' same "$scratch/out" dumps/s07_keyval.sion.k.txt
run siondump --json -K --progress=always s07_keyval.sion
check 'siondump --json --progress=always' failed_with 0 "$end"
cd "$scratch" || exit 99

# These runs have a terminal of their own.
on_terminal()
{
    script -qec "$builddir/sioncat -o $scratch/data $1 $file" "$scratch/typescript" \
        >/dev/null 2>&1 </dev/null
}
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    on_terminal --progress=always
    check 'always, on a terminal' grep -qF "$end" "$scratch/typescript"
    for when in auto never; do
        on_terminal --progress=$when
        check "$when, on a terminal, in less than a second" test -z \
            "$(grep -F "$end" "$scratch/typescript")"
    done
else
    skip 'on a terminal' 'no script(1), or no terminal for it'
fi

finish
