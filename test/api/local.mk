# The public interface, linked as applications link it.
EXTRA_DIST += test/api/compress.h test/api/export.h test/api/generations.h test/api/headers.sh test/api/install.sh test/api/installed.sh \
	test/api/invalid_limited.sh test/api/serial.h test/api/setuid.sh test/api/system_calls.sh

api_tests = test/api/atomic test/api/attributes test/api/changed test/api/compress test/api/compress_grow test/api/compress_raw test/api/damage \
	test/api/damaged_pair test/api/damaged_task test/api/debug test/api/dup test/api/export \
	test/api/export_second test/api/failures test/api/golden_read test/api/golden_write test/api/grow test/api/grow_areas test/api/grow_faults test/api/generations test/api/generation_faults \
	test/api/inject \
	test/api/invalid test/api/keyval test/api/lock test/api/memory test/api/narrow test/api/query test/api/refresh \
	test/api/seek test/api/serial test/api/serial_open test/api/stats test/api/stream \
	test/api/stream_tasks test/api/sync
check_PROGRAMS += $(api_tests)
TESTS += $(api_tests) test/api/headers.sh test/api/install.sh test/api/invalid_limited.sh \
	test/api/setuid.sh test/api/system_calls.sh
test_api_atomic_LDADD = $(api_libraries)
test_api_attributes_LDADD = $(api_libraries)
test_api_changed_LDADD = $(api_libraries)
test_api_compress_LDADD = $(api_libraries)
if HAVE_CHECKSUM
test_api_compress_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_api_compress_grow_LDADD = $(api_libraries)
test_api_compress_raw_LDADD = $(api_libraries)
test_api_damage_LDADD = $(api_libraries)
test_api_damaged_pair_LDADD = $(api_libraries)
test_api_damaged_task_LDADD = $(api_libraries)
test_api_debug_LDADD = $(api_libraries)
test_api_dup_LDADD = $(api_libraries)
test_api_export_LDADD = $(api_libraries)
test_api_export_second_LDADD = $(api_libraries)
test_api_failures_LDADD = $(api_libraries)
test_api_golden_read_LDADD = $(api_libraries) $(NETTLE_LIBS)
test_api_golden_write_LDADD = $(api_libraries)
test_api_grow_LDADD = $(api_libraries)
test_api_grow_areas_LDADD = $(api_libraries)
test_api_generations_LDADD = $(api_libraries)
test_api_generation_faults_LDADD = $(api_libraries)
if HAVE_CHECKSUM
test_api_grow_areas_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_api_generations_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
test_api_generation_faults_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_api_grow_faults_LDADD = $(api_libraries)
if HAVE_CHECKSUM
test_api_grow_faults_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_api_inject_LDADD = $(api_libraries)
test_api_invalid_LDADD = $(api_libraries)
test_api_keyval_LDADD = $(api_libraries)
test_api_lock_LDADD = $(api_libraries)
test_api_memory_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_api_memory_LDADD = $(api_libraries)
if HAVE_CHECKSUM
test_api_memory_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_api_narrow_LDADD = $(api_libraries)
test_api_query_LDADD = $(api_libraries)
test_api_refresh_LDADD = $(api_libraries)
test_api_seek_LDADD = $(api_libraries)
test_api_serial_LDADD = $(api_libraries)
test_api_serial_open_LDADD = $(api_libraries)
test_api_stats_LDADD = $(api_libraries)
test_api_stream_LDADD = $(api_libraries)
test_api_stream_tasks_LDADD = $(api_libraries)
test_api_sync_LDADD = $(api_libraries)

if HAVE_CHECKSUM
check_PROGRAMS += test/api/checksum test/api/checksum_reads test/api/sound
TESTS += test/api/checksum test/api/checksum_reads test/api/sound
test_api_checksum_SOURCES = test/api/checksum.c test/api/checksum.h
test_api_checksum_reads_SOURCES = test/api/checksum_reads.c test/api/checksum.h
test_api_checksum_reads_LDADD = libsionchecksum_64.la $(api_libraries) $(CHECKSUM_LIBS)
test_api_checksum_LDADD = libsionchecksum_64.la $(api_libraries) $(CHECKSUM_LIBS)
test_api_sound_LDADD = libsionchecksum_64.la $(api_libraries) $(CHECKSUM_LIBS)
endif
