# What a release consists of, next to the library, and packages, which take minutes.
TESTS += test/packaging/release.sh
full_tests += test/packaging/debian.sh test/packaging/rpm.sh
EXTRA_DIST += test/packaging/release.sh test/packaging/debian.sh test/packaging/rpm.sh
