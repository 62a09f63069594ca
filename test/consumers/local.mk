# Build systems that look for an installed library.
TESTS += test/consumers/consumers.sh test/consumers/examples.sh

# Builds of the library in other ways, and what else takes minutes: not in "make check".
full_tests = test/power/full.sh test/consumers/recipes.sh test/consumers/prefix.sh test/recover/long.sh \
	test/tools/damaged_all.sh test/faults/product.sh
check-full:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TESTS) $(full_tests)'
.PHONY: check-full
EXTRA_DIST += test/consumers/built.sh test/consumers/examples.sh test/consumers/recipes.sh test/consumers/prefix.sh \
	test/consumers/consumers.sh test/consumers/serial.c test/consumers/generic.c \
	test/consumers/mpi.c test/consumers/omp.c test/consumers/ompi.c test/consumers/serial.f90 \
	test/consumers/array.c test/consumers/array_mpi.c test/consumers/checksum.c test/consumers/scr.c test/consumers/scr_mpi.c test/consumers/fti.c test/consumers/fti_mpi.c \
	test/consumers/serial.cc test/consumers/mpi.cc test/consumers/omp.cc \
	test/consumers/array.f90 test/consumers/array_mpi.f90 test/consumers/mpi.f90 test/consumers/omp.f90 test/consumers/ompi.f90 test/consumers/tool_probe.c \
	test/consumers/cmake-module/CMakeLists.txt test/consumers/cmake-module/FindSIONlib.cmake \
	test/consumers/cmake-package/CMakeLists.txt test/consumers/cmake-alias/CMakeLists.txt \
	test/consumers/cmake-find/CMakeLists.txt
