# Tests of the test machinery itself.
TESTS += test/self/harness.sh test/self/stages.sh test/self/circles.sh test/self/layers.sh test/self/names.sh test/self/fuzz.sh test/self/numerals.sh
EXTRA_DIST += test/self/harness.sh test/self/stages.sh test/self/circles.sh test/self/layers.sh test/self/names.sh test/self/fuzz.sh test/self/numerals.sh

# Built as libtest_yield is (test/local.mk).
check_LTLIBRARIES += libtest_comma.la
libtest_comma_la_SOURCES = test/self/comma.c
libtest_comma_la_CFLAGS = $(WARNING_FLAGS)
libtest_comma_la_LDFLAGS = -module -avoid-version -rpath $(abs_builddir)
