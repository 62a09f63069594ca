#!/usr/bin/env bash
#
# Installs the packages that a purpose needs, if they are missing. If none is, the script does
# nothing and needs neither root nor the network.
#
#   scripts/install-packages.sh [--no-mpi] [build] [mpi] [test] [openmpi] [browser] [machines] [bench] [fuzz] [packages] [pictures] [programs] [large-programs]
#
#   build   compiler and autotools (to build from a clone)
#   mpi     MPICH, unless another MPI is installed
#   test    what else scripts/test.sh uses
#   openmpi Open MPI and mpi4py (Debian builds mpi4py with Open MPI), for the tests of sion.paropen; if
#           MPICH is installed, mpicc and mpiexec remain MPICH's
#   browser Chromium, in which a test draws siondump's pictures; it is large, and the test is skipped
#           without it
#   machines compilers for other machines, an emulator, clang's OpenMP and gcovr, which
#           scripts/test.sh --full and scripts/coverage.sh use
#   bench   what bench/run.sh compares containers with: Open MPI, HDF5 for both MPIs, PnetCDF; gnuplot
#   fuzz    what scripts/fuzz.sh uses: clang, AFL++, zip
#   packages what makes and checks packages of Debian and RPM, and releases (scripts/release.sh)
#   pictures what draws the pictures of the documents (make pictures)
#   programs unchanged programs that tests run under sionrun: LAMMPS (with Open MPI), GNU parallel; HDF5
#   large-programs OpenFOAM and Quantum ESPRESSO, with their examples, for scripts/test.sh --full
#
# The default purposes are build, mpi and test. --no-mpi leaves mpi out.

set -u

fail() {
    echo "install-packages: $*" >&2
    exit 1
}

usage() {
    echo "Usage: install-packages.sh [--no-mpi] [build] [mpi] [test] [openmpi] [browser] [machines] [bench] [fuzz] [packages] [pictures] [programs] [large-programs]"
}

packages_for() {
    case $1 in
        build) echo gcc libc6-dev make autoconf automake libtool uthash-dev nettle-dev zlib1g-dev ;;
        mpi) echo mpich libmpich-dev ;;
        test) echo g++ gfortran clang musl-tools valgrind libc6-dbg xz-utils cmake pkgconf tcl \
            mandoc libxml2-utils python3-jsonschema python3-yaml python3-jinja2 python3-cffi python3-numpy python3-pytest \
            abigail-tools python3-dask python3-fsspec python3-matplotlib python3-scipy python3-zarr python3-xarray python3-zstandard \
            libfuse3-dev fuse3 nginx-light python3-aiohttp acl libisal-dev libzstd-dev zstd libzfp-dev python3-zfpy libxdmf3 locales mypy pandoc strace ;;
        openmpi) echo openmpi-bin libopenmpi-dev python3-mpi4py ;;
        browser) echo chromium ;;
        machines) echo "gcc-$(gcc -dumpversion)-multilib g++-$(gcc -dumpversion)-multilib" \
            gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user libomp-dev gcovr glusterfs-server nfs-ganesha-vfs rpcbind libnfs-dev ;;
        bench) echo openmpi-bin libopenmpi-dev libhdf5-mpich-dev libhdf5-openmpi-dev libpnetcdf-dev pkgconf \
            gnuplot-nox ;;
        fuzz) echo clang afl++ zip ;;
        packages) echo debhelper dh-python dpkg-dev fakeroot lintian rpm debootstrap autopkgtest python3-all \
            python3-pip python3-setuptools python3-wheel python3-cffi python3-numpy python3-yaml python3-jinja2 pandoc \
            mpi-default-dev mpi-default-bin libfuse3-dev libisal-dev libzstd-dev libzfp-dev nettle-dev uthash-dev zlib1g-dev build-essential \
            gfortran iproute2 pkgconf xz-utils ;;
        pictures) echo graphviz gnuplot-nox ;;
        programs) echo openmpi-bin lammps parallel libhdf5-dev ;;
        large-programs) echo openmpi-bin openfoam openfoam-examples quantum-espresso quantum-espresso-data ;;
        *) return 1 ;;
    esac
}

have() {
    command -v "$1" > /dev/null 2>&1
}

have_header() {
    echo "#include <$1>" | gcc -E -o /dev/null - 2> /dev/null
}

# can_link COMPILER -x LANGUAGE: programs of 32 bits
can_link() {
    echo 'int main() { return 0; }' | "$@" -m32 -o /dev/null - 2> /dev/null
}

have_python_module() {
    local python

    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" 2> /dev/null && return
    done
    return 1
}

