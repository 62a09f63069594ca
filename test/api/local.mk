# The public interface, linked as applications link it.
api_libraries = libsionser_64.la libsioncom_64.la
if HAVE_PTHREADS
api_libraries += libsioncom_64_lock_pthreads.la
else
api_libraries += libsioncom_64_lock_none.la
endif

api_tests = test_golden_read test_golden_write test_invalid test_serial test_seek test_query \
	test_export test_failures test_keyval test_debug
check_PROGRAMS += $(api_tests)
TESTS += $(api_tests) test/api/invalid_limited.sh test/api/install.sh test/api/headers.sh
EXTRA_DIST += test/support.h test/api/invalid_limited.sh test/api/install.sh test/api/installed.sh \
	test/api/headers.sh test/golden

test_golden_read_SOURCES = test/api/golden_read.c
test_golden_read_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_golden_read_LDADD = $(api_libraries) $(NETTLE_LIBS)

test_golden_write_SOURCES = test/api/golden_write.c
test_golden_write_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_golden_write_LDADD = $(api_libraries)

test_invalid_SOURCES = test/api/invalid.c
test_invalid_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_invalid_LDADD = $(api_libraries)

test_serial_SOURCES = test/api/serial.c
test_serial_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_serial_LDADD = $(api_libraries)

test_seek_SOURCES = test/api/seek.c
test_seek_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_seek_LDADD = $(api_libraries)

test_query_SOURCES = test/api/query.c
test_query_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_query_LDADD = $(api_libraries)

test_export_SOURCES = test/api/export.c
test_export_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_export_LDADD = $(api_libraries)

test_failures_SOURCES = test/api/failures.c
test_failures_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_failures_LDADD = libtest_fault.la $(api_libraries)

test_debug_SOURCES = test/api/debug.c
test_debug_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_debug_LDADD = $(api_libraries)

test_keyval_SOURCES = test/api/keyval.c
test_keyval_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_keyval_LDADD = $(api_libraries)
