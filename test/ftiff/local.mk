# The FTI-FF layer.
EXTRA_DIST += \
	test/ftiff/arrays.py test/ftiff/fti_check.h test/ftiff/hostile_limited.sh \
	test/ftiff/model.py test/ftiff/model.sh test/ftiff/mpi.sh test/ftiff/ranks.sh test/ftiff/seed.sh test/ftiff/tool.sh

if HAVE_FTIFF
fti_api = libsionfti_64.la libsiongen_64.la $(api_libraries) $(NETTLE_LIBS)
fti_codec = liblayer_ftiff_codec.la liblayer_vfs.la $(unit_base) $(NETTLE_LIBS)

fti_programs = \
	test/ftiff/codec test/ftiff/grow test/ftiff/hostile test/ftiff/library test/ftiff/library_faults
check_PROGRAMS += $(fti_programs)
TESTS += $(fti_programs) test/ftiff/hostile_limited.sh test/ftiff/model.sh test/ftiff/ranks.sh test/ftiff/seed.sh test/ftiff/tool.sh

check_PROGRAMS += test/ftiff/history test/ftiff/seed
test_ftiff_history_SOURCES = test/ftiff/history.c
test_ftiff_history_LDADD = libsionfti_64.la libsiongen_64.la $(api_libraries) $(NETTLE_LIBS)
test_ftiff_seed_SOURCES = test/ftiff/seed.c
test_ftiff_seed_LDADD = libsionfti_64.la libsiongen_64.la $(api_libraries) $(NETTLE_LIBS)

test_ftiff_codec_SOURCES = test/ftiff/codec.c
test_ftiff_codec_LDADD = $(fti_codec)

test_ftiff_grow_SOURCES = test/ftiff/grow.c
test_ftiff_grow_LDADD = $(fti_codec)
test_ftiff_hostile_SOURCES = test/ftiff/hostile.c
test_ftiff_hostile_LDADD = $(fti_codec)
test_ftiff_library_SOURCES = test/ftiff/library.c
test_ftiff_library_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
test_ftiff_library_LDADD = $(fti_api)
test_ftiff_library_faults_SOURCES = test/ftiff/library_faults.c
test_ftiff_library_faults_LDADD = $(fti_api)

if HAVE_PTHREADS
check_PROGRAMS += test/ftiff/digests test/ftiff/threads
TESTS += test/ftiff/digests test/ftiff/threads
test_ftiff_digests_SOURCES = test/ftiff/digests.c
test_ftiff_digests_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
test_ftiff_digests_LDADD = $(fti_codec)
test_ftiff_threads_SOURCES = test/ftiff/threads.c
test_ftiff_threads_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_ftiff_threads_LDADD = \
	libsionfti_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la libsioncom_64_lock_pthreads.la \
	$(NETTLE_LIBS)
endif

if HAVE_MPI
check_PROGRAMS += test/ftiff/mpi
TESTS += test/ftiff/mpi.sh
test_ftiff_mpi_SOURCES = test/ftiff/mpi.c
test_ftiff_mpi_CPPFLAGS = $(mpi_cppflags)
test_ftiff_mpi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_ftiff_mpi_LDADD = \
	libsionfti_mpi_64.la libsionfti_64.la libsionmpi_64.la libsiongen_64.la \
	$(api_libraries) $(NETTLE_LIBS) $(MPI_LIBS)
endif
endif
