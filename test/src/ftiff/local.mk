# The FTI-FF layer.
EXTRA_DIST += test/src/ftiff/arrays.py test/src/ftiff/fti_check.h test/src/ftiff/hostile_limited.sh \
	test/src/ftiff/library_mpi.sh test/src/ftiff/model.py test/src/ftiff/model.sh \
	test/src/ftiff/ranks.sh test/src/ftiff/seed.sh test/src/ftiff/tool.sh

if HAVE_FTIFF
ftiff_tests = test/src/ftiff/codec test/src/ftiff/grow test/src/ftiff/hostile test/src/ftiff/library \
	test/src/ftiff/library_faults
check_PROGRAMS += $(ftiff_tests) test/src/ftiff/history test/src/ftiff/seed
TESTS += $(ftiff_tests) test/src/ftiff/hostile_limited.sh test/src/ftiff/model.sh \
	test/src/ftiff/ranks.sh test/src/ftiff/seed.sh test/src/ftiff/tool.sh
test_src_ftiff_codec_LDADD = $(fti_codec)
test_src_ftiff_grow_LDADD = $(fti_codec)
test_src_ftiff_history_LDADD = $(fti_libraries)
test_src_ftiff_hostile_LDADD = $(fti_codec)
test_src_ftiff_library_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
test_src_ftiff_library_LDADD = $(fti_libraries)
test_src_ftiff_library_faults_LDADD = $(fti_libraries)
test_src_ftiff_seed_LDADD = $(fti_libraries)
endif

if HAVE_FTIFF
if HAVE_PTHREADS
ftiff_pthreads_tests = test/src/ftiff/digests test/src/ftiff/threads
check_PROGRAMS += $(ftiff_pthreads_tests)
TESTS += $(ftiff_pthreads_tests)
test_src_ftiff_digests_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
test_src_ftiff_digests_LDADD = $(fti_codec)
test_src_ftiff_threads_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_ftiff_threads_LDADD = $(fti_libraries)
endif
endif

if HAVE_FTIFF
if HAVE_MPI
check_PROGRAMS += test/src/ftiff/library_mpi
TESTS += test/src/ftiff/library_mpi.sh
test_src_ftiff_library_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_ftiff_library_mpi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_ftiff_library_mpi_LDADD = libsionfti_mpi_64.la libsionfti_64.la libsionmpi_64.la libsiongen_64.la \
	$(api_libraries) $(NETTLE_LIBS) $(MPI_LIBS)
endif
endif
