# rpmbuild makes the packages of packaging/scion.spec from the source package.
. "$srcdir/test/harness.sh"
command -v rpmbuild >/dev/null || skip_all 'no rpmbuild (scripts/install-packages.sh packages)'
root=$builddir/test-rpm
version=$(setting PACKAGE_VERSION)
unset MAKEFLAGS MAKELEVEL MFLAGS CC CFLAGS
trap 'rm -rf "$scratch"; test -n "$KEEP" || rm -rf "$root"' EXIT
rm -rf "$root"
mkdir -p "$root/SOURCES"
source_package()
{
    make -s -C "$builddir" distdir distdir="$root/scion-$version" &&
        tar -C "$root" -cJf "$root/SOURCES/scion-$version.tar.xz" "scion-$version"
}
check 'the source package is made' source_package
mpi=
! grep -q '^#define HAVE_MPI ' "$builddir/config.h" || mpi='--with mpi'
# The packages of this system are not those of rpm.
# shellcheck disable=SC2086
built()
{
    MPICC=$(setting MPICC) MPIFC=$(setting MPIFC) rpmbuild -bb --nodeps --without check $mpi --define "_topdir $root" \
        --define 'debug_package %{nil}' --define '_smp_mflags -j2' "$srcdir/packaging/scion.spec"
}
check 'rpmbuild' built
# has PACKAGE FILE
has()
{
    rpm -qlp "$root"/RPMS/*/"$1-$version"-*.rpm >"$scratch/list" && grep -q "^/usr/$2\$" "$scratch/list"
}
check 'scion has the tools' has scion bin/siondump
check 'scion-libs has the libraries' has scion-libs 'lib[^/]*/libsion.so.0'
needs_no_mpi()
{
    ! rpm -qp --requires "$root"/RPMS/*/"scion-libs-$version"-*.rpm | grep -i 'mpi'
}
if [ -n "$mpi" ]; then
    check 'scion-mpi has the libraries for MPI' has scion-mpi 'lib[^/]*/libsion_mpi.so.0'
fi
check 'scion-libs needs no MPI' needs_no_mpi
check 'scion-devel has the headers' has scion-devel include/sion.h
# Into an empty folder, where nothing else is.
installed()
{
    mkdir -p "$root/system" && rpm --root "$root/system" --nodeps --noscripts -i "$root"/RPMS/*/*.rpm &&
        rpm --root "$root/system" -V --nodeps --noscripts scion scion-libs scion-devel scion-doc python3-sion &&
        test -x "$root/system/usr/bin/siondump"
}
if [ "$(id -u)" -eq 0 ]; then
    check 'rpm installs and verifies them' installed
fi
check 'python3-sion has the package' has python3-sion '.*/sion/__init__.py'
check 'scion-doc has the documents' has scion-doc 'share/doc/.*/guide.md'
finish
