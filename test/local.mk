# Programs print the Test Anything Protocol, one line for each test.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
TEST_EXTENSIONS = .sh
AM_TESTS_ENVIRONMENT = \
	srcdir='$(srcdir)'; export srcdir; builddir='$(abs_builddir)'; export builddir; \
	GOLDEN='$(abs_srcdir)/test/golden'; export GOLDEN; \
	CC='$(CC)'; export CC; TEST_CFLAGS='$(CFLAGS) $(INSTRUMENT_FLAGS)'; export TEST_CFLAGS; AWK='$(AWK)'; export AWK; \
	TOOLS='$(bin_PROGRAMS) $(bin_SCRIPTS)'; export TOOLS; \
	MPIEXEC='$(MPIEXEC)'; export MPIEXEC; MPI_FLAVOUR='$(MPI_FLAVOUR)'; export MPI_FLAVOUR; \
	PYTHON='$(PYTHON)'; export PYTHON; \
	LAUNCH='$(abs_srcdir)/test/launch.sh'; export LAUNCH; \
	OMP_WAIT_POLICY=passive; export OMP_WAIT_POLICY;

TESTS =
EXTRA_DIST += test/bomb.h test/bytes.h test/check.h test/codes.h test/damage.h test/golden test/harness.sh \
	test/lack.h test/launch.sh test/mpi_check.h test/mpi_lib.sh test/records.h test/scratch.h test/support.h \
	test/valgrind.supp test/warnings.h test/wide.h

# What takes minutes: builds of the library in other ways, products of faults. Not in "make check".
full_tests =
check-full:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TESTS) $(full_tests)'
.PHONY: check-full

if HAVE_MPI
# -rpath makes libtool build a shared library, although nothing installs it. mpiexec loads it, too, and
# has no sanitizers.
check_LTLIBRARIES += libtest_yield.la
libtest_yield_la_SOURCES = test/yield.c
libtest_yield_la_CFLAGS = $(WARNING_FLAGS)
libtest_yield_la_LDFLAGS = -module -avoid-version -rpath $(abs_builddir)
if SANITIZERS
libtest_yield_la_CPPFLAGS = $(AM_CPPFLAGS) -DKEEP_LIBRARIES
endif
endif

include $(srcdir)/test/libraries.mk
include $(srcdir)/test/self/local.mk
include $(srcdir)/test/src/base/local.mk
include $(srcdir)/test/src/format/local.mk
include $(srcdir)/test/src/geometry/local.mk
include $(srcdir)/test/src/vfs/local.mk
include $(srcdir)/test/src/pack/local.mk
include $(srcdir)/test/src/stream/local.mk
include $(srcdir)/test/src/keyval/local.mk
include $(srcdir)/test/src/file/local.mk
include $(srcdir)/test/src/comm/local.mk
include $(srcdir)/test/src/parallel/local.mk
include $(srcdir)/test/api/local.mk
include $(srcdir)/test/src/abi/local.mk
include $(srcdir)/test/src/recover/local.mk
include $(srcdir)/test/device/local.mk
include $(srcdir)/test/src/array/local.mk
include $(srcdir)/test/src/ftiff/local.mk
include $(srcdir)/test/src/run/local.mk
include $(srcdir)/test/src/scr/local.mk
include $(srcdir)/test/faults/local.mk
include $(srcdir)/test/faults/ends/local.mk
include $(srcdir)/test/faults/power/local.mk
include $(srcdir)/test/nodes/local.mk
include $(srcdir)/test/run/local.mk
include $(srcdir)/test/programs/local.mk
include $(srcdir)/test/tools/local.mk
include $(srcdir)/test/fuzz/local.mk
include $(srcdir)/test/model/local.mk
include $(srcdir)/test/bench/local.mk
include $(srcdir)/test/packaging/local.mk
include $(srcdir)/test/packaging/consumers/local.mk
include $(srcdir)/test/bindings/cxx/local.mk
include $(srcdir)/test/bindings/fortran/local.mk
include $(srcdir)/test/bindings/python/local.mk
include $(srcdir)/test/docs/local.mk
