# C++ programs, which the test builds as users would.
EXTRA_DIST += test/bindings/cxx/arrays.cc test/bindings/cxx/cxx.sh test/bindings/cxx/mdspan \
	test/bindings/cxx/mpi.cc test/bindings/cxx/scope.cc test/bindings/cxx/serial.cc \
	test/bindings/cxx/threads.cc test/bindings/cxx/wrong.cc

TESTS += test/bindings/cxx/cxx.sh
