# The MPI interface, with 1 to 8 ranks.
EXTRA_DIST += test/mpi/lib.sh test/mpi/launch.sh test/mpi/golden.sh test/mpi/open.sh test/mpi/data.sh \
	test/mpi/faults.sh test/mpi/budget.sh test/mpi/check.sh test/mpi/mapped.sh test/mpi/damaged_task.sh \
	test/mpi/buddy.sh test/mpi/collective.sh test/mpi/stats.sh test/mpi/ended.sh test/mpi/close.sh test/mpi/checksums.sh test/mpi/stops.sh test/mpi/stops.h test/mpi/mpi_check.h test/mpi/buddy.h test/mpi/collective.h test/mpi/mapped.h test/mpi/damaged.h test/mpi/open.h

if HAVE_MPI
# -rpath makes libtool build a shared library, although nothing installs it. mpiexec loads it, too, and
# has no sanitizers.
check_LTLIBRARIES += libtest_yield.la
libtest_yield_la_SOURCES = test/mpi/yield.c
libtest_yield_la_CFLAGS = $(WARNING_FLAGS)
libtest_yield_la_LDFLAGS = -module -avoid-version -rpath $(abs_builddir)
if SANITIZERS
libtest_yield_la_CPPFLAGS = $(AM_CPPFLAGS) -DKEEP_LIBRARIES
endif

mpi_libraries = libsionmpi_64.la libsiongen_64.la $(api_libraries) $(MPI_LIBS)
mpi_tests = test/mpi/golden test/mpi/open test/mpi/open_refused test/mpi/damaged_members test/mpi/damaged_task test/mpi/data test/mpi/faults test/mpi/budget test/mpi/check \
	test/mpi/mapped test/mpi/mapped_refused test/mpi/buddy test/mpi/buddy_refused test/mpi/collective test/mpi/collective_merge test/mpi/collective_faults \
	test/mpi/collective_random test/mpi/merge_random test/mpi/gathering test/mpi/close test/mpi/requests test/mpi/stats test/mpi/ended test/mpi/stops
check_PROGRAMS += $(mpi_tests)
TESTS += test/mpi/golden.sh test/mpi/open.sh test/mpi/data.sh test/mpi/faults.sh \
	test/mpi/budget.sh test/mpi/check.sh test/mpi/mapped.sh test/mpi/damaged_task.sh test/mpi/buddy.sh \
	test/mpi/collective.sh test/mpi/stats.sh test/mpi/ended.sh test/mpi/close.sh test/mpi/stops.sh

mpi_cppflags = $(AM_CPPFLAGS) $(MPI_CFLAGS)
if HAVE_CHECKSUM
check_PROGRAMS += test/mpi/checksums
TESTS += test/mpi/checksums.sh
test_mpi_checksums_SOURCES = test/mpi/checksums.c
test_mpi_checksums_CPPFLAGS = $(mpi_cppflags)
test_mpi_checksums_LDADD = libsionchecksum_64.la $(mpi_libraries) $(CHECKSUM_LIBS)
endif
test_mpi_golden_SOURCES = test/mpi/golden.c
test_mpi_golden_CPPFLAGS = $(mpi_cppflags)
test_mpi_golden_LDADD = $(mpi_libraries)

test_mpi_damaged_members_SOURCES = test/mpi/damaged_members.c
test_mpi_damaged_members_CPPFLAGS = $(mpi_cppflags)
test_mpi_damaged_members_LDADD = $(mpi_libraries)
test_mpi_damaged_task_SOURCES = test/mpi/damaged_task.c
test_mpi_damaged_task_CPPFLAGS = $(mpi_cppflags)
test_mpi_damaged_task_LDADD = $(mpi_libraries)

test_mpi_open_SOURCES = test/mpi/open.c
test_mpi_open_CPPFLAGS = $(mpi_cppflags)
test_mpi_open_LDADD = $(mpi_libraries)
test_mpi_open_refused_SOURCES = test/mpi/open_refused.c
test_mpi_open_refused_CPPFLAGS = $(mpi_cppflags)
test_mpi_open_refused_LDADD = $(mpi_libraries)

