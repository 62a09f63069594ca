# SCION_LEGACY_OPTIONS
# --------------------
# Recipes for SIONlib call configure with options that autoconf would refuse, or that have another
# name here. This translates them before configure looks at its arguments:
#
#   --mpi=NAME          --with-mpi=NAME (SCION_MPI); none: --without-mpi
#   --compiler=NAME     CC, CXX and FC, if they are installed and not given
#   --disable-mpi --disable-omp --disable-pthreads    their names here
#   --msa=... --force-...                             accepted, no effect
#
# SCION_ABSENT_PARTS has options for parts that are not here. Autoconf itself accepts others that have
# no meaning here (--disable-mic), with a warning.
AC_DEFUN([SCION_LEGACY_OPTIONS], [m4_divert_text([DEFAULTS], [
scion_compiler= scion_ignored= scion_given=" ${CC+CC} ${CXX+CXX} ${FC+FC} "
for scion_option
do
  shift
  case $scion_option in
    --mpi=none | --mpi=no | --disable-mpi) set x "[$]@" --without-mpi ;;
    --mpi=*) set x "[$]@" "--with-mpi=${scion_option@%:@--mpi=}" ;;
    --disable-omp) set x "[$]@" --disable-openmp ;;
    --disable-pthreads) set x "[$]@" --disable-threads ;;
    --compiler=*) scion_compiler=${scion_option@%:@--compiler=}; set x "[$]@" ;;
    --msa=* | --force-*) scion_ignored="$scion_ignored $scion_option"; set x "[$]@" ;;
    CC=* | CXX=* | FC=*)
      scion_given="$scion_given ${scion_option%%=*} "; set x "[$]@" "$scion_option" ;;
    *) set x "[$]@" "$scion_option" ;;
  esac
  shift
done
case $scion_compiler in
  '') scion_compilers= ;;
  gnu) scion_compilers='CC=gcc CXX=g++ FC=gfortran' ;;
  clang | llvm) scion_compilers='CC=clang CXX=clang++ FC=flang' ;;
  intel | oneapi) scion_compilers='CC=icx CXX=icpx FC=ifx' ;;
  pgi | nvidia | nvhpc) scion_compilers='CC=nvc CXX=nvc++ FC=nvfortran' ;;
  *) scion_compilers=; scion_ignored="$scion_ignored --compiler=$scion_compiler" ;;
esac
for scion_option in $scion_compilers
do
  case $scion_given in *" ${scion_option%%=*} "*) continue ;; esac
  if command -v "${scion_option@%:@*=}" >/dev/null 2>&1; then
    set x "[$]@" "$scion_option"; shift
  else
    echo "configure: WARNING: --compiler=$scion_compiler: no ${scion_option@%:@*=} was found" >&2
  fi
done
test -z "$scion_ignored" || echo "configure: WARNING: no effect:$scion_ignored" >&2
])])

# SCION_ABSENT_PARTS
# ------------------
# Options of SIONlib for parts that are not here, or are in every build: known words, and a line that
# says so if the part is wanted.
AC_DEFUN([SCION_ABSENT_PARTS], [
AC_ARG_ENABLE([cuda],
  [AS_HELP_STRING([--enable-cuda@<:@=DIR@:>@],
    [no effect: data in memory of devices are always taken, and no library is needed for that])])
AS_CASE([${enable_cuda:-no}], [no], [],
  [AC_MSG_NOTICE([--enable-cuda: every build takes data in memory of CUDA and HIP devices, if the program has loaded their driver; nothing is built for it])])
AC_ARG_ENABLE([sionfwd],
  [AS_HELP_STRING([--enable-sionfwd@<:@=DIR@:>@], [no effect: I/O forwarding is not available])])
AS_CASE([${enable_sionfwd:-no}], [no], [],
  [AC_MSG_WARN([--enable-sionfwd has no effect: I/O forwarding is not available, an open with the mode word sionfwd fails])])
])
