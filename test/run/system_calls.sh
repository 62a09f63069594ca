# What a redirected call costs in system calls: none more than the call itself.
. "$srcdir/test/run/lib.sh"
strace -f true 2>/dev/null || skip_all 'strace is not installed, or may not be used here'

# counted TIMES COMMAND...: how many system calls of each kind it makes, in a new folder
counted()
{
    rm -rf "$scratch/w" "$scratch/s"
    mkdir -p "$scratch/w/m" "$scratch/w/u" && : >"$scratch/w/u/f" || exit 99
    session s "$scratch/w" 'f:m/**'
    times=$1
    shift
    (cd "$scratch/w" && "$@" "$builddir/test/run/system_calls" "$times") || exit 99
    awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $NF, $4 }' "$scratch/trace" | sort
}
traced()
{
    strace -c -o "$scratch/trace" "$@"
}
# added COMMAND...: by a hundred times more
added()
{
    counted 10 "$@" >"$scratch/few"
    counted 110 "$@" >"$scratch/many"
    join -a 2 -e 0 -o 0,1.2,2.2 "$scratch/few" "$scratch/many" |
        awk '$3 != $2 { print $1, $3 - $2 }' | sed 's/^renameat2\{0,1\} /rename /; s/^unlinkat /unlink /
            s/^rmdir /unlink /; s/^mkdirat /mkdir /; s/^newfstatat /stat /; s/^faccessat2\{0,1\} /access /
            s/^openat /open /' |
        awk '{ n[$1] += $2 } END { for (call in n) print call, n[call] }' | sort
}
redirected_trace()
{
    strace -c -o "$scratch/trace" -E "SION_RUN_SESSION=$session" -E "LD_PRELOAD=$library" "$@"
}
added traced >"$scratch/native"
added redirected_trace >"$scratch/ours"
check 'the calls themselves were counted' grep -q '^rename 200$' "$scratch/native"
check 'redirected ones take no others' same "$scratch/native" "$scratch/ours"
finish
