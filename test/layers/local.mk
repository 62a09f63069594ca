# The layers above a stream. Each program links its layer and those below it, but no interface.
layer_file = $(core_layers) $(lock_layer)
layer_parallel = liblayer_parallel.la liblayer_comm.la $(layer_file)

layer_keyval = \
	liblayer_keyval.la liblayer_stream.la liblayer_vfs.la liblayer_geometry.la \
	liblayer_format.la liblayer_base.la $(lock_layer)

layer_programs = \
	test/layers/comm test/layers/comm_pair test/layers/file test/layers/one_rank test/layers/keyval test/layers/parallel_threads test/layers/parallel_scale \
	test/layers/parallel_lengths
check_PROGRAMS += $(layer_programs)
TESTS += $(layer_programs)
EXTRA_DIST += test/layers/descriptors.sh test/layers/generic_callbacks.h test/layers/generic_opens.h test/layers/generic_transfer.h \
	test/layers/echo_comm.h test/layers/thread_comm.h test/layers/comm_model.h test/layers/comm_transfer.h

test_layers_comm_SOURCES = test/layers/comm.c
test_layers_comm_LDADD = liblayer_comm.la liblayer_base.la $(lock_layer)
test_layers_comm_pair_SOURCES = test/layers/comm_pair.c
test_layers_comm_pair_LDADD = liblayer_pair.la liblayer_comm.la liblayer_base.la $(lock_layer)
test_layers_file_SOURCES = test/layers/file.c
test_layers_file_LDADD = $(layer_file)
test_layers_one_rank_SOURCES = test/layers/one_rank.c
test_layers_one_rank_LDADD = $(layer_file)
test_layers_keyval_SOURCES = test/layers/keyval.c
test_layers_keyval_LDADD = $(layer_keyval)
test_layers_parallel_threads_SOURCES = test/layers/parallel_threads.c
test_layers_parallel_threads_LDADD = $(layer_parallel)
test_layers_parallel_scale_SOURCES = test/layers/parallel_scale.c
test_layers_parallel_scale_LDADD = $(layer_parallel)
test_layers_parallel_lengths_SOURCES = test/layers/parallel_lengths.c
test_layers_parallel_lengths_LDADD = $(layer_parallel)

# The generic interface, without MPI. The programs are linked as users would link them.
if HAVE_PTHREADS
check_PROGRAMS += \
	test/layers/generic_threads test/layers/generic_collective test/layers/generic_stops test/layers/generic_mapped test/layers/generic_shared \
	test/layers/generic_faults test/layers/generic_memory test/layers/generic_cycles test/layers/generic_buddy \
	test/layers/generic_atomic test/layers/generic_refused test/layers/generic_close test/layers/generic_sets
TESTS += test/layers/generic_threads test/layers/generic_collective test/layers/generic_stops test/layers/generic_mapped test/layers/generic_shared \
	test/layers/generic_faults test/layers/generic_memory test/layers/generic_cycles test/layers/generic_buddy \
	test/layers/generic_atomic test/layers/generic_refused test/layers/generic_close test/layers/generic_sets \
	test/layers/descriptors.sh
test/layers/descriptors.log: test/layers/generic_sets test/layers/generic_mapped test/layers/generic_atomic \
	test/layers/generic_buddy test/layers/file test/array/many test/api/serial test/api/export test/api/stream_tasks test/api/atomic
test_layers_generic_sets_SOURCES = test/layers/generic_sets.c
test_layers_generic_sets_LDADD = $(test_layers_generic_threads_LDADD)
if HAVE_CHECKSUM
check_PROGRAMS += test/layers/generic_checksums
TESTS += test/layers/generic_checksums
test_layers_generic_checksums_SOURCES = test/layers/generic_checksums.c
test_layers_generic_checksums_LDADD = libsionchecksum_64.la $(test_layers_generic_threads_LDADD) $(CHECKSUM_LIBS)
endif
test_layers_generic_buddy_SOURCES = test/layers/generic_buddy.c
test_layers_generic_buddy_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_cycles_SOURCES = test/layers/generic_cycles.c
test_layers_generic_cycles_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_faults_SOURCES = test/layers/generic_faults.c
test_layers_generic_faults_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_memory_SOURCES = test/layers/generic_memory.c
test_layers_generic_memory_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_layers_generic_memory_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_close_SOURCES = test/layers/generic_close.c
test_layers_generic_close_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_layers_generic_close_LDADD = $(test_layers_generic_threads_LDADD)
if HAVE_CHECKSUM
test_layers_generic_faults_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_layers_generic_memory_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_layers_generic_close_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_layers_generic_atomic_SOURCES = test/layers/generic_atomic.c
test_layers_generic_atomic_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_layers_generic_atomic_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_refused_SOURCES = test/layers/generic_refused.c
test_layers_generic_refused_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_mapped_SOURCES = test/layers/generic_mapped.c
test_layers_generic_mapped_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_shared_SOURCES = test/layers/generic_shared.c
test_layers_generic_shared_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_threads_SOURCES = test/layers/generic_threads.c
test_layers_generic_threads_LDADD = \
	libsiongen_64.la libsionser_64.la libsioncom_64.la libsioncom_64_lock_pthreads.la
test_layers_generic_stops_SOURCES = test/layers/generic_stops.c
test_layers_generic_stops_LDADD = $(test_layers_generic_threads_LDADD)
test_layers_generic_collective_SOURCES = test/layers/generic_collective.c
test_layers_generic_collective_LDADD = $(test_layers_generic_threads_LDADD)
endif

# Threads that OpenMP did not start, so that race detectors understand them.
if HAVE_PTHREADS
if HAVE_OPENMP
check_PROGRAMS += test/layers/comm_threads
TESTS += test/layers/comm_threads
test_layers_comm_threads_SOURCES = test/layers/comm_threads.c
test_layers_comm_threads_LDADD = liblayer_threads.la liblayer_pair.la liblayer_comm.la liblayer_base.la $(lock_layer)
endif
endif
