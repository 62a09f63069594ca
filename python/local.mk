# The Python package. It calls the shared libraries or reads without them: there is nothing to compile.
python_modules = \
	python/sion/__init__.py python/sion/__main__.py python/sion/_array_reader.py \
	python/sion/_backend.py python/sion/_declarations.py python/sion/_index.py \
	python/sion/_library.py python/sion/_packed.py python/sion/arrays.py python/sion/bulk.py python/sion/check.py \
	python/sion/container.py python/sion/device.py python/sion/drain.py python/sion/errors.py python/sion/files.py python/sion/filesystem.py \
	python/sion/opened.py python/sion/parallel.py python/sion/py.typed python/sion/shared.py \
	python/sion/streams.py python/sion/xarray_backend.py python/sion/pure/__init__.py python/sion/pure/arrays.py \
	python/sion/pure/checksums.py python/sion/pure/columns.py python/sion/pure/container.py \
	python/sion/pure/contents.py python/sion/pure/convert.py python/sion/pure/crc32c.py \
	python/sion/pure/damage.py python/sion/pure/failures.py python/sion/pure/frames.py python/sion/pure/generations.py \
	python/sion/pure/sound.py python/sion/pure/header.py \
	python/sion/pure/index.py python/sion/pure/mapping.py python/sion/pure/newer.py python/sion/pure/places.py python/sion/pure/members.py \
	python/sion/pure/records.py python/sion/pure/slab.py python/sion/pure/source.py \
	python/sion/pure/states.py python/sion/pure/tables.py python/sion/pure/unpack.py python/sion/pure/verify.py \
	python/sion/pure/words.py python/sion/pure/zfp.py python/sion/pure/zipped.py python/sion/pure/zstd.py
EXTRA_DIST += python/README.md python/installed.py python/pyproject.toml $(python_modules)

python_metadata = $(pythondir)/sion-$(PACKAGE_VERSION).dist-info
if HAVE_PYTHON
installed_package = install-python
uninstalled_package = uninstall-python
endif
install-data-local: $(installed_package)
uninstall-local: $(uninstalled_package)

# Only the installation knows the folder of the libraries, so it writes _installed.py. The metadata
# tell pip that the package is installed, and fsspec and xarray what it offers.
install-python:
	$(MKDIR_P) '$(DESTDIR)$(pythondir)/sion/pure' '$(DESTDIR)$(python_metadata)'
	for module in $(python_modules); do \
		$(INSTALL_DATA) $(srcdir)/$$module "$(DESTDIR)$(pythondir)/$${module#python/}" || exit 1; \
	done
	$(PYTHON) $(srcdir)/python/installed.py '$(prefix)' '$(libdir)' '$(pythondir)/sion' \
		>'$(DESTDIR)$(pythondir)/sion/_installed.py'
	printf 'Metadata-Version: 2.1\nName: sion\nVersion: %s\nRequires-Dist: numpy\n' \
		'$(PACKAGE_VERSION)' >'$(DESTDIR)$(python_metadata)/METADATA'
	echo 'make install' >'$(DESTDIR)$(python_metadata)/INSTALLER'
	$(AWK) '/^\[project.entry-points/ { sub(/.*points\."/, "["); sub(/"/, ""); inside = 1; print; next } \
		/^\[/ || /^$$/ { inside = 0 } inside { gsub(/"/, ""); print }' $(srcdir)/python/pyproject.toml \
		>'$(DESTDIR)$(python_metadata)/entry_points.txt'

uninstall-python:
	for module in $(python_modules) sion/_installed.py; do \
		rm -f "$(DESTDIR)$(pythondir)/$${module#python/}"; \
	done
	rm -rf '$(DESTDIR)$(pythondir)/sion/__pycache__' '$(DESTDIR)$(pythondir)/sion/pure/__pycache__' \
		'$(DESTDIR)$(python_metadata)'
	-rmdir '$(DESTDIR)$(pythondir)/sion/pure' '$(DESTDIR)$(pythondir)/sion'

# A wheel for any machine, and the sources for pip. setuptools leaves files of its own, so of a copy.
python_dist = python-dist
python-dist:
	rm -rf $(python_dist) && $(MKDIR_P) $(python_dist)/source/sion/pure
	cp $(srcdir)/python/README.md $(srcdir)/python/pyproject.toml $(python_dist)/source
	for module in $(python_modules); do \
		cp $(srcdir)/$$module "$(python_dist)/source/$${module#python/}" || exit 1; \
	done
	cd $(python_dist)/source && SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-315532800} $(PYTHON) -c \
		'import setuptools.build_meta as build; build.build_sdist(".."); build.build_wheel("..")' >/dev/null
	rm -rf $(python_dist)/source
	ls $(python_dist)
clean-local: clean-python-dist
clean-python-dist:
	rm -rf $(python_dist)
.PHONY: clean-python-dist install-python python-dist uninstall-python
