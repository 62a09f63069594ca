# The Python package with the shared libraries of this build, and with a build for mpi4py's MPI.
EXTRA_DIST += test/bindings/python/conftest.py test/bindings/python/lib.sh \
	test/bindings/python/mpi.sh test/bindings/python/openmpi.sh test/bindings/python/package.sh \
	test/bindings/python/ranks.py test/bindings/python/test_arrays.py test/bindings/python/test_both.py test/bindings/python/test_bulk.py \
	test/bindings/python/test_check.py test/bindings/python/test_codecs.py test/bindings/python/test_devices.py test/bindings/python/test_drain.py test/bindings/python/test_files.py \
	test/bindings/python/test_filesystem.py test/bindings/python/test_grow.py \
	test/bindings/python/test_read.py test/bindings/python/test_scale.py test/bindings/python/test_sets.py \
	test/bindings/python/test_texts.py test/bindings/python/test_urls.py test/bindings/python/test_write.py test/bindings/python/test_zip.py \
	test/bindings/python/test_xarray.py test/bindings/python/wrong_types.py

TESTS += test/bindings/python/mpi.sh test/bindings/python/package.sh
full_tests += test/bindings/python/openmpi.sh
