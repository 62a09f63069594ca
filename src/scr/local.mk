# The SCR layer: a library of its own next to the core, and another for the functions that need MPI.
EXTRA_DIST += include/sion_kvtree.h include/sion_scr.h include/sion_scr_dataset.h include/sion_scr_mpi.h
if HAVE_ZLIB
include_HEADERS += include/sion_kvtree.h include/sion_scr.h include/sion_scr_dataset.h

noinst_LTLIBRARIES += liblayer_scr.la
liblayer_scr_la_SOURCES = \
	src/scr/attach.c src/scr/build.c src/scr/census.c src/scr/census.h src/scr/claim.c src/scr/claim.h src/scr/drop.c src/scr/export.c src/scr/export_plan.c src/scr/export_plan.h src/scr/fetch.c \
	src/scr/holdings.c src/scr/holdings.h src/scr/import.c src/scr/map_stream.c src/scr/map_stream.h src/scr/file_location.c src/scr/file_location.h src/scr/merged.c src/scr/merged.h \
	src/scr/native.c src/scr/native.h src/scr/pack.c src/scr/pack_run.c src/scr/pack_run.h \
	src/scr/api.c src/scr/public.h src/scr/replaced.c src/scr/report.h src/scr/replaced.h src/scr/scavenge.c src/scr/scavenge.h src/scr/scr.h src/scr/seal.c \
	src/scr/kvtree/api.c src/scr/kvtree/codec.c src/scr/kvtree/file.c src/scr/kvtree/kvtree.h \
	src/scr/kvtree/print.c src/scr/kvtree/tree.c \
	src/scr/tasks/comm.c src/scr/tasks/nodes.c src/scr/tasks/nodes.h src/scr/tasks/words.c \
	src/scr/tasks/words.h \
	src/scr/dataset/describe.c src/scr/dataset/describe.h src/scr/dataset/index.c \
	src/scr/dataset/index.h src/scr/dataset/layout.c src/scr/dataset/layout.h \
	src/scr/dataset/record.c src/scr/dataset/record.h src/scr/dataset/repair.c src/scr/dataset/repair.h \
	src/scr/dataset/search.c src/scr/dataset/search.h src/scr/dataset/summary.c \
	src/scr/map/distribute.c src/scr/map/entry.c src/scr/map/entry.h src/scr/map/filemap.c src/scr/map/filemap.h \
	src/scr/map/find.c src/scr/map/find.h src/scr/map/map.h src/scr/map/names.c \
	src/scr/map/names.h src/scr/map/overlaps.c src/scr/map/overlaps.h src/scr/map/plan.c \
	src/scr/map/plan.h src/scr/map/ranks.c src/scr/map/ranks.h src/scr/map/read.c \
	src/scr/map/segments.c src/scr/map/segments.h src/scr/map/source.c src/scr/map/source.h \
	src/scr/map/walk.c src/scr/map/walk.h src/scr/map/write.c

lib_LTLIBRARIES += libsionscr_64.la
libsionscr_64_la_SOURCES =
libsionscr_64_la_LIBADD = liblayer_scr.la
libsionscr_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_MPI
include_HEADERS += include/sion_scr_mpi.h
noinst_LTLIBRARIES += liblayer_scr_mpi.la
liblayer_scr_mpi_la_SOURCES = src/scr/tasks/mpi.c
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
	-version-info $(LIBSION_SCR_VERSION) $(VERSION_SCRIPT)src/abi/libsion_scr.map
EXTRA_libsion_scr_la_DEPENDENCIES = src/abi/libsion_scr.map

if HAVE_MPI
lib_LTLIBRARIES += libsion_scr_mpi.la
libsion_scr_mpi_la_SOURCES =
libsion_scr_mpi_la_LIBADD = \
	$(MPI_LIBS) liblayer_scr_mpi.la liblayer_comm_mpi.la liblayer_beside.la libsion_scr.la libsion.la
libsion_scr_mpi_la_LDFLAGS = $(AM_LDFLAGS) -shared -no-undefined -Wl,--no-undefined \
	-version-info $(LIBSION_SCR_VERSION) $(VERSION_SCRIPT)src/abi/libsion_scr_mpi.map
EXTRA_libsion_scr_mpi_la_DEPENDENCIES = src/abi/libsion_scr_mpi.map
endif
endif
endif
