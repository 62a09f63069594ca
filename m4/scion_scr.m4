# SCION_SCR
# ---------
# Finds the Scalable Checkpoint/Restart library, version 3, which only its example needs.
AC_DEFUN([SCION_SCR], [
AC_ARG_WITH([scr], [AS_HELP_STRING([--with-scr=DIR], [SCR 3, to build its example; searched for by default])],
  [], [with_scr=yes])
have_scr=no SCR_CFLAGS= SCR_LIBS=
AS_CASE([$with_scr], [yes|no], [], [SCR_CFLAGS=-I$with_scr/include SCR_LIBS=-L$with_scr/lib])
AS_IF([test "x$with_scr" != xno && test "x$have_mpi" = xyes], [
  scion_save_CPPFLAGS=$CPPFLAGS scion_save_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS $SCR_CFLAGS $MPI_CFLAGS" LIBS="$SCR_LIBS $LIBS"
  AC_CHECK_HEADER([scr.h], [AC_CHECK_LIB([scr], [SCR_Start_output], [have_scr=yes], [], [$MPI_LIBS])])
  CPPFLAGS=$scion_save_CPPFLAGS LIBS=$scion_save_LIBS])
SCR_LIBS="$SCR_LIBS -lscr"
AC_SUBST([SCR_CFLAGS])
AC_SUBST([SCR_LIBS])
AM_CONDITIONAL([HAVE_SCR], [test $have_scr = yes])
])
