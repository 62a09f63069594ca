# Checkpoints of MPI ranks in one container: failures, and kills of one rank.
. "$srcdir/test/mpi/lib.sh"
for np in 1 3; do
    run $np test/ftiff/mpi
done
run 8 test/ftiff/mpi quick

folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT

ok() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        echo "not ok $tests - $2"
        failed=1
    fi
}

# mpi NP ARGUMENTS...
mpi() {
    np=$1
    shift
    (cd "$folder" && timeout 60 sh "$LAUNCH" "$np" "$builddir/test/ftiff/mpi" "$@") \
        >"$folder/out" 2>&1
    status=$?
    grep '^there is' "$folder/out"
    return $status
}

# A rank alone is killed in one of its first changing calls: it opens, writes, syncs. What a kill of
# everything leaves at any moment is in test/ftiff/threads.c.
mpi 2 write 1 0 0
for killed in '0 2' '1 1' '1 3'; do
    # shellcheck disable=SC2086
    mpi 2 write 2 $killed
    [ $? -ne 0 ] && [ "$(mpi 2 read)" = 'there is 1' ]
    ok $? "the old checkpoint is there after a kill of rank ${killed% *} in call ${killed#* }"
done

# A container made of FTI's own files is a checkpoint of as many ranks.
if [ -x "$builddir/sionfti" ]; then
    mpi 4 write 7 0 0
    "$builddir/sionfti" unpack -o "$folder/files" "$folder/state.sion"
    rm "$folder/state.sion"
    "$builddir/sionfti" check "$folder/files" >/dev/null &&
        "$builddir/sionfti" pack -o "$folder/state.sion" "$folder/files"
    ok $? 'a container is unpacked and packed again'
    answer=$(mpi 4 read)
    [ "$answer" = 'there is 7' ]
    ok $? 'the ranks recover from it'
fi
done_testing
