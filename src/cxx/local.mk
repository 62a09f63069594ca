# The C++ classes. Their headers are installed even if this build found no C++ compiler: users may
# have one.
include_HEADERS += include/sion_cxx.h include/sion_cxx_base.hpp include/sion_cxx_common.hpp \
	include/sion_cxx_array.hpp include/sion_cxx_array_writer.hpp include/sion_cxx_communicators.hpp \
	include/sion_cxx_drain.hpp \
	include/sion_cxx_serial.hpp include/sion_cxx_stream.hpp include/sion_cxx_mpi.hpp include/sion_cxx_omp.hpp \
	include/sion_cxx_ompi.hpp
cxx_serial = src/api/mode_writes.c src/api/mode_writes.h src/cxx/base.cc src/cxx/common.cc \
	src/cxx/serial.cc src/cxx/stream.cc
EXTRA_DIST += $(cxx_serial) src/cxx/communicators.cc src/cxx/mpi.cc src/cxx/omp.cc src/abi/libsion_cxx.map

if HAVE_CXX
AM_CXXFLAGS = -Wall -Wextra -Wconversion $(WERROR) $(INSTRUMENT_FLAGS)
cxx_mpi_cppflags = $(AM_CPPFLAGS) $(MPI_CFLAGS) -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX

# common.cc serves the parallel interfaces. It has an object of its own, so that only programs with
# these interfaces link it.
noinst_LTLIBRARIES += liblayer_cxx.la
liblayer_cxx_la_SOURCES = $(cxx_serial)

if HAVE_OPENMP
noinst_LTLIBRARIES += liblayer_cxx_omp.la
liblayer_cxx_omp_la_SOURCES = src/cxx/omp.cc
cxx_omp_layer = liblayer_cxx_omp.la
endif
if HAVE_MPI
noinst_LTLIBRARIES += liblayer_cxx_mpi.la
liblayer_cxx_mpi_la_SOURCES = src/cxx/communicators.cc src/cxx/mpi.cc
liblayer_cxx_mpi_la_CPPFLAGS = $(cxx_mpi_cppflags)
endif
if HAVE_HYBRID
noinst_LTLIBRARIES += liblayer_cxx_ompi.la
liblayer_cxx_ompi_la_SOURCES = src/cxx/mpi.cc
liblayer_cxx_ompi_la_CPPFLAGS = $(cxx_mpi_cppflags) -DSCION_CXX_HYBRID
cxx_ompi_layer = liblayer_cxx_ompi.la
endif

# ---- static archives ----
lib_LTLIBRARIES += libsionser_cxx_64.la
libsionser_cxx_64_la_SOURCES =
libsionser_cxx_64_la_LIBADD = liblayer_cxx.la $(cxx_omp_layer)
libsionser_cxx_64_la_LDFLAGS = $(AM_LDFLAGS) -static
if HAVE_MPI
lib_LTLIBRARIES += libsionmpi_cxx_64.la
libsionmpi_cxx_64_la_SOURCES =
libsionmpi_cxx_64_la_LIBADD = liblayer_cxx_mpi.la $(cxx_ompi_layer)
libsionmpi_cxx_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

# ---- shared libraries ----
if BUILD_SHARED
lib_LTLIBRARIES += libsion_cxx.la
libsion_cxx_la_SOURCES =
nodist_EXTRA_libsion_cxx_la_SOURCES = src/cxx/base.cc
libsion_cxx_la_LIBADD = liblayer_cxx.la $(cxx_omp_layer) libsion.la
libsion_cxx_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info $(LIBSION_CXX_VERSION) \
	-Wl,--version-script=$(srcdir)/src/abi/libsion_cxx.map
EXTRA_libsion_cxx_la_DEPENDENCIES = src/abi/libsion_cxx.map
if HAVE_MPI
lib_LTLIBRARIES += libsion_mpi_cxx.la
libsion_mpi_cxx_la_SOURCES =
nodist_EXTRA_libsion_mpi_cxx_la_SOURCES = src/cxx/mpi.cc
libsion_mpi_cxx_la_LIBADD = \
	$(MPI_LIBS) liblayer_cxx_mpi.la $(cxx_ompi_layer) libsion_cxx.la libsion_mpi.la libsion.la
libsion_mpi_cxx_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info $(LIBSION_CXX_VERSION) \
	-Wl,--version-script=$(srcdir)/src/abi/libsion_cxx.map
EXTRA_libsion_mpi_cxx_la_DEPENDENCIES = src/abi/libsion_cxx.map
endif
endif
endif
