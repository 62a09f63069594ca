# Fortran programs, which the test builds as users would.
EXTRA_DIST += test/bindings/fortran/arrays.f90 test/bindings/fortran/arrays_c.c \
	test/bindings/fortran/arrays_mpi.f90 test/bindings/fortran/as_c.sh test/bindings/fortran/f08.f90 \
	test/bindings/fortran/fortran.sh test/bindings/fortran/mpi.f90 test/bindings/fortran/mpi77.f \
	test/bindings/fortran/omp.f90 test/bindings/fortran/ompi.f90 test/bindings/fortran/ompi08.f90 \
	test/bindings/fortran/serial.f90 test/bindings/fortran/serial77.f test/bindings/fortran/short.f90 \
	test/bindings/fortran/stop.f90 test/bindings/fortran/write_c.c

TESTS += test/bindings/fortran/fortran.sh
