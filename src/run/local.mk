# What sionrun and the library that it puts into programs have in common: a session on a node.
noinst_LTLIBRARIES += liblayer_run.la
run_sources = \
	src/run/input.c src/run/input.h src/run/match.c src/run/match.h src/run/native.h \
	src/run/owners.c src/run/owners.h src/run/owners_log.h src/run/owners_read.c src/run/session.c src/run/session.h
liblayer_run_la_SOURCES = $(run_sources)

# The library is in programs that were built without sanitizers and the like, so it has none. It needs
# nothing but the C library. Its functions are found at its load, not while a signal handler runs.
if BUILD_RUN
pkglib_LTLIBRARIES += libsion_run.la
libsion_run_la_SOURCES = $(run_sources) \
	src/run/preload/anchor.c src/run/preload/anchor.h \
	src/run/preload/call.c src/run/preload/call.h src/run/preload/closing.c src/run/preload/closing.h \
	src/run/preload/copy.c src/run/preload/copy.h src/run/preload/cwd.c src/run/preload/exec.c \
	src/run/preload/exec.h src/run/preload/fill.c src/run/preload/fill.h src/run/preload/folder.c \
	src/run/preload/folder.h src/run/preload/hook.h src/run/preload/known.c src/run/preload/known.h \
	src/run/preload/make.c src/run/preload/memo.c src/run/preload/memo.h \
	src/run/preload/moves.c src/run/preload/moves.h src/run/preload/mpi.c src/run/preload/names.h \
	src/run/preload/next.c \
	src/run/preload/open.c src/run/preload/open.h src/run/preload/opened.c src/run/preload/opened.h \
	src/run/preload/place.c src/run/preload/place.h \
	src/run/preload/remove.c src/run/preload/remove.h src/run/preload/rename.c src/run/preload/simple.c \
	src/run/preload/state.c src/run/preload/state.h src/run/preload/streams.c src/run/preload/swap.c \
	src/run/preload/swap.h src/run/preload/union.c src/run/preload/union.h src/run/preload/walk.c src/run/preload/where.c
libsion_run_la_CPPFLAGS = $(AM_CPPFLAGS) -U_FORTIFY_SOURCE
libsion_run_la_CFLAGS = $(WARNING_FLAGS) $(SECTION_CFLAGS) -fvisibility=hidden
libsion_run_la_LDFLAGS = $(SECTION_LDFLAGS) -module -avoid-version -shared -Wl,-z,now
endif
