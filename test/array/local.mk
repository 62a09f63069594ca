# The array layer.
EXTRA_DIST += test/array/any.h test/array/model.h test/array/teams.h test/array/mpi.sh test/array/ompi.sh \
	test/array/heat.sh test/array/others.py test/array/xdmf3.py test/array/tool.sh test/array/costs.sh test/array/locale.sh

array_api = libsionarray_64.la libsiongen_64.la $(api_libraries)
array_programs = test/array/damaged test/array/golden test/array/killed test/array/lack \
	test/array/crafted test/array/faults test/array/hostile test/array/many test/array/moved test/array/property \
	test/array/range test/array/wrong
check_PROGRAMS += $(array_programs)
TESTS += $(array_programs) test/array/tool.sh test/array/costs.sh test/array/locale.sh

check_PROGRAMS += test/array/make test/array/locale
test_array_locale_SOURCES = test/array/locale.c
test_array_locale_LDADD = $(array_api)
test_array_make_SOURCES = test/array/make.c
test_array_make_LDADD = $(array_api) -lm

test_array_damaged_SOURCES = test/array/damaged.c
test_array_damaged_LDADD = $(array_api)
test_array_golden_SOURCES = test/array/golden.c
test_array_golden_LDADD = $(array_api)
test_array_killed_SOURCES = test/array/killed.c
test_array_killed_LDADD = $(array_api)
test_array_lack_SOURCES = test/array/lack.c
test_array_lack_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_array_lack_LDADD = $(array_api)
test_array_many_SOURCES = test/array/many.c
test_array_many_LDADD = $(array_api)
test_array_moved_SOURCES = test/array/moved.c
test_array_moved_LDADD = $(array_api)
test_array_property_SOURCES = test/array/property.c
test_array_property_LDADD = $(array_api)
test_array_range_SOURCES = test/array/range.c
test_array_range_LDADD = $(array_api)
test_array_crafted_SOURCES = test/array/crafted.c
test_array_crafted_LDADD = $(array_api)
test_array_faults_SOURCES = test/array/faults.c
test_array_faults_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_array_faults_LDADD = $(array_api)
test_array_hostile_SOURCES = test/array/hostile.c
test_array_hostile_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_array_hostile_LDADD = $(array_api)
test_array_wrong_SOURCES = test/array/wrong.c
test_array_wrong_LDADD = $(array_api)

if HAVE_MPI
check_PROGRAMS += test/array/mpi
TESTS += test/array/heat.sh test/array/mpi.sh
test_array_mpi_SOURCES = test/array/mpi.c
test_array_mpi_CPPFLAGS = $(mpi_cppflags)
test_array_mpi_LDADD = libsionarray_64.la libsionmpi_64.la libsiongen_64.la \
	$(api_libraries) $(MPI_LIBS)
endif

if HAVE_OPENMP
check_PROGRAMS += test/array/omp
TESTS += test/array/omp
test_array_omp_SOURCES = test/array/omp.c
test_array_omp_CPPFLAGS = $(omp_cppflags)
test_array_omp_CFLAGS = $(omp_cflags)
test_array_omp_LDADD = libsionarray_64.la $(omp_libraries) $(api_libraries)
endif

if HAVE_PTHREADS
check_PROGRAMS += test/array/generic
TESTS += test/array/generic
test_array_generic_SOURCES = test/array/generic.c
test_array_generic_LDADD = libsionarray_64.la $(test_layers_generic_threads_LDADD)
endif

if HAVE_HYBRID
check_PROGRAMS += test/array/ompi
TESTS += test/array/ompi.sh
test_array_ompi_SOURCES = test/array/ompi.c
test_array_ompi_CPPFLAGS = $(test_omp_ompi_CPPFLAGS)
test_array_ompi_CFLAGS = $(omp_cflags)
test_array_ompi_LDADD = libsionarray_64.la $(test_omp_ompi_LDADD)
endif
