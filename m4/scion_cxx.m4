# SCION_CXX_COMPILER
# ------------------
# Finds a C++ compiler, or sets CXX to "no". Must precede LT_INIT.
AC_DEFUN_ONCE([SCION_CXX_COMPILER], [
AC_ARG_ENABLE([cxx], [AS_HELP_STRING([--disable-cxx], [do not build the C++ interface])])
AS_IF([test "x$enable_cxx" = xno], [CXX=no])
AC_PROG_CXX
])

# SCION_CXX
# ---------
# Checks whether the C++ classes can be built; they need C++11. Sets the conditional HAVE_CXX and
# scion_cxx_summary.
AC_DEFUN([SCION_CXX], [
have_cxx=no scion_cxx_summary=no
AS_IF([test "$CXX" != no], [
  AC_LANG_PUSH([C++])
  AC_MSG_CHECKING([whether $CXX builds C++11 programs])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string>
#include <utility>
static_assert(__cplusplus >= 201103L, "C++11");]], [[std::string a("x"), b(std::move(a));]])],
    [have_cxx=yes scion_cxx_summary="$CXX $CXXFLAGS"])
  AC_MSG_RESULT([$have_cxx])
  AC_LANG_POP([C++])
])
AS_IF([test $have_cxx = no && test "x$enable_cxx" = xyes],
  [AC_MSG_ERROR([C++ was requested, but no C++11 compiler was found])])
AM_CONDITIONAL([HAVE_CXX], [test $have_cxx = yes])
])
