# Containers that were never closed.
check_PROGRAMS += test/recover/serial test/recover/faults test/recover/make_unclosed
TESTS += test/recover/serial test/recover/faults test/recover/tool.sh
EXTRA_DIST += test/recover/journal.h test/recover/kills.h test/recover/kills.sh test/recover/omp.sh test/recover/unclosed.h test/recover/tool.sh test/recover/mpi.sh test/recover/long.sh

test_recover_serial_SOURCES = test/recover/serial.c
test_recover_serial_LDADD = $(api_libraries)

test_recover_faults_SOURCES = test/recover/faults.c
test_recover_faults_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_recover_faults_LDADD = $(test_recover_make_unclosed_LDADD)

test_recover_make_unclosed_SOURCES = test/recover/make_unclosed.c
test_recover_make_unclosed_LDADD = \
	liblayer_api_serial.la liblayer_api_common.la $(core_layers) $(lock_layer)

# What is linked where writers use checksums.
recover_cppflags = $(AM_CPPFLAGS)
recover_libraries =
if HAVE_CHECKSUM
recover_cppflags += -DWITH_CHECKSUM
recover_libraries += libsionchecksum_64.la
endif
recover_libraries += libsiongen_64.la $(api_libraries) $(CHECKSUM_LIBS)

if HAVE_OPENMP
check_PROGRAMS += test/recover/omp
TESTS += test/recover/omp.sh
test_recover_omp_SOURCES = test/recover/teams.c
test_recover_omp_CPPFLAGS = $(recover_cppflags) -DSION_OMP
test_recover_omp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
test_recover_omp_LDADD = libsionomp_64.la $(recover_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/recover/ompi
test_recover_ompi_SOURCES = test/recover/teams.c
test_recover_ompi_CPPFLAGS = $(recover_cppflags) -DHYBRID -DSION_OMP $(MPI_CFLAGS)
test_recover_ompi_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
test_recover_ompi_LDADD = libsionompi_64.la libsionmpi_64.la libsionomp_64.la $(recover_libraries) $(MPI_LIBS)
endif

if HAVE_MPI
check_PROGRAMS += test/recover/mpi
TESTS += test/recover/mpi.sh
test_recover_mpi_SOURCES = test/recover/mpi.c
test_recover_mpi_CPPFLAGS = $(recover_cppflags) $(MPI_CFLAGS)
test_recover_mpi_LDADD = libsionmpi_64.la $(recover_libraries) $(MPI_LIBS)
endif
