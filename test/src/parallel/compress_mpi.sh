. "$srcdir/test/mpi_lib.sh"
grep -q '^#define HAVE_ZSTD 1' "$builddir/config.h" || skip_all 'no zstd'
run 1 test/src/parallel/compress_mpi
run 4 test/src/parallel/compress_mpi
done_testing
