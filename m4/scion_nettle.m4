# SCION_NETTLE
# ------------
# Nettle's SHA-1, with which tests compare streams with the manifest of the sample files. Without it
# those tests are skipped.
AC_DEFUN([SCION_NETTLE], [
have_nettle=no
AC_CHECK_HEADER([nettle/sha1.h],
  [AC_CHECK_LIB([nettle], [nettle_sha1_init], [have_nettle=yes])])
AS_IF([test $have_nettle = yes], [
  NETTLE_LIBS=-lnettle
  AC_DEFINE([HAVE_NETTLE], [1], [Nettle is there.])])
AC_SUBST([NETTLE_LIBS])
])
