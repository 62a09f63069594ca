# The benchmarks.
TESTS += test/bench/bench.sh
EXTRA_DIST += test/bench/bench.sh

# Instructions of a record, and a program to count them in, which is linked as applications are.
TESTS += test/bench/instructions.sh
EXTRA_DIST += test/bench/instructions.sh
check_PROGRAMS += test/bench/records
test_bench_records_SOURCES = test/bench/records.c
test_bench_records_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la
