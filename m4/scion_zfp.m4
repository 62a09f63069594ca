# SCION_ZFP
# ---------
# Finds the header of libzfp, which the library itself is loaded by when an array is compressed by it.
AC_DEFUN([SCION_ZFP], [
AC_ARG_WITH([zfp], [AS_HELP_STRING([--without-zfp], [no arrays compressed by zfp])], [], [with_zfp=auto])
have_zfp=no
AS_IF([test "x$with_zfp" != xno], [
  AC_CACHE_CHECK([for zfp.h of libzfp 1.0], [scion_cv_zfp],
    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <zfp.h>]],
      [[__typeof__(&zfp_stream_set_reversible) function = 0; return function != 0 || ZFP_VERSION_MAJOR != 1;]])],
      [scion_cv_zfp=yes], [scion_cv_zfp=no])])
  have_zfp=$scion_cv_zfp])
AS_IF([test "x$with_zfp" = xyes && test $have_zfp = no],
  [AC_MSG_ERROR([zfp was requested, but its header was not found (Debian: libzfp-dev)])])
AS_IF([test $have_zfp = yes], [AC_DEFINE([HAVE_ZFP], [1], [Arrays can be compressed by zfp.])])
AC_SUBST([have_zfp])
])
