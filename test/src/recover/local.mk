# Containers that were never closed.
EXTRA_DIST += test/src/recover/journal.h test/src/recover/kills.h test/src/recover/kills.sh \
	test/src/recover/long.sh test/src/recover/teams_omp.sh test/src/recover/tool.sh \
	test/src/recover/unclosed.h test/src/recover/unclosed_mpi.sh

recover_tests = test/src/recover/faults test/src/recover/serial
check_PROGRAMS += $(recover_tests) test/src/recover/make_unclosed
TESTS += $(recover_tests) test/src/recover/tool.sh
full_tests += test/src/recover/long.sh
test_src_recover_faults_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_recover_faults_LDADD = $(layer_serial)
test_src_recover_make_unclosed_LDADD = $(layer_serial)
test_src_recover_serial_LDADD = $(api_libraries)

if HAVE_OPENMP
check_PROGRAMS += test/src/recover/teams_omp
TESTS += test/src/recover/teams_omp.sh
test_src_recover_teams_omp_SOURCES = test/src/recover/teams.c
test_src_recover_teams_omp_CPPFLAGS = $(sums_cppflags) -DSION_OMP
test_src_recover_teams_omp_CFLAGS = $(omp_cflags)
test_src_recover_teams_omp_LDADD = libsionomp_64.la $(sums_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/src/recover/teams_ompi
test_src_recover_teams_ompi_SOURCES = test/src/recover/teams.c
test_src_recover_teams_ompi_CPPFLAGS = $(sums_cppflags) -DHYBRID -DSION_OMP $(MPI_CFLAGS)
test_src_recover_teams_ompi_CFLAGS = $(omp_cflags)
test_src_recover_teams_ompi_LDADD = libsionompi_64.la libsionmpi_64.la libsionomp_64.la $(sums_libraries) \
	$(MPI_LIBS)
endif

if HAVE_MPI
check_PROGRAMS += test/src/recover/unclosed_mpi
TESTS += test/src/recover/unclosed_mpi.sh
test_src_recover_unclosed_mpi_CPPFLAGS = $(sums_cppflags) $(MPI_CFLAGS)
test_src_recover_unclosed_mpi_LDADD = libsionmpi_64.la $(sums_libraries) $(MPI_LIBS)
endif
