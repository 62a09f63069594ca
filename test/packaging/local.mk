# What a release consists of, next to the library. Packages take minutes.
EXTRA_DIST += test/packaging/debian.sh test/packaging/musl.sh test/packaging/options.sh test/packaging/release.sh \
	test/packaging/rpm.sh

TESTS += test/packaging/musl.sh test/packaging/options.sh test/packaging/release.sh
full_tests += test/packaging/debian.sh test/packaging/rpm.sh
