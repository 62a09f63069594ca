# Programs of MPI: files belong to the ranks that MPI_Init tells, with each MPI that is installed.
. "$srcdir/test/run/lib.sh"
sources=$(cd "$srcdir/test/run" && pwd)
mkdir "$scratch/w"
cd "$scratch/w" || exit 99
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# A rank that is wrong until MPI_Init corrects it, where the MPI does not need the variable itself.
cat >"$scratch/start" <<SCRIPT
#!/bin/sh
export SION_RUN_SESSION=\$1 LD_PRELOAD=$library
test -z "\$OMPI_COMM_WORLD_RANK" || export PMI_RANK=77
shift
exec "\$@"
SCRIPT
chmod +x "$scratch/start"

# started FLAVOUR COMMAND...: three ranks
started()
{
    case $1 in openmpi) more=--oversubscribe ;; *) more= ;; esac
    flavour=$1
    shift
    timeout 120 "mpiexec.$flavour" $more -n 3 "$@" </dev/null
}

# ranks FLAVOUR NAME PROGRAM ARGUMENT...
ranks()
{
    flavour=$1
    name=$2
    shift 2
    rm -rf "$scratch/w/m" && mkdir "$scratch/w/m"
    session "$name" "$PWD" 'f:m/**'
    started "$flavour" "$scratch/start" "$session" "$@" || return 1
    "$builddir/test/run/make_session" --owners "$session" | grep rank | sort >"$scratch/owners"
    printf '%s 1 m/rank%s\n' 0 0 1 1 2 2 | same - "$scratch/owners" || return 1
    "$builddir/test/run/make_session" --head "$session" >"$scratch/head"
    printf 'world 3\njob yes\nchanges yes\n' | same - "$scratch/head" && test -z "$(ls m)"
}

# compiles_fortran FLAVOUR DEFINED: and the program runs without the library
compiles_fortran()
{
    rm -rf "$scratch/w/m" && mkdir "$scratch/w/m"
    "mpif90.$1" -cpp "-D$2" -o "$scratch/ranks_$2" "$sources/ranks.f90" &&
        started "$1" "$scratch/ranks_$2"
}

for flavour in mpich openmpi; do
    if ! command -v mpiexec.$flavour mpicc.$flavour >"$scratch/found"; then
        skip "$flavour" "mpicc.$flavour is missing"
        continue
    fi
    check "$flavour: C is compiled" mpicc.$flavour -o "$scratch/ranks" "$sources/ranks.c"
    check "$flavour: MPI_Init" ranks $flavour $flavour.c "$scratch/ranks"
    check "$flavour: MPI_Init_thread" ranks $flavour $flavour.threads "$scratch/ranks" threads
    for defined in F77 F08 THREADS; do
        if ! compiles_fortran $flavour $defined >"$scratch/log" 2>&1; then
            skip "$flavour: Fortran, $defined" 'such programs do not run on this machine'
            continue
        fi
        check "$flavour: Fortran, $defined" ranks $flavour $flavour.$defined "$scratch/ranks_$defined"
    done
done
finish
