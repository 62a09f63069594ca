# Programs that end without a close.
EXTRA_DIST += test/ends/ends.h test/ends/mpi.sh test/ends/teams.sh test/ends/unload.sh
check_PROGRAMS += test/ends/serial
TESTS += test/ends/serial
test_ends_serial_SOURCES = test/ends/serial.c
test_ends_serial_LDADD = $(api_libraries)

if HAVE_MPI
check_PROGRAMS += test/ends/mpi
TESTS += test/ends/mpi.sh
test_ends_mpi_SOURCES = test/ends/mpi.c
test_ends_mpi_CPPFLAGS = $(mpi_cppflags)
test_ends_mpi_LDADD = $(mpi_libraries)
endif

if HAVE_OPENMP
check_PROGRAMS += test/ends/omp
TESTS += test/ends/teams.sh
test_ends_omp_SOURCES = test/ends/teams.c
test_ends_omp_CPPFLAGS = $(omp_cppflags)
test_ends_omp_CFLAGS = $(omp_cflags)
test_ends_omp_LDADD = $(omp_libraries) $(api_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/ends/ompi
test_ends_ompi_SOURCES = test/ends/teams.c
test_ends_ompi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS) -DHYBRID -DSION_OMPI
test_ends_ompi_CFLAGS = $(omp_cflags)
test_ends_ompi_LDADD = libsionompi_64.la libsionmpi_64.la libsionomp_64.la libsiongen_64.la $(api_libraries) $(MPI_LIBS)
endif

if BUILD_SHARED
check_PROGRAMS += test/ends/unload
TESTS += test/ends/unload.sh
test_ends_unload_SOURCES = test/ends/unload.c
test_ends_unload_LDADD = -ldl
if HAVE_MPI
check_PROGRAMS += test/ends/unload_mpi
test_ends_unload_mpi_SOURCES = test/ends/unload_mpi.c
test_ends_unload_mpi_CPPFLAGS = $(mpi_cppflags)
test_ends_unload_mpi_LDADD = $(MPI_LIBS) -ldl
endif
endif
