# Sessions of sionrun.
run_tests = test/src/run/input test/src/run/match test/src/run/owners test/src/run/session
check_PROGRAMS += $(run_tests)
TESTS += $(run_tests)
test_src_run_input_LDADD = liblayer_run.la
test_src_run_match_LDADD = liblayer_run.la
test_src_run_owners_LDADD = liblayer_run.la
test_src_run_session_LDADD = liblayer_run.la
