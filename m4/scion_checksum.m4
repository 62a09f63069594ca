# SCION_CHECKSUM
# --------------
# Finds a CRC-32 for checksums of containers: ISA-L's, or else zlib's. Must follow SCION_ZLIB.
AC_DEFUN([SCION_CHECKSUM], [
AC_ARG_WITH([isal], [AS_HELP_STRING([--without-isal], [compute checksums with zlib, not ISA-L])],
  [], [with_isal=auto])
have_isal=no
AS_IF([test "x$with_isal" != xno], [
  AC_CHECK_HEADER([isa-l.h], [AC_CHECK_LIB([isal], [crc32_gzip_refl], [have_isal=yes])])])
AS_IF([test "x$with_isal" = xyes && test $have_isal = no],
  [AC_MSG_ERROR([ISA-L with crc32_gzip_refl() was requested, but not found (Debian: libisal-dev)])])
CHECKSUM_LIBS=
AS_IF([test $have_isal = yes], [
  CHECKSUM_LIBS=-lisal
  AC_DEFINE([HAVE_ISAL], [1], [ISA-L computes the checksums.])],
  [test $have_zlib = yes], [CHECKSUM_LIBS=$ZLIB_LIBS])
AS_IF([test "x$CHECKSUM_LIBS" != x], [
  have_checksum=yes
  AC_DEFINE([HAVE_CHECKSUM], [1], [There is a function for checksums.])], [have_checksum=no])
# The name under which the core looks for it: current - age of libtool's version.
checksum_current=${LIBSION_CHECKSUM_VERSION%%:*}
checksum_age=${LIBSION_CHECKSUM_VERSION##*:}
AC_DEFINE_UNQUOTED([SCION_CHECKSUM_LIBRARY],
  ["libsion_checksum.so.`expr $checksum_current - $checksum_age`"],
  [Shared library with the function for checksums.])
AC_SUBST([CHECKSUM_LIBS])
AM_CONDITIONAL([HAVE_CHECKSUM], [test $have_checksum = yes])
])
