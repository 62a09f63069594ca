# Sourced by test.sh: runs functions as stages, one line of output for each, and counts their tests.
#
# The caller sets build, the folder for the stages' logs. The stage NAME is the function stage_NAME,
# run in a shell of its own. A stage may take as long as it wants while it prints; if it prints
# nothing for STALL_SECONDS (600), it is ended, with all processes that it has started.

: "${build:?}"
stall=${STALL_SECONDS:-600}
total_passed=0 total_failed=0 total_skipped=0
running= # the process of the stage that runs

# ---- the watchdog ----

# children PID...: all descendants of these processes
children() {
    # The name of the program, in brackets, may contain blanks.
    cat /proc/[0-9]*/stat 2> /dev/null | sed 's/^\([0-9]*\) .*) [A-Za-z] \([0-9]*\) .*/\1 \2/' |
        awk -v roots="$*" '{ parent[$1] = $2 }
            END {
                n = split(roots, queue, " ")
                for (i = 1; i <= n; i++)
                    for (child in parent)
                        if (parent[child] == queue[i]) { queue[++n] = child; print child }
            }'
}

# end PID: the process and all that it has started
end() {
    local all

    all="$1 $(children "$1" | tr '\n' ' ')"
    # shellcheck disable=SC2086
    kill -TERM $all 2> /dev/null
    sleep 2
    # shellcheck disable=SC2086
    kill -KILL $all 2> /dev/null
}

# Seconds since the file last changed.
quiet_for() {
    local changed

    changed=$(stat -c %Y "$1") && echo $(($(date +%s) - changed))
}

# watch PID LOG: waits for the process and returns its status, or 124 if it stalled and was ended
watch() {
    local pid=$1 log=$2

    while kill -0 "$pid" 2> /dev/null; do
        if [ "$(quiet_for "$log")" -ge "$stall" ]; then
            end "$pid"
            wait "$pid" 2> /dev/null
            return 124
        fi
        sleep 1
    done
    wait "$pid"
}

# ---- running and counting ----

# Tests that have begun their log, but not written their results.
unfinished() {
    local log

    find "$1/test" -name '*.log' 2> /dev/null | while read -r log; do
        log=${log%.log}
        [ -e "$log.trs" ] || echo "${log#"$1"/}"
    done
}

# results FOLDER KIND...: the lines of these kinds (PASS, FAIL, ...) in the logs of its tests
results() {
    local folder=$1 kinds

    shift
    kinds=$(echo "$*" | tr ' ' '|')
    find "$folder/test" -name '*.log' -exec grep -hE "^($kinds): test/" {} + 2> /dev/null
}

show_failure() {
    local log=$1 folder=$2

    if [ -n "$folder" ]; then
        results "$folder" FAIL ERROR XPASS | sort -u | head -n 20
    fi
    echo "... ${log#"$root"/}:"
    tail -n 30 "$log"
}

# stage NAME [FOLDER]: a stage with tests leaves their logs in FOLDER/test
stage() {
    local name=$1 folder="" log=$build/$1.log start=$SECONDS status result=ok
    local passed=0 failed=0 skipped=0

    if [ $# -gt 1 ]; then
        folder=$build/$2
        find "$folder/test" \( -name '*.log' -o -name '*.trs' \) -delete 2> /dev/null
    fi
    : > "$log"
    ("stage_$name") >> "$log" 2>&1 < /dev/null &
    running=$!
    watch $running "$log"
    status=$?
    running=
    if [ -n "$folder" ]; then
        passed=$(results "$folder" PASS XFAIL | wc -l)
        failed=$(results "$folder" FAIL ERROR XPASS | wc -l)
        skipped=$(results "$folder" SKIP | wc -l)
        results "$folder" SKIP | sed "s/^SKIP: //; s/ # SKIP / - /" >> "$build/skipped.list"
    fi
    if [ $status -eq 124 ]; then
        echo "$name: no output for $stall s: ended" | tee -a "$log"
        [ -z "$folder" ] || unfinished "$folder" | sed 's/^/was running: /' | tee -a "$log"
    fi
    if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1
    elif [ $((passed + failed + skipped)) -eq 0 ]; then
        passed=1
    fi
    [ "$failed" -eq 0 ] || result=FAILED
    printf '%-12s %-6s %5d s   %d passed, %d failed, %d skipped\n' "$name" $result \
        $((SECONDS - start)) "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ] || show_failure "$log" "$folder"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
}

begin_stages() {
    mkdir -p "$build" && : > "$build/skipped.list" || exit 1
    trap '[ -z "$running" ] || end $running; exit 130' INT TERM HUP
}

# Names each skipped test once, with its reason, and prints the totals as the last line. Fails if a
# test has failed.
end_stages() {
    sort "$build/skipped.list" | uniq -c | awk '{
        times = $1; sub(/^ *[0-9]+ /, "")
        print "skipped: " $0 (times > 1 ? " (" times " times)" : "") }'
    echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
    [ $total_failed -eq 0 ]
}
