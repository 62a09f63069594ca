# The benchmarks.
TESTS += test/bench/bench.sh
EXTRA_DIST += test/bench/bench.sh

# Counts the instructions of a record, in a program that is linked like an application.
TESTS += test/bench/instructions.sh
EXTRA_DIST += test/bench/instructions.sh
check_PROGRAMS += test/bench/records
test_bench_records_SOURCES = test/bench/records.c
test_bench_records_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la

# How large a program is that is linked like an application.
TESTS += test/bench/size.sh
EXTRA_DIST += test/bench/size.sh
if HAVE_MPI
check_PROGRAMS += test/bench/whole
test_bench_whole_SOURCES = test/bench/whole.c
test_bench_whole_CPPFLAGS = $(mpi_cppflags)
test_bench_whole_LDADD = $(mpi_libraries)
endif
