# Power failures: what was recorded of a run is replayed, with what was not synced left out.
EXTRA_DIST += test/faults/power/container.h test/faults/power/disk.h test/faults/power/full.sh \
	test/faults/power/replay.h

check_PROGRAMS += test/faults/power/serial
TESTS += test/faults/power/serial
full_tests += test/faults/power/full.sh
test_faults_power_serial_SOURCES = test/faults/power/serial.c test/faults/power/siondefrag.c \
	test/faults/power/sionsplit.c utils/siondefrag/move.c utils/siondefrag/move.h \
	utils/siondefrag/spool.c utils/siondefrag/spool.h utils/sionsplit/files.c utils/sionsplit/files.h utils/sionsplit/keys.c utils/sionsplit/keys.h utils/sionsplit/settings.h
test_faults_power_serial_LDADD = $(world_layers) $(tool_layers) $(world_libraries)

if HAVE_PTHREADS
check_PROGRAMS += test/faults/power/generic
TESTS += test/faults/power/generic
test_faults_power_generic_SOURCES = test/faults/power/generic.c src/comm/threads.c src/comm/threads.h
# Objects with a name of their own, next to those of the library.
test_faults_power_generic_CPPFLAGS = $(AM_CPPFLAGS)
test_faults_power_generic_LDADD = liblayer_pair.la $(generic_libraries)
endif

if HAVE_FTIFF
check_PROGRAMS += test/faults/power/sionfti
TESTS += test/faults/power/sionfti
test_faults_power_sionfti_SOURCES = test/faults/power/sionfti.c test/faults/power/sionfti_tool.c \
	$(sionfti_commands)
test_faults_power_sionfti_LDADD = $(sionfti_LDADD)
endif

if HAVE_ZLIB
check_PROGRAMS += test/faults/power/scr
TESTS += test/faults/power/scr
test_faults_power_scr_LDADD = $(scr_libraries)
endif

if HAVE_FTIFF
if HAVE_PTHREADS
check_PROGRAMS += test/faults/power/fti
TESTS += test/faults/power/fti
test_faults_power_fti_LDADD = $(fti_libraries) $(lock_layer)
endif
endif
