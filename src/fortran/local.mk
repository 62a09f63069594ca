# The Fortran interfaces. The routines written in C are compiled once for FORTRAN 77, under the
# names that the compiler expects, and once for the modules; so neither archive needs the other.
fortran_convert = \
	src/api/mode_writes.c src/api/mode_writes.h src/fortran/convert.c src/fortran/convert.h
fortran_serial = src/fortran/drain.c src/fortran/keyval.c src/fortran/names.h src/fortran/serial.c \
	src/fortran/transfer.c
fortran_omp = src/fortran/omp.c
fortran_mpi = src/fortran/collective.c src/fortran/mpi.c src/fortran/mpi_open.h
fortran_ompi = src/fortran/ompi.c
fortran_array = src/fortran/array.c
fortran_modules = src/fortran/sion_f90.f90 src/fortran/sion_f90_omp.f90 src/fortran/sion_f90_mpi.f90 \
	src/fortran/sion_f90_ompi.f90 src/fortran/sion_f08.f90 src/fortran/sion_f08_ompi.f90 \
	src/fortran/sion_array.f90
EXTRA_DIST += $(fortran_convert) $(fortran_serial) $(fortran_omp) $(fortran_mpi) $(fortran_ompi) $(fortran_array) \
	$(fortran_modules) src/fortran/each.awk src/fortran/forward.awk include/sion_f77.h

if HAVE_FORTRAN
include_HEADERS += include/sion_f77.h include/sion_f77.H
include/sion_f77.H: include/sion_f77.h
	$(AM_V_GEN)$(MKDIR_P) include && cp $(srcdir)/include/sion_f77.h $@
CLEANFILES += include/sion_f77.H

# Each module comes after those that it uses.
built_modules = src/fortran/sion_f90.f90 src/fortran/sion_array.f90
f77_cppflags = $(AM_CPPFLAGS) -DSCION_F77
noinst_LTLIBRARIES += liblayer_fortran.la liblayer_f77.la liblayer_f90.la
liblayer_fortran_la_SOURCES = $(fortran_convert)
liblayer_f77_la_SOURCES = $(fortran_serial)
liblayer_f77_la_CPPFLAGS = $(f77_cppflags)
liblayer_f90_la_SOURCES = $(fortran_serial)
liblayer_f90_la_CPPFLAGS = $(AM_CPPFLAGS)
nodist_liblayer_f90_la_SOURCES = fortran/sion_f90.f90

noinst_LTLIBRARIES += liblayer_f90_array.la
liblayer_f90_array_la_SOURCES = $(fortran_array)
nodist_liblayer_f90_array_la_SOURCES = fortran/sion_array.f90

if HAVE_OPENMP
noinst_LTLIBRARIES += liblayer_f77_omp.la liblayer_f90_omp.la
liblayer_f77_omp_la_SOURCES = $(fortran_omp)
liblayer_f77_omp_la_CPPFLAGS = $(f77_cppflags)
liblayer_f90_omp_la_SOURCES = $(fortran_omp)
liblayer_f90_omp_la_CPPFLAGS = $(AM_CPPFLAGS)
nodist_liblayer_f90_omp_la_SOURCES = fortran/sion_f90_omp.f90
built_modules += src/fortran/sion_f90_omp.f90
f77_omp_layer = liblayer_f77_omp.la
f90_omp_layer = liblayer_f90_omp.la
endif

if HAVE_MPI
noinst_LTLIBRARIES += liblayer_f77_mpi.la liblayer_f90_mpi.la
liblayer_f77_mpi_la_SOURCES = $(fortran_mpi)
liblayer_f77_mpi_la_CPPFLAGS = $(f77_cppflags) $(MPI_CFLAGS)
liblayer_f90_mpi_la_SOURCES = $(fortran_mpi)
liblayer_f90_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
nodist_liblayer_f90_mpi_la_SOURCES = fortran/sion_f90_mpi.f90
built_modules += src/fortran/sion_f90_mpi.f90
endif

