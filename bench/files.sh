# shellcheck shell=bash disable=SC2154
# Sourced by bench/run.sh: whether files=auto makes as many files as the storage needs. Uses program,
# results, build, disk, memory, repeats and fail.

# compare_files PLACE BYTES RECORD METHODS: adds lines to files.csv; ratios are to the first method
compare_files() {
    local place=$1 bytes=$2 record=$3 methods=$4

    timeout 600 mpiexec -n 2 "$program" "--compare=$repeats" --simulate=0 --output=csv "--methods=$methods" \
        -s "$bytes" -r "$bytes" -b "$record" -f "${!place}/scion-files.$$" > "$build/one.csv" ||
        fail "the measurement has failed"
    awk -F, -v key="$place;$bytes;$record;${methods%%;*}" -v OFS=';' '
        /^tasks,/ { name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
                    direction = /,write,/ ? "write" : "read"; print key, name, direction, $(NF - 1), $NF }' \
        "$build/one.csv" >> "$results/files.csv"
}

measure_files() {
    local place bytes

    echo 'place;bytes;record;base;method;direction;mib_per_second;ratio' > "$results/files.csv"
    for place in memory disk; do
        echo "files=auto, $place"
        compare_files "$place" 64M 1M 'file per task;container, files=auto;container, 1 file'
        compare_files "$place" 64M 47008 'pwrite to one file;container, files=auto;container, 1 file'
        for bytes in 512k 1M 4M 16M; do
            compare_files "$place" "$bytes" 512k 'container, 1 file;container, n files;container, files=auto'
        done
    done
}

write_files_table() {
    printf '\n# The number of files\n\nTwo tasks, medians of %d repeats.\n\n' "$repeats"
    echo '| place | bytes a task | records | method | compared with | write: MiB/s | ratio | read: MiB/s | ratio |'
    echo '|---|---|---|---|---|---|---|---|---|'
    awk -F';' 'NR > 1 {
        key = $1 " | " $2 " | " $3 " | " $5 " | " $4
        if (!(key in seen)) { seen[key] = 1; order[++n] = key }
        rate[key, $6] = $7 " | " $8
    }
    END { for (i = 1; i <= n; i++) printf "| %s | %s | %s |\n", order[i], rate[order[i], "write"], rate[order[i], "read"] }' \
        "$results/files.csv"
}
