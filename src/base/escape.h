/* Text from outside, which may hold any bytes, as a part of one line. */
#ifndef SCION_BASE_ESCAPE_H
#define SCION_BASE_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/*
 * A copy in which control characters, and bytes that are not UTF-8, appear as \n or \x1b: the copy
 * cannot begin another line, and a terminal finds no command in it. It is cut between two
 * characters if into[size] is too small for it and its NUL. Returns into, which must not be text.
 */
const char *scion_escape(const char *text, char *into, size_t size);

/* Write the whole text to a stream in the same way. */
void scion_print_escaped(FILE *to, const char *text);

#endif
