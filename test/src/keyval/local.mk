# Keys and values.

check_PROGRAMS += test/src/keyval/keyval
TESTS += test/src/keyval/keyval
test_src_keyval_keyval_LDADD = $(layer_keyval)
