# SCION_FUSE
# ----------
# Finds libfuse 3, which sionmount uses to mount containers. Without it, sionmount is not built.
AC_DEFUN([SCION_FUSE], [
AC_ARG_WITH([fuse], [AS_HELP_STRING([--without-fuse], [build without sionmount, which needs libfuse 3])],
  [], [with_fuse=auto])
AC_ARG_VAR([FUSE_CFLAGS], [compiler flags for libfuse 3, in place of those of pkg-config])
AC_ARG_VAR([FUSE_LIBS], [linker flags for libfuse 3, in place of those of pkg-config])
have_fuse=no
AS_IF([test "x$with_fuse" != xno], [
  AC_CHECK_PROGS([PKG_CONFIG], [pkg-config])
  # -isystem suppresses compiler warnings in its headers.
  test -n "$FUSE_CFLAGS" || FUSE_CFLAGS=`${PKG_CONFIG:-false} --cflags fuse3 2>/dev/null | sed 's/-I/-isystem /g'`
  test -n "$FUSE_LIBS" || FUSE_LIBS=`${PKG_CONFIG:-false} --libs fuse3 2>/dev/null`
  AS_IF([test -n "$FUSE_LIBS"], [
    scion_save_CFLAGS=$CFLAGS scion_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $FUSE_CFLAGS" LIBS="$FUSE_LIBS $LIBS"
    AC_MSG_CHECKING([for libfuse 3.7])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#define FUSE_USE_VERSION 32
#include <fuse_lowlevel.h>]], [[struct fuse_loop_config config = {0, 1};
fuse_set_log_func(0);
return fuse_session_loop_mt(0, &config);]])], [have_fuse=yes])
    AC_MSG_RESULT([$have_fuse])
    CFLAGS=$scion_save_CFLAGS LIBS=$scion_save_LIBS])])
AS_IF([test "x$with_fuse" = xyes && test $have_fuse = no],
  [AC_MSG_ERROR([libfuse was requested, but no libfuse 3.7 was found (Debian: libfuse3-dev)])])
AM_CONDITIONAL([HAVE_FUSE], [test $have_fuse = yes])
])
