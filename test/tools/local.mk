# The command line tools, run as programs.
tool_tests = \
	test/tools/cat.sh test/tools/config.sh test/tools/dump.sh test/tools/errors.sh \
	test/tools/invalid.sh test/tools/split.sh test/tools/streams.sh test/tools/usage.sh

TESTS += $(tool_tests)
EXTRA_DIST += $(tool_tests) test/tools/lib.sh

tool_test_layers = \
	liblayer_api_serial.la liblayer_api_common.la $(core_layers) $(lock_layer)

check_PROGRAMS += test/tools/make_keys test/tools/make_large test/tools/make_set
test_tools_make_keys_SOURCES = test/tools/make_keys.c
test_tools_make_keys_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_tools_make_keys_LDADD = $(tool_test_layers)
test_tools_make_large_SOURCES = test/tools/make_large.c
test_tools_make_large_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_tools_make_large_LDADD = $(tool_test_layers)
test_tools_make_set_SOURCES = test/tools/make_set.c
test_tools_make_set_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/test
test_tools_make_set_LDADD = $(tool_test_layers)
