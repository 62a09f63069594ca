# Sourced by tests of SCR's datasets.

# make_rank_files FOLDER: the files of the real datasets of four ranks: rank_<r>.ckpt has 524294 + r
# bytes, byte i is (7 * i + 13 * r) & 255.
make_rank_files() {
    for r in 0 1 2 3; do
        awk "BEGIN { for (i = 0; i < 256; i++) printf \"\\\\%03o\", (7 * i + 13 * $r) % 256 }" >octal
        # shellcheck disable=SC2059
        printf "$(cat octal)" >period
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
            cat period period >twice
            mv twice period
        done
        head -c $((524294 + r)) period >"$1/rank_$r.ckpt"
    done
    rm period octal
}
