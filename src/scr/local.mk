# The SCR layer: a library of its own beside the core, and one more for what needs MPI.
EXTRA_DIST += include/sion_scr.h include/sion_scr_mpi.h
if HAVE_ZLIB
include_HEADERS += include/sion_scr.h

noinst_LTLIBRARIES += liblayer_scr.la
liblayer_scr_la_SOURCES = \
	src/scr/kvtree.c src/scr/kvtree.h src/scr/kvtree_codec.c src/scr/kvtree_file.c \
	src/scr/kvtree_print.c src/scr/public.h src/scr/attach.c src/scr/comm.c \
	src/scr/dataset.c src/scr/dataset.h src/scr/entry.c src/scr/entry.h src/scr/export.c \
	src/scr/export.h src/scr/found.c src/scr/fetch.c src/scr/filemap.c src/scr/found.h src/scr/import.c src/scr/kept.c src/scr/kept.h src/scr/index.c src/scr/index.h src/scr/mend.c src/scr/prefix.c src/scr/prefix.h src/scr/merged.c src/scr/merged.h src/scr/native.c src/scr/native.h src/scr/seal.c src/scr/nodes.c \
	src/scr/nodes.h src/scr/overlaps.c src/scr/overlaps.h src/scr/pack.c \
	src/scr/hand_out.c src/scr/place.c src/scr/place.h src/scr/ranks.c src/scr/ranks.h src/scr/replaced.c src/scr/replaced.h \
	src/scr/tree.h src/scr/tree_plan.c src/scr/tree_plan.h src/scr/tree_read.c \
	src/scr/tree_write.c src/scr/words.c src/scr/words.h

lib_LTLIBRARIES += libsionscr_64.la
libsionscr_64_la_SOURCES =
libsionscr_64_la_LIBADD = liblayer_scr.la
libsionscr_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_MPI
include_HEADERS += include/sion_scr_mpi.h
noinst_LTLIBRARIES += liblayer_scr_mpi.la
liblayer_scr_mpi_la_SOURCES = src/scr/mpi.c
liblayer_scr_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)

lib_LTLIBRARIES += libsionscr_mpi_64.la
libsionscr_mpi_64_la_SOURCES =
libsionscr_mpi_64_la_LIBADD = liblayer_scr_mpi.la
libsionscr_mpi_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

if BUILD_SHARED
lib_LTLIBRARIES += libsion_scr.la
libsion_scr_la_SOURCES =
libsion_scr_la_LIBADD = \
	liblayer_scr.la liblayer_beside.la liblayer_beside_memory.la libsion.la $(ZLIB_LIBS)
libsion_scr_la_LDFLAGS = $(AM_LDFLAGS) -shared -no-undefined -Wl,--no-undefined \
	-version-info $(LIBSION_SCR_VERSION) -Wl,--version-script=$(srcdir)/src/libsion.map
EXTRA_libsion_scr_la_DEPENDENCIES = src/libsion.map

if HAVE_MPI
lib_LTLIBRARIES += libsion_scr_mpi.la
libsion_scr_mpi_la_SOURCES =
libsion_scr_mpi_la_LIBADD = \
	liblayer_scr_mpi.la liblayer_comm_mpi.la liblayer_beside.la libsion_scr.la libsion.la $(MPI_LIBS)
libsion_scr_mpi_la_LDFLAGS = $(AM_LDFLAGS) -shared -no-undefined -Wl,--no-undefined \
	-version-info $(LIBSION_SCR_VERSION) -Wl,--version-script=$(srcdir)/src/libsion.map
EXTRA_libsion_scr_mpi_la_DEPENDENCIES = src/libsion.map
endif
endif
endif
