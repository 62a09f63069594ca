# Programs of other projects, which know nothing of containers, under sionrun.
EXTRA_DIST += test/programs/lib.sh test/programs/openfoam.sh test/programs/lammps.sh test/programs/espresso.sh test/programs/farms.sh
TESTS += test/programs/openfoam.sh test/programs/lammps.sh test/programs/espresso.sh test/programs/farms.sh
