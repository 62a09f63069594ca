# Each call that the library stands in for has the same results and the same errno as without it.
. "$srcdir/test/run/lib.sh"
top=$(realpath "$scratch")
mkdir "$top/files" "$top/sessions"

# compared PROGRAM: runs it with the library and without, in the same folder
compared()
{
    "$builddir/test/run/$1" "$top/files/w" >"$scratch/$1.native" || return 1
    "$builddir/test/run/$1" "$top/files/w" "$top/sessions/s" "$library" >"$scratch/$1.run" || return 1
    rm -rf "$top/files/w"
    test "$(wc -l <"$scratch/$1.native")" -gt 1000 && same "$scratch/$1.native" "$scratch/$1.run"
}
check 'calls with one path' compared calls
check 'calls with two paths' compared pairs

# A function that the library defines is in a program of these tests.
is_tested()
{
    "${NM:-nm}" -D --defined-only "$library" | sed -E '/ mpi_/d; s/.* //' >"$scratch/functions"
    test "$(wc -l <"$scratch/functions")" -gt 140 || return 1
    while read -r function; do
        grep -qw "$function" "$srcdir"/test/run/*.[cfh]* || echo "no test calls $function"
    done <"$scratch/functions" >"$scratch/untested"
    cat "$scratch/untested"
    test ! -s "$scratch/untested"
}
check 'each function of the library is tested' is_tested
finish