# Looks for what a package provides, because that may come from elsewhere.
is_there() {
    case $1 in
        gcc | make | autoconf | automake | clang | g++ | gfortran | valgrind | cmake | chromium | pandoc | \
            strace) have "$1" ;;
        libc6-dev) have_header stdio.h ;;
        libtool) have libtoolize ;;
        pkgconf) have pkg-config ;;
        tcl) have tclsh ;;
        mpich) have mpiexec ;;
        libmpich-dev) have mpicc ;;
        nettle-dev) have_header nettle/md5.h ;;
        uthash-dev) have_header uthash.h ;;
        zlib1g-dev) have_header zlib.h ;;
        libisal-dev) have_header isa-l.h ;;
        libzstd-dev) have_header zstd.h ;;
        libzfp-dev) have_header zfp.h ;;
        libc6-dbg) valgrind -q true > /dev/null 2>&1 ;; # does not start without it
        xz-utils) have xz ;;
        abigail-tools) have abidiff ;;
        afl++) have afl-clang-fast ;;
        zip) have zip ;;
        debhelper) have dh ;;
        dh-python) have dh_python3 ;;
        dpkg-dev) have dpkg-buildpackage ;;
        rpm) have rpmbuild ;;
        iproute2) have ip ;;
        fakeroot | lintian | debootstrap | autopkgtest) have "$1" ;;
        python3-all) have py3versions ;;
        build-essential | mpi-default-*) dpkg -s "$1" > /dev/null 2>&1 ;;
        python3-pip | python3-setuptools | python3-wheel) /usr/bin/python3 -c "import ${1#python3-}" 2> /dev/null ;;
        mandoc) have mandoc ;;
        musl-tools) have musl-gcc ;;
        gcc-*-multilib) can_link gcc -x c ;;
        g++-*-multilib) can_link g++ -x c++ ;;
        gcc-s390x-linux-gnu) have s390x-linux-gnu-gcc ;;
        libc6-dev-s390x-cross) [ -e /usr/s390x-linux-gnu/include/stdio.h ] ;;
        qemu-user) have qemu-s390x ;;
        libomp-dev) [ -e "$(clang -print-resource-dir)/../../libarcher.so" ] ;;
        gcovr) have gcovr ;;
        libxml2-utils) have xmllint ;;
        python3-aiohttp | python3-cffi | python3-numpy | python3-pytest | python3-fsspec | python3-mpi4py | \
            python3-zarr | python3-xarray | python3-zstandard | python3-zfpy | python3-dask | python3-matplotlib | python3-scipy)
            # One Python must have them all: the one that Debian's packages are for.
            /usr/bin/python3 -c "import ${1#python3-}" 2> /dev/null ;;
        libxdmf3) /usr/bin/python3 -c 'import ctypes; ctypes.CDLL("libXdmf.so.3")' 2> /dev/null ;;
        mypy) have_python_module mypy ;;
        libfuse3-dev) pkg-config --exists fuse3 2> /dev/null ;;
        fuse3) have fusermount3 ;;
        acl) have setfacl ;;
        nginx-light) have nginx || [ -x /usr/sbin/nginx ] ;;
        openmpi-bin) have mpiexec.openmpi ;;
        libopenmpi-dev) have mpicc.openmpi ;;
        libhdf5-mpich-dev) pkg-config --exists hdf5-mpich 2> /dev/null ;;
        libhdf5-openmpi-dev) pkg-config --exists hdf5-openmpi 2> /dev/null ;;
        libpnetcdf-dev) pkg-config --exists pnetcdf 2> /dev/null ;;
        gnuplot-nox) have gnuplot ;;
        lammps) have lmp ;;
        parallel) parallel --version 2> /dev/null | grep -q GNU ;;
        libhdf5-dev) pkg-config --exists hdf5-serial 2> /dev/null ;;
        openfoam) have icoFoam ;;
        quantum-espresso) have pw.x ;;
        openfoam-examples | quantum-espresso-data) dpkg -s "$1" > /dev/null 2>&1 ;;
        graphviz) have dot ;;
        python3-jsonschema | python3-yaml | python3-jinja2) have_python_module "${1#python3-}" ;;
    esac
}

missing_of() {
    local package missing=''

    for package; do
        is_there "$package" || missing="$missing $package"
    done
    echo "$missing"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# Prints something only if it fails.
apt_get() {
    local output

    output=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
        -o DPkg::Lock::Timeout=120 "$@" 2>&1 < /dev/null) && return
    echo "$output" | tail -n 30 >&2
    fail "apt-get $* failed"
}

is_openmpi() {
    case $(readlink -f "$(command -v mpicc)") in *openmpi*) return 0 ;; esac
    return 1
}

# Debian prefers Open MPI, so later builds would silently use it in place of MPICH.
prefer_mpich() {
    local group

    update-alternatives --get-selections | awk '$1 ~ /^(mpi|h5p)/ { print $1 }' | while read -r group; do
        update-alternatives --list "$group" | grep mpich | head -n 1 |
            while read -r wanted; do as_root update-alternatives --set "$group" "$wanted"; done
    done
}

install() {
    local had_openmpi=no
    have apt-get || fail "no apt-get found; please install what these Debian packages provide: $*"
    [ "$(id -u)" -eq 0 ] || have sudo || fail "root is needed to install: $*"
    echo "install-packages: installing $*"
    apt_get update
    is_openmpi && had_openmpi=yes
    apt_get install --no-install-recommends "$@"
    [ $had_openmpi = yes ] || prefer_mpich > /dev/null
}

main() {
    local with_mpi=yes purpose
    local -a purposes=() packages=() missing=() new=()

    for purpose; do
        case $purpose in
            --no-mpi) with_mpi=no ;;
            -h | --help) usage && exit 0 ;;
            build | mpi | test | openmpi | browser | machines | bench | fuzz | packages | pictures | programs | large-programs) purposes+=("$purpose") ;;
            *) usage >&2 && exit 1 ;;
        esac
    done
    [ ${#purposes[@]} -gt 0 ] || purposes=(build mpi test)
    for purpose in "${purposes[@]}"; do
        [ "$purpose" = mpi ] && [ $with_mpi = no ] && continue
        read -r -a new <<< "$(packages_for "$purpose")"
        packages+=("${new[@]}")
    done
    [ ${#packages[@]} -gt 0 ] || exit 0
    read -r -a missing <<< "$(missing_of "${packages[@]}")"
    [ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
    read -r -a missing <<< "$(missing_of "${packages[@]}")"
    [ ${#missing[@]} -eq 0 ] || fail "still missing after the installation: ${missing[*]}"
}

main "$@"
