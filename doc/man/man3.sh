#!/bin/sh
#
# Makes the manual pages of section 3 from the sources.
#
#   man3.sh FOLDER DATE SRCDIR FILE...
#
# A FILE is a header of C or C++ or a module of Fortran, below SRCDIR or here; others have no pages.
# Pages of C are made first, because those of the other languages refer to them.

set -eu
out=$1
date=$2
srcdir=$3
shift 3

# make_pages PROGRAM PATTERN FILE...: the pages of files whose names match
make_pages() {
    program=$1
    pattern=$2
    shift 2
    for file; do
        shift
        [ -f "$file" ] || file=$srcdir/$file
        # shellcheck disable=SC2254
        case $file in $pattern) set -- "$@" "$file" ;; esac
    done
    [ $# -eq 0 ] || LC_ALL=C "$AWK" -v out="$out" -v date="$date" -f "$srcdir/doc/man/man3.awk" \
        -f "$srcdir/doc/man/$program" "$@"
}

make_pages header2man.awk '*.h' "$@"

# Some modules are in a short form.
mkdir "$out/expanded"
for file; do
    shift
    name=$(basename "$file")
    [ -f "$file" ] || file=$srcdir/$file
    if grep -q '^ *!= ' "$file"; then
        LC_ALL=C "$AWK" -f "$srcdir/src/fortran/forward.awk" "$file" "$file" >"$out/expanded/$name"
        file=$out/expanded/$name
    fi
    set -- "$@" "$file"
done
make_pages fortran2man.awk '*.f90' "$@"
rm -r "$out/expanded"
make_pages cxx2man.awk '*.hpp' "$@"

# FORTRAN 77 has no module to read, and some names of its own.
if [ -f "$out/sion_f90.3" ]; then
    cp "$srcdir/doc/man/sion_f77.3" "$out"
    sed -n 's/^\.Nm \(fsion_[a-z_]*\).*/\1/p' "$out/sion_f77.3" | while read -r name; do
        echo '.so man3/sion_f77.3' >"$out/$name.3"
    done
fi
