# Opens and closes of many tasks: with the generic interface, with MPI (1 to 8 ranks), with OpenMP (1 to
# 8 threads), and with both (1 to 4 ranks of 1 to 4 threads). Programs are linked as users would link them.
EXTRA_DIST += test/src/parallel/buddy_mpi.h test/src/parallel/buddy_mpi.sh \
	test/src/parallel/budget_mpi.sh test/src/parallel/callbacks.h test/src/parallel/check_mpi.sh \
	test/src/parallel/checksums_mpi.sh test/src/parallel/close_mpi.sh test/src/parallel/close_ompi.sh \
	test/src/parallel/collective_mpi.h test/src/parallel/collective_mpi.sh \
	test/src/parallel/collective_omp.h test/src/parallel/collective_ompi.sh \
	test/src/parallel/compress_mpi.sh test/src/parallel/damaged_mpi.h test/src/parallel/damaged_task_mpi.sh test/src/parallel/data_mpi.sh \
	test/src/parallel/data_ompi.sh test/src/parallel/ended_mpi.sh test/src/parallel/faults_mpi.sh \
	test/src/parallel/alike_mpi.sh test/src/parallel/alike_mpi.h test/src/parallel/file_count_mpi.sh test/src/parallel/clock_mpi.sh test/src/parallel/rolling_mpi.sh test/src/parallel/killed_all_mpi.sh test/src/parallel/killed_mpi.sh test/src/parallel/grow_mpi.sh test/src/parallel/generations_mpi.sh test/src/parallel/generation_faults_mpi.sh test/src/parallel/generations_mpi.h test/src/parallel/all_generations_mpi.sh test/src/parallel/grow_omp.h test/src/parallel/grow_ompi.sh test/src/parallel/staging_mpi.sh test/src/parallel/golden_mpi.sh test/src/parallel/mapped_mpi.h test/src/parallel/mapped_mpi.sh \
	test/src/parallel/open_mpi.h test/src/parallel/open_mpi.sh test/src/parallel/opens.h \
	test/src/parallel/stats_mpi.sh test/src/parallel/stops_mpi.h test/src/parallel/stops_mpi.sh \
	test/src/parallel/stops_omp.h test/src/parallel/stops_ompi.sh test/src/parallel/team_omp.h \
	test/src/parallel/transfer.h

parallel_tests = test/src/parallel/lengths test/src/parallel/scale test/src/parallel/threads
check_PROGRAMS += $(parallel_tests)
TESTS += $(parallel_tests)
test_src_parallel_lengths_LDADD = $(layer_parallel)
test_src_parallel_scale_LDADD = $(layer_parallel)
test_src_parallel_threads_LDADD = $(layer_parallel)

if HAVE_PTHREADS
parallel_pthreads_tests = test/src/parallel/atomic test/src/parallel/staging test/src/parallel/buddy test/src/parallel/close \
	test/src/parallel/collective test/src/parallel/cycles test/src/parallel/faults \
	test/src/parallel/generic test/src/parallel/mapped test/src/parallel/memory \
	test/src/parallel/refused test/src/parallel/sets test/src/parallel/shared test/src/parallel/stops
check_PROGRAMS += $(parallel_pthreads_tests)
TESTS += $(parallel_pthreads_tests)
test_src_parallel_atomic_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_parallel_staging_LDADD = $(generic_libraries)
test_src_parallel_atomic_LDADD = $(generic_libraries)
test_src_parallel_buddy_LDADD = $(generic_libraries)
test_src_parallel_close_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_parallel_close_LDADD = $(generic_libraries)
if HAVE_CHECKSUM
test_src_parallel_close_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_src_parallel_collective_LDADD = $(generic_libraries)
test_src_parallel_cycles_LDADD = $(generic_libraries)
test_src_parallel_faults_LDADD = $(generic_libraries)
if HAVE_CHECKSUM
test_src_parallel_faults_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_src_parallel_generic_LDADD = $(generic_libraries)
test_src_parallel_mapped_LDADD = $(generic_libraries)
test_src_parallel_memory_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_parallel_memory_LDADD = $(generic_libraries)
if HAVE_CHECKSUM
test_src_parallel_memory_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_src_parallel_refused_LDADD = $(generic_libraries)
test_src_parallel_sets_LDADD = $(generic_libraries)
test_src_parallel_shared_LDADD = $(generic_libraries)
test_src_parallel_stops_LDADD = $(generic_libraries)
endif

