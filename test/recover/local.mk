# Containers that were never closed.
recover_tests = test/recover/serial
check_PROGRAMS += $(recover_tests)
TESTS += $(recover_tests)
EXTRA_DIST += test/recover/journal.h

test_recover_serial_SOURCES = test/recover/serial.c
test_recover_serial_LDADD = libtest_fault.la $(api_libraries)
