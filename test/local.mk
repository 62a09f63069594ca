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
	LAUNCH='$(abs_srcdir)/test/mpi/launch.sh'; export LAUNCH; \
	OMP_WAIT_POLICY=passive; export OMP_WAIT_POLICY;

TESTS =
EXTRA_DIST += test/bomb.h test/check.h test/lack.h test/harness.sh
lack_ldflags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

include $(srcdir)/test/self/local.mk
include $(srcdir)/test/unit/local.mk
include $(srcdir)/test/layers/local.mk
include $(srcdir)/test/api/local.mk
include $(srcdir)/test/abi/local.mk
include $(srcdir)/test/recover/local.mk
include $(srcdir)/test/faults/local.mk
include $(srcdir)/test/power/local.mk
include $(srcdir)/test/tools/local.mk
include $(srcdir)/test/mpi/local.mk
include $(srcdir)/test/omp/local.mk
include $(srcdir)/test/ends/local.mk
include $(srcdir)/test/fuzz/local.mk
include $(srcdir)/test/model/local.mk
include $(srcdir)/test/array/local.mk
include $(srcdir)/test/ftiff/local.mk
include $(srcdir)/test/scr/local.mk
include $(srcdir)/test/bench/local.mk
include $(srcdir)/test/consumers/local.mk
include $(srcdir)/test/cxx/local.mk
include $(srcdir)/test/fortran/local.mk
include $(srcdir)/test/python/local.mk
include $(srcdir)/test/docs/local.mk
include $(srcdir)/test/packaging/local.mk
