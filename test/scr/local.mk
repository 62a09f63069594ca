# The SCR layer and its tool.
EXTRA_DIST += test/scr/lib.sh test/scr/build.sh test/scr/claims.sh test/scr/restart.sh test/scr/dump.sh test/scr/containers.sh test/scr/export.sh test/scr/prefix.sh test/scr/decode.py \
	test/scr/seal.sh test/scr/import.sh test/scr/example.sh test/scr/stub/scr.h test/scr/mpi.sh test/scr/ompi.sh test/scr/processes.sh \
	test/scr/map_tasks.h test/scr/mpi_scr.h test/scr/operations.h test/scr/scr_check.h test/scr/trees.h test/layers/thread_tasks.h
if HAVE_ZLIB
scr_libraries = libsionscr_64.la libsiongen_64.la $(api_libraries) $(ZLIB_LIBS)
scr_programs = test/scr/attach test/scr/census test/scr/comm_faults test/scr/entries test/scr/faults test/scr/filemap test/scr/index test/scr/kept test/scr/kvtree test/scr/lack test/scr/memory test/scr/odd_maps test/scr/owners test/scr/reports test/scr/scale test/scr/tree
check_PROGRAMS += $(scr_programs) test/scr/mark_failed test/scr/scavenge
TESTS += $(scr_programs) test/scr/build.sh test/scr/claims.sh test/scr/dump.sh test/scr/containers.sh test/scr/export.sh test/scr/prefix.sh test/scr/seal.sh test/scr/import.sh test/scr/restart.sh

test_scr_mark_failed_SOURCES = test/scr/mark_failed.c
test_scr_mark_failed_LDADD = $(scr_libraries)
test_scr_scavenge_SOURCES = test/scr/scavenge.c
test_scr_scavenge_LDADD = $(scr_libraries)
test_scr_kept_SOURCES = test/scr/kept.c
test_scr_kept_LDADD = $(scr_libraries)
test_scr_kvtree_SOURCES = test/scr/kvtree.c
test_scr_kvtree_LDADD = $(scr_libraries)

test_scr_census_SOURCES = test/scr/census.c
test_scr_census_LDADD = $(scr_libraries)
test_scr_comm_faults_SOURCES = test/scr/comm_faults.c
test_scr_comm_faults_LDADD = $(scr_libraries)
test_scr_entries_SOURCES = test/scr/entries.c
test_scr_entries_LDADD = $(scr_libraries)
test_scr_attach_SOURCES = test/scr/attach.c
test_scr_attach_LDADD = $(scr_libraries)
test_scr_faults_SOURCES = test/scr/faults.c
test_scr_faults_LDADD = $(scr_libraries)
test_scr_filemap_SOURCES = test/scr/filemap.c
test_scr_filemap_LDADD = $(scr_libraries)
test_scr_index_SOURCES = test/scr/index.c
test_scr_index_LDADD = $(scr_libraries)
test_scr_lack_SOURCES = test/scr/lack.c
test_scr_lack_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_scr_lack_LDADD = $(scr_libraries)
test_scr_memory_SOURCES = test/scr/memory.c
test_scr_memory_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_scr_memory_LDADD = $(scr_libraries)
test_scr_odd_maps_SOURCES = test/scr/odd_maps.c
test_scr_odd_maps_LDADD = $(scr_libraries)
test_scr_owners_SOURCES = test/scr/owners.c
test_scr_owners_LDADD = $(scr_libraries)
test_scr_reports_SOURCES = test/scr/reports.c
test_scr_reports_LDADD = $(scr_libraries)
test_scr_scale_SOURCES = test/scr/scale.c
test_scr_scale_LDADD = $(scr_libraries)
test_scr_tree_SOURCES = test/scr/tree.c
test_scr_tree_LDADD = $(scr_libraries)

if HAVE_MPI
check_PROGRAMS += test/scr/mpi_attach test/scr/mpi_datasets test/scr/mpi_maps test/scr/example
TESTS += test/scr/example.sh test/scr/mpi.sh test/scr/processes.sh
test_scr_example_SOURCES = examples/scr3.c
test_scr_example_CPPFLAGS = $(mpi_cppflags) -I$(srcdir)/test/scr/stub
test_scr_example_LDADD = $(mpi_libraries)
scr_mpi_libraries = libsionscr_mpi_64.la libsionscr_64.la $(mpi_libraries) $(ZLIB_LIBS)
test_scr_mpi_attach_SOURCES = test/scr/mpi_attach.c
test_scr_mpi_attach_CPPFLAGS = $(mpi_cppflags)
test_scr_mpi_attach_LDADD = $(scr_mpi_libraries)
test_scr_mpi_datasets_SOURCES = test/scr/mpi_datasets.c
test_scr_mpi_datasets_CPPFLAGS = $(mpi_cppflags)
test_scr_mpi_datasets_LDADD = $(scr_mpi_libraries)
test_scr_mpi_maps_SOURCES = test/scr/mpi_maps.c
test_scr_mpi_maps_CPPFLAGS = $(mpi_cppflags)
test_scr_mpi_maps_LDADD = $(scr_mpi_libraries)
endif

if HAVE_OPENMP
check_PROGRAMS += test/scr/omp
TESTS += test/scr/omp
test_scr_omp_SOURCES = test/scr/teams.c
test_scr_omp_CPPFLAGS = $(AM_CPPFLAGS) -DSION_OMP
test_scr_omp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
test_scr_omp_LDADD = libsionscr_64.la libsionomp_64.la libsiongen_64.la $(api_libraries) $(ZLIB_LIBS)
endif

if HAVE_HYBRID
check_PROGRAMS += test/scr/ompi
TESTS += test/scr/ompi.sh
test_scr_ompi_SOURCES = test/scr/teams.c
test_scr_ompi_CPPFLAGS = $(mpi_cppflags) -DWITH_MPI
test_scr_ompi_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
test_scr_ompi_LDADD = libsionscr_64.la libsionompi_64.la $(mpi_libraries) $(ZLIB_LIBS)
endif
endif
