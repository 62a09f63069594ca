# Where chunks are in a file, and who writes them.
EXTRA_DIST += test/src/geometry/collective_model.py test/src/geometry/collective_model.sh

geometry_tests = test/src/geometry/buddy test/src/geometry/collective test/src/geometry/layout \
	test/src/geometry/share test/src/geometry/split
check_PROGRAMS += $(geometry_tests)
TESTS += $(geometry_tests) test/src/geometry/collective_model.sh
test_src_geometry_buddy_LDADD = $(layer_geometry)
test_src_geometry_collective_LDADD = $(layer_geometry)
test_src_geometry_layout_LDADD = $(layer_geometry)
test_src_geometry_share_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_geometry_share_LDADD = $(layer_geometry)
test_src_geometry_split_LDADD = $(layer_geometry)

test/src/geometry/collective_model.log: test/src/geometry/collective
