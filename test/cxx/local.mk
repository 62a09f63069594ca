# C++ programs, which the test builds as users would.
TESTS += test/cxx/cxx.sh
EXTRA_DIST += test/cxx/cxx.sh test/cxx/serial.cc test/cxx/mpi.cc test/cxx/threads.cc test/cxx/wrong.cc \
	test/cxx/arrays.cc test/cxx/scope.cc test/cxx/mdspan
