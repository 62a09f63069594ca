# Programs in C++, built by the test as their users build them.
TESTS += test/cxx/cxx.sh
EXTRA_DIST += test/cxx/cxx.sh test/cxx/serial.cc test/cxx/mpi.cc test/cxx/threads.cc test/cxx/wrong.cc \
	test/cxx/arrays.cc test/cxx/mdspan
