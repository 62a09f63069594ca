# Tests of the test machinery itself.
TESTS += test/self/harness.sh test/self/stages.sh test/self/circles.sh test/self/names.sh test/self/fuzz.sh
EXTRA_DIST += test/self/harness.sh test/self/stages.sh test/self/circles.sh test/self/names.sh test/self/fuzz.sh