if HAVE_MPI
check_PROGRAMS += test/src/parallel/buddy_mpi test/src/parallel/buddy_refused_mpi \
	test/src/parallel/budget_mpi test/src/parallel/check_mpi test/src/parallel/close_mpi \
	test/src/parallel/collective_faults_mpi test/src/parallel/collective_merge_mpi \
	test/src/parallel/collective_mpi test/src/parallel/collective_random_mpi \
	test/src/parallel/damaged_members_mpi test/src/parallel/compress_mpi test/src/parallel/damaged_task_mpi test/src/parallel/data_mpi \
	test/src/parallel/ended_mpi test/src/parallel/faults_mpi test/src/parallel/alike_mpi test/src/parallel/alike_sets_mpi test/src/parallel/file_count_mpi test/src/parallel/clock_mpi test/src/parallel/killed_mpi test/src/parallel/grow_mpi test/src/parallel/generations_mpi test/src/parallel/generation_faults_mpi test/src/parallel/all_generations_mpi test/src/parallel/staging_mpi \
	test/src/parallel/gathering_mpi \
	test/src/parallel/golden_mpi test/src/parallel/mapped_mpi test/src/parallel/mapped_refused_mpi \
	test/src/parallel/merge_random_mpi test/src/parallel/open_mpi test/src/parallel/open_refused_mpi \
	test/src/parallel/requests_mpi test/src/parallel/stats_mpi test/src/parallel/stops_mpi
TESTS += test/src/parallel/alike_mpi.sh test/src/parallel/buddy_mpi.sh test/src/parallel/budget_mpi.sh \
	test/src/parallel/check_mpi.sh test/src/parallel/close_mpi.sh test/src/parallel/collective_mpi.sh \
	test/src/parallel/compress_mpi.sh test/src/parallel/damaged_task_mpi.sh test/src/parallel/data_mpi.sh test/src/parallel/ended_mpi.sh \
	test/src/parallel/faults_mpi.sh test/src/parallel/file_count_mpi.sh test/src/parallel/rolling_mpi.sh test/src/parallel/killed_mpi.sh test/src/parallel/clock_mpi.sh test/src/parallel/grow_mpi.sh test/src/parallel/generations_mpi.sh test/src/parallel/generation_faults_mpi.sh test/src/parallel/all_generations_mpi.sh test/src/parallel/staging_mpi.sh \
	test/src/parallel/golden_mpi.sh test/src/parallel/mapped_mpi.sh \
	test/src/parallel/open_mpi.sh test/src/parallel/stats_mpi.sh test/src/parallel/stops_mpi.sh
