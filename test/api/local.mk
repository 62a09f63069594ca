# The public interface, linked as applications link it.
api_libraries = libsionser_64.la libsioncom_64.la
if HAVE_PTHREADS
api_libraries += libsioncom_64_lock_pthreads.la
else
api_libraries += libsioncom_64_lock_none.la
endif

api_tests = test/api/golden_read test/api/golden_write test/api/invalid test/api/damaged_pair test/api/damaged_task test/api/serial test/api/serial_open test/api/seek test/api/dup \
	test/api/query test/api/export test/api/export_second test/api/failures test/api/keyval test/api/debug test/api/stats test/api/stream \
	test/api/changed test/api/damage test/api/memory test/api/sync test/api/lock test/api/atomic test/api/attributes \
	test/api/stream_tasks test/api/inject test/api/narrow
if HAVE_CHECKSUM
api_tests += test/api/checksum
endif
check_PROGRAMS += $(api_tests)
TESTS += $(api_tests) test/api/invalid_limited.sh test/api/install.sh test/api/headers.sh test/api/setuid.sh test/api/system_calls.sh
EXTRA_DIST += test/support.h test/codes.h test/damage.h test/api/export.h test/api/serial.h test/api/invalid_limited.sh test/api/install.sh test/api/installed.sh \
	test/api/headers.sh test/api/setuid.sh test/api/system_calls.sh test/golden

if HAVE_CHECKSUM
test_api_checksum_SOURCES = test/api/checksum.c
test_api_checksum_LDADD = libsionchecksum_64.la $(api_libraries) $(CHECKSUM_LIBS)
endif

test_api_narrow_SOURCES = test/api/narrow.c
test_api_narrow_LDADD = $(api_libraries)

test_api_sync_SOURCES = test/api/sync.c
test_api_sync_LDADD = $(api_libraries)

test_api_inject_SOURCES = test/api/inject.c
test_api_inject_LDADD = $(api_libraries)

test_api_lock_SOURCES = test/api/lock.c
test_api_lock_LDADD = $(api_libraries)

test_api_atomic_SOURCES = test/api/atomic.c
test_api_atomic_LDADD = $(api_libraries)

test_api_attributes_SOURCES = test/api/attributes.c
test_api_attributes_LDADD = $(api_libraries)

test_api_changed_SOURCES = test/api/changed.c
test_api_changed_LDADD = $(api_libraries)

test_api_damage_SOURCES = test/api/damage.c
test_api_damage_LDADD = $(api_libraries)

test_api_memory_SOURCES = test/api/memory.c
test_api_memory_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_api_memory_LDADD = $(api_libraries)
if HAVE_CHECKSUM
test_api_memory_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif

test_api_golden_read_SOURCES = test/api/golden_read.c
test_api_golden_read_LDADD = $(api_libraries) $(NETTLE_LIBS)

test_api_golden_write_SOURCES = test/api/golden_write.c
test_api_golden_write_LDADD = $(api_libraries)

test_api_damaged_pair_SOURCES = test/api/damaged_pair.c
test_api_damaged_pair_LDADD = $(api_libraries)
test_api_damaged_task_SOURCES = test/api/damaged_task.c
test_api_damaged_task_LDADD = $(api_libraries)

test_api_invalid_SOURCES = test/api/invalid.c
test_api_invalid_LDADD = $(api_libraries)

test_api_serial_SOURCES = test/api/serial.c
test_api_serial_LDADD = $(api_libraries)
test_api_serial_open_SOURCES = test/api/serial_open.c
test_api_serial_open_LDADD = $(api_libraries)

test_api_dup_SOURCES = test/api/dup.c
test_api_dup_LDADD = $(api_libraries)

test_api_seek_SOURCES = test/api/seek.c
test_api_seek_LDADD = $(api_libraries)

test_api_query_SOURCES = test/api/query.c
test_api_query_LDADD = $(api_libraries)

test_api_export_SOURCES = test/api/export.c
test_api_export_LDADD = $(api_libraries)
test_api_export_second_SOURCES = test/api/export_second.c
test_api_export_second_LDADD = $(api_libraries)

test_api_failures_SOURCES = test/api/failures.c
test_api_failures_LDADD = $(api_libraries)

test_api_debug_SOURCES = test/api/debug.c
test_api_debug_LDADD = $(api_libraries)

test_api_stats_SOURCES = test/api/stats.c
test_api_stats_LDADD = $(api_libraries)

test_api_stream_SOURCES = test/api/stream.c
test_api_stream_LDADD = $(api_libraries)

test_api_stream_tasks_SOURCES = test/api/stream_tasks.c
test_api_stream_tasks_LDADD = $(api_libraries)

test_api_keyval_SOURCES = test/api/keyval.c
test_api_keyval_LDADD = $(api_libraries)
