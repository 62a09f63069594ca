# Fuzz targets, which are short tests here; scripts/fuzz.sh builds them for libFuzzer and AFL++.
fuzz_driver = test/fuzz/driver.c test/fuzz/fuzz.h
fuzz_memory = $(fuzz_driver) test/fuzz/memory.c test/fuzz/memory.h
fuzz_joined = test/fuzz/joined.c test/fuzz/joined.h
fuzz_container = $(fuzz_memory) test/fuzz/container.c test/fuzz/container.h
fuzz_programs = \
	test/fuzz/arrays test/fuzz/compress test/fuzz/generations test/fuzz/header test/fuzz/keyval test/fuzz/mapping test/fuzz/members test/fuzz/meta2 test/fuzz/mode test/fuzz/packed test/fuzz/slots
if HAVE_CHECKSUM
fuzz_programs += test/fuzz/checksum
endif
if HAVE_FTIFF
fuzz_programs += test/fuzz/ftiff
endif
if HAVE_ZLIB
fuzz_programs += test/fuzz/kvtree test/fuzz/maps
endif
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)

test_fuzz_arrays_SOURCES = test/fuzz/arrays.c $(fuzz_container)
test_fuzz_arrays_LDADD = $(array_libraries)
test_fuzz_checksum_SOURCES = test/fuzz/checksum.c $(fuzz_container)
test_fuzz_checksum_LDADD = libsionchecksum_64.la $(api_libraries) $(CHECKSUM_LIBS)
test_fuzz_compress_SOURCES = test/fuzz/compress.c $(fuzz_container)
test_fuzz_compress_LDADD = $(api_libraries)
test_fuzz_ftiff_SOURCES = test/fuzz/ftiff.c $(fuzz_driver)
test_fuzz_ftiff_LDADD = $(fti_libraries)
test_fuzz_generations_SOURCES = test/fuzz/generations.c $(fuzz_container)
test_fuzz_generations_LDADD = $(api_libraries)
test_fuzz_header_SOURCES = test/fuzz/header.c $(fuzz_container)
test_fuzz_header_LDADD = $(api_libraries)
test_fuzz_keyval_SOURCES = test/fuzz/keyval.c $(fuzz_container)
test_fuzz_keyval_LDADD = $(api_libraries)
test_fuzz_kvtree_SOURCES = test/fuzz/kvtree.c $(fuzz_driver)
test_fuzz_kvtree_LDADD = $(scr_libraries)
test_fuzz_mapping_SOURCES = test/fuzz/mapping.c $(fuzz_container) $(fuzz_joined)
test_fuzz_mapping_LDADD = $(api_libraries)
test_fuzz_maps_SOURCES = test/fuzz/maps.c $(fuzz_memory) $(fuzz_joined)
test_fuzz_maps_LDADD = $(scr_libraries)
test_fuzz_members_SOURCES = test/fuzz/members.c $(fuzz_container)
test_fuzz_members_LDADD = $(api_libraries)
test_fuzz_meta2_SOURCES = test/fuzz/meta2.c $(fuzz_container)
test_fuzz_meta2_LDADD = $(api_libraries)
test_fuzz_mode_SOURCES = test/fuzz/mode.c $(fuzz_driver)
test_fuzz_mode_LDADD = $(api_libraries)
test_fuzz_packed_SOURCES = test/fuzz/packed.c $(fuzz_driver)
test_fuzz_packed_LDADD = liblayer_pack.la $(layer_serial)
test_fuzz_slots_SOURCES = test/fuzz/slots.c $(fuzz_container)
test_fuzz_slots_LDADD = $(api_libraries)
