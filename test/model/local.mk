# Compares containers of every interface with one model, over random cases.
EXTRA_DIST += test/model/generate.h test/model/image.h test/model/keys.h test/model/layout.h \
	test/model/mapped.h test/model/model.h test/model/mpi.sh test/model/mpi_opens.h test/model/ompi.sh \
	test/model/read.h test/model/run.h test/model/serial.h test/model/shared.h test/model/write.h

check_PROGRAMS += test/model/serial
TESTS += test/model/serial
test_model_serial_LDADD = libsiongen_64.la $(api_libraries)

if HAVE_PTHREADS
check_PROGRAMS += test/model/generic
TESTS += test/model/generic
test_model_generic_LDADD = $(generic_libraries)
endif

if HAVE_OPENMP
check_PROGRAMS += test/model/omp
TESTS += test/model/omp
test_model_omp_CPPFLAGS = $(omp_cppflags)
test_model_omp_CFLAGS = $(omp_cflags)
test_model_omp_LDADD = $(omp_libraries) $(api_libraries)
endif

if HAVE_MPI
check_PROGRAMS += test/model/mpi
TESTS += test/model/mpi.sh
test_model_mpi_CPPFLAGS = $(mpi_cppflags)
test_model_mpi_LDADD = $(mpi_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/model/ompi
TESTS += test/model/ompi.sh
test_model_ompi_CPPFLAGS = $(ompi_cppflags)
test_model_ompi_CFLAGS = $(omp_cflags)
test_model_ompi_LDADD = $(ompi_libraries)
endif
