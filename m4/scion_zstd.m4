# SCION_ZSTD
# ----------
# Finds the header of libzstd, which the library itself is loaded by when a container is compressed.
AC_DEFUN([SCION_ZSTD], [
AC_ARG_WITH([zstd], [AS_HELP_STRING([--without-zstd], [no compressed streams])], [], [with_zstd=auto])
have_zstd=no
AS_IF([test "x$with_zstd" != xno], [
  AC_CACHE_CHECK([for zstd.h of libzstd 1.4 or newer], [scion_cv_zstd],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <zstd.h>]],
      [[__typeof__(&ZSTD_compress2) function = 0; return function != 0 || ZSTD_c_nbWorkers == 0;]])],
      [scion_cv_zstd=yes], [scion_cv_zstd=no])])
  have_zstd=$scion_cv_zstd])
AS_IF([test "x$with_zstd" = xyes && test $have_zstd = no],
  [AC_MSG_ERROR([zstd was requested, but its header was not found (Debian: libzstd-dev)])])
AS_IF([test $have_zstd = yes], [AC_DEFINE([HAVE_ZSTD], [1], [Streams can be compressed.])])
AC_SUBST([have_zstd])
AM_CONDITIONAL([HAVE_ZSTD], [test $have_zstd = yes])
])
