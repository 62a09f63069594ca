# Several nodes on one machine, made of namespaces.
EXTRA_DIST += test/nodes/nodes.sh test/nodes/lib.sh test/nodes/launch.sh test/nodes/suites.sh test/nodes/jobs.sh \
	test/nodes/dies.sh test/nodes/drains.sh test/nodes/gluster.sh \
	test/nodes/nfs.sh test/nodes/nfs_mount.c test/nodes/programs.sh test/nodes/scr.sh
if HAVE_MPI
check_PROGRAMS += test/nodes/replaced_mpi test/nodes/files_mpi
TESTS += test/nodes/suites.sh test/nodes/jobs.sh test/nodes/dies.sh test/nodes/drains.sh test/nodes/programs.sh test/nodes/scr.sh
full_tests += test/nodes/gluster.sh test/nodes/nfs.sh
test_nodes_files_mpi_CPPFLAGS = $(mpi_cppflags)
test_nodes_files_mpi_LDADD = $(MPI_LIBS)
test_nodes_replaced_mpi_CPPFLAGS = $(mpi_cppflags)
test_nodes_replaced_mpi_LDADD = $(mpi_libraries)
endif
