# The benchmarks.
TESTS += test/bench/bench.sh
EXTRA_DIST += test/bench/bench.sh
