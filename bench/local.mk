# The benchmarks. They are installed with the tools, but linked like applications.
EXTRA_DIST += bench/results/2026-11-read.dat bench/results/2026-11-staging.dat bench/results/2026-11-write.dat
EXTRA_DIST += bench/run.sh bench/staging.sh bench/unchanged.sh bench/timeline.sh bench/plot.sh bench/arrays.sh bench/files.sh bench/run_calls.sh bench/growth.sh bench/machines.txt bench/model.py bench/tools.sh bench/bench.h bench/counted.h bench/fields.h bench/file_hdf5.h bench/median.h bench/methods.h bench/methods_hdf5.h bench/options.h bench/report.h bench/settings.h bench/start.h bench/fpartest.f90
# Compares arrays with plain records, and measures their index: make bench/array_test.
EXTRA_PROGRAMS += bench/array_test
bench_array_test_SOURCES = bench/array_test.c
bench_array_test_LDADD = libsionarray_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	libsioncom_64_lock_none.la

# What compression costs and saves: make bench/compress; in HDF5: bench/compress_hdf5.py; beside zstd: compress.sh.
EXTRA_DIST += bench/compress.sh bench/compress_hdf5.py
check_PROGRAMS += bench/compress
bench_compress_SOURCES = bench/compress.c bench/median.h
bench_compress_LDADD = $(array_libraries) -lm

# How costs grow with the number of tasks: make bench/growth.
check_PROGRAMS += bench/growth
bench_growth_SOURCES = bench/growth.c
bench_growth_LDADD = libsiongen_64.la libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la

# What it costs to publish very often: make bench/publish.
EXTRA_PROGRAMS += bench/publish
bench_publish_SOURCES = bench/publish.c
bench_publish_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la

if BUILD_RUN
# What libsion_run adds to a call, for bench/run_calls.sh.
EXTRA_PROGRAMS += bench/run_calls
bench_run_calls_SOURCES = bench/run_calls.c
bench_run_calls_LDADD =
endif

if HAVE_FUSE
# A slow file system, for bench/staging.sh bench/unchanged.sh.
EXTRA_PROGRAMS += bench/small_files
bench_small_files_SOURCES = bench/small_files.c
EXTRA_PROGRAMS += bench/slow_fs
bench_slow_fs_SOURCES = bench/slow_fs.c
bench_slow_fs_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS)
bench_slow_fs_LDADD = $(FUSE_LIBS)
endif

if HAVE_OPENMP
# Compares threads with a FILE* for each: make bench/threads.
EXTRA_PROGRAMS += bench/threads
bench_threads_SOURCES = bench/threads.c
bench_threads_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
bench_threads_LDADD = libsionomp_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	libsioncom_64_lock_none.la
endif

if HAVE_MPI
# How long a program waits for a checkpoint, for bench/staging.sh bench/unchanged.sh.
EXTRA_PROGRAMS += bench/blocked
bench_blocked_SOURCES = bench/blocked.c
bench_blocked_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
bench_blocked_LDADD = libsionmpi_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	libsioncom_64_lock_none.la $(MPI_LIBS)

if PARUTILS
bin_PROGRAMS += partest
bench_cppflags = $(AM_CPPFLAGS) $(MPI_CFLAGS) -I$(srcdir)/bench -DGIT_REV='"$(GIT_REV)"'
bench_common = bench/options.c bench/settings.c bench/start.c bench/usage.c
partest_SOURCES = bench/bench.c bench/compare.c bench/files_test.c bench/many.c bench/methods.c \
	bench/mpiio_test.c bench/partest.c bench/report.c bench/series.c bench/sion_test.c \
	$(bench_common)
partest_CPPFLAGS = $(bench_cppflags)
if HAVE_CHECKSUM
bench_checksum = libsionchecksum_64.la $(CHECKSUM_LIBS)
endif
partest_LDADD = $(bench_checksum) libsionmpi_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	libsioncom_64_lock_none.la $(MPI_LIBS)

# partest with the methods of HDF5, for bench/run.sh, which sets HDF5_CFLAGS and HDF5_LIBS.
EXTRA_PROGRAMS += bench/partest_hdf5
bench_partest_hdf5_SOURCES = $(partest_SOURCES) bench/methods_hdf5.c
bench_partest_hdf5_CPPFLAGS = $(bench_cppflags) -DBENCH_HDF5 $(HDF5_CFLAGS)
bench_partest_hdf5_LDADD = $(partest_LDADD) $(HDF5_LIBS)

# Counts messages and calls, for bench/model.py.
check_PROGRAMS += bench/parts
bench_parts_SOURCES = bench/parts.c
bench_parts_CPPFLAGS = $(bench_cppflags)
bench_parts_LDADD = $(partest_LDADD)

# Compares arrays with HDF5 and PnetCDF, for bench/run.sh, which sets HDF5_CFLAGS and so on, with
# -DBENCH_HDF5 and -DBENCH_PNETCDF.
check_PROGRAMS += bench/fields
bench_fields_SOURCES = bench/bench.c bench/fields.c bench/fields_hdf5.c bench/fields_pnetcdf.c \
	bench/fields_sion.c bench/series.c
bench_fields_CPPFLAGS = $(bench_cppflags) $(HDF5_CFLAGS) $(PNETCDF_CFLAGS)
bench_fields_LDADD = libsionarray_64.la $(partest_LDADD) $(HDF5_LIBS) $(PNETCDF_LIBS)

if HAVE_HYBRID
bin_PROGRAMS += ompi_partest
ompi_partest_SOURCES = bench/ompi_partest.c $(bench_common)
ompi_partest_CPPFLAGS = $(bench_cppflags)
ompi_partest_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
ompi_partest_LDADD = libsionompi_64.la libsionomp_64.la libsiongen_64.la libsionser_64.la \
	libsioncom_64.la libsioncom_64_lock_none.la $(MPI_LIBS)
endif

if HAVE_MPI_FORTRAN
bin_PROGRAMS += fpartest
# It gets the symbol prefix, like the modules that it uses.
nodist_fpartest_SOURCES = fortran/fpartest.f90
fortran/fpartest.f90: bench/fpartest.f90
	$(AM_V_GEN)$(MKDIR_P) fortran && $(rename_routines) $(srcdir)/bench/fpartest.f90 >$@
fpartest_LDADD = libsionmpi_f90_64.la libsionser_f90_64.la libsionmpi_64.la libsiongen_64.la \
	libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la $(MPI_FCLIBS) $(MPI_LIBS)
fortran/fpartest.$(OBJEXT): fortran/sion_f90_mpi.lo
endif
endif
endif

include $(srcdir)/bench/scr.mk
