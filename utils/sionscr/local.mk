EXTRA_DIST += doc/man/sionscr.1
if HAVE_ZLIB
bin_PROGRAMS += sionscr
scrmandir = $(mandir)/man1
scrman_DATA = doc/man/sionscr.1
sionscr_SOURCES = \
	utils/sionscr/check.c utils/sionscr/commands.h utils/sionscr/dump.c utils/sionscr/help.c \
	utils/sionscr/help.h utils/sionscr/index.c utils/sionscr/maps.c utils/sionscr/maps.h \
	utils/sionscr/pack.c utils/sionscr/processes.c utils/sionscr/processes.h utils/sionscr/report.c \
	utils/sionscr/report.h utils/sionscr/restart.c utils/sionscr/restart.h utils/sionscr/sionscr.c
sionscr_CPPFLAGS = $(AM_CPPFLAGS)
sionscr_LDADD = liblayer_scr.la
if HAVE_MPI
sionscr_CPPFLAGS += $(MPI_CFLAGS)
sionscr_LDADD += liblayer_scr_mpi.la
endif
sionscr_LDADD += $(world_layers) $(parallel_layers) $(tool_layers) $(ZLIB_LIBS) $(world_libraries)
endif
