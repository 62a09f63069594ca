# The descriptions are replaced by scripts/abi.sh --accept.
TESTS += test/abi/interface.sh test/abi/symbols.sh
EXTRA_DIST += \
	test/abi/interface.sh test/abi/symbols.sh test/abi/private.suppr \
	test/abi/libsion.abi test/abi/libsion_array.abi test/abi/libsion_checksum.abi test/abi/libsion_fti.abi \
	test/abi/libsion_fti_mpi.abi test/abi/libsion_mpi.abi test/abi/libsion_scr.abi test/abi/libsion_scr_mpi.abi \
	test/abi/libsion_array_f90.names test/abi/libsion_cxx.names test/abi/libsion_f90.names \
	test/abi/libsion_mpi_cxx.names test/abi/libsion_mpi_f90.names

check_PROGRAMS += test/abi/older
TESTS += test/abi/older
test_abi_older_SOURCES = test/abi/older.c
test_abi_older_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/abi
test_abi_older_LDADD = libsionarray_64.la libsiongen_64.la $(api_libraries)
EXTRA_DIST += test/abi/fenced.h test/abi/headers/sion_array.h test/abi/headers/sion_stats.h test/abi/headers/sion_recover.h test/abi/headers/sion_scr.h

if HAVE_ZLIB
check_PROGRAMS += test/abi/older_scr
TESTS += test/abi/older_scr
test_abi_older_scr_SOURCES = test/abi/older_scr.c
test_abi_older_scr_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/abi
test_abi_older_scr_LDADD = $(scr_libraries)
endif
