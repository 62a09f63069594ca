# Programs that end without a close.
EXTRA_DIST += test/faults/ends/ends.h test/faults/ends/mpi.sh test/faults/ends/teams.sh \
	test/faults/ends/unload.sh

check_PROGRAMS += test/faults/ends/serial
TESTS += test/faults/ends/serial
test_faults_ends_serial_LDADD = $(api_libraries)

if HAVE_MPI
check_PROGRAMS += test/faults/ends/mpi
TESTS += test/faults/ends/mpi.sh
test_faults_ends_mpi_CPPFLAGS = $(mpi_cppflags)
test_faults_ends_mpi_LDADD = $(mpi_libraries)
endif

if HAVE_OPENMP
check_PROGRAMS += test/faults/ends/teams_omp
TESTS += test/faults/ends/teams.sh
test_faults_ends_teams_omp_SOURCES = test/faults/ends/teams.c
test_faults_ends_teams_omp_CPPFLAGS = $(omp_cppflags)
test_faults_ends_teams_omp_CFLAGS = $(omp_cflags)
test_faults_ends_teams_omp_LDADD = $(omp_libraries) $(api_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/faults/ends/teams_ompi
test_faults_ends_teams_ompi_SOURCES = test/faults/ends/teams.c
test_faults_ends_teams_ompi_CPPFLAGS = $(mpi_cppflags) -DHYBRID -DSION_OMPI
test_faults_ends_teams_ompi_CFLAGS = $(omp_cflags)
test_faults_ends_teams_ompi_LDADD = $(ompi_libraries)
endif

if BUILD_SHARED
check_PROGRAMS += test/faults/ends/unload
TESTS += test/faults/ends/unload.sh
test_faults_ends_unload_LDADD = -ldl
endif

if BUILD_SHARED
if HAVE_MPI
check_PROGRAMS += test/faults/ends/unload_mpi
test_faults_ends_unload_mpi_CPPFLAGS = $(mpi_cppflags)
test_faults_ends_unload_mpi_LDADD = $(MPI_LIBS) -ldl
endif
endif
