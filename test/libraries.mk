# What test programs link. Those of a room link its layer and the layers below, but no interface.
layer_base = liblayer_base.la $(lock_layer)
layer_format = liblayer_format.la $(layer_base)
layer_geometry = liblayer_geometry.la $(layer_base)
layer_vfs = liblayer_vfs.la $(layer_base)
layer_stream = liblayer_stream.la liblayer_geometry.la liblayer_format.la $(layer_vfs)
layer_keyval = liblayer_keyval.la $(layer_stream)
layer_pack = liblayer_pack.la $(layer_vfs)
layer_file = $(core_layers) $(lock_layer)
layer_parallel = liblayer_parallel.la liblayer_comm.la $(layer_file)
layer_serial = liblayer_api_serial.la liblayer_api_common.la $(layer_file)

# What applications link.
lockless_libraries = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la
api_libraries = libsionser_64.la libsioncom_64.la
if HAVE_PTHREADS
api_libraries += libsioncom_64_lock_pthreads.la
else
api_libraries += libsioncom_64_lock_none.la
endif
generic_libraries = libsiongen_64.la $(api_libraries)
array_libraries = libsionarray_64.la $(generic_libraries)
fti_libraries = libsionfti_64.la $(generic_libraries) $(NETTLE_LIBS)
fti_codec = liblayer_ftiff_codec.la $(layer_vfs) $(NETTLE_LIBS)
scr_libraries = libsionscr_64.la $(generic_libraries) $(ZLIB_LIBS)

mpi_cppflags = $(AM_CPPFLAGS) $(MPI_CFLAGS)
mpi_libraries = libsionmpi_64.la $(generic_libraries) $(MPI_LIBS)
scr_mpi_libraries = libsionscr_mpi_64.la libsionscr_64.la $(mpi_libraries) $(ZLIB_LIBS)

omp_cppflags = $(AM_CPPFLAGS) -DSION_OMP
omp_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS)
omp_libraries = libsionomp_64.la libsiongen_64.la

ompi_cppflags = $(omp_cppflags) $(MPI_CFLAGS)
ompi_libraries = libsionompi_64.la libsionmpi_64.la $(omp_libraries) $(api_libraries) $(MPI_LIBS)

# The same for programs that write checksums where the build has them.
sums_cppflags = $(AM_CPPFLAGS)
sums_libraries =
if HAVE_CHECKSUM
sums_cppflags += -DWITH_CHECKSUM
sums_libraries += libsionchecksum_64.la
endif
sums_libraries += $(generic_libraries) $(CHECKSUM_LIBS)

# Allocations fail on demand (lack.h).
lack_ldflags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
