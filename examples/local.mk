# Linked as users link: the static archives, a lock, MPI.
if HAVE_MPI
noinst_PROGRAMS += heat
heat_SOURCES = examples/heat.c
heat_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
heat_LDADD = libsionmpi_64.la libsiongen_64.la libsionser_64.la libsioncom_64.la \
	$(heat_lock) $(MPI_LIBS) -lm
if HAVE_PTHREADS
heat_lock = libsioncom_64_lock_pthreads.la
else
heat_lock = libsioncom_64_lock_none.la
endif
endif
EXTRA_DIST += examples/heat.c
