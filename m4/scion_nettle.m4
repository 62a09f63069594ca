# SCION_NETTLE
# ------------
# Finds nettle. The FTI-FF layer needs its MD5, and is left out without it. Some tests need its
# SHA-1, to compare streams with the manifest of the sample files, and are skipped without it.
AC_DEFUN([SCION_NETTLE], [
have_nettle=no
AC_CHECK_HEADER([nettle/sha1.h],
  [AC_CHECK_LIB([nettle], [nettle_sha1_init], [have_nettle=yes])])
AS_IF([test $have_nettle = yes], [
  NETTLE_LIBS=-lnettle
  AC_DEFINE([HAVE_NETTLE], [1], [Nettle was found.])])
AC_SUBST([NETTLE_LIBS])
AC_ARG_ENABLE([ftiff],
  [AS_HELP_STRING([--disable-ftiff], [leave out FTI-FF checkpoints, which need nettle])])
AS_IF([test "x$enable_ftiff" = xyes && test $have_nettle = no],
  [AC_MSG_ERROR([--enable-ftiff needs nettle (Debian: nettle-dev)])])
AS_IF([test "x$enable_ftiff" = xno || test $have_nettle = no], [have_ftiff=no], [have_ftiff=yes])
AC_SUBST([have_ftiff])
AM_CONDITIONAL([HAVE_FTIFF], [test $have_ftiff = yes])
])
