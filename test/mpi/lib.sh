# Sourced by the scripts of this folder: runs MPI programs that print TAP and passes it on.
tests=0
failed=0

# run NP PROGRAM ARGS...: a crash or a hang is a failed test of its own.
run() {
    np=$1
    program=$2
    shift 2
    log=$builddir/$program-$np.out
    timeout 240 sh "$LAUNCH" "$np" "$builddir/$program" "$@" >"$log" 2>&1
    status=$?
    grep '^#' "$log" | head -n 200
    grep -E '^(not )?ok ' "$log" >"$log.tap"
    while read -r line; do
        tests=$((tests + 1))
        case $line in not*) failed=1 ;; esac
        echo "$line" | sed "s/ok [0-9]* - /ok $tests - $np ranks: /"
    done <"$log.tap"
    if [ $status -ne 0 ] && ! grep -q '^not ok' "$log.tap"; then
        tests=$((tests + 1))
        failed=1
        tail -n 20 "$log" | sed 's/^/# /'
        echo "not ok $tests - $program with $np ranks ended with status $status"
    fi
    rm -f "$log" "$log.tap"
}

done_testing() {
    echo "1..$tests"
    exit $failed
}
