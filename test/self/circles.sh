# No two files of a folder need each other, directly or through others.
. "$srcdir/test/harness.sh"
for tool in nm tsort; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done

# calls FOLDER: prints a line "caller callee" for each file that needs another one of the folder
calls()
{
    for object in "$builddir/src/$1"/*.o; do
        name=$(basename "$object" .o)
        name=${name##*-}
        test -f "$srcdir/src/$1/$name.c" || continue # an object of a file that was removed
        nm "$object" | awk -v name="$name" '{ print name, $(NF - 1), $NF }'
    done | sort -u | awk '
        $2 == "U" { uses[NR] = $1 " " $3; next }
        $2 ~ /[TDBRVWCSG]/ { home[$3] = $1 }
        END {
            for (i in uses) {
                split(uses[i], use, " ")
                if (use[2] in home && home[use[2]] != use[1])
                    print use[1], home[use[2]]
            }
        }' | sort -u
}

# has_no_circle FILE: the file has such lines
has_no_circle()
{
    tsort "$1" 2>&1 >/dev/null | tee "$scratch/loops"
    test ! -s "$scratch/loops"
}

printf 'a b\nb a\n' >"$scratch/pairs"
! has_no_circle "$scratch/pairs" >/dev/null
result $? 'a circle is found'
for folder in base format geometry vfs stream keyval file recover comm parallel api array ftiff scr/kvtree scr/tasks \
    scr/dataset scr/map scr; do
    ls "$builddir/src/$folder"/*.o >/dev/null 2>&1 || continue
    calls "$folder" >"$scratch/calls"
    check "no circle in $folder" has_no_circle "$scratch/calls"
done
calls parallel >"$scratch/calls"
check 'the calls of a folder are found' grep -qx 'open single' "$scratch/calls"
finish