test_mpi_data_SOURCES = test/mpi/data.c
test_mpi_data_CPPFLAGS = $(mpi_cppflags)
test_mpi_data_LDADD = $(mpi_libraries)

test_mpi_faults_SOURCES = test/mpi/faults.c
test_mpi_faults_CPPFLAGS = $(mpi_cppflags)
test_mpi_faults_LDADD = $(mpi_libraries)

test_mpi_requests_SOURCES = test/mpi/requests.c
test_mpi_requests_CPPFLAGS = $(mpi_cppflags)
test_mpi_requests_LDADD = $(mpi_libraries)

test_mpi_ended_SOURCES = test/mpi/ended.c
test_mpi_ended_CPPFLAGS = $(mpi_cppflags)
test_mpi_ended_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_mpi_ended_LDADD = $(mpi_libraries)

test_mpi_close_SOURCES = test/mpi/close.c
test_mpi_close_CPPFLAGS = $(mpi_cppflags) -I$(srcdir)/test
test_mpi_close_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_mpi_close_LDADD = $(mpi_libraries)

test_mpi_stats_SOURCES = test/mpi/stats.c
test_mpi_stats_CPPFLAGS = $(mpi_cppflags)
test_mpi_stats_LDADD = $(mpi_libraries)

test_mpi_check_SOURCES = test/mpi/check.c
test_mpi_check_CPPFLAGS = $(mpi_cppflags)
test_mpi_check_LDADD = $(mpi_libraries)

test_mpi_buddy_SOURCES = test/mpi/buddy.c
test_mpi_buddy_CPPFLAGS = $(mpi_cppflags)
test_mpi_buddy_LDADD = $(mpi_libraries)
test_mpi_buddy_refused_SOURCES = test/mpi/buddy_refused.c
test_mpi_buddy_refused_CPPFLAGS = $(mpi_cppflags)
test_mpi_buddy_refused_LDADD = $(mpi_libraries)

test_mpi_collective_SOURCES = test/mpi/collective.c
test_mpi_collective_CPPFLAGS = $(mpi_cppflags)
test_mpi_collective_LDADD = $(mpi_libraries)
test_mpi_collective_merge_SOURCES = test/mpi/collective_merge.c
test_mpi_collective_merge_CPPFLAGS = $(mpi_cppflags)
test_mpi_collective_merge_LDADD = $(mpi_libraries)
test_mpi_collective_faults_SOURCES = test/mpi/collective_faults.c
test_mpi_collective_faults_CPPFLAGS = $(mpi_cppflags)
test_mpi_collective_faults_LDADD = $(mpi_libraries)
test_mpi_merge_random_SOURCES = test/mpi/merge_random.c
test_mpi_merge_random_CPPFLAGS = $(mpi_cppflags)
test_mpi_merge_random_LDADD = $(mpi_libraries)
test_mpi_gathering_SOURCES = test/mpi/gathering.c
test_mpi_gathering_CPPFLAGS = $(mpi_cppflags)
test_mpi_gathering_LDADD = $(mpi_libraries)
test_mpi_stops_SOURCES = test/mpi/stops.c
test_mpi_stops_CPPFLAGS = $(mpi_cppflags)
test_mpi_stops_LDADD = $(mpi_libraries)
test_mpi_collective_random_SOURCES = test/mpi/collective_random.c
test_mpi_collective_random_CPPFLAGS = $(mpi_cppflags)
test_mpi_collective_random_LDADD = $(mpi_libraries)

test_mpi_mapped_SOURCES = test/mpi/mapped.c
test_mpi_mapped_CPPFLAGS = $(mpi_cppflags)
test_mpi_mapped_LDADD = $(mpi_libraries)
test_mpi_mapped_refused_SOURCES = test/mpi/mapped_refused.c
test_mpi_mapped_refused_CPPFLAGS = $(mpi_cppflags)
test_mpi_mapped_refused_LDADD = $(mpi_libraries)

test_mpi_budget_SOURCES = test/mpi/budget.c
test_mpi_budget_CPPFLAGS = $(mpi_cppflags)
test_mpi_budget_LDADD = $(mpi_libraries)
endif
