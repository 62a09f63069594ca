#!/usr/bin/env bash
#
# Makes a release from the last commit, in build/release: the source package, which needs no autotools; the
# documents as HTML pages; the wheel of the Python package; and the sums of all. Then the source package is built,
# tested and installed in a Debian that has a compiler, make and the libraries, but no autotools and no network.
# The same commit gives the same source package.
#
#   scripts/release.sh [--tests LIST] [--suite SUITE] [--with PACKAGES] [--unverified]
#
#   --tests LIST      run only these tests there, such as "test/api/serial test/tools/dump.sh"
#   --suite SUITE     the release of Debian (bookworm)
#   --with PACKAGES   more packages for it, such as "g++ gfortran libmpich-dev mpich python3-numpy python3-cffi"
#   --unverified      make the files, and nothing more
#
# The verification needs root, debootstrap, and a mirror of Debian while the system is made: DEBIAN_MIRROR, or that
# of debootstrap. RELEASING.md has the other steps of a release.

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$root/build/release
suite=bookworm
packages='xz-utils gcc libc6-dev make uthash-dev nettle-dev zlib1g-dev'
tests=
verified=yes
python=

fail() {
    echo "release: FAILED: $1" >&2
    [ $# -lt 2 ] || [ ! -f "$2" ] || tail -n 30 "$2" >&2
    exit 1
}

usage() {
    echo "Usage: release.sh [--tests LIST] [--suite SUITE] [--with PACKAGES] [--unverified]"
}

# step NAME COMMAND...: runs it with its output in build/release/NAME.log
step() {
    local name=$1 start=$SECONDS

    shift
    "$@" > "$build/$name.log" 2>&1 < /dev/null || fail "$name" "$build/$name.log"
    printf '%-12s %5d s\n' "$name" $((SECONDS - start))
}

check_tree() {
    [ -z "$(git -C "$root" status --porcelain --untracked-files=no)" ] ||
        fail "there are changes that are not committed"
    [ "$(sed -n '/^[0-9]/ { p; q; }' "$root/NEWS")" = "$version" ] || fail "NEWS does not begin with $version"
}

# Another Python in PATH may lack what Debian's packages provide.
find_python() {
    for python in ${PYTHON:-python3 /usr/bin/python3}; do
        "$python" -c 'import setuptools, pip, wheel' 2> /dev/null && return
    done
    fail "no Python has pip, setuptools and wheel (scripts/install-packages.sh packages)"
}

check_for_verification() {
    [ "$(id -u)" -eq 0 ] || fail "the verification needs root"
    command -v debootstrap > /dev/null || fail "debootstrap is missing (scripts/install-packages.sh packages)"
}

# ---- the files ----

checkout() {
    git clone -q "$root" "$build/source" && cd "$build/source" && autoreconf -fi &&
        mkdir "$build/made" && cd "$build/made" && ../source/configure --without-mpi
}

# All members have the time of the commit and no owner, so that the package depends on the commit alone.
reproducible_tar() {
    local format='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime'

    TAR_OPTIONS="--sort=name --mtime=@$SOURCE_DATE_EPOCH --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s
        --pax-option=$format" "$@"
}

source_package() {
    cd "$build/made" && make -j2 && reproducible_tar make dist && mv "scion-$version.tar.xz" "$build/out"
}

documents() {
    cd "$build/made" && make html && mkdir "scion-$version-html" &&
        make install-html pagesdir="$PWD/scion-$version-html" &&
        reproducible_tar tar --format=posix -cJf "$build/out/scion-$version-html.tar.xz" "scion-$version-html"
}

wheel() {
    cp -r "$build/source/python" "$build/python" &&
        "$python" -m pip wheel -q --no-index --no-deps --no-build-isolation -w "$build/out" "$build/python"
}

sums() {
    cd "$build/out" && sha256sum -- * > SHA256SUMS
}

# ---- the verification ----

# in_system OPTION COMMAND: in the system, which sees none of our processes; the option of unshare takes more away
in_system() {
    unshare --mount --pid --fork $1 sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
        mount -t sysfs -o ro sysfs "$1/sys" &&
        { ip link set lo up 2> /dev/null || :; } &&
        exec chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -e -c "$2"' sh "$build/system" "$2"
}

# inside COMMAND: there, without network but its own loopback
inside() {
    in_system --net "$1"
}

# apt installs packages in an order that works for all; debootstrap does not.
make_system() {
    debootstrap --variant=minbase "$suite" "$build/system" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} &&
        in_system '' "apt-get -q update && apt-get -q -y --no-install-recommends install $packages" &&
        cp "$build/out/scion-$version.tar.xz" "$build/system/root"
}

# The packages of an MPI may bring autotools.
without_autotools() {
    inside 'rm -f /usr/bin/auto* /usr/bin/aclocal* /usr/bin/libtool*; ! command -v autoconf automake libtoolize && tar --version'
}

build_there() {
    inside "cd /root && tar -xf scion-$version.tar.xz && cd scion-$version && ./configure && make -j$(nproc)"
}

test_there() {
    inside "cd /root/scion-$version && make -j$(nproc) check VERBOSE=1 ${tests:+TESTS='$tests'}"
}

# A program that is built with what was installed writes a container that the tools take.
install_there() {
    cp "$root/examples/hello.c" "$build/system/root" &&
        inside "make -C /root/scion-$version install && ldconfig && cd /root &&
            gcc hello.c \$(sionconfig --ser --cflags) -o hello \$(sionconfig --ser --libs) && ./hello &&
            gcc hello.c -o hello_shared -lsion && ./hello_shared && sionverify hello.sion && sionversion"
}

verify() {
    step system make_system
    step bare without_autotools
    step build build_there
    step check test_there
    grep '^# [A-Z]*:' "$build/check.log" | tail -n 7
    step install install_there
}

main() {
    version=$(sed -n 's/^version=//p' "$root/VERSION")
    while [ $# -gt 0 ]; do
        case $1 in
            --tests | --suite | --with) [ $# -gt 1 ] || { usage >&2 && exit 1; } ;;
        esac
        case $1 in
            --tests) tests=$2 && shift ;;
            --suite) suite=$2 && shift ;;
            --with) packages="$packages $2" && shift ;;
            --unverified) verified=no ;;
            -h | --help) usage && exit 0 ;;
            *) usage >&2 && exit 1 ;;
        esac
        shift
    done
    check_tree
    find_python
    [ $verified = no ] || check_for_verification
    rm -rf "$build" && mkdir -p "$build/out" || fail "cannot make $build anew"
    SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) && export SOURCE_DATE_EPOCH
    step configure checkout
    step package source_package
    step documents documents
    step wheel wheel
    step sums sums
    [ $verified = no ] || verify
    cat "$build/out/SHA256SUMS"
    echo "release: scion $version is in ${build#"$root"/}/out"
}

main "$@"
