# What a release consists of, beside the library.
TESTS += test/packaging/release.sh
EXTRA_DIST += test/packaging/release.sh
