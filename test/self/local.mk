# The tests' own machinery.
TESTS += test/self/harness.sh test/self/stages.sh
EXTRA_DIST += test/self/harness.sh test/self/stages.sh
