# Packed files.
EXTRA_DIST += test/src/pack/gnutar.sh test/src/pack/pack.h

pack_tests = test/src/pack/index test/src/pack/tar test/src/pack/tree
check_PROGRAMS += $(pack_tests) test/src/pack/packtar
TESTS += $(pack_tests) test/src/pack/gnutar.sh
test_src_pack_index_LDADD = $(layer_pack)
test_src_pack_packtar_LDADD = $(layer_pack)
test_src_pack_tar_LDADD = $(layer_pack)
test_src_pack_tree_LDADD = $(layer_pack)

test/src/pack/gnutar.log: test/src/pack/packtar
