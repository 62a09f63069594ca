# SCION_ZLIB
# ----------
# Finds zlib, whose CRC-32 the SCR layer uses. Without it, that layer and its tool are not built.
AC_DEFUN([SCION_ZLIB], [
AC_ARG_WITH([zlib], [AS_HELP_STRING([--without-zlib], [build without the SCR layer, which needs zlib])],
  [], [with_zlib=auto])
have_zlib=no
AS_IF([test "x$with_zlib" != xno], [
  AC_CHECK_HEADER([zlib.h], [AC_CHECK_LIB([z], [crc32_z], [have_zlib=yes])])])
AS_IF([test "x$with_zlib" = xyes && test $have_zlib = no],
  [AC_MSG_ERROR([zlib with crc32_z() was requested, but not found (Debian: zlib1g-dev)])])
AS_IF([test $have_zlib = yes], [
  ZLIB_LIBS=-lz
  AC_DEFINE([HAVE_ZLIB], [1], [The SCR layer can be built.])])
AC_SUBST([ZLIB_LIBS])
AC_SUBST([have_zlib])
AM_CONDITIONAL([HAVE_ZLIB], [test $have_zlib = yes])
])
