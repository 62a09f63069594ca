# What sionrun and the library that it puts into programs have in common: a session on a node.
noinst_LTLIBRARIES += liblayer_run.la
run_sources = \
	src/run/input.c src/run/input.h src/run/match.c src/run/match.h src/run/native.h \
	src/run/owners.c src/run/owners.h src/run/session.c src/run/session.h
liblayer_run_la_SOURCES = $(run_sources)
