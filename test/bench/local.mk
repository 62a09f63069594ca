# The benchmarks, and what is counted: the instructions of a record, the size of a program.
EXTRA_DIST += test/bench/bench.sh test/bench/instructions.sh test/bench/model.sh test/bench/size.sh

check_PROGRAMS += test/bench/records
TESTS += test/bench/bench.sh test/bench/instructions.sh test/bench/model.sh test/bench/size.sh
test_bench_records_LDADD = $(lockless_libraries)

if HAVE_MPI
check_PROGRAMS += test/bench/whole
test_bench_whole_CPPFLAGS = $(mpi_cppflags)
test_bench_whole_LDADD = $(mpi_libraries)
endif
