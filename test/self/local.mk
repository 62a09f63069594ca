# The tests' own machinery.
TESTS += test/self/harness.sh
EXTRA_DIST += test/self/harness.sh
