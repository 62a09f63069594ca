# SCION_SYMBOL_PREFIX
# -------------------
# --with-symbol-prefix=l puts a prefix before all names (lsion_*, lfsion_*, liblsion*_64.a, and
# LSION_* in the environment), so that a process can contain this build and the usual one. It makes
# static archives only. Sets symbol_prefix, SYMBOL_PREFIX (in capitals) and the conditional RENAMED.
AC_DEFUN([SCION_SYMBOL_PREFIX], [
AC_ARG_WITH([symbol-prefix], [AS_HELP_STRING([--with-symbol-prefix=P],
  [put P (letters, digits, _) before all symbols, archives, modules and environment variables])],
  [], [with_symbol_prefix=])
AS_CASE([$with_symbol_prefix],
  [yes], [AC_MSG_ERROR([--with-symbol-prefix needs a prefix, as in --with-symbol-prefix=l])],
  [no], [with_symbol_prefix=],
  [*[[!a-z0-9_]]*|[[0-9]]*], [AC_MSG_ERROR([the symbol prefix must be a name in lower case])])
symbol_prefix=$with_symbol_prefix
SYMBOL_PREFIX=`echo "$symbol_prefix" | tr 'a-z' 'A-Z'`
scion_paste=${symbol_prefix:+$symbol_prefix@%:@@%:@}
SCION_PASTE=${SYMBOL_PREFIX:+$SYMBOL_PREFIX@%:@@%:@}
AC_DEFINE_UNQUOTED([C_NAME(name)], [${scion_paste}name],
  [The name of a C function that Fortran modules call.])
AS_IF([test -n "$symbol_prefix"], [
  AS_IF([test "x$enable_shared" = xyes],
    [AC_MSG_ERROR([--with-symbol-prefix makes static archives only])])
  enable_shared=no
  AC_DEFINE([SCION_RENAMED], [1], [Symbols have a prefix.])])
AC_SUBST([symbol_prefix])
AC_SUBST([SYMBOL_PREFIX])
AM_CONDITIONAL([RENAMED], [test -n "$symbol_prefix"])
])
