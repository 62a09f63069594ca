# Power failures: what was recorded of a run is replayed, with what was not synced left out.
EXTRA_DIST += test/power/container.h test/power/disk.h test/power/replay.h test/power/full.sh
check_PROGRAMS += test/power/serial
TESTS += test/power/serial
test_power_serial_SOURCES = test/power/serial.c test/power/siondefrag.c test/power/sionsplit.c \
	utils/sionsplit/keys.c utils/sionsplit/keys.h utils/sionsplit/settings.h
test_power_serial_LDADD = $(world_layers) $(tool_layers) $(world_libraries)

if HAVE_PTHREADS
check_PROGRAMS += test/power/generic
TESTS += test/power/generic
test_power_generic_SOURCES = test/power/generic.c src/comm/threads.c src/comm/threads.h
test_power_generic_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/layers
test_power_generic_LDADD = liblayer_pair.la $(test_layers_generic_threads_LDADD)
endif

if HAVE_FTIFF
if HAVE_PTHREADS
check_PROGRAMS += test/power/fti
TESTS += test/power/fti
test_power_fti_SOURCES = test/power/fti.c
test_power_fti_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/layers
test_power_fti_LDADD = $(fti_api) $(lock_layer)
endif
check_PROGRAMS += test/power/sionfti
TESTS += test/power/sionfti
test_power_sionfti_SOURCES = test/power/sionfti.c test/power/sionfti_tool.c $(sionfti_commands)
test_power_sionfti_LDADD = $(sionfti_LDADD)
endif

if HAVE_ZLIB
check_PROGRAMS += test/power/scr
TESTS += test/power/scr
test_power_scr_SOURCES = test/power/scr.c
test_power_scr_LDADD = $(scr_libraries)
endif
