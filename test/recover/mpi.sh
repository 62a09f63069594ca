# MPI writers of containers with commit records are killed, all ranks or one of four, and no flushed
# data are lost. CHECK_ROUNDS: number of rounds of each flavour; CHECK_SEED: the first seed.
. "$srcdir/test/harness.sh"
rounds=${CHECK_ROUNDS:-1}
seed=${CHECK_SEED:-$(date +%s)}
echo "# seed $seed"
flavours=${CHECK_FLAVOURS:-ansi posix file keys collective collective2 merged buddy mapped}
program=$builddir/test/recover/mpi
folder=$scratch/container
test -w /dev/shm && folder=$(mktemp -d /dev/shm/scion-test-XXXXXX)

# round FLAVOUR: keeps the container and the journal after a failure
round()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    microseconds=$((2000 + seed / 7 % 120000))
    victim=$((seed / 11 % 8 - 4))
    test $victim -lt 0 && victim=-1
    rm -rf "$folder"
    mkdir "$folder" && cd "$folder" || exit 99
    # The launcher's messages about killed processes do not matter, nor does its status.
    seconds=60 mpi_run 4 "$program" write "$1" "$seed" "$microseconds" "$victim" \
        >"$scratch/launcher" 2>&1
    echo "# $1, seed $seed, after $microseconds us, victim $victim" >"$scratch/round"
    "$program" judge "$1" >>"$scratch/round" 2>&1
}

for flavour in $flavours; do
    failed_rounds=0
    i=0
    while test $i -lt "$rounds"; do
        i=$((i + 1))
        round "$flavour" || failed_rounds=$((failed_rounds + 1))
        test $failed_rounds -gt 0 && cat "$scratch/round" && break
    done
    tail -n 1 "$scratch/round"
    result $failed_rounds "$flavour: no flushed data are lost"
done
cd / && rm -rf "$folder"
finish
