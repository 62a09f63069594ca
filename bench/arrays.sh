# shellcheck shell=bash disable=SC2154
# Sourced by bench/run.sh: compares arrays in containers with parallel HDF5 and PnetCDF. Uses
# root, build, results, disk, memory, repeats and fail. The program bench/fields is built once for
# each MPI that is installed, because Debian builds PnetCDF with Open MPI only.

# Blocks in each dimension, one for each task, and the elements of a block.
grids=('1x2 1024x1024' '2x2 1024x1024' '1x1x2 128x128x64' '1x2x2 128x128x64' '2x1 1024x1024')
small_grids=('1x2 64x128' '2x2 64x128')

# missing WHAT PACKAGE FLAVOUR
missing() {
    echo "bench/run.sh: $1 is missing for $3 (Debian: $2), and left out" | tee -a "$results/missing.txt" >&2
}

# The MPI that a shared library is linked with.
flavour_of() {
    case $(ldd "$1" 2> /dev/null) in
        *libmpich.so*) echo mpich ;;
        *libmpi.so*) echo openmpi ;;
    esac
}

# Sets hdf5_cflags and so on, empty for what is not there.
find_alternatives() {
    local flavour=$1
    local library

    hdf5_cflags='' hdf5_libs='' pnetcdf_cflags='' pnetcdf_libs=''
    if pkg-config --exists "hdf5-$flavour" 2> /dev/null; then
        hdf5_cflags="-DBENCH_HDF5 $(pkg-config --cflags "hdf5-$flavour")"
        hdf5_libs=$(pkg-config --libs "hdf5-$flavour")
    else
        missing HDF5 "libhdf5-$flavour-dev" "$flavour"
    fi
    library=$("mpicc.$flavour" -print-file-name=libpnetcdf.so)
    if [ "$(flavour_of "$library")" = "$flavour" ]; then
        pnetcdf_cflags="-DBENCH_PNETCDF $(pkg-config --cflags pnetcdf)"
        pnetcdf_libs=$(pkg-config --libs pnetcdf)
    elif [ "$flavour" = openmpi ]; then
        missing PnetCDF libpnetcdf-dev "$flavour"
    else
        missing PnetCDF "none: its PnetCDF is for Open MPI" "$flavour"
    fi
}

# build_fields FLAVOUR: in a folder of its own; sets fields
build_fields() {
    local folder=$build-$1

    find_alternatives "$1"
    mkdir -p "$folder" || fail "cannot make $folder"
    cd "$folder" || exit 1
    [ -f config.status ] || "$root/configure" -q "--with-mpi=$1" "MPICC=mpicc.$1" "MPIEXEC=mpiexec.$1" \
        --disable-shared --disable-fortran --disable-cxx || fail "configure has failed"
    rm -f bench/fields bench/fields-*.o # what is installed may have changed
    make -s -j2 bench/fields "HDF5_CFLAGS=$hdf5_cflags" "HDF5_LIBS=$hdf5_libs" \
        "PNETCDF_CFLAGS=$pnetcdf_cflags" "PNETCDF_LIBS=$pnetcdf_libs" || fail "make has failed"
    fields=$folder/bench/fields
}

# measure_fields FLAVOUR PLACE FOLDER GRID BLOCK [-y]: adds lines to arrays.csv. Each task writes as many
# blocks as have 32 MiB. More ranks than cores are for Open MPI: those of MPICH do not give up a core
# while they wait.
measure_fields() {
    local flavour=$1 place=$2 folder=$3 grid=$4 block=$5 sync=${6:-} ranks steps

    ranks=$((${grid//x/*}))
    steps=$(((32 << 20) / 8 / (${block//x/*})))
    [ "$flavour" != mpich ] || [ "$ranks" -le "$(nproc)" ] || return 0
    echo "arrays: $flavour, $place${sync:+, synced}, $ranks tasks, $grid blocks of $block"
    # shellcheck disable=SC2086 # sync is nothing or one word
    MPIEXEC=mpiexec.$flavour MPI_FLAVOUR=$flavour timeout 1800 sh "$root/test/launch.sh" "$ranks" \
        "$fields" -g "$grid" -b "$block" -s $steps -n "$repeats" -o csv $sync "$folder/scion-fields.$$" \
        > "$build/one.csv" || fail "the measurement has failed"
    grep -v '^set,' "$build/one.csv" |
        sed "s/^/$flavour,$place${sync:+ synced},$grid,$block,/; s/\"//g" >> "$results/arrays.csv"
}

measure_arrays() {
    local flavour grid block line

    rm -f "$results/missing.txt"
    echo 'mpi,place,grid,block,times,method,direction,open,move,close,sync,mib_per_second,ratio' \
        > "$results/arrays.csv"
    for flavour in mpich openmpi; do
        if ! command -v "mpicc.$flavour" > /dev/null || ! command -v "mpiexec.$flavour" > /dev/null; then
            missing MPI "$([ $flavour = mpich ] && echo mpich || echo openmpi-bin), lib$flavour-dev" $flavour
            continue
        fi
        build_fields $flavour
        for line in "${grids[@]}" "${small_grids[@]}"; do
            read -r grid block <<< "$line"
            measure_fields $flavour memory "$memory" "$grid" "$block"
            measure_fields $flavour disk "$disk" "$grid" "$block"
            measure_fields $flavour disk "$disk" "$grid" "$block" -y
        done
    done
}

# The lines of arrays.csv as a table, one for each direction: elapsed times, and processor times.
write_array_tables() {
    printf '\n# Arrays, HDF5 and PnetCDF\n\n'
    echo "Every task writes 32 MiB of doubles in blocks of its own, and reads them. Medians of $repeats repeats;"
    echo 'the ratios are to arrays, of the elapsed time and of the processor time of all tasks; more is faster.'
    [ -f "$results/missing.txt" ] && printf '\n' && sed 's/.*run.sh: /* /' "$results/missing.txt"
    for direction in write read; do
        printf '\n## %s\n\n| MPI | place | blocks | of | method | MiB/s | ratio | of processors |\n' \
            "$direction"
        echo '|---|---|---|---|---|---|---|---|'
        awk -F, -v direction="$direction" '
            $7 != direction { next }
            { key = $1 FS $2 FS $3 FS $4 FS $6 }
            $5 == "elapsed" { order[++n] = key; rate[key] = $12; ratio[key] = $13 }
            $5 == "processors" { cost[key] = $13 }
            END {
                for (i = 1; i <= n; i++) {
                    split(order[i], part, FS)
                    printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", part[1], part[2], part[3], part[4],
                        part[5], rate[order[i]], ratio[order[i]], cost[order[i]]
                }
            }' "$results/arrays.csv"
    done
}
