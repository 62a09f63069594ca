# The OpenMP interface with 1 to 8 threads, and the hybrid one with 1 to 4 ranks of 1 to 4 threads.
EXTRA_DIST += test/omp/collective.h test/omp/team.h test/omp/ompi.sh test/omp/ompi_collective.sh \
	test/omp/ompi_close.sh test/omp/stops.h test/omp/ompi_stops.sh \
	test/omp/valgrind.supp

omp_cppflags = $(AM_CPPFLAGS) -DSION_OMP
omp_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS)

if HAVE_OPENMP
omp_tests = test/omp/omp test/omp/omp_collective test/omp/omp_stops test/omp/omp_lock_none test/omp/lock
check_PROGRAMS += $(omp_tests)
TESTS += $(omp_tests)
omp_libraries = libsionomp_64.la libsiongen_64.la

test_omp_omp_SOURCES = test/omp/omp.c
test_omp_omp_CPPFLAGS = $(omp_cppflags)
test_omp_omp_CFLAGS = $(omp_cflags)
test_omp_omp_LDADD = $(omp_libraries) $(api_libraries)

test_omp_omp_collective_SOURCES = test/omp/omp_collective.c
test_omp_omp_collective_CPPFLAGS = $(omp_cppflags)
test_omp_omp_collective_CFLAGS = $(omp_cflags)
test_omp_omp_collective_LDADD = $(omp_libraries) $(api_libraries)

test_omp_omp_stops_SOURCES = test/omp/omp_stops.c
test_omp_omp_stops_CPPFLAGS = $(omp_cppflags)
test_omp_omp_stops_CFLAGS = $(omp_cflags)
test_omp_omp_stops_LDADD = $(omp_libraries) $(api_libraries)

# In a program whose archive has no lock, OpenMP's lock protects the table of handles.
test_omp_omp_lock_none_SOURCES = test/omp/omp.c
test_omp_omp_lock_none_CPPFLAGS = $(omp_cppflags)
test_omp_omp_lock_none_CFLAGS = $(omp_cflags)
test_omp_omp_lock_none_LDADD = $(omp_libraries) libsionser_64.la libsioncom_64.la \
	libsioncom_64_lock_none.la

test_omp_lock_SOURCES = test/omp/lock.c
test_omp_lock_CPPFLAGS = $(omp_cppflags)
test_omp_lock_CFLAGS = $(omp_cflags)
test_omp_lock_LDADD = $(omp_libraries) libsionser_64.la libsioncom_64.la \
	libsioncom_64_lock_none.la
endif

if HAVE_HYBRID
check_PROGRAMS += test/omp/ompi test/omp/ompi_collective test/omp/ompi_close test/omp/ompi_stops
TESTS += test/omp/ompi.sh test/omp/ompi_collective.sh test/omp/ompi_close.sh test/omp/ompi_stops.sh
test_omp_ompi_SOURCES = test/omp/ompi.c
test_omp_ompi_CPPFLAGS = $(omp_cppflags) $(MPI_CFLAGS)
test_omp_ompi_CFLAGS = $(omp_cflags)
test_omp_ompi_LDADD = libsionompi_64.la libsionmpi_64.la $(omp_libraries) $(api_libraries) $(MPI_LIBS)
test_omp_ompi_collective_SOURCES = test/omp/ompi_collective.c
test_omp_ompi_collective_CPPFLAGS = $(test_omp_ompi_CPPFLAGS)
test_omp_ompi_collective_CFLAGS = $(omp_cflags)
test_omp_ompi_collective_LDADD = $(test_omp_ompi_LDADD)
test_omp_ompi_stops_SOURCES = test/omp/ompi_stops.c
test_omp_ompi_stops_CPPFLAGS = $(test_omp_ompi_CPPFLAGS)
test_omp_ompi_stops_CFLAGS = $(omp_cflags)
test_omp_ompi_stops_LDADD = $(test_omp_ompi_LDADD)
test_omp_ompi_close_SOURCES = test/mpi/close.c
test_omp_ompi_close_CPPFLAGS = $(test_omp_ompi_CPPFLAGS) -I$(srcdir)/test
test_omp_ompi_close_CFLAGS = $(omp_cflags)
test_omp_ompi_close_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_omp_ompi_close_LDADD = $(test_omp_ompi_LDADD)
endif
