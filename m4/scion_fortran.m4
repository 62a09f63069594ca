# SCION_FORTRAN_COMPILER
# ----------------------
# Finds a Fortran compiler, or sets FC to "no". Must precede LT_INIT.
AC_DEFUN_ONCE([SCION_FORTRAN_COMPILER], [
AC_ARG_ENABLE([fortran],
  [AS_HELP_STRING([--disable-fortran], [do not build the Fortran interfaces])])
AS_IF([test "x$enable_fortran" = xno], [FC=no])
AC_PROG_FC([gfortran flang flang-new ifx ifort nvfortran])
AS_IF([test -z "$FC"], [FC=no])
])

# SCION_FORTRAN
# -------------
# Checks whether the Fortran modules can be built, how the compiler mangles names (F77_NAME), and
# which flags Fortran programs with MPI need. Sets the conditionals HAVE_FORTRAN, HAVE_MPI_FORTRAN
# (use mpi) and HAVE_MPI_F08 (use mpi_f08), and scion_fortran_summary. Must follow SCION_MPI.
AC_DEFUN([SCION_FORTRAN], [
have_fortran=no have_mpi_fortran=no have_mpi_f08=no
AS_IF([test "$FC" != no], [
  AC_LANG_PUSH([Fortran])
  AC_FC_SRCEXT([f90], [], [:])
  AC_FC_MODULE_FLAG([], [:])
  AC_FC_MODULE_OUTPUT_FLAG([], [:])
  AC_MSG_CHECKING([whether $FC supports arguments of any type and rank])
  AC_COMPILE_IFELSE([[
module conftest
  use, intrinsic :: iso_c_binding
contains
  subroutine any_data(data, address)
    type(*), target, contiguous, intent(in) :: data(..)
    type(c_ptr), intent(out) :: address
    address = c_loc(data)
  end subroutine any_data
end module conftest
]], [have_fortran=yes])
  rm -f conftest.mod CONFTEST.mod
  AC_MSG_RESULT([$have_fortran])
  AC_LANG_POP([Fortran])
])
AS_IF([test $have_fortran = yes], [SCION_F77_NAME])
AS_IF([test $have_fortran = yes && test $have_mpi = yes], [SCION_MPI_FORTRAN])
AS_IF([test $have_fortran = no && test "x$enable_fortran" = xyes],
  [AC_MSG_ERROR([Fortran was requested, but no compiler that can build the modules was found])])
AC_SUBST([MPI_FCFLAGS])
AC_SUBST([MPI_FCLIBS])
AC_SUBST([have_mpi_fortran])
AM_CONDITIONAL([HAVE_FORTRAN], [test $have_fortran = yes])
AM_CONDITIONAL([HAVE_MPI_FORTRAN], [test $have_mpi_fortran = yes])
AM_CONDITIONAL([HAVE_MPI_F08], [test $have_mpi_f08 = yes])
scion_fortran_summary=no
AS_IF([test $have_fortran = yes], [scion_fortran_summary="$FC $FCFLAGS"])
AS_IF([test $have_mpi_fortran = yes], [scion_fortran_summary="$scion_fortran_summary, use mpi"])
AS_IF([test $have_mpi_f08 = yes], [scion_fortran_summary="$scion_fortran_summary, use mpi_f08"])
])

# Finds out how the compiler mangles the name of an external procedure.
AC_DEFUN([SCION_F77_NAME], [
AC_MSG_CHECKING([how $FC mangles names])
AC_LANG_PUSH([Fortran])
AC_COMPILE_IFELSE([[
subroutine scion_probe()
end subroutine scion_probe
]], [mv conftest.$ac_objext scion_probe.$ac_objext])
AC_LANG_POP([Fortran])
scion_f77_name=
scion_save_LIBS=$LIBS
LIBS="scion_probe.$ac_objext $LIBS"
for scion_form in scion_probe_ scion_probe scion_probe__ SCION_PROBE; do
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[void $scion_form(void);]], [[$scion_form();]])],
    [scion_f77_name=$scion_form; break])
done
LIBS=$scion_save_LIBS
rm -f scion_probe.$ac_objext
AC_MSG_RESULT([${scion_f77_name:-unknown}])
AS_CASE([$scion_f77_name],
  [scion_probe_], [scion_form="${scion_paste}lower@%:@@%:@_"],
  [scion_probe__], [scion_form="${scion_paste}lower@%:@@%:@__"],
  [scion_probe], [scion_form="${scion_paste}lower"],
  [SCION_PROBE], [scion_form="${SCION_PASTE}upper"],
  [have_fortran=no])
AC_DEFINE_UNQUOTED([F77_NAME(lower,upper)], [$scion_form],
  [A procedure's name as the Fortran compiler mangles it.])
])

# Gets the flags of Fortran programs with MPI from the wrapper, as SCION_MPI does for C.
AC_DEFUN([SCION_MPI_FORTRAN], [
AC_ARG_VAR([MPIFC], [MPI compiler wrapper for Fortran])
AC_CHECK_PROGS([MPIFC], [`echo "$MPICC" | sed 's/mpicc/mpifort/; s/mpiicc/mpiifort/; s/mpiicx/mpiifx/'` mpifort mpif90])
MPI_FCFLAGS= MPI_FCLIBS=
for scion_word in `$MPIFC -show 2>/dev/null`; do
  AS_CASE([$scion_word],
    [-I*|-D*|-isystem*|-pthread], [MPI_FCFLAGS="$MPI_FCFLAGS $scion_word"],
    [-L*|-l*|-Wl,-rpath*|-Wl,--enable-new-dtags], [MPI_FCLIBS="$MPI_FCLIBS $scion_word"])
done
scion_save_FCFLAGS=$FCFLAGS scion_save_LIBS=$LIBS
FCFLAGS="$FCFLAGS $MPI_FCFLAGS" LIBS="$MPI_FCLIBS $LIBS"
AC_LANG_PUSH([Fortran])
AC_MSG_CHECKING([whether Fortran programs can use mpi])
AC_LINK_IFELSE([[
program conftest
  use mpi
  integer :: ierr
  call MPI_Init(ierr)
end program conftest
]], [have_mpi_fortran=yes])
AC_MSG_RESULT([$have_mpi_fortran])
AC_MSG_CHECKING([whether Fortran programs can use mpi_f08])
AC_LINK_IFELSE([[
program conftest
  use mpi_f08
  type(MPI_Comm) :: comm
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
end program conftest
]], [have_mpi_f08=yes])
AC_MSG_RESULT([$have_mpi_f08])
AC_LANG_POP([Fortran])
FCFLAGS=$scion_save_FCFLAGS LIBS=$scion_save_LIBS
])
