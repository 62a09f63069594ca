# SCION_MPI
# ---------
# Finds MPI by asking MPICC, or a wrapper called mpicc, for its flags. Files that need mpi.h are
# compiled with CC and MPI_CFLAGS and linked with MPI_LIBS. Sets the conditional HAVE_MPI, MPIEXEC,
# MPI_FLAVOUR (mpich, openmpi or other) and scion_mpi_summary.
AC_DEFUN([SCION_MPI], [
AC_ARG_WITH([mpi], [AS_HELP_STRING([--without-mpi], [build without MPI])
AS_HELP_STRING([--with-mpi=NAME],
  [mpich, openmpi: use this MPI, and stop if there is only another one; intel and others: use its
   wrapper if there is one, or else any MPI])],
  [], [with_mpi=auto])
AC_ARG_VAR([MPICC], [MPI compiler wrapper])
AC_ARG_VAR([MPIEXEC], [program that starts MPI programs, for the tests])
have_mpi=no scion_named= scion_flavour=
AS_IF([test "x$with_mpi" != xno], [
  # mpi.h identifies only MPICH (2, 3) and Open MPI. Any other name is no more than a preference, so
  # that old recipes build with the MPI that is installed.
  scion_any="mpicc mpicc.mpich mpicc.openmpi mpiicx mpiicc"
  AS_CASE([$with_mpi],
    [auto|yes], [],
    [openmpi*], [scion_named="mpicc.openmpi" scion_flavour=openmpi],
    [mpich*], [scion_named="mpicc.mpich" scion_flavour=mpich],
    [mvapich*|psmpi*|parastation*|cray*], [scion_named="mpicc.mpich" scion_flavour=vendor],
    [intel*|impi*], [scion_named="mpiicx mpiicc mpicc.intel" scion_flavour=intel],
    [scion_named= scion_flavour=vendor])
  AC_CHECK_PROGS([MPICC], [$scion_named $scion_any])
  AS_IF([test -n "$MPICC"], [
    AC_MSG_CHECKING([what $MPICC adds])
    scion_mpi_show=`$MPICC -show 2>/dev/null`
    MPI_CFLAGS= MPI_LIBS=
    for scion_word in $scion_mpi_show; do
      AS_CASE([$scion_word],
        [-I*|-D*|-isystem*|-pthread], [MPI_CFLAGS="$MPI_CFLAGS $scion_word"],
        [-L*|-l*|-Wl,-rpath*|-Wl,--enable-new-dtags], [MPI_LIBS="$MPI_LIBS $scion_word"])
    done
    AC_MSG_RESULT([$MPI_CFLAGS $MPI_LIBS])
    scion_save_CFLAGS=$CFLAGS scion_save_LIBS=$LIBS
    CFLAGS="$CFLAGS $MPI_CFLAGS" LIBS="$MPI_LIBS $LIBS"
    AC_MSG_CHECKING([whether MPI programs can be linked])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[return MPI_Init(0, 0);]])],
      [have_mpi=yes])
    AC_MSG_RESULT([$have_mpi])
    MPI_FLAVOUR=other
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef OPEN_MPI
#error not Open MPI
#endif]])], [MPI_FLAVOUR=openmpi], [
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>
#ifndef MPICH_VERSION
#error not MPICH
#endif]])], [MPI_FLAVOUR=mpich])])
    CFLAGS=$scion_save_CFLAGS LIBS=$scion_save_LIBS
    AS_CASE([$have_mpi,$scion_flavour,$MPI_FLAVOUR,$MPICC],
      [no,*|*,,*|*,mpich,mpich,*|*,openmpi,openmpi,*|*,intel,*,mpii*|*,intel,*,*.intel], [],
      [yes,mpich,*|yes,openmpi,*], [AC_MSG_ERROR(
        [MPI $with_mpi was requested, but $MPICC is another one: $MPI_FLAVOUR; set MPICC])],
      [AC_MSG_WARN(
        [cannot check whether $MPICC ($MPI_FLAVOUR) is the MPI $with_mpi; using it])])
  ])
  AS_IF([test $have_mpi = no], [AS_CASE([$with_mpi],
    [auto], [],
    [yes], [AC_MSG_ERROR([MPI was requested, but no wrapper that links was found; set MPICC])],
    [AC_MSG_WARN([--with-mpi=$with_mpi: no MPI was found, building without])])])
])
AS_IF([test $have_mpi = yes], [
  AS_CASE([$MPI_FLAVOUR],
    [mpich], [AC_CHECK_PROGS([MPIEXEC], [mpiexec.hydra mpiexec.mpich mpiexec])],
    [openmpi], [AC_CHECK_PROGS([MPIEXEC], [mpiexec.openmpi mpiexec])],
    [AC_CHECK_PROGS([MPIEXEC], [mpiexec mpirun])])
  AC_DEFINE([HAVE_MPI], [1], [MPI programs can be built.])
  scion_mpi_summary="$MPICC ($MPI_FLAVOUR), started with ${MPIEXEC:-nothing}"
], [scion_mpi_summary=no])
AC_SUBST([MPI_CFLAGS])
AC_SUBST([MPI_LIBS])
AC_SUBST([MPI_FLAVOUR])
AM_CONDITIONAL([HAVE_MPI], [test $have_mpi = yes])
])
