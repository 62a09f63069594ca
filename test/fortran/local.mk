# Fortran programs, which the test builds as users would.
TESTS += test/fortran/fortran.sh
EXTRA_DIST += test/fortran/as_c.sh test/fortran/fortran.sh test/fortran/serial.f90 test/fortran/serial77.f \
	test/fortran/mpi.f90 test/fortran/mpi77.f test/fortran/f08.f90 test/fortran/omp.f90 \
	test/fortran/arrays.f90 test/fortran/arrays_c.c test/fortran/arrays_mpi.f90 \
	test/fortran/ompi.f90 test/fortran/ompi08.f90 test/fortran/short.f90 test/fortran/stop.f90 test/fortran/write_c.c
