#!/bin/sh
#
# Prints a header that gives the functions of the library other names (--with-symbol-prefix).
#
#   rename.sh SRCDIR PREFIX public|all
#
#   public   what applications see: functions of the public headers, classes, environment variables
#   all      also every internal name; macros keep their names, because they are no symbols

set -eu
srcdir=$1
prefix=$2
upper=$(echo "$prefix" | tr 'a-z' 'A-Z')

# Names of functions in public headers.
public_names() {
    cat "$srcdir"/include/sion*.h | grep -oE '\b_?sion_[A-Za-z0-9_]+\(' | tr -d '('
}

# Every name of the library in the sources.
all_names() {
    find "$srcdir/src" "$srcdir/include" "$srcdir/utils" -name '*.[ch]' -exec cat {} + |
        grep -oE '\b_?sc?ion_[A-Za-z0-9_]+\b'
}

macro_names() {
    find "$srcdir/src" "$srcdir/include" "$srcdir/utils" -name '*.[ch]' -exec cat {} + |
        sed -n 's/^ *# *define  *\([A-Za-z0-9_]*\).*/\1/p'
}

macros=$(macro_names | sort -u)
echo "/* Made by configure --with-symbol-prefix=$prefix: other names for all symbols. */"
echo "#ifndef SION_RENAME_H"
echo "#define SION_RENAME_H"
echo "#define SION_LVERSION_PREFIX \"$upper\""
echo "#define sionlib ${prefix}sionlib"
echo "#define SION_Base ${prefix}SION_Base"
case $3 in
public) public_names ;;
all) all_names ;;
esac | sort -u | while read -r name; do
    case " $(echo $macros) " in
    *" $name "*) continue ;;
    esac
    case $name in
    _*) echo "#define $name _$prefix${name#_}" ;;
    *) echo "#define $name $prefix$name" ;;
    esac
done
echo "#endif"
