#!/usr/bin/env bash
#
# Builds the library and shows what it is for. The same checkpoint of many tasks is written as files
# and as a container. A heat solver on four MPI tasks runs through, runs again until it is killed, and
# is restarted from its last checkpoint: both runs must end with the same field, bit by bit. Everything
# stays in build/demo.
#
#   scripts/demo.sh

set -u

tasks=4
many_tasks=10000
many_bytes=4000
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$root/build/demo
work=$build/run
launcher=() # the command that starts MPI programs
job=''      # pid of what start_heat has started
solvers=''  # pids of its tasks, if known

fail() {
    echo "demo: FAILED: $1" >&2
    [ $# -lt 2 ] || [ ! -f "$2" ] || tail -n 20 "$2" >&2
    exit 1
}

headline() {
    printf '\n== %s\n' "$*"
}

# However the script ends, it leaves no process behind.
clean_up() {
    local pid

    for pid in $solvers; do
        kill -9 "$pid" 2> /dev/null
    done
    if [ -n "$job" ]; then
        kill "$job" 2> /dev/null && wait "$job" 2> /dev/null
    fi
}

build_all() {
    local log=$build/build.log

    headline "Building in ${build#"$root"/}"
    "$root/scripts/install-packages.sh" build mpi || fail "packages are missing"
    mkdir -p "$build" || fail "cannot create $build"
    if [ ! -x "$root/configure" ]; then
        (cd "$root" && autoreconf -fi) > "$log" 2>&1 || fail "autoreconf" "$log"
    fi
    cd "$build" || fail "cannot enter $build"
    [ -f Makefile ] || "$root/configure" --with-mpi > "$log" 2>&1 || fail "configure" "$log"
    make -j "$(nproc)" > "$log" 2>&1 || fail "make" "$log"
    echo "done: $(sed -n 's/^PACKAGE_STRING = //p' Makefile)"
}

# Open MPI, unlike MPICH, needs options to run as root, and more tasks than there are cores.
choose_launcher() {
    read -r -a launcher <<< "$(sed -n 's/^MPIEXEC = //p' "$build/Makefile")"
    [ ${#launcher[@]} -gt 0 ] || fail "configure found no mpiexec"
    if [ "$(sed -n 's/^MPI_FLAVOUR = //p' "$build/Makefile")" = openmpi ]; then
        launcher+=(--oversubscribe)
        [ "$(id -u)" -ne 0 ] || launcher+=(--allow-run-as-root)
    fi
}

# start_heat LOG OPTION...
start_heat() {
    local log=$1

    shift
    timeout -k 5 60 "${launcher[@]}" -n $tasks "$build/heat" "$@" > "$log" 2>&1 < /dev/null &
    job=$!
}

end_heat() {
    local status

    wait "$job" 2> /dev/null
    status=$?
    job='' solvers=''
    return $status
}

heat() {
    start_heat "$@"
    end_heat
}

run_through() {
    heat through.log --checkpoint through.ckpt --result through.field ||
        fail "the solver failed" through.log
    echo "through:   $(tail -n 1 through.log)"
}

# Waits until the solvers in the background print their pids: "heat: paused at step 1; processes 2 3
# wait to be killed".
wait_for_pause() {
    local log=$1 i

    for ((i = 0; i < 600; i++)); do
        solvers=$(sed -n 's/^heat: paused.*processes \(.*\) wait.*/\1/p' "$log")
        [ -z "$solvers" ] || return 0
        kill -0 "$job" 2> /dev/null || break
        sleep 0.1
    done
    fail "the solver did not reach the step at which it should be killed" "$log"
}

# run_and_kill LOG OPTION...
run_and_kill() {
    local log=$1

    : > "$log"
    start_heat "$@" --result killed.field
    wait_for_pause "$log"
    # shellcheck disable=SC2086
    kill -9 $solvers || fail "the solvers could not be killed" "$log"
    ! end_heat || fail "the job was killed, but reports success" "$log"
    [ ! -e killed.field ] || fail "the killed job has written a result" "$log"
    echo "killed:    $(sed -n 's/^heat: \(paused.*\); processes.*/\1, then kill -9 of all tasks/p' "$log")"
}

# restart FIELD LOG OPTION...
restart() {
    local field=$1

    shift
    heat "$@" --restart --result "$field" || fail "the restart" "$1"
    sed -n 's/^heat: \(.* cannot be used.*\)/           \1/p; s/^heat: restarted/restarted:/p' "$1"
}

compare() {
    cmp through.field "$1" || fail "the restarted run ends with a different field"
    echo "result:    identical, bit by bit ($(sha256sum < "$1" | cut -c 1-16)...)"
}

# kill_and_restart NAME WHERE OPTION...: the checkpoint is NAME.ckpt.0 and .1
kill_and_restart() {
    local name=$1 where=$2

    shift 2
    run_and_kill "$name-killed.log" --checkpoint "$name.ckpt" "$where" "$@"
    restart "$name.field" "$name-restarted.log" --checkpoint "$name.ckpt" "$@"
    compare "$name.field"
}

# many_row LABEL files|container NAME: writes and reads the data; prints seconds, inodes and bytes
# as a row of a table, and sets write, read and inodes
many_row() {
    local label=$1 bytes

    # Data that earlier runs left in memory goes to the disk first, so that it does not slow this
    # run.
    sync
    read -r write read < <("$build/examples/many" "$2" "$3" $many_tasks $many_bytes) ||
        fail "$many_tasks tasks: $label"
    inodes=$(find "$3" | wc -l)
    bytes=$(du -s -B 1 "$3" | cut -f 1)
    printf '%-24s%9s s%9s s%9d%15d\n' "$label" "$write" "$read" "$inodes" "$bytes"
}

compare_many() {
    local files_write files_inodes

    printf '%-24s%11s%11s%9s%15s\n' '' write 'read back' inodes 'bytes on disk'
    many_row 'a file for each task' files many.files
    files_write=$write files_inodes=$inodes
    many_row 'one container' container many.sion
    awk -v files="$files_write" -v container="$write" 'BEGIN {
        printf "the container took %.0f %% of the time to write", 100 * container / (files > 0 ? files : 0.001) }'
    echo ", and $inodes inode in place of $files_inodes"
    cat many.files/* | cmp -s - <(sioncat many.sion) || fail "files and container differ"
    rm -rf many.files many.sion
}

# show_checkpoint CONTAINER
show_checkpoint() {
    local container=$1

    sionls "$container" || fail "sionls"
    siondump --svg="$build/checkpoint.svg" "$container" > /dev/null || fail "siondump --svg"
    echo "its picture: ${build#"$root"/}/checkpoint.svg"
}

main() {
    trap clean_up EXIT
    trap 'exit 1' INT TERM HUP
    build_all
    choose_launcher
    rm -rf "$work"
    mkdir -p "$work" || fail "cannot create $work"
    cd "$work" || fail "cannot enter $work"
    PATH=$build:$PATH

    headline "A checkpoint of $many_tasks tasks with $many_bytes bytes each, on this disk"
    compare_many
    headline "A solver on $tasks tasks, killed between two checkpoints, restarted"
    run_through
    kill_and_restart one --pause-at=225
    headline "Killed while it writes a checkpoint into two physical files, restarted"
    kill_and_restart half --pause-writing=250 --files 2
    headline "What is in a checkpoint"
    show_checkpoint half.ckpt.1

    printf '\ndemo: all done\n'
}

main "$@"
