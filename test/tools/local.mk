# The command line tools, run as programs.
tool_tests = \
	test/tools/cat.sh test/tools/config.sh test/tools/damaged.sh test/tools/damaged_task.sh test/tools/defrag.sh test/tools/descriptors.sh test/tools/dump.sh test/tools/errors.sh test/tools/hostile.sh \
	test/tools/invalid.sh test/tools/json.sh test/tools/members.sh test/tools/memory.sh test/tools/merge.sh test/tools/outputs.sh test/tools/pages.sh test/tools/progress.sh test/tools/split.sh test/tools/streams.sh test/tools/svg.sh test/tools/usage.sh test/tools/verify.sh

tool_tests += test/tools/diff.sh test/tools/ls.sh test/tools/mount.sh test/tools/share.sh test/tools/together.sh
TESTS += $(tool_tests)
EXTRA_DIST += $(tool_tests) test/tools/lib.sh test/tools/damaged.py test/tools/damaged_model.py test/tools/damaged_all.sh

tool_test_layers = \
	liblayer_api_serial.la liblayer_api_common.la $(core_layers) $(lock_layer)

check_PROGRAMS += test/tools/make_bomb test/tools/make_full test/tools/make_keys test/tools/make_large test/tools/make_many test/tools/make_members test/tools/make_set \
	test/tools/messages test/tools/peak
test_tools_make_bomb_SOURCES = test/tools/make_bomb.c
test_tools_make_bomb_LDADD = $(tool_test_layers)
test_tools_make_full_SOURCES = test/tools/make_full.c
test_tools_make_full_LDADD = $(tool_test_layers)
test_tools_make_keys_SOURCES = test/tools/make_keys.c
test_tools_make_keys_LDADD = $(tool_test_layers)
test_tools_make_large_SOURCES = test/tools/make_large.c
test_tools_make_large_LDADD = $(tool_test_layers)
test_tools_make_many_SOURCES = test/tools/make_many.c
test_tools_make_many_LDADD = $(tool_test_layers)
test_tools_make_members_SOURCES = test/tools/make_members.c
test_tools_make_members_LDADD = liblayer_format.la liblayer_base.la $(lock_layer)
test_tools_make_set_SOURCES = test/tools/make_set.c
test_tools_make_set_LDADD = $(tool_test_layers)
test_tools_messages_SOURCES = test/tools/messages.c
test_tools_peak_SOURCES = test/tools/peak.c

check_PROGRAMS += test/tools/advice test/tools/progress_line test/tools/replace test/tools/text
TESTS += test/tools/advice test/tools/progress_line test/tools/replace test/tools/text
test_tools_advice_SOURCES = test/tools/advice.c utils/sionls/advice.c
test_tools_advice_LDADD = $(tool_layers)
test_tools_progress_line_SOURCES = test/tools/progress_line.c
test_tools_progress_line_LDADD = liblayer_tools.la liblayer_base.la $(lock_layer)
test_tools_text_SOURCES = test/tools/text.c
test_tools_text_LDADD = liblayer_tools.la liblayer_base.la $(lock_layer)
test_tools_replace_SOURCES = test/tools/replace.c
test_tools_replace_LDADD = liblayer_tools.la liblayer_comm.la $(tool_test_layers)

check_PROGRAMS += test/tools/tasks
test_tools_tasks_SOURCES = test/tools/tasks.c
test_tools_tasks_LDADD = $(tool_test_layers)
if HAVE_CHECKSUM
test_tools_tasks_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif

check_PROGRAMS += test/tools/make_special
test_tools_make_special_SOURCES = test/tools/make_special.c
test_tools_make_special_LDADD = $(tool_test_layers)
if HAVE_CHECKSUM
check_PROGRAMS += test/tools/make_sums
test_tools_make_sums_SOURCES = test/tools/make_sums.c
test_tools_make_sums_LDADD = libsionchecksum_64.la $(tool_test_layers) $(CHECKSUM_LIBS)
endif
if HAVE_FTIFF
check_PROGRAMS += test/tools/make_fti
test_tools_make_fti_SOURCES = test/tools/make_fti.c
test_tools_make_fti_LDADD = libsionfti_64.la libsiongen_64.la $(api_libraries) $(NETTLE_LIBS)
endif
