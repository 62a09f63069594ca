# The SCR layer and its tool.
EXTRA_DIST += test/src/scr/all_mpi.sh test/src/scr/build.sh test/src/scr/claims.sh \
	test/src/scr/containers.sh test/src/scr/decode.py test/src/scr/dump.sh test/src/scr/example_mpi.sh \
	test/src/scr/export.sh test/src/scr/import.sh test/src/scr/lib.sh test/src/scr/map_tasks.h \
	test/src/scr/operations.h test/src/scr/prefix.sh test/src/scr/processes_mpi.sh \
	test/src/scr/restart.sh test/src/scr/scr_check.h test/src/scr/scr_mpi.h test/src/scr/seal.sh \
	test/src/scr/stub/scr.h test/src/scr/teams_ompi.sh test/src/scr/trees.h

if HAVE_ZLIB
scr_zlib_tests = test/src/scr/attach test/src/scr/census test/src/scr/comm_faults \
	test/src/scr/entries test/src/scr/faults test/src/scr/filemap test/src/scr/index test/src/scr/kept \
	test/src/scr/kvtree test/src/scr/lack test/src/scr/memory test/src/scr/odd_maps test/src/scr/owners \
	test/src/scr/reports test/src/scr/scale test/src/scr/tree
check_PROGRAMS += $(scr_zlib_tests) test/src/scr/mark_failed test/src/scr/scavenge
TESTS += $(scr_zlib_tests) test/src/scr/build.sh test/src/scr/claims.sh test/src/scr/containers.sh \
	test/src/scr/dump.sh test/src/scr/export.sh test/src/scr/import.sh test/src/scr/prefix.sh \
	test/src/scr/restart.sh test/src/scr/seal.sh
test_src_scr_attach_LDADD = $(scr_libraries)
test_src_scr_census_LDADD = $(scr_libraries)
test_src_scr_comm_faults_LDADD = $(scr_libraries)
test_src_scr_entries_LDADD = $(scr_libraries)
test_src_scr_faults_LDADD = $(scr_libraries)
test_src_scr_filemap_LDADD = $(scr_libraries)
test_src_scr_index_LDADD = $(scr_libraries)
test_src_scr_kept_LDADD = $(scr_libraries)
test_src_scr_kvtree_LDADD = $(scr_libraries)
test_src_scr_lack_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_scr_lack_LDADD = $(scr_libraries)
test_src_scr_mark_failed_LDADD = $(scr_libraries)
test_src_scr_memory_LDFLAGS = $(AM_LDFLAGS) $(lack_ldflags)
test_src_scr_memory_LDADD = $(scr_libraries)
test_src_scr_odd_maps_LDADD = $(scr_libraries)
test_src_scr_owners_LDADD = $(scr_libraries)
test_src_scr_reports_LDADD = $(scr_libraries)
test_src_scr_scale_LDADD = $(scr_libraries)
test_src_scr_scavenge_LDADD = $(scr_libraries)
test_src_scr_tree_LDADD = $(scr_libraries)
endif

if HAVE_ZLIB
if HAVE_MPI
check_PROGRAMS += test/src/scr/attach_mpi test/src/scr/datasets_mpi test/src/scr/example_mpi \
	test/src/scr/maps_mpi
TESTS += test/src/scr/all_mpi.sh test/src/scr/example_mpi.sh test/src/scr/processes_mpi.sh
test_src_scr_attach_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_scr_attach_mpi_LDADD = $(scr_mpi_libraries)
test_src_scr_datasets_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_scr_datasets_mpi_LDADD = $(scr_mpi_libraries)
test_src_scr_example_mpi_SOURCES = examples/scr3.c
test_src_scr_example_mpi_CPPFLAGS = $(mpi_cppflags) -I$(srcdir)/test/src/scr/stub
test_src_scr_example_mpi_LDADD = $(mpi_libraries)
test_src_scr_maps_mpi_CPPFLAGS = $(mpi_cppflags)
test_src_scr_maps_mpi_LDADD = $(scr_mpi_libraries)
endif
endif

if HAVE_ZLIB
if HAVE_OPENMP
check_PROGRAMS += test/src/scr/teams_omp
TESTS += test/src/scr/teams_omp
test_src_scr_teams_omp_SOURCES = test/src/scr/teams.c
test_src_scr_teams_omp_CPPFLAGS = $(omp_cppflags)
test_src_scr_teams_omp_CFLAGS = $(omp_cflags)
test_src_scr_teams_omp_LDADD = libsionscr_64.la libsionomp_64.la libsiongen_64.la $(api_libraries) $(ZLIB_LIBS)
endif
endif

if HAVE_ZLIB
if HAVE_HYBRID
check_PROGRAMS += test/src/scr/teams_ompi
TESTS += test/src/scr/teams_ompi.sh
test_src_scr_teams_ompi_SOURCES = test/src/scr/teams.c
test_src_scr_teams_ompi_CPPFLAGS = $(mpi_cppflags) -DWITH_MPI
test_src_scr_teams_ompi_CFLAGS = $(omp_cflags)
test_src_scr_teams_ompi_LDADD = libsionscr_64.la libsionompi_64.la $(mpi_libraries) $(ZLIB_LIBS)
endif
endif
