include_HEADERS = \
	include/sion.h \
	include/sion_common.h \
	include/sion_const.h \
	include/sion_datatypes.h \
	include/sion_debug.h \
	include/sion_drain.h \
	include/sion_error.h \
	include/sion_generic.h \
	include/sion_libversion_rep.h \
	include/sion_platform.h \
	include/sion_recover.h \
	include/sion_serial.h \
	include/sion_stats.h \
	include/sion_stream.h

if HAVE_MPI
include_HEADERS += include/sion_datatypes_mpi.h include/sion_mpi.h
endif
if HAVE_OPENMP
include_HEADERS += include/sion_omp.h
endif
# sion.h includes sion_ompi.h in every MPI program.
if HAVE_MPI
include_HEADERS += include/sion_ompi.h
endif
EXTRA_DIST += include/sion_omp.h include/sion_ompi.h include/sion_datatypes_mpi.h include/sion_mpi.h
