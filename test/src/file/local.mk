# The tables of a container, and one rank of it.

file_tests = test/src/file/file test/src/file/one_rank
check_PROGRAMS += $(file_tests)
TESTS += $(file_tests)
test_src_file_file_LDADD = $(layer_file)
test_src_file_one_rank_LDADD = $(layer_file)
