# What is written to a file, and read from it.

format_tests = test/src/format/checksum test/src/format/frames test/src/format/members test/src/format/meta1 \
	test/src/format/meta2 test/src/format/places test/src/format/slot test/src/format/state
check_PROGRAMS += $(format_tests)
TESTS += $(format_tests)
test_src_format_frames_LDADD = $(layer_format)
test_src_format_checksum_LDADD = $(layer_format)
test_src_format_members_LDADD = $(layer_format)
test_src_format_meta1_LDADD = $(layer_format)
test_src_format_meta2_LDADD = $(layer_format)
test_src_format_places_LDADD = $(layer_format)
test_src_format_slot_LDADD = $(layer_format)
test_src_format_state_LDADD = $(layer_format)
