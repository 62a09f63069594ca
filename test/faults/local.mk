# The product of faults, each kind of container with each launcher: samples here, all by product.sh.
EXTRA_DIST += test/faults/mpi.sh test/faults/mpi_report.h test/faults/one_process.h \
	test/faults/product.h test/faults/product.sh

check_PROGRAMS += test/faults/serial
TESTS += test/faults/serial
full_tests += test/faults/product.sh
test_faults_serial_CPPFLAGS = $(sums_cppflags)
test_faults_serial_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_serial_LDADD = $(sums_libraries)

if HAVE_PTHREADS
check_PROGRAMS += test/faults/generic
TESTS += test/faults/generic
test_faults_generic_CPPFLAGS = $(sums_cppflags)
test_faults_generic_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_generic_LDADD = $(sums_libraries)
endif

if HAVE_OPENMP
check_PROGRAMS += test/faults/omp
TESTS += test/faults/omp
test_faults_omp_CPPFLAGS = $(sums_cppflags) -DSION_OMP
test_faults_omp_CFLAGS = $(omp_cflags)
test_faults_omp_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_omp_LDADD = libsionomp_64.la $(sums_libraries)
endif

if HAVE_MPI
check_PROGRAMS += test/faults/mpi
TESTS += test/faults/mpi.sh
test_faults_mpi_CPPFLAGS = $(sums_cppflags) $(MPI_CFLAGS)
test_faults_mpi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_mpi_LDADD = libsionmpi_64.la $(sums_libraries) $(MPI_LIBS)
endif

if HAVE_HYBRID
check_PROGRAMS += test/faults/ompi
test_faults_ompi_CPPFLAGS = $(sums_cppflags) -DSION_OMP $(MPI_CFLAGS)
test_faults_ompi_CFLAGS = $(omp_cflags)
test_faults_ompi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_faults_ompi_LDADD = libsionompi_64.la libsionmpi_64.la libsionomp_64.la $(sums_libraries) $(MPI_LIBS)
endif