full_tests += test/src/parallel/killed_all_mpi.sh
test_src_parallel_alike_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_alike_mpi_LDADD = $(mpi_libraries)
test_src_parallel_alike_sets_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_alike_sets_mpi_LDADD = $(mpi_libraries)
test_src_parallel_buddy_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_buddy_mpi_LDADD = $(mpi_libraries)
test_src_parallel_buddy_refused_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_buddy_refused_mpi_LDADD = $(mpi_libraries)
test_src_parallel_budget_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_budget_mpi_LDADD = $(mpi_libraries)
test_src_parallel_check_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_check_mpi_LDADD = $(mpi_libraries)
test_src_parallel_close_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_close_mpi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_parallel_close_mpi_LDADD = $(mpi_libraries)
test_src_parallel_collective_faults_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_collective_faults_mpi_LDADD = $(mpi_libraries)
test_src_parallel_collective_merge_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_collective_merge_mpi_LDADD = $(mpi_libraries)
test_src_parallel_collective_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_collective_mpi_LDADD = $(mpi_libraries)
test_src_parallel_collective_random_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_collective_random_mpi_LDADD = $(mpi_libraries)
test_src_parallel_damaged_members_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_damaged_members_mpi_LDADD = $(mpi_libraries)
test_src_parallel_damaged_task_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_damaged_task_mpi_LDADD = $(mpi_libraries)
test_src_parallel_compress_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_compress_mpi_LDADD = $(mpi_libraries)
if HAVE_CHECKSUM
test_src_parallel_compress_mpi_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_src_parallel_data_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_data_mpi_LDADD = $(mpi_libraries)
test_src_parallel_ended_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_ended_mpi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_parallel_ended_mpi_LDADD = $(mpi_libraries)
test_src_parallel_faults_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_faults_mpi_LDADD = $(mpi_libraries)
test_src_parallel_staging_mpi_CPPFLAGS = $(sums_cppflags) $(MPI_CFLAGS)
test_src_parallel_staging_mpi_LDADD = $(mpi_libraries) $(sums_libraries)
test_src_parallel_file_count_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_killed_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_killed_mpi_LDADD = $(mpi_libraries)
test_src_parallel_clock_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_clock_mpi_LDADD = $(mpi_libraries)
test_src_parallel_grow_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_grow_mpi_LDADD = $(mpi_libraries)
test_src_parallel_generations_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_generations_mpi_LDADD = $(mpi_libraries)
test_src_parallel_generation_faults_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_generation_faults_mpi_LDADD = $(mpi_libraries)
test_src_parallel_all_generations_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_all_generations_mpi_LDADD = $(mpi_libraries)
if HAVE_CHECKSUM
test_src_parallel_killed_mpi_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_src_parallel_generations_mpi_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_src_parallel_generation_faults_mpi_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_src_parallel_all_generations_mpi_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_src_parallel_grow_mpi_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_src_parallel_file_count_mpi_LDADD = $(mpi_libraries)
test_src_parallel_gathering_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_gathering_mpi_LDADD = $(mpi_libraries)
test_src_parallel_golden_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_golden_mpi_LDADD = $(mpi_libraries)
test_src_parallel_mapped_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_mapped_mpi_LDADD = $(mpi_libraries)
test_src_parallel_mapped_refused_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_mapped_refused_mpi_LDADD = $(mpi_libraries)
test_src_parallel_merge_random_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_merge_random_mpi_LDADD = $(mpi_libraries)
test_src_parallel_open_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_open_mpi_LDADD = $(mpi_libraries)
test_src_parallel_open_refused_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_open_refused_mpi_LDADD = $(mpi_libraries)
test_src_parallel_requests_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_requests_mpi_LDADD = $(mpi_libraries)
test_src_parallel_stats_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_stats_mpi_LDADD = $(mpi_libraries)
test_src_parallel_stops_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_stops_mpi_LDADD = $(mpi_libraries)
endif

if HAVE_OPENMP
parallel_omp_tests = test/src/parallel/collective_omp test/src/parallel/data_lock_none_omp \
	test/src/parallel/data_omp test/src/parallel/grow_omp test/src/parallel/lock_omp test/src/parallel/stops_omp
