# The library that sionrun puts into programs. Its tests need sessions, but not sionrun.
EXTRA_DIST += test/run/calls.sh test/run/cases.sh test/run/closing.sh test/run/descriptors.sh test/run/files.py test/run/folders.sh test/run/frame.h test/run/input.sh test/run/lib.sh test/run/model.sh test/run/moves.sh test/run/mpi.sh \
	test/run/process.h test/run/ranks.c test/run/processes.sh test/run/programs.sh test/run/ranks.f90 test/run/shown.h \
	test/run/streams.cc test/run/system_calls.sh test/run/tools.sh test/run/units.f90 test/run/unprivileged.sh test/run/wrapper.c

if BUILD_RUN
run_programs = test/run/calls test/run/closes test/run/closing test/run/descriptors test/run/folders test/run/input test/run/make_session test/run/model test/run/moves test/run/pairs \
	test/run/processes test/run/system_calls
check_PROGRAMS += $(run_programs)
TESTS += test/run/calls.sh test/run/closing.sh test/run/descriptors.sh test/run/folders.sh test/run/input.sh test/run/model.sh test/run/moves.sh test/run/processes.sh \
	test/run/programs.sh test/run/system_calls.sh test/run/unprivileged.sh
if HAVE_MPI
TESTS += test/run/mpi.sh
endif
test_run_calls_LDADD = liblayer_run.la
test_run_closing_LDADD = liblayer_run.la
test_run_descriptors_LDADD = liblayer_run.la
test_run_folders_LDADD = liblayer_run.la
test_run_input_LDADD = liblayer_run.la
test_run_make_session_LDADD = liblayer_run.la
test_run_model_LDADD = liblayer_run.la
test_run_moves_LDADD = liblayer_run.la
test_run_pairs_LDADD = liblayer_run.la
test_run_processes_LDADD = liblayer_run.la
endif
