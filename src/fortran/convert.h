/* Conversion of Fortran's arguments to C and back. */
#ifndef SCION_FORTRAN_CONVERT_H
#define SCION_FORTRAN_CONVERT_H

#include <stddef.h>

/*
 * A terminated copy without trailing blanks, which the caller frees. Without memory: NULL, which
 * the called function refuses.
 */
char *scion_fortran_string(const char *text, size_t length);

/* Fill a CHARACTER variable with as much text as fits, then blanks. NULL: only blanks. */
void scion_fortran_fill(char *variable, size_t length, const char *text);

/*
 * The same for the name of a physical file. The program may have passed a constant, which does not
 * change. A blank variable or constant does not change either if the name is the one that the
 * program passed. 1 if the name was stored, but for what has no room; else 0.
 */
int scion_fortran_fill_name(char *variable, size_t length, const char *passed, const char *name);

/*
 * Store a result only if it differs: the program may have passed a constant, which is in
 * read-only memory.
 */
#define STORE_CHANGED(variable, value)                                                             \
    do {                                                                                           \
        if (*(variable) != (value))                                                                \
            *(variable) = (value);                                                                 \
    } while (0)

/* Store a result in an argument that the program may have omitted. */
#define STORE(variable, value)                                                                     \
    do {                                                                                           \
        if (variable)                                                                              \
            *(variable) = (value);                                                                 \
    } while (0)

#endif
