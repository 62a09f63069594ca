# Checkpoints of MPI ranks in one container: failures, and kills of one rank.
. "$srcdir/test/mpi_lib.sh"
for np in 1 3; do
    run $np test/src/ftiff/library_mpi
done
run 8 test/src/ftiff/library_mpi quick

folder=$scratch/work
mkdir "$folder"

# mpi NP ARGUMENTS...
mpi() {
    np=$1
    shift
    (cd "$folder" && timeout 60 sh "$LAUNCH" "$np" "$builddir/test/src/ftiff/library_mpi" "$@") \
        >"$folder/out" 2>&1
    status=$?
    grep '^there is' "$folder/out"
    return $status
}

# A single rank is killed in each of its changing calls. (test/src/ftiff/threads.c kills all at once.)
# killed RANK CALL: returns 0 if the old checkpoint or the new one exists afterwards, 1 if not, and
# 2 if the rank made fewer calls and the new checkpoint exists.
killed() {
    mpi 2 write 1 0 0
    if mpi 2 write 2 "$1" "$2"; then
        [ "$(mpi 2 read)" = 'there is 2' ] && return 2
        return 1
    fi
    case $(mpi 2 read) in
    'there is 1' | 'there is 2') return 0 ;;
    esac
    return 1
}
for victim in 0 1; do
    call=1
    while killed $victim $call && [ $call -lt 40 ]; do
        call=$((call + 1))
    done
    killed $victim $call
    [ $? -eq 2 ] && [ $call -gt 2 ]
    result $? "the old checkpoint or the new one is there after a kill of rank $victim in each of $((call - 1)) calls"
done

# A container packed from FTI's own files is a checkpoint of as many ranks.
if [ -x "$builddir/sionfti" ]; then
    for np in 1 2 3 4 5 6 7 8; do
        rm -rf "$folder/files"
        mpi $np write 7 0 0 &&
            "$builddir/sionfti" unpack -o "$folder/files" "$folder/state.sion" &&
            rm "$folder/state.sion" &&
            "$builddir/sionfti" check "$folder/files" >/dev/null &&
            "$builddir/sionfti" pack -o "$folder/state.sion" "$folder/files" &&
            [ "$(mpi $np read)" = 'there is 7' ]
        result $? "$np ranks: a container is unpacked and packed again, and they recover from it"
    done
    mpi 2 read >/dev/null
    [ $? -ne 0 ] && grep -q 'state.sion is a checkpoint of 8 tasks, but this program has 2' "$folder/out"
    result $? 'fewer ranks learn how many are needed'

    # With head = 1, FTI names the files by ranks of MPI_COMM_WORLD.
    for nodesize in 2 3; do
        rm -rf "$folder/files"
        mpi 4 write 7 0 0 &&
            "$builddir/sionfti" unpack -n $nodesize -o "$folder/files" "$folder/state.sion" &&
            rm "$folder/state.sion" && [ -e "$folder/files/Ckpt7-Rank1.fti" ] &&
            [ ! -e "$folder/files/Ckpt7-Rank0.fti" ] &&
            "$builddir/sionfti" pack -o "$folder/state.sion" "$folder/files" &&
            [ "$(mpi 4 read)" = 'there is 7' ]
        result $? "head = 1, node size $nodesize: ranks recover from files with FTI's names"
    done

    # Packed files of differential checkpoints.
    scripts=$(cd "$srcdir" && pwd)/test/src/ftiff
    layouts='B C D E F'
    python3 -B "$scripts/model.py" "$folder/model" 2>/dev/null || layouts=
    for layout in $layouts; do
        "$builddir/sionfti" pack -o "$folder/dcp.sion" "$folder/model/$layout/dcp" &&
            mpi 2 model dcp.sion
        result $? "layout $layout: ranks recover from packed files of differential checkpoints"
    done
    if [ -n "$layouts" ]; then
        "$builddir/sionfti" pack -o "$folder/dcp.sion" "$folder/model/F/dcp" "$folder/model/F/l3" &&
            mpi 2 model dcp.sion
        result $? 'if there are Rank files as well, these are recovered'
        "$builddir/sionfti" unpack -o "$folder/unpacked" "$folder/dcp.sion" &&
            cmp "$folder/unpacked/dCPFile-Rank1.fti" "$folder/model/F/dcp/dCPFile-Rank1.fti"
        result $? 'all files are unpacked'
    fi
fi
done_testing
