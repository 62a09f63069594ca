# Fuzz targets, which are short tests here; scripts/fuzz.sh builds them for libFuzzer and AFL++.
fuzz_driver = test/fuzz/driver.c test/fuzz/fuzz.h
fuzz_container = $(fuzz_driver) test/fuzz/container.c test/fuzz/container.h test/fuzz/memory.c test/fuzz/memory.h
fuzz_programs = test/fuzz/header test/fuzz/mapping test/fuzz/meta2
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)

test_fuzz_header_SOURCES = test/fuzz/header.c $(fuzz_container)
test_fuzz_header_LDADD = $(api_libraries)
test_fuzz_mapping_SOURCES = test/fuzz/mapping.c $(fuzz_container)
test_fuzz_mapping_LDADD = $(api_libraries)
test_fuzz_meta2_SOURCES = test/fuzz/meta2.c $(fuzz_container)
test_fuzz_meta2_LDADD = $(api_libraries)
