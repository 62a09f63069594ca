# Tools on a set of more physical files than a process may open.
. "$(dirname "$0")/lib.sh"

cd "$scratch" || exit 99
"$builddir/test/tools/make_many" one.sion 300 2 700
"$builddir/siondefrag" -q 512 --files=300 one.sion set.sion >/dev/null || exit 99
"$builddir/sioncat" one.sion >wanted

# few COMMAND...: with 64 descriptors
few()
{
    (ulimit -n 64 && run "$@" && exit "$status")
}
check 'the set has 300 files' test "$(ls set.sion* | wc -l)" -eq 300
check 'sioncat' few sioncat set.sion
check 'sioncat: every byte' same "$scratch/out" wanted
check 'siondiff' few siondiff one.sion set.sion
check 'siondefrag to one file' few siondefrag set.sion again.sion
check 'siondefrag to 300 files' few siondefrag --files=300 set.sion more.sion
check 'siondiff of both' few siondiff again.sion more.sion
mkdir split
check 'sionsplit' few sionsplit set.sion split/task
check 'sionsplit: a file for each task' test "$(ls split | wc -l)" -eq 300
check 'sionls' few sionls -l set.sion
check 'siondump' few siondump -a set.sion
check 'sionverify' few sionverify set.sion
check 'sionrecover' few sionrecover set.sion
finish