if HAVE_MPI_F08
noinst_LTLIBRARIES += liblayer_f08.la
liblayer_f08_la_SOURCES =
nodist_liblayer_f08_la_SOURCES = fortran/sion_f08.f90
built_modules += src/fortran/sion_f08.f90
f08_layer = liblayer_f08.la
endif

if HAVE_HYBRID
noinst_LTLIBRARIES += liblayer_f77_ompi.la liblayer_f90_ompi.la
liblayer_f77_ompi_la_SOURCES = $(fortran_ompi)
liblayer_f77_ompi_la_CPPFLAGS = $(f77_cppflags) $(MPI_CFLAGS)
liblayer_f90_ompi_la_SOURCES = $(fortran_ompi)
liblayer_f90_ompi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
nodist_liblayer_f90_ompi_la_SOURCES = fortran/sion_f90_ompi.f90
built_modules += src/fortran/sion_f90_ompi.f90
f77_ompi_layer = liblayer_f77_ompi.la
f90_ompi_layer = liblayer_f90_ompi.la
if HAVE_MPI_F08
noinst_LTLIBRARIES += liblayer_f08_ompi.la
liblayer_f08_ompi_la_SOURCES =
nodist_liblayer_f08_ompi_la_SOURCES = fortran/sion_f08_ompi.f90
built_modules += src/fortran/sion_f08_ompi.f90
f08_ompi_layer = liblayer_f08_ompi.la
endif
endif

# ---- modules: with the symbol prefix, if there is one, in all their names ----
# The flags are the same for all, because automake has no separate flags for each Fortran object.
AM_FCFLAGS = $(INSTRUMENT_FLAGS) $(FC_MODOUT)$(module_folder) $(FC_MODINC)$(module_folder) \
	$(MPI_FCFLAGS)
module_folder = include/mod_64

rename_routines = $(SED) -e 's/\([^a-z_]\)\(sion_f[09]\)/\1$(symbol_prefix)\2/g' \
	-e 's/\([^a-z_]\)\(fsion_\)/\1$(symbol_prefix)\2/g' \
	-e 's/\(module \)\(sion_array\)$$/\1$(symbol_prefix)\2/' -e 's/\(name="\)\(sion_\)/\1$(symbol_prefix)\2/'
expand_module = $(MKDIR_P) fortran $(module_folder) && module=$(srcdir)/src/$@ && \
	$(AWK) -f $(srcdir)/src/fortran/forward.awk $$module $$module
forwarding_modules = fortran/sion_f90.f90 fortran/sion_f90_omp.f90 fortran/sion_f90_mpi.f90 fortran/sion_f90_ompi.f90 \
	fortran/sion_f08.f90 fortran/sion_f08_ompi.f90
$(forwarding_modules): $(fortran_modules) src/fortran/forward.awk
	$(AM_V_GEN)$(expand_module) | $(rename_routines) >$@
fortran/sion_array.f90: src/fortran/sion_array.f90 src/fortran/forward.awk src/fortran/each.awk
	$(AM_V_GEN)$(expand_module) >$@.short && \
	$(AWK) -f $(srcdir)/src/fortran/each.awk $@.short $@.short | $(rename_routines) >$@
