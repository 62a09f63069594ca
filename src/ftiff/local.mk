# FTI-FF checkpoints: libraries of their own, on the core's public interface and the functions of
# api/parallel.h. They need nettle.
EXTRA_DIST += include/sion_ftiff.h include/sion_ftiff_mpi.h
ftiff_codec_sources = \
	src/ftiff/digest.c src/ftiff/digest.h src/ftiff/encoded.c src/ftiff/format.c src/ftiff/format.h src/ftiff/grow.c src/ftiff/image.c \
	src/ftiff/image.h src/ftiff/md5.h src/ftiff/names.c src/ftiff/names.h src/ftiff/read.c \
	src/ftiff/read.h src/ftiff/records.c src/ftiff/records.h src/ftiff/verify.c src/ftiff/write.c src/ftiff/write.h
ftiff_sources = \
	src/ftiff/call.h src/ftiff/checkpoint.c src/ftiff/generic.c src/ftiff/handle.c src/ftiff/handle.h \
	src/ftiff/public.h src/ftiff/recover.c src/ftiff/store_container.c src/ftiff/store_file.c \
	src/ftiff/variables.c

if HAVE_FTIFF
include_HEADERS += include/sion_ftiff.h

noinst_LTLIBRARIES += liblayer_ftiff_codec.la liblayer_ftiff_source.la liblayer_ftiff.la
liblayer_ftiff_codec_la_SOURCES = $(ftiff_codec_sources)
liblayer_ftiff_source_la_SOURCES = src/ftiff/source.c src/ftiff/source.h
liblayer_ftiff_la_SOURCES = $(ftiff_sources)
ftiff_layers = liblayer_ftiff.la liblayer_ftiff_source.la liblayer_ftiff_codec.la

lib_LTLIBRARIES += libsionfti_64.la
libsionfti_64_la_SOURCES =
libsionfti_64_la_LIBADD = $(ftiff_layers)
libsionfti_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_MPI
include_HEADERS += include/sion_ftiff_mpi.h
noinst_LTLIBRARIES += liblayer_ftiff_mpi.la
liblayer_ftiff_mpi_la_SOURCES = src/ftiff/mpi.c
liblayer_ftiff_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
lib_LTLIBRARIES += libsionfti_mpi_64.la
libsionfti_mpi_64_la_SOURCES =
libsionfti_mpi_64_la_LIBADD = liblayer_ftiff_mpi.la
libsionfti_mpi_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

if BUILD_SHARED
fti_shared_ldflags = $(AM_LDFLAGS) -shared -no-undefined -Wl,--no-undefined \
	-version-info $(LIBSION_FTI_VERSION)

lib_LTLIBRARIES += libsion_fti.la
libsion_fti_la_SOURCES =
libsion_fti_la_LIBADD = \
	$(ftiff_layers) liblayer_beside.la liblayer_beside_memory.la libsion.la $(NETTLE_LIBS)
libsion_fti_la_LDFLAGS = $(fti_shared_ldflags) $(VERSION_SCRIPT)src/abi/libsion_fti.map
EXTRA_libsion_fti_la_DEPENDENCIES = src/abi/libsion_fti.map

if HAVE_MPI
lib_LTLIBRARIES += libsion_fti_mpi.la
libsion_fti_mpi_la_SOURCES =
libsion_fti_mpi_la_LIBADD = \
	$(MPI_LIBS) liblayer_ftiff_mpi.la liblayer_comm_mpi.la liblayer_beside.la libsion_fti.la libsion.la
libsion_fti_mpi_la_LDFLAGS = $(fti_shared_ldflags) $(VERSION_SCRIPT)src/abi/libsion_fti_mpi.map
EXTRA_libsion_fti_mpi_la_DEPENDENCIES = src/abi/libsion_fti_mpi.map
endif
endif
endif
