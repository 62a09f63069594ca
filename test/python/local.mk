# The Python package with the shared libraries of this build, and with a build for mpi4py's MPI.
python_tests = test/python/package.sh test/python/mpi.sh
TESTS += $(python_tests)
full_tests += test/python/openmpi.sh
EXTRA_DIST += $(python_tests) test/python/openmpi.sh test/python/lib.sh test/python/conftest.py \
	test/python/ranks.py test/python/test_arrays.py test/python/test_bulk.py test/python/test_filesystem.py test/python/test_check.py test/python/test_read.py \
	test/python/test_scale.py test/python/test_texts.py test/python/test_write.py test/python/wrong_types.py
