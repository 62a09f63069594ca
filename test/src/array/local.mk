# The array layer.
EXTRA_DIST += test/src/array/any.h test/src/array/arrays_mpi.sh test/src/array/arrays_ompi.sh \
	test/src/array/copy.sh test/src/array/costs.sh test/src/array/heat_mpi.sh test/src/array/locale.sh test/src/array/model.h \
	test/src/array/others.py test/src/array/teams.h test/src/array/tool.sh test/src/array/xdmf3.py

array_tests = test/src/array/codec test/src/array/convert test/src/array/crafted test/src/array/damaged test/src/array/faults \
	test/src/array/golden test/src/array/grow test/src/array/hostile test/src/array/kept test/src/array/killed test/src/array/lack \
	test/src/array/many test/src/array/moved test/src/array/pack test/src/array/property test/src/array/range \
	test/src/array/wrong
check_PROGRAMS += $(array_tests) test/src/array/locale test/src/array/make
TESTS += $(array_tests) test/src/array/copy.sh test/src/array/costs.sh test/src/array/locale.sh test/src/array/tool.sh
test_src_array_codec_LDADD = $(array_libraries) -lm
test_src_array_convert_LDADD = $(array_libraries) -lm
test_src_array_crafted_LDADD = $(array_libraries)
test_src_array_damaged_LDADD = $(array_libraries)
test_src_array_faults_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_array_faults_LDADD = $(array_libraries)
test_src_array_golden_LDADD = $(array_libraries)
test_src_array_grow_LDADD = $(array_libraries)
test_src_array_hostile_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_array_hostile_LDADD = $(array_libraries)
test_src_array_kept_LDADD = $(array_libraries)
test_src_array_killed_LDADD = $(array_libraries)
test_src_array_lack_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_array_lack_LDADD = $(array_libraries)
test_src_array_locale_LDADD = $(array_libraries)
test_src_array_make_LDADD = $(array_libraries) -lm
test_src_array_many_LDADD = $(array_libraries)
test_src_array_moved_LDADD = $(array_libraries)
test_src_array_pack_LDADD = $(array_libraries) -lm
test_src_array_property_LDADD = $(array_libraries)
test_src_array_range_LDADD = $(array_libraries)
test_src_array_wrong_LDADD = $(array_libraries)

if HAVE_CHECKSUM
check_PROGRAMS += test/src/array/checksums
TESTS += test/src/array/checksums
test_src_array_checksums_LDADD = libsionchecksum_64.la $(array_libraries) $(CHECKSUM_LIBS)
endif

if HAVE_MPI
check_PROGRAMS += test/src/array/arrays_mpi
TESTS += test/src/array/arrays_mpi.sh test/src/array/heat_mpi.sh
test_src_array_arrays_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_array_arrays_mpi_LDADD = libsionarray_64.la $(mpi_libraries)
endif

if HAVE_OPENMP
check_PROGRAMS += test/src/array/arrays_omp
TESTS += test/src/array/arrays_omp
test_src_array_arrays_omp_CPPFLAGS = $(omp_cppflags)
test_src_array_arrays_omp_CFLAGS = $(omp_cflags)
test_src_array_arrays_omp_LDADD = libsionarray_64.la $(omp_libraries) $(api_libraries)
endif

if HAVE_PTHREADS
check_PROGRAMS += test/src/array/generic
TESTS += test/src/array/generic
test_src_array_generic_LDADD = libsionarray_64.la $(generic_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/src/array/arrays_ompi
TESTS += test/src/array/arrays_ompi.sh
test_src_array_arrays_ompi_CPPFLAGS = $(ompi_cppflags)
test_src_array_arrays_ompi_CFLAGS = $(omp_cflags)
test_src_array_arrays_ompi_LDADD = libsionarray_64.la $(ompi_libraries)
endif
