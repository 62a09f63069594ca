# The Python package. It calls the shared libraries, so there is nothing to compile.
python_modules = \
	python/sion/__init__.py python/sion/__main__.py python/sion/_declarations.py \
	python/sion/_index.py python/sion/_library.py python/sion/_packed.py python/sion/arrays.py python/sion/bulk.py python/sion/check.py python/sion/container.py \
	python/sion/drain.py python/sion/errors.py python/sion/files.py python/sion/filesystem.py python/sion/opened.py python/sion/parallel.py python/sion/py.typed \
	python/sion/shared.py python/sion/streams.py
EXTRA_DIST += python/README.md python/installed.py python/pyproject.toml $(python_modules)

python_metadata = $(pythondir)/sion-$(PACKAGE_VERSION).dist-info
if HAVE_PYTHON
installed_package = install-python
uninstalled_package = uninstall-python
endif
install-data-local: $(installed_package)
uninstall-local: $(uninstalled_package)

# Only the installation knows the folder of the libraries, so it writes _installed.py. The metadata
# tell pip that the package is installed, and fsspec which protocol it offers.
install-python:
	$(MKDIR_P) '$(DESTDIR)$(pythondir)/sion' '$(DESTDIR)$(python_metadata)'
	for module in $(python_modules); do \
		$(INSTALL_DATA) $(srcdir)/$$module '$(DESTDIR)$(pythondir)/sion' || exit 1; \
	done
	$(PYTHON) $(srcdir)/python/installed.py '$(prefix)' '$(libdir)' '$(pythondir)/sion' \
		>'$(DESTDIR)$(pythondir)/sion/_installed.py'
	printf 'Metadata-Version: 2.1\nName: sion\nVersion: %s\nRequires-Dist: cffi\nRequires-Dist: numpy\n' \
		'$(PACKAGE_VERSION)' >'$(DESTDIR)$(python_metadata)/METADATA'
	echo 'make install' >'$(DESTDIR)$(python_metadata)/INSTALLER'
	$(AWK) '/^\[project.entry-points/ { sub(/.*"fsspec/, "[fsspec"); sub(/"/, ""); inside = 1; print; next } \
		/^\[/ || /^$$/ { inside = 0 } inside { gsub(/"/, ""); print }' $(srcdir)/python/pyproject.toml \
		>'$(DESTDIR)$(python_metadata)/entry_points.txt'

uninstall-python:
	for module in $(python_modules) _installed.py; do \
		rm -f "$(DESTDIR)$(pythondir)/sion/$${module##*/}"; \
	done
	rm -rf '$(DESTDIR)$(pythondir)/sion/__pycache__' '$(DESTDIR)$(python_metadata)'
	-rmdir '$(DESTDIR)$(pythondir)/sion'
.PHONY: install-python uninstall-python
