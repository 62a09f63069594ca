EXTRA_DIST += doc/man/sionscr.1
if HAVE_ZLIB
bin_PROGRAMS += sionscr
scrmandir = $(mandir)/man1
scrman_DATA = doc/man/sionscr.1
sionscr_SOURCES = \
	utils/sionscr.c utils/sionscr.h utils/sionscr_check.c utils/sionscr_dump.c utils/sionscr_help.c \
	utils/sionscr_index.c utils/sionscr_maps.c utils/sionscr_pack.c \
	utils/sionscr_processes.c
sionscr_CPPFLAGS = $(AM_CPPFLAGS)
sionscr_LDADD = liblayer_scr.la
if HAVE_MPI
sionscr_CPPFLAGS += $(MPI_CFLAGS)
sionscr_LDADD += liblayer_scr_mpi.la liblayer_comm_mpi.la
endif
sionscr_LDADD += $(parallel_layers) $(tool_layers) $(ZLIB_LIBS)
if HAVE_MPI
sionscr_LDADD += $(MPI_LIBS)
endif
endif
