#!/bin/sh
# sionsplit and sioncat write exactly the bytes of every stream in the sample files.
. "$(dirname "$0")/lib.sh"

list=$GOLDEN/streams.txt

# The SHA-1 of each stream of a file, in the order of its tasks. The first file of a set stands for
# the whole set: all tasks of the program, by global rank.
expected()
{
    awk -v file="$1" '
        $1 == file { set = $4 > 1 && $5 == 0 }
        $1 == file || $1 ~ "^" file "[.]00000[0-9]$" { all[++n] = $1 " " $8 " " $12 }
        END {
            for (i = 1; i <= n; i++) {
                split(all[i], part, " ")
                if (set && part[2] >= 0)
                    print part[2], part[3]
                else if (!set && part[1] == file)
                    print i, part[3]
            }
        }' "$list" | sort -n | cut -d ' ' -f 2
}

# Numbers in sionsplit's names have five digits, so the shell lists the files in the order of the
# tasks.
sums()
{
    for part; do
        sha1sum <"$part"
    done | cut -d ' ' -f 1
}

check_plain()
{
    rm -rf "$scratch/parts"
    mkdir "$scratch/parts"
    run sionsplit "$GOLDEN/$1" "$scratch/parts/p."
    sums "$scratch"/parts/p.* >"$scratch/sums"
    cat "$scratch"/parts/p.* >"$scratch/together"
    check "sionsplit $1" succeeded
    check "the streams of $1" same "$scratch/sums" "$scratch/wanted"
    run sioncat "$GOLDEN/$1"
    check "sioncat $1" printed "$scratch/together"
}

# The stream includes the headers of the records.
check_keyval()
{
    task=0
    : >"$scratch/sums"
    : >"$scratch/together"
    while read -r _; do
        run sioncat -t $task "$GOLDEN/$1"
        sums "$scratch/out" >>"$scratch/sums"
        cat "$scratch/out" >>"$scratch/together"
        task=$((task + 1))
    done <"$scratch/wanted"
    check "the streams of $1" same "$scratch/sums" "$scratch/wanted"
    run sioncat "$GOLDEN/$1"
    check "sioncat $1" printed "$scratch/together"
}

grep -v '^#' "$list" | cut -d ' ' -f 1,6 | uniq >"$scratch/files"
while read -r file keyval; do
    expected "$file" >"$scratch/wanted"
    if test "$keyval" = 51; then
        check_keyval "$file"
    else
        check_plain "$file"
    fi
done <"$scratch/files"

finish