check_PROGRAMS += $(parallel_omp_tests)
TESTS += $(parallel_omp_tests)
test_src_parallel_collective_omp_CPPFLAGS = $(omp_cppflags)
test_src_parallel_collective_omp_CFLAGS = $(omp_cflags)
test_src_parallel_collective_omp_LDADD = $(omp_libraries) $(api_libraries)
# In a program whose archive has no lock, OpenMP's lock protects the table of handles.
test_src_parallel_data_lock_none_omp_SOURCES = test/src/parallel/data_omp.c
test_src_parallel_data_lock_none_omp_CPPFLAGS = $(omp_cppflags)
test_src_parallel_data_lock_none_omp_CFLAGS = $(omp_cflags)
test_src_parallel_data_lock_none_omp_LDADD = $(omp_libraries) $(lockless_libraries)
test_src_parallel_data_omp_CPPFLAGS = $(omp_cppflags)
test_src_parallel_data_omp_CFLAGS = $(omp_cflags)
test_src_parallel_data_omp_LDADD = $(omp_libraries) $(api_libraries)
test_src_parallel_grow_omp_CPPFLAGS = $(omp_cppflags)
test_src_parallel_grow_omp_CFLAGS = $(omp_cflags)
test_src_parallel_grow_omp_LDADD = $(omp_libraries) $(api_libraries)
test_src_parallel_lock_omp_CPPFLAGS = $(omp_cppflags)
test_src_parallel_lock_omp_CFLAGS = $(omp_cflags)
test_src_parallel_lock_omp_LDADD = $(omp_libraries) $(lockless_libraries)
test_src_parallel_stops_omp_CPPFLAGS = $(omp_cppflags)
test_src_parallel_stops_omp_CFLAGS = $(omp_cflags)
test_src_parallel_stops_omp_LDADD = $(omp_libraries) $(api_libraries)
endif

if HAVE_HYBRID
check_PROGRAMS += test/src/parallel/close_ompi test/src/parallel/collective_ompi \
	test/src/parallel/data_ompi test/src/parallel/grow_ompi test/src/parallel/stops_ompi
TESTS += test/src/parallel/close_ompi.sh test/src/parallel/collective_ompi.sh \
	test/src/parallel/data_ompi.sh test/src/parallel/grow_ompi.sh test/src/parallel/stops_ompi.sh
test_src_parallel_close_ompi_SOURCES = test/src/parallel/close_mpi.c
test_src_parallel_close_ompi_CPPFLAGS = $(ompi_cppflags)
test_src_parallel_close_ompi_CFLAGS = $(omp_cflags)
test_src_parallel_close_ompi_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_parallel_close_ompi_LDADD = $(ompi_libraries)
test_src_parallel_collective_ompi_CPPFLAGS = $(ompi_cppflags)
test_src_parallel_collective_ompi_CFLAGS = $(omp_cflags)
test_src_parallel_collective_ompi_LDADD = $(ompi_libraries)
test_src_parallel_data_ompi_CPPFLAGS = $(ompi_cppflags)
test_src_parallel_data_ompi_CFLAGS = $(omp_cflags)
test_src_parallel_data_ompi_LDADD = $(ompi_libraries)
test_src_parallel_grow_ompi_CPPFLAGS = $(ompi_cppflags)
test_src_parallel_grow_ompi_CFLAGS = $(omp_cflags)
test_src_parallel_grow_ompi_LDADD = $(ompi_libraries)
test_src_parallel_stops_ompi_CPPFLAGS = $(ompi_cppflags)
test_src_parallel_stops_ompi_CFLAGS = $(omp_cflags)
test_src_parallel_stops_ompi_LDADD = $(ompi_libraries)
endif

if HAVE_PTHREADS
if HAVE_CHECKSUM
check_PROGRAMS += test/src/parallel/checksums
TESTS += test/src/parallel/checksums
test_src_parallel_checksums_LDADD = libsionchecksum_64.la $(generic_libraries) $(CHECKSUM_LIBS)
endif
endif

if HAVE_MPI
if HAVE_CHECKSUM
check_PROGRAMS += test/src/parallel/checksums_mpi
TESTS += test/src/parallel/checksums_mpi.sh
test_src_parallel_checksums_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_parallel_checksums_mpi_LDADD = libsionchecksum_64.la $(mpi_libraries) $(CHECKSUM_LIBS)
endif
endif
