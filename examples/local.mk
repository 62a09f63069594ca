# Example programs, installed as sources. The heat solver is also built here, linked as users would
# link it: with the static archives, a lock and MPI.
if HAVE_MPI
noinst_PROGRAMS += heat
heat_SOURCES = examples/heat/heat.c examples/heat/plate.h
heat_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
heat_LDADD = libsionmpi_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	$(heat_lock) $(MPI_LIBS) -lm
noinst_PROGRAMS += examples/heat_arrays
examples_heat_arrays_SOURCES = examples/heat/arrays.c examples/heat/plate.h
examples_heat_arrays_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
examples_heat_arrays_LDADD = libsionarray_64.la $(heat_LDADD)
noinst_PROGRAMS += examples/heat_rolling examples/heat_draw
examples_heat_rolling_SOURCES = examples/heat/rolling.c examples/heat/plate.h examples/heat/part.h
examples_heat_rolling_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
examples_heat_rolling_LDADD = $(heat_LDADD)
examples_heat_draw_SOURCES = examples/heat/draw.c examples/heat/part.h
examples_heat_draw_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la
if HAVE_PTHREADS
heat_lock = libsioncom_64_lock_pthreads.la
else
heat_lock = libsioncom_64_lock_none.la
endif
endif
noinst_PROGRAMS += examples/many
examples_many_SOURCES = examples/many.c
examples_many_LDADD = libsionser_64.la libsioncom_64.la libsioncom_64_lock_none.la
if HAVE_SCR
noinst_PROGRAMS += examples/scr3
examples_scr3_SOURCES = examples/scr3.c
examples_scr3_CPPFLAGS = $(AM_CPPFLAGS) $(SCR_CFLAGS) $(MPI_CFLAGS)
examples_scr3_LDADD = libsionmpi_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	$(heat_lock) $(SCR_LIBS) $(MPI_LIBS)
endif
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/Makefile examples/CMakeLists.txt examples/hello.c examples/hello.f90 \
	examples/hello.cc examples/keyvalue.c examples/checkpoint.c examples/restart.c \
	examples/hybrid.c examples/many.c examples/scr3.c examples/plot.py
heatdir = $(examplesdir)/heat
dist_heat_DATA = examples/heat/arrays.c examples/heat/draw.c examples/heat/heat.c examples/heat/part.h \
	examples/heat/plate.h examples/heat/rolling.c
