# SCION_PYTHON
# ------------
# Finds a Python for the package in python/, which "make install" installs and the tests use:
# PYTHON, or the first candidate below that has the modules that the package needs, or else the
# first candidate. The package loads the shared libraries by their usual names, so builds without
# these leave it out. Sets the conditional HAVE_PYTHON, pythondir and scion_python_summary.
AC_DEFUN([SCION_PYTHON], [
AC_ARG_WITH([python], [AS_HELP_STRING([--without-python], [do not install the Python package])
AS_HELP_STRING([--with-python=PROGRAM], [install it for this Python])], [], [with_python=auto])
AC_ARG_VAR([PYTHON], [Python interpreter, 3.9 or later])
AS_CASE([$with_python], [auto|yes|no], [], [PYTHON=$with_python])
have_python=no
AS_IF([test "x$with_python" != xno && test "x$enable_shared" = xyes && test -z "$symbol_prefix"], [
  AC_MSG_CHECKING([for a Python that has cffi and numpy])
  scion_python=
  for scion_candidate in ${PYTHON:-python3 /usr/bin/python3}; do
    $scion_candidate -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
    test -n "$scion_python" || scion_python=$scion_candidate
    AS_IF([$scion_candidate -c 'import cffi, numpy' 2>/dev/null],
      [scion_python=$scion_candidate; have_python=yes; break])
  done
  PYTHON=$scion_python
  scion_python_summary="$PYTHON"
  AS_IF([test $have_python = no && test -n "$PYTHON"], [
    have_python=yes
    scion_python_summary="$PYTHON (without cffi or numpy, which the package needs)"])
  AC_MSG_RESULT([${scion_python_summary:-no}])])
AS_IF([test $have_python = yes], [
  scion_python_version=`$PYTHON -c 'import sys; print("%d.%d" % sys.version_info@<:@:2@:>@)'`
  pythondir='${prefix}/lib/python'$scion_python_version/site-packages
], [
  AS_CASE([$with_python], [auto|no], [], [AC_MSG_ERROR(
    [Python was requested, but the package needs Python 3.9, shared libraries and no symbol prefix])])
  scion_python_summary=no])
AC_SUBST([pythondir])
AM_CONDITIONAL([HAVE_PYTHON], [test $have_python = yes])
])
