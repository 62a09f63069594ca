# Programs for each topic of base. Like those of the rooms above it, they link their layer and those
# below, and nothing else: a call in the wrong direction is a link error here.

base_tests = test/src/base/byteorder test/src/base/error test/src/base/handles test/src/base/lock \
	test/src/base/lock_none test/src/base/memory test/src/base/mode test/src/base/shuffle
check_PROGRAMS += $(base_tests)
TESTS += $(base_tests)
test_src_base_byteorder_LDADD = $(layer_base)
test_src_base_error_LDADD = $(layer_base)
test_src_base_handles_LDADD = $(layer_base)
test_src_base_lock_LDADD = $(layer_base)
test_src_base_lock_none_SOURCES = test/src/base/lock.c
test_src_base_lock_none_LDADD = liblayer_base.la liblayer_lock_none.la
test_src_base_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=madvise
test_src_base_memory_LDADD = $(layer_base)
test_src_base_mode_LDADD = $(layer_base)
test_src_base_shuffle_LDADD = $(layer_base)

if HAVE_CHECKSUM
check_PROGRAMS += test/src/base/crc_sum
TESTS += test/src/base/crc_sum
test_src_base_crc_sum_LDADD = libsionchecksum_64.la $(layer_base) $(CHECKSUM_LIBS)
endif
