# Each public header compiles by itself, in C99, C11 and C++, without a warning.
. "$srcdir/test/harness.sh"
warnings="-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -pedantic -Werror -fsyntax-only"

# compile HEADER COMPILER...
compile() {
    printf "#include \"%s\"\nextern int unused;\n" "$1" >"$scratch/source"
    header=$1
    shift
    check "$header as $language" "$@" "$scratch/source"
}

# Warnings in MPI's own headers do not count.
flags=$(sed -n 's/^MPI_CFLAGS = //p' "$builddir/Makefile" | sed 's/-I */-isystem /g')
for path in "$srcdir"/include/sion*.h "$srcdir"/include/sion*.hpp; do
    header=${path##*/}
    case $header in
    sion_f77.h) continue ;;
    *mpi.h | *mpi.hpp | *communicators.hpp) grep -q '^#define HAVE_MPI' "$builddir/config.h" || continue ;;
    esac
    c_languages='c99 c11'
    case $header in *cxx*) c_languages= ;; esac
    for language in $c_languages; do
        # shellcheck disable=SC2086
        compile "$header" ${CC:-cc} -std=$language $warnings $flags -I"$srcdir/include" -x c
    done
    if command -v c++ >/dev/null; then
        language=c++11
        compile "$header" c++ -std=$language -Wall -Wextra -Wshadow -Werror -fsyntax-only $flags \
            -I"$srcdir/include" -x c++
    fi
done
finish
