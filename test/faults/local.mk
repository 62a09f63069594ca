# The product of faults, each kind of container with each launcher: samples here, all by product.sh.
EXTRA_DIST += test/faults/product.h test/faults/one_process.h test/faults/mpi_report.h test/faults/mpi.sh \
	test/faults/product.sh

faults_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/test
faults_libraries =
if HAVE_CHECKSUM
faults_cppflags += -DWITH_CHECKSUM
faults_libraries += libsionchecksum_64.la
endif
faults_libraries += libsiongen_64.la $(api_libraries) $(CHECKSUM_LIBS)

faults_tests = test/faults/serial
test_faults_serial_SOURCES = test/faults/serial.c
test_faults_serial_CPPFLAGS = $(faults_cppflags)
test_faults_serial_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_serial_LDADD = $(faults_libraries)

if HAVE_PTHREADS
faults_tests += test/faults/generic
test_faults_generic_SOURCES = test/faults/generic.c
test_faults_generic_CPPFLAGS = $(faults_cppflags)
test_faults_generic_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_generic_LDADD = $(faults_libraries)
endif

if HAVE_OPENMP
faults_tests += test/faults/omp
test_faults_omp_SOURCES = test/faults/omp.c
test_faults_omp_CPPFLAGS = $(faults_cppflags) -DSION_OMP
test_faults_omp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
test_faults_omp_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_omp_LDADD = libsionomp_64.la $(faults_libraries)
endif

check_PROGRAMS += $(faults_tests)
TESTS += $(faults_tests)

if HAVE_MPI
check_PROGRAMS += test/faults/mpi
TESTS += test/faults/mpi.sh
test_faults_mpi_SOURCES = test/faults/mpi.c
test_faults_mpi_CPPFLAGS = $(faults_cppflags) $(MPI_CFLAGS)
test_faults_mpi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_mpi_LDADD = libsionmpi_64.la $(faults_libraries) $(MPI_LIBS)
endif

if HAVE_HYBRID
check_PROGRAMS += test/faults/ompi
test_faults_ompi_SOURCES = test/faults/ompi.c
test_faults_ompi_CPPFLAGS = $(faults_cppflags) -DSION_OMP $(MPI_CFLAGS)
test_faults_ompi_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
test_faults_ompi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_ompi_LDADD = libsionompi_64.la libsionmpi_64.la libsionomp_64.la $(faults_libraries) $(MPI_LIBS)
endif
