# The command line tools, run as programs.
EXTRA_DIST += test/tools/cat.sh test/tools/compress.sh test/tools/config.sh test/tools/damaged.py test/tools/damaged.sh \
	test/tools/damaged_all.sh test/tools/damaged_model.py test/tools/damaged_task.sh \
	test/tools/defrag.sh test/tools/defrag_compress.sh test/tools/descriptors.sh test/tools/diff.sh test/tools/drain.sh test/tools/run.sh test/tools/run_drain.sh test/tools/run_kills.sh test/tools/run_lib.sh test/tools/run_namespace.sh test/tools/run_recover.sh test/tools/dump.sh \
	test/tools/errors.sh test/tools/follow.sh test/tools/generations.sh test/tools/hostile.sh test/tools/invalid.sh test/tools/json.sh \
	test/tools/lib.sh test/tools/ls.sh test/tools/members.sh test/tools/memory.sh test/tools/merge.sh \
	test/tools/mount.sh test/tools/moves.sh test/tools/outputs.sh test/tools/packed.sh test/tools/pages.sh \
	test/tools/progress.sh test/tools/share.sh test/tools/split.sh test/tools/streams.sh test/tools/svg.sh \
	test/tools/together.sh test/tools/usage.sh test/tools/verify.sh

tools_tests = test/tools/advice test/tools/progress_line test/tools/replace test/tools/text
check_PROGRAMS += $(tools_tests) test/tools/make_bomb test/tools/make_full test/tools/make_grown test/tools/make_keys \
	test/tools/make_large test/tools/make_many test/tools/make_members test/tools/make_set test/tools/make_zip \
	test/tools/make_special test/tools/messages test/tools/peak test/tools/tasks
TESTS += $(tools_tests) test/tools/cat.sh test/tools/compress.sh test/tools/config.sh test/tools/damaged.sh \
	test/tools/damaged_task.sh test/tools/defrag.sh test/tools/defrag_compress.sh test/tools/descriptors.sh test/tools/diff.sh test/tools/drain.sh test/tools/run.sh test/tools/run_drain.sh test/tools/run_kills.sh test/tools/run_namespace.sh test/tools/run_recover.sh \
	test/tools/dump.sh test/tools/errors.sh test/tools/follow.sh test/tools/generations.sh test/tools/hostile.sh test/tools/invalid.sh \
	test/tools/json.sh test/tools/ls.sh test/tools/members.sh test/tools/memory.sh test/tools/merge.sh \
	test/tools/mount.sh test/tools/moves.sh test/tools/outputs.sh test/tools/packed.sh test/tools/pages.sh \
	test/tools/progress.sh test/tools/share.sh test/tools/split.sh test/tools/streams.sh test/tools/svg.sh \
	test/tools/together.sh test/tools/usage.sh test/tools/verify.sh
full_tests += test/tools/damaged_all.sh
test_tools_advice_SOURCES = test/tools/advice.c utils/sionls/advice.c
test_tools_advice_LDADD = $(tool_layers)
test_tools_make_bomb_LDADD = $(layer_serial)
test_tools_make_full_LDADD = $(layer_serial)
test_tools_make_grown_LDADD = $(layer_serial)
test_tools_make_keys_LDADD = $(layer_serial)
test_tools_make_large_LDADD = $(layer_serial)
test_tools_make_zip_LDADD = $(layer_serial)
test_tools_make_many_LDADD = $(layer_serial)
test_tools_make_members_LDADD = liblayer_format.la $(layer_base)
test_tools_make_set_LDADD = $(layer_serial)
test_tools_make_special_LDADD = $(layer_serial)
test_tools_progress_line_LDADD = liblayer_tools.la $(layer_base)
test_tools_replace_LDADD = liblayer_tools.la liblayer_comm.la $(layer_serial)
test_tools_tasks_LDADD = $(layer_serial)
if HAVE_CHECKSUM
test_tools_tasks_LDADD += libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
test_tools_text_LDADD = liblayer_tools.la $(layer_base)

if HAVE_PTHREADS
check_PROGRAMS += test/tools/make_grown_set
test_tools_make_grown_set_LDADD = $(generic_libraries)
endif

if HAVE_CHECKSUM
check_PROGRAMS += test/tools/make_sums
test_tools_make_sums_LDADD = libsionchecksum_64.la $(layer_serial) $(CHECKSUM_LIBS)
endif

if HAVE_FTIFF
check_PROGRAMS += test/tools/make_fti
test_tools_make_fti_LDADD = $(fti_libraries)
endif

if HAVE_MPI
check_PROGRAMS += test/tools/make_staged_mpi
test_tools_make_staged_mpi_CPPFLAGS = $(mpi_cppflags)
test_tools_make_staged_mpi_LDADD = $(mpi_libraries)
endif
