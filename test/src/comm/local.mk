# Communication. Threads that OpenMP did not start let race detectors understand them.
EXTRA_DIST += test/src/comm/echo_comm.h test/src/comm/echo_unequal.h test/src/comm/model.h test/src/comm/thread_comm.h \
	test/src/comm/thread_tasks.h test/src/comm/transfer.h

comm_tests = test/src/comm/comm test/src/comm/pair
check_PROGRAMS += $(comm_tests)
TESTS += $(comm_tests)
test_src_comm_comm_LDADD = liblayer_comm.la $(layer_base)
test_src_comm_pair_LDADD = liblayer_pair.la liblayer_comm.la $(layer_base)

if HAVE_PTHREADS
if HAVE_OPENMP
check_PROGRAMS += test/src/comm/threads
TESTS += test/src/comm/threads
test_src_comm_threads_LDADD = liblayer_threads.la liblayer_pair.la liblayer_comm.la $(layer_base)
endif
endif
