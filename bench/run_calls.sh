#!/usr/bin/env bash
#
# What libsion_run adds to a call, in nanoseconds: bench/run_calls is run with it and without, in turn, in two
# equal folders on one file system, and the medians are printed.
#
#   bench/run_calls.sh BUILD [REPEATS [FOLDER]]
#
#   REPEATS  of each way (9)
#   FOLDER   where the files are (/dev/shm)

set -u
build=$(cd "${1:?BUILD}" && pwd) || exit 1
repeats=${2:-9}
work=$(mktemp -d "${3:-/dev/shm}/sr.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
(cd "$build" && make -s bench/run_calls test/run/make_session libsion_run.la) || exit 1

# once WAY COMMAND...: in new files
once() {
    way=$1
    shift
    rm -rf "$work/$way" "$work/s"
    mkdir -p "$work/$way/m" "$work/$way/u" && touch "$work/$way/u/f" || exit 1
    test "$way" = n || "$build/test/run/make_session" "$work/s" "$work/$way" 'f:m/**' || exit 1
    (cd "$work/$way" && "$@" "$build/bench/run_calls") >> "$work/$way.out" || exit 1
}
for _ in $(seq "$repeats"); do
    once n env
    once r env "SION_RUN_SESSION=$work/s" "LD_PRELOAD=$build/.libs/libsion_run.so"
done

# medians WAY: a line for each call
medians() {
    awk -F '  +' -v OFS='\t' '
        !($1 in n) { names[++count] = $1 }
        { values[$1, ++n[$1]] = $2 }
        END {
            for (c = 1; c <= count; c++) {
                name = names[c]
                for (i = 2; i <= n[name]; i++)
                    for (j = i; j > 1 && values[name, j] + 0 < values[name, j - 1] + 0; j--) {
                        v = values[name, j]
                        values[name, j] = values[name, j - 1]
                        values[name, j - 1] = v
                    }
                print name, values[name, int((n[name] + 1) / 2)]
            }
        }' "$work/$1.out"
}
printf '%-26s %8s %8s %8s\n' 'call (m is redirected)' without with more
paste <(medians n) <(medians r) |
    awk -F '\t' '{ printf "%-26s %8d %8d %8d\n", $1, $2, $4, $4 - $2 }'
