# Containers that were never closed.
check_PROGRAMS += test/recover/serial test/recover/faults test/recover/make_unclosed
TESTS += test/recover/serial test/recover/faults test/recover/tool.sh
EXTRA_DIST += test/recover/journal.h test/recover/unclosed.h test/recover/tool.sh test/recover/mpi.sh test/recover/long.sh

test_recover_serial_SOURCES = test/recover/serial.c
test_recover_serial_LDADD = $(api_libraries)

test_recover_faults_SOURCES = test/recover/faults.c
test_recover_faults_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_recover_faults_LDADD = $(test_recover_make_unclosed_LDADD)

test_recover_make_unclosed_SOURCES = test/recover/make_unclosed.c
test_recover_make_unclosed_LDADD = \
	liblayer_api_serial.la liblayer_api_common.la $(core_layers) $(lock_layer)

if HAVE_MPI
check_PROGRAMS += test/recover/mpi
TESTS += test/recover/mpi.sh
test_recover_mpi_SOURCES = test/recover/mpi.c
test_recover_mpi_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
test_recover_mpi_LDADD = libsionmpi_64.la libsiongen_64.la $(api_libraries) $(MPI_LIBS)
endif
