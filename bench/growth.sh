# shellcheck shell=bash disable=SC2154
# Sourced by bench/run.sh: how costs grow with the number of tasks. Uses root, build, results, memory,
# repeats and fail.

# Prints, for each operation of growth.csv, t = a * tasks^b by least squares of the logarithms from
# 10,000 tasks on: a line "operation<TAB>a<TAB>b".
fit_growth() {
    awk -F, '
        NR > 1 && $2 == 1 {
            if (!($3 in seen)) { seen[$3] = 1; order[++m] = $3 }
            if ($1 < 10000) next
            x = log($1); y = log($4)
            n[$3]++; sx[$3] += x; sy[$3] += y; sxx[$3] += x * x; sxy[$3] += x * y
        }
        END {
            for (i = 1; i <= m; i++) {
                o = order[i]
                b = (n[o] * sxy[o] - sx[o] * sy[o]) / (n[o] * sxx[o] - sx[o] * sx[o])
                printf "%s\t%.6g\t%.3f\n", o, exp((sy[o] - b * sx[o]) / n[o]), b
            }
        }' "$results/growth.csv"
}

# Lines: operations; columns: milliseconds by tasks, the exponent, memory of the most tasks.
write_growth_table() {
    printf '\n# Growth with the number of tasks\n\n'
    echo "Milliseconds of processor time, medians of $repeats. The exponent b is of t = a * tasks^b, from 10,000"
    echo 'tasks on. The first task of a parallel open is real; the other tasks are made up.'
    echo
    awk -F, -v fits="$build/growth.fits" '
        BEGIN { while ((getline line < fits) > 0) { split(line, part, "\t"); exponent[part[1]] = part[3] } }
        NR > 1 {
            column = $2 == 1 ? $1 : $1 " in " $2 " files"
            if (!(column in seen)) { seen[column] = 1; columns[++m] = column }
            if (!($3 in known)) { known[$3] = 1; order[++n] = $3 }
            time[$3, column] = $4
            if ($5 > most[$3]) most[$3] = $5
        }
        END {
            printf "| tasks |"
            for (j = 1; j <= m; j++) printf " %s |", columns[j]
            printf " exponent | most memory |\n|---|"
            for (j = 1; j <= m + 2; j++) printf "---|"
            print ""
            for (i = 1; i <= n; i++) {
                printf "| %s |", order[i]
                for (j = 1; j <= m; j++) printf " %s |", time[order[i], columns[j]]
                printf " %s | %d MiB |\n", exponent[order[i]], most[order[i]] / 1024
            }
        }' "$results/growth.csv"
}

plot_growth() {
    local plots='' operation a b

    while IFS=$'\t' read -r operation a b; do
        awk -F, -v operation="$operation" '$2 == 1 && $3 == operation { print $1, $4 }' "$results/growth.csv" \
            > "$build/growth.$operation.dat"
        plots+="${plots:+, }\"$build/growth.$operation.dat\" with points pt 7 ps 0.6 lc rgb colour($((++color)))"
        plots+=" title \"$operation, tasks^{$b}\", $a * x**$b with lines lc rgb colour($color) notitle"
    done < "$build/growth.fits"
    gnuplot << PLOT || fail "gnuplot has failed"
set terminal svg size 900,480 background "white"
set output "$results/growth.svg"
colour(i) = word("#1b6ca8 #c0392b #2e7d32 #8e44ad #d68910 #455a64 #00838f", i)
set logscale xy
set xrange [900:12000000]
set xlabel "tasks"
set ylabel "milliseconds of processor time"
set key top left Left reverse
set grid
plot $plots
PLOT
}

measure_growth() {
    make -s bench/growth || fail "make has failed"
    echo "growth with the number of tasks"
    bench/growth "$memory/scion-growth.$$" "$repeats" > "$results/growth.csv" || fail "the measurement has failed"
    fit_growth > "$build/growth.fits"
    if command -v gnuplot > /dev/null; then
        color=0
        plot_growth
    fi
}
