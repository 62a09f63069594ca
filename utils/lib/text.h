/* Text and numbers of bytes for people. */
#ifndef UTILS_LIB_TEXT_H
#define UTILS_LIB_TEXT_H

#include "sion_datatypes.h"

/*
 * A copy of text from outside that is one line: control characters, and bytes that are not UTF-8,
 * appear as \n or \x1b. Freed by the caller; NULL: out of memory.
 */
char *text_escaped(const char *text);

/* "512 B", "1.5 KiB"; returns into, which has TEXT_SIZE characters. */
enum { TEXT_SIZE = 32 };
const char *text_size(char *into, sion_int64 bytes);

/* What stands behind the noun that n counts: "1 task", "2 tasks". */
static inline const char *text_plural(sion_int64 n)
{
    return n == 1 ? "" : "s";
}

/* Bytes as MB, which SIONlib takes as 1048576 bytes. */
double text_mb(long long bytes);

/*
 * The same as text with two digits, for long tables: what printf makes of the double, but much
 * faster. Returns into, which has TEXT_SIZE characters.
 */
const char *text_mb_digits(char *into, long long bytes);

#endif
