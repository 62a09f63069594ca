/*
 * How the routines are called. These files are compiled twice: for FORTRAN 77, whose compiler makes
 * the names, and for the Fortran 90 modules, which bind to C names. Each archive thus brings its
 * own routines, and a program may link both.
 *
 * Arguments are addresses. The length of a string comes last, as Fortran compilers append it.
 */
#ifndef SCION_FORTRAN_NAMES_H
#define SCION_FORTRAN_NAMES_H

#include <stddef.h>

#include "fortran/convert.h"

/*
 * F77_NAME is from configure: the symbol that the compiler makes of a name, such as name_ or NAME.
 * C_NAME adds the symbol prefix, if there is one.
 */
#ifdef SCION_F77
#define ROUTINE(lower, upper)       F77_NAME(lower, upper)
#define TYPED_ROUTINE(lower, upper) F77_NAME(lower, upper)
#else
#define ROUTINE(lower, upper)       C_NAME(lower##_c_)
#define TYPED_ROUTINE(lower, upper) C_NAME(lower)
#endif

/* One routine for each type of data, and one for all types. */
#ifdef SCION_F77
#define EACH_TYPE(DEFINE, lower, upper)                                                            \
    DEFINE(TYPED_ROUTINE(lower##_integer, upper##_INTEGER))                                        \
    DEFINE(TYPED_ROUTINE(lower##_character, upper##_CHARACTER))                                    \
    DEFINE(TYPED_ROUTINE(lower##_real, upper##_REAL))                                              \
    DEFINE(TYPED_ROUTINE(lower##_double, upper##_DOUBLE))                                          \
    DEFINE(TYPED_ROUTINE(lower##_complex, upper##_COMPLEX))                                        \
    DEFINE(TYPED_ROUTINE(lower##_logical, upper##_LOGICAL))
#else
#define EACH_TYPE(DEFINE, lower, upper)                                                            \
    DEFINE(TYPED_ROUTINE(lower##_integer, ))                                                       \
    DEFINE(TYPED_ROUTINE(lower##_integer8, ))                                                      \
    DEFINE(TYPED_ROUTINE(lower##_character, ))                                                     \
    DEFINE(TYPED_ROUTINE(lower##_real, ))                                                          \
    DEFINE(TYPED_ROUTINE(lower##_double_precision, ))                                              \
    DEFINE(TYPED_ROUTINE(lower##_complex, ))                                                       \
    DEFINE(TYPED_ROUTINE(lower##_logical, ))
#endif
#define ANY_TYPE(DEFINE, lower, upper)                                                             \
    DEFINE(ROUTINE(lower, upper))                                                                  \
    EACH_TYPE(DEFINE, lower, upper)

/*
 * Routines that only call a function of C: its result is the routine's own, is stored in an output
 * argument, or in ierr, which the program may have omitted.
 */
#define DEFINE_FUNCTION(lower, upper, function)                                                    \
    sion_int64 ROUTINE(lower, upper)(const int *sid)                                               \
    {                                                                                              \
        return function(*sid);                                                                     \
    }
#define DEFINE_OUTPUT(lower, upper, arguments, output, result)                                     \
    void ROUTINE(lower, upper) arguments                                                           \
    {                                                                                              \
        *output = result;                                                                          \
    }
#define DEFINE_IERR(lower, upper, arguments, result)                                               \
    void ROUTINE(lower, upper) arguments                                                           \
    {                                                                                              \
        int rc = result;                                                                           \
                                                                                                   \
        STORE(ierr, rc);                                                                           \
    }

/* Nothing calls these routines from C, so no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)

#endif
