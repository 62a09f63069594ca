# The packages of packaging/debian, built from the source package: what is in them, what lintian says, and the
# programs of their tests with the packages unpacked in a folder.
. "$srcdir/test/harness.sh"
for tool in dpkg-buildpackage dh lintian fakeroot; do
    command -v $tool >/dev/null || skip_all "no $tool (scripts/install-packages.sh packages)"
done
root=$builddir/test-debian
version=$(setting PACKAGE_VERSION)
tree=$root/scion-$version
unset MAKEFLAGS MAKELEVEL MFLAGS CC CFLAGS
trap 'rm -rf "$scratch"; test -n "$KEEP" || rm -rf "$root"' EXIT
rm -rf "$root"
mkdir -p "$root"
source_tree()
{
    make -s -C "$builddir" distdir distdir="$tree" && cp -r "$srcdir/packaging/debian" "$tree/debian" &&
        chmod -R u+w "$tree"
}
check 'the source package has all that they need' source_tree
cd "$tree" || finish
missing=$(dpkg-checkbuilddeps 2>&1) || skip_all "${missing#*: }"

# Open MPI and MPICH may both be here: the packages take the one that Debian chooses.
built()
{
    DEB_BUILD_OPTIONS="nocheck parallel=2" dpkg-buildpackage -us -uc -b
}
check 'dpkg-buildpackage' built
cd "$root" || finish
packages='libsion0 libsion-mpi0 libsion-dev scion-tools python3-sion scion-doc'
all_are_there()
{
    for package in $packages; do
        dpkg-deb -x "$package"_*.deb "$root/installed" || return 1
        dpkg-deb -c "$package"_*.deb | awk '$1 !~ /^d/ { print $6 }' >"$package.list"
    done
}
check 'all packages are there' all_are_there
no_file_twice()
{
    test -z "$(sort ./*.list | uniq -d)"
}
check 'no file is in two packages' no_file_twice
# has PACKAGE FILE...
has()
{
    package=$1
    shift
    for file; do
        grep -q "^\./usr/$file\$" "$package.list" || { echo "$package: $file" && return 1; }
    done
}
check 'libsion0' has libsion0 'lib/.*/libsion.so.0' 'lib/.*/libsion_array.so.0' 'lib/.*/libsion_checksum.so.0' \
    'lib/.*/libsion_f90.so.0'
check 'libsion-mpi0' has libsion-mpi0 'lib/.*/libsion_mpi.so.0' 'lib/.*/libsion_fti_mpi.so.0' \
    'lib/.*/libsion_scr_mpi.so.0' 'lib/.*/libsion_mpi_f90.so.0'
check 'libsion-dev' has libsion-dev bin/sionconfig include/sion.h include/mod_64/sion_f90.mod \
    'lib/.*/libsionmpi_64.a' 'lib/.*/pkgconfig/sion-mpi.pc' 'lib/.*/cmake/SION/SIONConfig.cmake' \
    share/man/man3/sion_open.3.gz
check 'scion-tools' has scion-tools bin/siondump bin/sionmount bin/partest share/man/man7/sion.7.gz
check 'python3-sion' has python3-sion lib/python3/dist-packages/sion/__init__.py
check 'scion-doc' has scion-doc share/doc/scion/html/README.html share/doc/scion/examples/hello.c
no_mpi()
{
    ! grep mpi libsion0.list && ! dpkg-deb -f libsion0_*.deb Depends | grep -i mpi
}
check 'libsion0 needs no MPI' no_mpi
check 'lintian' lintian --allow-root --tag-display-limit 0 --fail-on error,warning scion_*.changes

# ---- the tests that autopkgtest runs ----

U=$root/installed/usr
L=$(dirname "$(ls "$U"/lib/*/libsion.so)")
mkdir "$root/bin" "$root/work"
mpi=$(sed -n 's/^ARCH_DEFAULT_MPI_IMPL=//p' /usr/share/mpi-default-dev/debian_defaults)
for command in mpicc mpiexec; do
    printf '#!/bin/sh\nexec timeout 120 %s.%s "$@"\n' $command "$mpi" >"$root/bin/$command"
done
chmod +x "$root"/bin/*
# passes TEST: with the packages that were unpacked
passes()
{
    (cd "$tree" && PATH=$root/bin:$U/bin:$PATH LD_LIBRARY_PATH=$L LIBRARY_PATH=$L C_INCLUDE_PATH=$U/include \
        PKG_CONFIG_PATH=$L/pkgconfig PYTHONPATH=$U/lib/python3/dist-packages AUTOPKGTEST_TMP=$root/work \
        "debian/tests/$1")
}
check 'the test "program"' passes program
check 'the test "mpi"' passes mpi
check 'the test "python"' passes python
finish
