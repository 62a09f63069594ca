# Sourced by tests of other languages, whose programs must write the same files as C: serial.sion
# and, with MPI, mpi.sion. The tests provide passes FOLDER PROGRAM [NP], and have write_c.c in their
# sources.

# shellcheck disable=SC2046
write_with_c() {
    ${CC:-cc} $(config --cflags) "$root/sources/write_c.c" -o "$root/c/write_c" \
        $(config --libs) && passes c write_c
}

# shellcheck disable=SC2046,SC2086
write_mpi_with_c() {
    ${CC:-cc} $mpi_flags -DWITH_MPI $(config --mpi --cflags) "$root/sources/write_c.c" \
        -o "$root/mpi-c/write_c" $(config --mpi --libs) $mpi_libs || return 1
    for ranks in 1 2 3 4; do
        mkdir -p "$root/mpi-c/$ranks" && passes "mpi-c/$ranks" ../write_c $ranks || return 1
    done
}

# as_c FOLDER PROGRAM NP: runs it there; it must write the same file as C with as many ranks
as_c() {
    rm -f "$root/$1"/mpi.sion*
    passes "$1" "$2" "$3" || return 1
    for file in "$root/mpi-c/$3"/mpi.sion*; do
        cmp "$file" "$root/$1/${file##*/}" || return 1
    done
}
