# Files that tell build systems and sites about an installation (pkg-config files, a CMake package,
# a module file), and recipes to install the library.
EXTRA_DIST += packaging/link.sh packaging/link.table packaging/SIONConfig.cmake.in \
	packaging/SIONConfigVersion.cmake.in packaging/SIONlibConfig.cmake.in packaging/modulefile.in \
	packaging/README.md packaging/scion.spec packaging/conda/meta.yaml packaging/Containerfile packaging/Containerfile.dockerignore packaging/spack/package.py packaging/easybuild/Scion-1.0.0-gompi-2025b.eb

EXTRA_DIST += \
	packaging/debian/changelog packaging/debian/control packaging/debian/copyright \
	packaging/debian/libsion-dev.install packaging/debian/libsion-dev.lintian-overrides packaging/debian/libsion-mpi0.install \
	packaging/debian/libsion0.install packaging/debian/libsion0.lintian-overrides packaging/debian/python3-sion.install \
	packaging/debian/rules packaging/debian/scion-doc.doc-base packaging/debian/scion-doc.install \
	packaging/debian/scion-tools.install packaging/debian/source/format packaging/debian/tests/control \
	packaging/debian/tests/mpi packaging/debian/tests/program packaging/debian/tests/python

# For projects to copy.
findmoduledir = $(datadir)/scion
dist_findmodule_DATA = packaging/FindSIONlib.cmake

DISTCLEANFILES = link.rows

interface_version = 1.7.6
package_settings = \
	prefix='$(prefix)' libdir='$(libdir)' includedir='$(includedir)' bindir='$(bindir)' \
	mandir='$(mandir)' modulefiledir='$(modulefiledir)' pythondir='$(pythondir)' version=$(interface_version) symbol_prefix='$(symbol_prefix)' \
	shared=$(enable_shared) mpi=$(have_mpi) omp=$(have_openmp) ompi=$(have_hybrid) \
	f90=$(have_fortran) cxx=$(have_cxx) zlib=$(have_zlib) fti=$(have_ftiff) nettle_libs='$(NETTLE_LIBS)' \
	checksum=$(have_checksum) checksum_libs='$(CHECKSUM_LIBS)' \
	mpi_cflags='$(MPI_CFLAGS)' mpi_libs='$(MPI_LIBS)' \
	mpi_fcflags='$(MPI_FCFLAGS)' mpi_fclibs='$(MPI_FCLIBS)' openmp='$(OPENMP_CFLAGS)' lock=$(lock_kind) \
	zlib_libs='$(ZLIB_LIBS)' \
	PACKAGE_VERSION=$(PACKAGE_VERSION)
if HAVE_PTHREADS
lock_kind = pthreads
else
lock_kind = none
endif

# Always makes the files anew, because they depend on the folders given to "make install". Each
# installation uses a scratch folder of its own, so that several can run at once.
install-packaging: all
	folder=package-files.$$$$ && mkdir $$folder && \
		{ $(MAKE) $(AM_MAKEFLAGS) package_files=$$folder install-package-files; status=$$?; \
			rm -rf $$folder; exit $$status; }
install-package-files:
	for kind in packages archives; do \
		env $(package_settings) $(SHELL) $(srcdir)/packaging/link.sh $$kind $(package_files)/$$kind || \
			exit 1; \
	done
	targets=`env $(package_settings) $(SHELL) $(srcdir)/packaging/link.sh targets`; export targets; \
	for name in SIONConfig.cmake SIONConfigVersion.cmake SIONlibConfig.cmake modulefile; do \
		env $(package_settings) $(AWK) '{ rest = $$0; line = ""; \
			while (match(rest, /@[A-Za-z0-9_]+@/)) { \
				line = line substr(rest, 1, RSTART - 1) \
					ENVIRON[substr(rest, RSTART + 1, RLENGTH - 2)]; \
				rest = substr(rest, RSTART + RLENGTH) } print line rest }' \
			$(srcdir)/packaging/$$name.in >$(package_files)/$$name || exit 1; \
	done
	$(MKDIR_P) '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(libdir)/cmake/SION' \
		'$(DESTDIR)$(libdir)/cmake/SIONlib' '$(DESTDIR)$(modulefiledir)'
	$(INSTALL_DATA) $(package_files)/packages/*.pc '$(DESTDIR)$(libdir)/pkgconfig'
	for archive in $(package_files)/archives/*.a; do \
		test ! -f $$archive || $(INSTALL_DATA) $$archive '$(DESTDIR)$(libdir)' || exit 1; \
	done
	$(INSTALL_DATA) $(package_files)/SIONConfig*.cmake '$(DESTDIR)$(libdir)/cmake/SION'
	$(INSTALL_DATA) $(package_files)/SIONlibConfig.cmake '$(DESTDIR)$(libdir)/cmake/SIONlib'
	$(INSTALL_DATA) $(package_files)/SIONConfigVersion.cmake \
		'$(DESTDIR)$(libdir)/cmake/SIONlib/SIONlibConfigVersion.cmake'
	$(INSTALL_DATA) $(package_files)/modulefile '$(DESTDIR)$(modulefiledir)/$(PACKAGE_VERSION)'
# Removes only what this build installs.
uninstall-packaging:
	folder=package-files.$$$$ && mkdir $$folder && \
		{ $(MAKE) $(AM_MAKEFLAGS) package_files=$$folder uninstall-package-files; status=$$?; \
			rm -rf $$folder; exit $$status; }
uninstall-package-files:
	for kind in packages archives; do \
		env $(package_settings) $(SHELL) $(srcdir)/packaging/link.sh $$kind $(package_files); \
	done
	for file in $(package_files)/*.pc $(package_files)/*.a; do \
		rm -f "$(DESTDIR)$(libdir)/pkgconfig/$${file##*/}" "$(DESTDIR)$(libdir)/$${file##*/}"; \
	done
	rm -f '$(DESTDIR)$(libdir)/cmake/SION/SIONConfig.cmake' \
		'$(DESTDIR)$(libdir)/cmake/SION/SIONConfigVersion.cmake' \
		'$(DESTDIR)$(libdir)/cmake/SIONlib/SIONlibConfig.cmake' \
		'$(DESTDIR)$(libdir)/cmake/SIONlib/SIONlibConfigVersion.cmake'
	-rmdir '$(DESTDIR)$(libdir)/cmake/SION' '$(DESTDIR)$(libdir)/cmake/SIONlib'
	rm -f '$(DESTDIR)$(modulefiledir)/$(PACKAGE_VERSION)'
modulefiledir = $(datadir)/modulefiles/$(symbol_prefix)scion
