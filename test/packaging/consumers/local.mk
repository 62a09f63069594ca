# Build systems that look for an installed library.
EXTRA_DIST += test/packaging/consumers/array.c test/packaging/consumers/array.f90 \
	test/packaging/consumers/array_mpi.c test/packaging/consumers/array_mpi.f90 \
	test/packaging/consumers/built.sh test/packaging/consumers/checksum.c \
	test/packaging/consumers/cmake-alias/CMakeLists.txt \
	test/packaging/consumers/cmake-find/CMakeLists.txt \
	test/packaging/consumers/cmake-module/CMakeLists.txt \
	test/packaging/consumers/cmake-module/FindSIONlib.cmake \
	test/packaging/consumers/cmake-package/CMakeLists.txt test/packaging/consumers/consumers.sh \
	test/packaging/consumers/examples.sh test/packaging/consumers/fti.c \
	test/packaging/consumers/fti_mpi.c test/packaging/consumers/generic.c \
	test/packaging/consumers/mpi.c test/packaging/consumers/mpi.cc test/packaging/consumers/mpi.f90 \
	test/packaging/consumers/omp.c test/packaging/consumers/omp.cc test/packaging/consumers/omp.f90 \
	test/packaging/consumers/ompi.c test/packaging/consumers/ompi.f90 \
	test/packaging/consumers/prefix.sh test/packaging/consumers/recipes.sh \
	test/packaging/consumers/scr.c test/packaging/consumers/scr_mpi.c test/packaging/consumers/serial.c \
	test/packaging/consumers/serial.cc test/packaging/consumers/serial.f90 \
	test/packaging/consumers/tool_probe.c

TESTS += test/packaging/consumers/consumers.sh test/packaging/consumers/examples.sh
full_tests += test/packaging/consumers/prefix.sh test/packaging/consumers/recipes.sh
