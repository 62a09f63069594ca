# The descriptions are replaced by scripts/abi.sh --accept.
EXTRA_DIST += test/src/abi/fenced.h test/src/abi/headers/sion_array.h \
	test/src/abi/headers/sion_recover.h test/src/abi/headers/sion_scr.h \
	test/src/abi/headers/sion_stats.h test/src/abi/interface.sh test/src/abi/libsion.abi \
	test/src/abi/libsion_array.abi test/src/abi/libsion_array_f90.names \
	test/src/abi/libsion_checksum.abi test/src/abi/libsion_cxx.names test/src/abi/libsion_f90.names \
	test/src/abi/libsion_fti.abi test/src/abi/libsion_fti_mpi.abi test/src/abi/libsion_mpi.abi \
	test/src/abi/libsion_mpi_cxx.names test/src/abi/libsion_mpi_f90.names test/src/abi/libsion_scr.abi \
	test/src/abi/libsion_scr_mpi.abi test/src/abi/private.suppr test/src/abi/symbols.sh

check_PROGRAMS += test/src/abi/older
TESTS += test/src/abi/interface.sh test/src/abi/older test/src/abi/symbols.sh
test_src_abi_older_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/src/abi
test_src_abi_older_LDADD = $(array_libraries)

if HAVE_ZLIB
check_PROGRAMS += test/src/abi/older_scr
TESTS += test/src/abi/older_scr
test_src_abi_older_scr_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test/src/abi
test_src_abi_older_scr_LDADD = $(scr_libraries)
endif