fortran/sion_array.lo fortran/sion_f90_omp.lo fortran/sion_f90_mpi.lo fortran/sion_f90_ompi.lo: fortran/sion_f90.lo
fortran/sion_f08.lo: fortran/sion_f90_mpi.lo
fortran/sion_f08_ompi.lo: fortran/sion_f08.lo fortran/sion_f90_ompi.lo
CLEANFILES += fortran/*.f90 fortran/*.short $(module_folder)/*.mod $(module_folder)/*.MOD

# Only the modules that this build has made.
install-modules: all
	$(MKDIR_P) '$(DESTDIR)$(includedir)/mod_64'
	$(INSTALL_DATA) $(module_folder)/*.mod '$(DESTDIR)$(includedir)/mod_64'
uninstall-modules: all
	cd $(module_folder) && for module in *.mod; do \
		rm -f "$(DESTDIR)$(includedir)/mod_64/$$module"; \
	done
	-rmdir '$(DESTDIR)$(includedir)/mod_64'
install_modules = install-modules
uninstall_modules = uninstall-modules

# ---- static archives ----
lib_LTLIBRARIES += libsionser_f77_64.la libsionser_f90_64.la libsionarray_f90_64.la
libsionarray_f90_64_la_SOURCES =
libsionarray_f90_64_la_LIBADD = liblayer_f90_array.la
libsionarray_f90_64_la_LDFLAGS = $(AM_LDFLAGS) -static
libsionser_f77_64_la_SOURCES =
libsionser_f77_64_la_LIBADD = liblayer_f77.la liblayer_fortran.la $(f77_omp_layer)
libsionser_f77_64_la_LDFLAGS = $(AM_LDFLAGS) -static
libsionser_f90_64_la_SOURCES =
libsionser_f90_64_la_LIBADD = liblayer_f90.la liblayer_fortran.la $(f90_omp_layer)
libsionser_f90_64_la_LDFLAGS = $(AM_LDFLAGS) -static

if HAVE_MPI
lib_LTLIBRARIES += libsionmpi_f77_64.la libsionmpi_f90_64.la
libsionmpi_f77_64_la_SOURCES =
libsionmpi_f77_64_la_LIBADD = liblayer_f77_mpi.la $(f77_ompi_layer)
libsionmpi_f77_64_la_LDFLAGS = $(AM_LDFLAGS) -static
libsionmpi_f90_64_la_SOURCES =
libsionmpi_f90_64_la_LIBADD = liblayer_f90_mpi.la $(f90_ompi_layer) $(f08_layer) $(f08_ompi_layer)
libsionmpi_f90_64_la_LDFLAGS = $(AM_LDFLAGS) -static
endif

# ---- shared libraries: each has FORTRAN 77 and the modules ----
if BUILD_SHARED
lib_LTLIBRARIES += libsion_f90.la
libsion_f90_la_SOURCES =
nodist_EXTRA_libsion_f90_la_SOURCES = fortran/sion_f90.f90
libsion_f90_la_LIBADD = \
	liblayer_f90.la liblayer_f77.la liblayer_fortran.la $(f90_omp_layer) $(f77_omp_layer) libsion.la
libsion_f90_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info $(LIBSION_F90_VERSION) \
	-Wl,--version-script=$(srcdir)/src/abi/libsion_f90.map
EXTRA_libsion_f90_la_DEPENDENCIES = src/abi/libsion_f90.map

lib_LTLIBRARIES += libsion_array_f90.la
libsion_array_f90_la_SOURCES =
nodist_EXTRA_libsion_array_f90_la_SOURCES = fortran/sion_array.f90
libsion_array_f90_la_LIBADD = liblayer_f90_array.la libsion_array.la libsion.la
libsion_array_f90_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info $(LIBSION_F90_VERSION) \
	-Wl,--version-script=$(srcdir)/src/abi/libsion_f90.map
EXTRA_libsion_array_f90_la_DEPENDENCIES = src/abi/libsion_f90.map

if HAVE_MPI
lib_LTLIBRARIES += libsion_mpi_f90.la
libsion_mpi_f90_la_SOURCES =
nodist_EXTRA_libsion_mpi_f90_la_SOURCES = fortran/sion_f90_mpi.f90
libsion_mpi_f90_la_LIBADD = $(MPI_FCLIBS) $(MPI_LIBS) \
	liblayer_f90_mpi.la liblayer_f77_mpi.la liblayer_fortran.la $(f90_ompi_layer) $(f77_ompi_layer) $(f08_layer) \
	$(f08_ompi_layer) \
	libsion_f90.la libsion_mpi.la libsion.la
libsion_mpi_f90_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info $(LIBSION_F90_VERSION) \
	-Wl,--version-script=$(srcdir)/src/abi/libsion_f90.map
EXTRA_libsion_mpi_f90_la_DEPENDENCIES = src/abi/libsion_f90.map
endif
endif
endif
EXTRA_DIST += src/abi/libsion_f90.map
