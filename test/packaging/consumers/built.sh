# Sourced by tests that build the library again from its sources. The caller sets name. Provides
# check, finish, hide_mpi, and builds OPTIONS..., which leaves an installation in $P.
. "$srcdir/test/harness.sh"
root=$builddir/test-$name
show_lines=100
trap 'rm -rf "$scratch"; test -n "$KEEP" || rm -rf "$root"' EXIT
case $srcdir in
/*) source=$srcdir ;;
*) source=$PWD/$srcdir ;;
esac
if [ -f "$source/config.status" ]; then
    skip_all 'the source folder is configured, which prevents builds in other folders'
fi
unset MAKEFLAGS MAKELEVEL MFLAGS

# Other tests run optimized code.
CFLAGS=-O0 CXXFLAGS=-O0 FCFLAGS=-O0
export CFLAGS CXXFLAGS FCFLAGS

P=$root/installed
builds() {
    rm -rf "$root/build" "$P"
    mkdir -p "$root/build" && cd "$root/build" || return 1
    "$source/configure" -q --prefix="$P" "$@" && make -s -j2 install
}

# The same in the folder of the last build. If configure has the same results again, nothing needs
# to be compiled.
builds_again() {
    rm -rf "$P"
    cd "$root/build" && cp Makefile before || return 1
    "$source/configure" -q --prefix="$P" "$@" || return 1
    cmp -s Makefile before || make -s clean || return 1
    make -s -j2 install
}

# From here on, the machine seems to have no MPI: no folder in PATH has a wrapper or a launcher.
# Links to ccache are left out, because ccache would look for compilers in PATH and find only
# itself.
hide_mpi() {
    unset MPICC MPIFC MPIEXEC
    mkdir -p "$root/tools"
    for folder in $(echo "$PATH" | tr ':' ' '); do
        case $(readlink "$folder/gcc") in */ccache) continue ;; esac
        for tool in "$folder"/*; do
            case ${tool##*/} in
            mpi* | hydra* | orte* | prte* | ompi* | '*') ;;
            *) [ -e "$root/tools/${tool##*/}" ] || echo "$tool" ;;
            esac
        done | xargs -r ln -s -t "$root/tools"
    done
    PATH=$root/tools
    export PATH
}

# Every -l that sionconfig prints is a file in lib; for parts that are missing, it returns 42.
sionconfig_is_right() {
    for api in com ser gen mpi omp ompi; do
        for language in c f77 f90 cxx; do
            words=$("$P/bin/sionconfig" --$api --$language --libs)
            case $? in
            0) ;;
            42) continue ;;
            *) return 1 ;;
            esac
            for word in $words; do
                case $word in
                -lpthread | -L*) ;;
                -l*)
                    [ -f "$P/lib/lib${word#-l}.a" ] || { echo "$word" && return 1; }
                    ;;
                esac
            done
        done
    done
}

rm -rf "$root"
mkdir -p "$root"
