# Sourced by scripts that kill writers of containers with commit records, at any instruction: all
# processes or one. CHECK_ROUNDS: number of rounds of each flavour; CHECK_SEED: the first seed;
# CHECK_FLAVOURS: other ones.
. "$srcdir/test/harness.sh"
wanted=${CHECK_ROUNDS:-1}
seed=${CHECK_SEED:-$(date +%s)}
echo "# seed $seed"
folder=$scratch/container

# write_container RANKS PROGRAM ARGUMENTS...: 0 ranks: without a launcher
write_container()
{
    if test "$1" -eq 0; then
        shift
        timeout 60 "$@"
    else
        seconds=60 mpi_run "$@"
    fi
}

# kill_once RANKS PROGRAM FLAVOUR: keeps the container and the journal after a failure
kill_once()
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    microseconds=$((2000 + seed / 7 % 120000))
    victim=$((seed / 11 % 8 - 4))
    test $victim -lt 0 && victim=-1
    rm -rf "$folder"
    mkdir "$folder" && cd "$folder" || exit 99
    # The messages about killed processes do not matter, nor does the status.
    write_container "$1" "$2" write "$3" "$seed" "$microseconds" "$victim" >"$scratch/launcher" 2>&1
    echo "# $3, seed $seed, after $microseconds us, victim $victim" >"$scratch/round"
    "$2" judge "$3" >>"$scratch/round" 2>&1
}

# kill_writers RANKS PROGRAM
kill_writers()
{
    ranks=$1
    program=$builddir/test/src/recover/$2
    for flavour in ${CHECK_FLAVOURS:-$("$program" list)}; do
        failed_rounds=0
        i=0
        while test $i -lt "$wanted"; do
            i=$((i + 1))
            kill_once "$ranks" "$program" "$flavour" || failed_rounds=$((failed_rounds + 1))
            test $failed_rounds -gt 0 && cat "$scratch/round" && break
        done
        tail -n 1 "$scratch/round"
        result $failed_rounds "$(basename "$program"), $flavour: no flushed data are lost"
    done
}

finish_kills()
{
    cd /
    finish
}
