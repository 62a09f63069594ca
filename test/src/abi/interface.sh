# The interfaces of the shared libraries are those that test/src/abi describes. scripts/abi.sh says what
# has changed, and how to accept it.
. "$srcdir/test/harness.sh"
ls "$builddir"/.libs/libsion*.so >/dev/null 2>&1 || skip_all 'no shared libraries'
command -v abidiff >/dev/null && command -v nm >/dev/null || skip_all 'no abidiff'
! has_sanitizers || skip_all 'sanitizers change the libraries'
# of_this KIND PATTERN: whether the Makefile has such a line
of_this() {
    grep -qE -- "$1" "$builddir/Makefile"
}
test "$(uname -m)" = x86_64 && of_this '^CC = (.*/)?gcc( |$)' && of_this '^CFLAGS = .*-g' && of_this '^host_cpu = x86_64' ||
    skip_all 'the descriptions are of gcc -g on x86-64'
of_this '^OPENMP_CFLAGS = -fopenmp' || skip_all 'the descriptions are of a build with OpenMP'

for library in "$builddir"/.libs/libsion*.so; do
    name=$(basename "$library" .so)
    case $name in
        libsion_run) continue ;; # no program is linked with it
        *_mpi*)
            if ! grep -qi mpich "$builddir/config.log"; then
                skip "$name" 'its description is of a build with MPICH'
                continue
            fi
            ;;
    esac
    check "$name: its interface is the described one" "$srcdir/scripts/abi.sh" "$builddir" "$name"
done
finish
