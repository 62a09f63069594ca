#!/bin/sh
# Power failures at every prefix, with more random states; and which places in the sources that call
# fsync() are needed: without it, one of the programs finds a state that is wrong.
. "$srcdir/test/harness.sh"

programs=
for name in serial generic fti sionfti scr; do
    test ! -x "$builddir/test/faults/power/$name" || programs="$programs $name"
done
for name in $programs; do
    timeout 3000 "$builddir/test/faults/power/$name" full >"$scratch/$name" 2>&1
    status=$?
    grep '^# .* states' "$scratch/$name"
    check "$name: what was promised is there after every power failure" test "$status" -eq 0
done

# The place of a caller: the frame behind the one that makes the system call.
places()
{
    for name in $programs; do
        sed -n 's/^# \(needed\|not needed\): .*: [0-9a-fx]* \([0-9a-fx]*\) .*/\1:\2/p' "$scratch/$name" |
            while IFS=: read -r needed address; do
                place=$(addr2line -f -i -e "$builddir/test/faults/power/$name" "$(printf '0x%x' $((address - 1)))" | head -n 2 | paste -s -d ' ' -)
                echo "$needed: ${place%% *} ${place##*/}"
            done
    done
}

if command -v addr2line >/dev/null; then
    places | sed 's/ (discriminator.*//' >"$scratch/places"
    sed -n 's/^needed: //p' "$scratch/places" | sort -u >"$scratch/needed"
    sed -n 's/^not needed: //p' "$scratch/places" | sort -u | comm -23 - "$scratch/needed" >"$scratch/unneeded"
    sed 's/^/# needed: /' "$scratch/needed"
    sed 's/^/# not needed: /' "$scratch/unneeded"
    check 'many callers of fsync were tried' test "$(wc -l <"$scratch/needed")" -ge 25
    check 'without any of them, a state is wrong' test ! -s "$scratch/unneeded"
else
    skip 'the places of the calls of fsync' 'there is no addr2line'
fi
finish
