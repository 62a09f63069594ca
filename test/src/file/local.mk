# The tables of a container, one rank of it, and checksums of what is read.

file_tests = test/src/file/file test/src/file/guard test/src/file/one_rank
check_PROGRAMS += $(file_tests)
TESTS += $(file_tests)
test_src_file_file_LDADD = $(layer_file)
test_src_file_guard_LDADD = $(layer_file)
test_src_file_one_rank_LDADD = $(layer_file)
