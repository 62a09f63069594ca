# The configure lines of existing recipes for SIONlib work unchanged, and install what these look
# for.
name=recipes
. "$srcdir/test/packaging/consumers/built.sh"
mpi=mpi_64
if grep -q '^#define HAVE_MPI ' "$builddir/config.h"; then
    MPICC=$(sed -n 's/^MPICC = //p' "$builddir/Makefile")
    export MPICC
else
    hide_mpi
    mpi=
fi

# installs ARCHIVE...
installs() {
    [ -x "$P/bin/sionconfig" ] || return 1
    for archive in com_64 com_64_lock_none ser_64 gen_64 "$@"; do
        [ -f "$P/lib/libsion$archive.a" ] || { echo "no $archive" && return 1; }
    done
}

# builds_clients SIONCONFIG: with what it prints, and runs them
# shellcheck disable=SC2046
builds_clients()
{
    sources=$source/test/packaging/consumers
    ${CC:-cc} "$sources/serial.c" $("$1" --ser --cflags) -o client $("$1" --ser --libs) && ./client || return 1
    test -z "$mpi" || { "$MPICC" "$sources/mpi.c" $("$1" --mpi --cflags) -o client $("$1" --mpi --libs) &&
        mpi_run 2 ./client; }
}
clients()
{
    cd "$root" && mv "$P" moved || return 1
    builds_clients "$root/moved/bin/sionconfig"
    set -- $?
    mv moved "$P" && return "$1"
}

# tries NAME FUNCTION OPTIONS...: builds with the function, and checks the installation
tries() {
    line=$1
    shift
    check "$line: builds" "$@"
    # shellcheck disable=SC2086
    check "$line: installs" installs $mpi
    check "$line: sionconfig" sionconfig_is_right
    check "$line: clients, with the installation in another folder" clients
}

tries --mpi=intel2 builds --mpi=intel2
here=$(sed -n 's/^MPI_FLAVOUR = //p' "$builddir/Makefile")
case $here in
openmpi) lines=--mpi=openmpi wrong=mpich2 ;;
mpich) lines='--mpi=mpich2 --mpi=mpich3' wrong=openmpi ;;
*) lines= wrong= ;;
esac
for line in $lines; do
    tries "$line" builds_again "$line"
done

# No compiler is named, except in the options.
builds_as_named() {
    (unset CC && builds "$@")
}
tries "performance tools' line" builds_as_named --compiler=gnu --mpi="${here:-openmpi}" --disable-mic \
    --disable-cxx --enable-sionfwd=/opt/sionfwd CFLAGS="-O2 -fPIC"
as_named() {
    grep -x 'CFLAGS = -O2 -fPIC' "$root/build/Makefile" && grep '^CC = gcc' "$root/build/Makefile"
}
check "performance tools' line: the compiler and flags that it names" as_named
no_cxx() {
    [ ! -e "$P/lib/libsionser_cxx_64.a" ]
}
check "performance tools' line: no C++" no_cxx

configures() {
    rm -rf "$root/try" && mkdir -p "$root/try" && cd "$root/try" && "$source/configure" -q "$@" 2>try.err
}
# A wrong symbol prefix ends configure early; autoconf has told by then which options it does not know.
absent_parts() {
    ! configures --with-symbol-prefix=1x "$@" && grep 'symbol prefix must be' try.err &&
        ! grep -i unrecognized try.err
}
has_no_effect() {
    absent_parts "--enable-sionfwd$1" && grep "WARNING: --enable-sionfwd has no effect: " try.err
}
# -q suppresses the line, which is no warning.
is_in_every_build() {
    absent_parts "--enable-cuda$1" && ! grep WARNING try.err &&
        grep 'configure:[0-9]*: --enable-cuda: every build takes data in memory of CUDA' config.log
}
for value in '' =yes =/opt/there; do
    check "--enable-sionfwd$value: a known option, with a warning" has_no_effect "$value"
    check "--enable-cuda$value: a known option, with a line" is_in_every_build "$value"
done
no_warning() {
    absent_parts --disable-cuda --disable-sionfwd && ! grep WARNING try.err
}
check "--disable-cuda, --disable-sionfwd: no warning" no_warning

# Messages name the MPI that was found, and nothing is built with an MPI other than the requested
# one.
other_mpi() {
    ! configures "--mpi=$1" && grep "MPI $1 was requested, but .* is another one: $here" try.err
}
vendor() {
    configures --mpi=cray --disable-fortran --disable-cxx &&
        grep "cannot check whether .* is the MPI cray" try.err
}
if [ -n "$mpi" ] && [ -n "$wrong" ]; then
    check "--mpi=$wrong where $here is: refused" other_mpi "$wrong"
    check "--mpi=cray: taken, with a warning" vendor
fi

hide_mpi
mpi=
no_wrapper() {
    ! command -v mpicc && ! command -v mpicc.mpich && ! command -v mpicc.openmpi &&
        ! command -v mpiexec
}
check "line for a machine without MPI: no wrapper is left" no_wrapper
tries "line for a machine without MPI" builds --disable-cxx --disable-fortran --disable-ompi \
    --disable-mic
only_c() {
    ! ls "$P"/lib/*_f[79]* "$P"/lib/*cxx* "$P"/lib/*mpi* 2>/dev/null | grep .
}
check "line for a machine without MPI: only C is installed" only_c

others() {
    configures --compiler=gnu CC="${CC:-cc} -DMINE" --msa=none --force-64 --disable-omp --disable-mpi \
        --disable-pthreads && grep 'no effect: --msa=none --force-64' try.err &&
        grep '^HAVE_OPENMP_TRUE = #\|^have_openmp = no' Makefile && ! grep 'HAVE_PTHREADS 1' config.h
}
check "other options of SIONlib" others
check "CC wins over --compiler" grep '^CC = .*-DMINE' "$root/try/Makefile"
# Wrong, so that configure ends early, after it has looked for the compiler.
refused() {
    ! configures --compiler=pgi --with-symbol-prefix=1x && grep 'symbol prefix must be' try.err
}
check "a wrong symbol prefix is refused" refused
if ! command -v nvc++ >/dev/null; then
    check "a missing compiler is reported" \
        grep -e '--compiler=pgi: no nvc++ was found' "$root/try/try.err"
fi
finish
