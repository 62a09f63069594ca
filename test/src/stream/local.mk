# The stream of a task.
EXTRA_DIST += test/src/stream/fixture.h

stream_tests = test/src/stream/export test/src/stream/lengths test/src/stream/property \
	test/src/stream/read test/src/stream/write
check_PROGRAMS += $(stream_tests)
TESTS += $(stream_tests)
test_src_stream_export_LDADD = $(layer_stream)
test_src_stream_lengths_LDADD = $(layer_stream)
test_src_stream_property_LDADD = $(layer_stream)
test_src_stream_read_LDADD = $(layer_stream)
test_src_stream_write_LDADD = $(layer_stream)
